/* pieces_section.h - the section PIEC of texts, for tokenizers that are made without a file. */
#ifndef TESTS_MODEL_PIECES_SECTION_H
#define TESTS_MODEL_PIECES_SECTION_H

#include "model/tokenizer/tokenize.h"

/* Gives the tokenizer pieces of these texts, each with -8 and an eighth less for each byte of it as
 * its score; those of length 0 are none. Returns the section, to be freed. Ends the program where
 * it cannot be made. */
void *pieces_section(struct tokenizer *tokenizer, const char *const *texts, size_t n);

#endif
