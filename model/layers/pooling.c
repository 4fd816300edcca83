/* pooling.c - one vector of the rows x[t], t < T; L2 normalisation; cosine.
 *
 *   mean: Σ x[t] / T   mean_sqrt: Σ x[t] / √T   weighted_mean: Σ (t + 1)·x[t] / Σ (t + 1)
 *   max: the largest of each column   cls, pooler: x[0]   last: x[T - 1]
 *   Without the first s tokens: of x[s] on, T - s of them, weights from s + 1 on.
 *
 * Source: Reimers and Gurevych 2019, and the module Pooling of sentence-transformers.
 */
#include "model/layers/pooling.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 64 }; /* summed at a time, in double: a text may have a million tokens */

/* out = Σ weight(t) · x[t] / divisor; weight: first + t, or with first 0 always 1 */
static void average_rows(const float *x, size_t stride, size_t n_tokens, size_t width, size_t first,
                         double divisor, float *out)
{
    for (size_t c = 0; c < width; c += COLUMNS) {
        double sums[COLUMNS] = {0};
        size_t n = width - c < COLUMNS ? width - c : COLUMNS;
        for (size_t t = 0; t < n_tokens; t++)
            for (size_t i = 0; i < n; i++)
                sums[i] += (first > 0 ? (double)(first + t) : 1.0) * (double)x[t * stride + c + i];
        for (size_t i = 0; i < n; i++)
            out[c + i] = (float)(sums[i] / divisor);
    }
}

static void max_rows(const float *x, size_t stride, size_t n_tokens, size_t width, float *out)
{
    memcpy(out, x, width * sizeof *out);
    for (size_t t = 1; t < n_tokens; t++)
        for (size_t i = 0; i < width; i++) {
            float value = x[t * stride + i];
            out[i] = value > out[i] || isnan(value) ? value : out[i];
        }
}

void pool_rows(enum pooling pooling, const float *x, size_t stride, size_t n_tokens,
               size_t n_skipped, size_t width, float *out)
{
    memset(out, 0, width * sizeof *out);
    if (n_tokens <= n_skipped)
        return;
    const double n = (double)(n_tokens -= n_skipped), before = (double)n_skipped;
    x += n_skipped * stride;
    switch (pooling) {
    case POOLING_NONE: return;
    case POOLING_MEAN: average_rows(x, stride, n_tokens, width, 0, n, out); return;
    case POOLING_MEAN_SQRT: average_rows(x, stride, n_tokens, width, 0, sqrt(n), out); return;
    case POOLING_WEIGHTED_MEAN:
        average_rows(x, stride, n_tokens, width, n_skipped + 1, n * before + n * (n + 1) / 2, out);
        return;
    case POOLING_CLS:
    case POOLING_POOLER: memcpy(out, x, width * sizeof *out); return;
    case POOLING_LAST: memcpy(out, x + (n_tokens - 1) * stride, width * sizeof *out); return;
    case POOLING_MAX: max_rows(x, stride, n_tokens, width, out); return;
    }
}

void normalize_row(float *x, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++)
        sum += (double)x[i] * (double)x[i];
    double length = sqrt(sum);
    double scale = 1 / (length < 1e-12 ? 1e-12 : length);
    for (size_t i = 0; i < width; i++)
        x[i] = (float)((double)x[i] * scale);
}

double similarity(engine_metric metric, const float *a, const float *b, size_t n)
{
    const bool is_squared = metric == ENGINE_METRIC_EUCLIDEAN;
    double sum = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n && (is_squared || metric == ENGINE_METRIC_MANHATTAN); i++) {
        const double gap = (double)a[i] - (double)b[i];
        sum -= is_squared ? gap * gap : fabs(gap);
    }
    if (is_squared || metric == ENGINE_METRIC_MANHATTAN)
        return is_squared && sum < 0 ? -sqrt(-sum) : sum; /* not -0 */
    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    if (metric == ENGINE_METRIC_DOT)
        return sum;
    return aa == 0 || bb == 0 ? 0 : sum / (sqrt(aa) * sqrt(bb));
}
