/* bpe.h - a word to pieces by byte pair encoding: its characters are the first pieces, and pairs of
 * them are merged in the order of the merges. Internal to the tokenizer.
 */
#ifndef MODEL_BPE_H
#define MODEL_BPE_H

#include "model/tokenizer/tokenizer.h"

/* Least number of characters of a word that are merged together; of a longer word, the characters
 * before the last quarter become tokens, repeatedly. */
enum { BPE_CHARS = 2048 };

/* Returns BPE_CHARS, or more if tokens are that long: a bound for each token's characters. */
size_t bpe_cap_chars(const struct tokenizer *tokenizer);

/* Adds the pieces of a word, or of the rest of one; its bytes are consumed. */
void bpe_add(struct word *word);

/* Adds the first pieces of a word that fills its memory, and leaves the rest. */
void bpe_add_part(struct word *word);

#endif
