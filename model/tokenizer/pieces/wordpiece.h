/* wordpiece.h - a word to pieces: the longest piece that the word starts with, then the longest
 * that continues it, and so on; one unknown token if that fails. Internal to the tokenizer.
 */
#ifndef MODEL_WORDPIECE_H
#define MODEL_WORDPIECE_H

#include "model/tokenizer/split/pretoken.h"
#include "model/tokenizer/words.h"

enum { WORDPIECE_MOST_CHARS = 10000, WORDPIECE_PREFIX_BYTES = 32 };

/* Adds the pieces of a word; its bytes are consumed. */
void wordpiece_add(struct pretoken *word);

#endif
