/* unigram_parts.h - what a Unigram tokenizer has beside its vocabulary, as sections of the weight
 * file: pieces with their scores (PIEC), sentencepiece's map of characters (CMAP).
 */
#ifndef TOOLS_IMPORT_UNIGRAM_PARTS_H
#define TOOLS_IMPORT_UNIGRAM_PARTS_H

#include "tools/import/tokenizer/tokenizer_parts.h"

/* Of the pieces that are placed: the kind, and the section. scores: [words.n], by id. */
void unigram_set(struct import_tokenizer *tokenizer, const double *scores, size_t unknown,
                 bool byte_fallback);

/* A map as sentencepiece has it; the tokenizer has none before. */
void charsmap_set(struct import_tokenizer *tokenizer, const void *map, size_t len);

/* The same in base64. */
void charsmap_set_base64(struct import_tokenizer *tokenizer, const char *text, size_t len);

#endif
