/* answers.h - the second implementation's vectors of tokens and sparse weights, from what
 * reference_encode gave for a text, by weights/FORMAT.md, in double. */
#ifndef TESTS_REFERENCE_ANSWERS_H
#define TESTS_REFERENCE_ANSWERS_H

#include "tests/reference/encoder.h"

/* out [T, W]: of every token, whether it is skipped or not. */
bool reference_token_vectors(const struct reference_weights *weights,
                             const struct reference_output *output, double *out, char error[256]);

/* out [V]: ids are those of the text's tokens [T], skipped ones get 0 with sparse linear. */
bool reference_sparse(const struct reference_weights *weights,
                      const struct reference_output *output, const int32_t *ids,
                      const int32_t *skipped, size_t n_skipped, double *out, char error[256]);

#endif
