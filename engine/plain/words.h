/* words.h - texts to ids, as weights/FORMAT.md has it: the tokenizer of BERT, in four passes over
 * an array of characters, and words between blanks; another tokenizer, texts with added tokens, and
 * those that are too long are refused. 568 characters that Unicode 9 and later made marks or
 * punctuation are so here, but not in the engine. */
#ifndef PLAIN_WORDS_H
#define PLAIN_WORDS_H

#include "engine/plain/weights.h"

struct plain_token {
    int32_t id;
    size_t begin, end; /* bytes of the text; equal for tokens that frame it */
};

/* Returns the n tokens of a text with the frame `single`, to be freed; none, with the words in
 * error, if the text or the tokenizer is refused. */
struct plain_token *plain_tokens(const struct plain_weights *weights, const char *text, size_t *n,
                                 char error[256]);

#endif
