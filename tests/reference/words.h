/* words.h - texts to ids: the tokenizer of BERT, as weights/FORMAT.md has it, in four passes over
 * an array of characters. Added tokens are read as any other text. */
#ifndef TESTS_REFERENCE_WORDS_H
#define TESTS_REFERENCE_WORDS_H

#include "tests/reference/weights.h"

struct reference_token {
    int32_t id;
    size_t begin, end; /* bytes of the text; equal for tokens that frame it */
};

/* Returns the n tokens of a text with the frame `single`, to be freed; NULL if the file has another
 * tokenizer. */
struct reference_token *reference_tokens(const struct reference_weights *weights, const char *text,
                                         size_t *n);

#endif
