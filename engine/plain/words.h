/* words.h - texts to ids, as weights/FORMAT.md has it: the tokenizer of BERT, in four passes over
 * an array of characters, and words between blanks. Added tokens are read as any other text. */
#ifndef PLAIN_WORDS_H
#define PLAIN_WORDS_H

#include "engine/plain/weights.h"

struct plain_token {
    int32_t id;
    size_t begin, end; /* bytes of the text; equal for tokens that frame it */
};

/* Returns the n tokens of a text with the frame `single`, to be freed; NULL if the file has another
 * tokenizer. */
struct plain_token *plain_tokens(const struct plain_weights *weights, const char *text, size_t *n);

#endif
