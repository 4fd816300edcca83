/* pooling.c - means, first, last and largest of a sequence's rows; L2 normalisation; cosine. */
#include "model/pooling.h"

#include <math.h>
#include <string.h>

/* out = Σ weight(t) · x[t]; by_place: weight t + 1, else 1 */
static void sum_rows(const float *x, size_t stride, size_t n_tokens, size_t width, bool by_place,
                     float *out)
{
    for (size_t t = 0; t < n_tokens; t++)
        for (size_t i = 0; i < width; i++)
            out[i] += (by_place ? (float)(t + 1) : 1.0f) * x[t * stride + i];
}

static void divide(float *x, size_t width, float divisor)
{
    for (size_t i = 0; i < width; i++)
        x[i] /= divisor;
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

void pool_rows(enum pooling pooling, const float *x, size_t stride, size_t n_tokens, size_t width,
               float *out)
{
    memset(out, 0, width * sizeof *out);
    if (n_tokens == 0)
        return;
    switch (pooling) {
    case POOLING_NONE: return;
    case POOLING_MEAN:
        sum_rows(x, stride, n_tokens, width, false, out);
        divide(out, width, (float)n_tokens);
        return;
    case POOLING_MEAN_SQRT:
        sum_rows(x, stride, n_tokens, width, false, out);
        divide(out, width, sqrtf((float)n_tokens));
        return;
    case POOLING_WEIGHTED_MEAN:
        sum_rows(x, stride, n_tokens, width, true, out);
        divide(out, width, (float)n_tokens * (float)(n_tokens + 1) / 2);
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

double cosine(const float *a, const float *b, size_t n)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return aa == 0 || bb == 0 ? 0 : ab / (sqrt(aa) * sqrt(bb));
}
