/* answers.h - what a text gets from the vectors of its tokens, which plain_encode gave: pooled
 * vectors, labels, vectors of tokens, and sparse weights, by weights/FORMAT.md, in double. Rows are
 * not rounded here. Functions return false, or NULL, with the reason in error. */
#ifndef PLAIN_ANSWERS_H
#define PLAIN_ANSWERS_H

#include "engine/plain/encoder.h"

/* out [D] from rows [T, D], but for the first n_skipped, by a pooling of FORMAT.md. False: there is
 * none of this name, or it is pooler. */
bool plain_pool(const char *pooling, const double *rows, size_t n_tokens, size_t width,
                size_t n_skipped, double *out);
void plain_to_unit_length(double *x, size_t n);

/* The model's own vector of a text, by the pooling and the projections of the file, of length 1 if
 * it says so; to be freed. */
double *plain_vector_of_text(const struct plain_weights *weights, const struct plain_output *output,
                             size_t *width, char error[256]);

/* Scores [labels] of head sequence: scores(W·z + b), z of what head_pooling gives. */
bool plain_scores(const struct plain_weights *weights, const struct plain_output *output,
                  double *out, char error[256]);

/* out [T, W]: of every token, whether it is skipped or not. */
bool plain_token_vectors(const struct plain_weights *weights, const struct plain_output *output,
                         double *out, char error[256]);

/* out [V]: ids are those of the text's tokens [T], skipped ones get 0 with sparse linear. */
bool plain_sparse(const struct plain_weights *weights, const struct plain_output *output,
                  const int32_t *ids, const int32_t *skipped, size_t n_skipped, double *out,
                  char error[256]);

#endif
