/* wordpiece.h - a word to pieces: the longest piece that the word starts with, then the longest
 * that continues it, and so on; one unknown token if that fails. Internal to the tokenizer.
 */
#ifndef MODEL_WORDPIECE_H
#define MODEL_WORDPIECE_H

#include "model/tokenizer/word.h"

/* Adds the pieces of a word; its bytes are consumed. */
void wordpiece_add(struct word *word);

#endif
