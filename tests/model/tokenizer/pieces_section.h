/* pieces_section.h - the sections of texts, for tokenizers that are made without a file. Each ends
 * the program where it cannot be made, and is to be freed. */
#ifndef TESTS_MODEL_PIECES_SECTION_H
#define TESTS_MODEL_PIECES_SECTION_H

#include "model/tokenizer/tokenize.h"

/* Gives the tokenizer this vocabulary; NULL: an id without text. */
void *vocabulary_section(struct tokenizer *tokenizer, const char *const *texts, size_t n);

/* Gives it pieces of these texts, each with -8 and an eighth less for each byte of it as its score;
 * those of length 0 are none. */
void *pieces_section(struct tokenizer *tokenizer, const char *const *texts, size_t n);

#endif
