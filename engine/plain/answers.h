/* answers.h - the second implementation's vectors of tokens and sparse weights, from what
 * plain_encode gave for a text, by weights/FORMAT.md, in double. */
#ifndef PLAIN_ANSWERS_H
#define PLAIN_ANSWERS_H

#include "engine/plain/encoder.h"

/* out [T, W]: of every token, whether it is skipped or not. */
bool plain_token_vectors(const struct plain_weights *weights, const struct plain_output *output,
                         double *out, char error[256]);

/* out [V]: ids are those of the text's tokens [T], skipped ones get 0 with sparse linear. */
bool plain_sparse(const struct plain_weights *weights, const struct plain_output *output,
                  const int32_t *ids, const int32_t *skipped, size_t n_skipped, double *out,
                  char error[256]);

/* The same of a query in a model with query_weights, whose special tokens are not among its ids. */
bool plain_query(const struct plain_weights *weights, const int32_t *ids, size_t n, double *out,
                 char error[256]);

#endif
