/* worst_case_texts.h - texts that are expensive to tokenize, and tokenizers of every kind and step:
 * for the suite that checks that all work is linear, and for the bench that prints the time per
 * byte. */
#ifndef TESTS_MODEL_WORST_CASE_TEXTS_H
#define TESTS_MODEL_WORST_CASE_TEXTS_H

#include "tests/model/tokenizer/tokenizer_fixture.h"

/* Returns the name of a text, from 0; NULL past the last. The first is usual English. */
const char *worst_case_text_name(size_t index);

/* Fills text [len] with copies of text `index`; the last may be incomplete. */
void worst_case_text(size_t index, char *text, size_t len);

struct worst_case_tokenizer {
    const char *name;
    struct fixture fixture;
};

/* Returns false past the last one. */
bool worst_case_tokenizer_open(struct worst_case_tokenizer *worst, size_t index);

#endif
