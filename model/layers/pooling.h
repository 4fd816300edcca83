/* pooling.h - one vector from a sequence's rows, and its length. */
#ifndef MODEL_POOLING_H
#define MODEL_POOLING_H

#include "model/config.h"

/* out [width] = one vector of the rows x [n_tokens, stride], but for the first n_skipped; zeros if
 * there are no others. POOLING_POOLER gives the first row, to be passed to head_hidden. */
void pool_rows(enum pooling pooling, const float *x, size_t stride, size_t n_tokens,
               size_t n_skipped, size_t width, float *out);

/* x = x / max(|x|, 1e-12): the bound is sentence-transformers' (torch's normalize). */
void normalize_row(float *x, size_t width);

/* The score of two vectors by a metric, computed in double: engine_metric has the formulas. */
double similarity(engine_metric metric, const float *a, const float *b, size_t n);

#endif
