/* token_vector.h - a vector for each token of a text, and how well a text matches a query by them.
 *
 *     vector [W] = v / max(|v|, 1e-12),  v = x·Wᵀ + b
 *     MaxSim = Σ over the query's vectors q of the largest q·d of the text's vectors d
 *
 * Source: Khattab and Zaharia 2020 (ColBERT); the linear layer of bge-m3 in FlagEmbedding.
 */
#ifndef MODEL_TOKEN_VECTOR_H
#define MODEL_TOKEN_VECTOR_H

#include "model/layers/linear.h"

enum { TOKEN_VECTOR_ROWS = 32 }; /* per call, at most */

/* Computes out [n_rows, W], rows row_stride(W) apart, from the rows x, `stride` floats apart; each
 * has length 1 in its first `width` columns, all that a caller of fewer dimensions uses. */
void token_vectors(const struct encoder *encoder, const float *x, size_t stride, size_t n_rows,
                   size_t width, float *out, const struct linear_work *work);

/* best[i] = the larger of best[i] and query[i]·vector, for n vectors of a query [n, width]. */
void best_products(const float *query, size_t n, size_t width, const float *vector, float *best);

/* Returns the sum of best [n]. */
double sum_of_best(const float *best, size_t n);

/* Returns MaxSim of two texts' vectors, [n_query, width] and [n_text, width]; 0 for no vectors. */
double max_sim(const float *query, size_t n_query, const float *text, size_t n_text, size_t width);

#endif
