/* bpe.h - a word to pieces by byte pair encoding: its characters are the first pieces, and pairs of
 * them are merged as the merges say. Internal to the tokenizer.
 */
#ifndef MODEL_BPE_H
#define MODEL_BPE_H

#include "model/tokenizer/split/pretoken.h"
#include "model/tokenizer/tokenizer.h"

/* Characters of a word that are looked at together, at least; of a longer one those before the last
 * quarter become tokens, again and again. */
enum { BPE_CHARS = 2048, BPE_LONGEST = 1 << 16 /* bytes of a token */ };

/* As many, or more where a token is as long: a bound for each token's characters. */
size_t bpe_cap_chars(const struct tokenizer *tokenizer);

/* Bytes of the memory that a word has behind its characters. */
size_t bpe_work_bytes(const struct tokenizer *tokenizer);

/* Takes the pieces of a word, or of what is left of it; its bytes are used up. */
void bpe_add(struct pretoken *word);

/* Takes the first pieces of a word that fills its memory, and leaves the rest. */
void bpe_add_part(struct pretoken *word);

#endif
