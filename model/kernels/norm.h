/* norm.h - norms of a row.
 *
 *   layer: (x - mean) / sqrt(variance + eps) · weight (+ bias); variance divides by n
 *   rms:   x / sqrt(mean of squares + eps) · weight
 *
 * Source: Ba et al. 2016; Zhang and Sennrich 2019.
 *
 * A sum over a row is 64 partial sums, element i in sum i mod 64, which are then added by halves:
 * the same additions for any width of vectors, and enough chains that additions do not wait for
 * each other. Plain twin: plain_norm in tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_NORM_H
#define MODEL_KERNELS_NORM_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

enum { PARTIAL_SUMS = 64, SUM_VECTORS = PARTIAL_SUMS / LANES };

/* Adds 64 elements: x - shift, or its square. */
INLINE void add_terms(vec *sums, const float *x, float shift, const int squared)
{
    UNROLL (j, (size_t)SUM_VECTORS) {
        vec d = load(x + j * LANES) - shift;
        sums[j] = squared ? multiply_add(d, d, sums[j]) : sums[j] + d;
    }
}

/* Copies the last n < 64 elements of a row, followed by elements that add nothing. */
INLINE void fill_up(float *rest, const float *x, size_t n, float shift)
{
    UNROLL (j, (size_t)SUM_VECTORS)
        store(rest + j * LANES, splat(shift));
    memcpy(rest, x, n * sizeof *x);
}

/* Σ (x - shift), or Σ (x - shift)²; a remainder of fewer than 64 elements is added first. */
INLINE float sum_of(const float *x, size_t n, float shift, const int squared)
{
    vec sums[SUM_VECTORS];
    float rest[PARTIAL_SUMS];
    size_t n_rest = n % PARTIAL_SUMS;
    if (n_rest > 0)
        fill_up(rest, x + n - n_rest, n_rest, shift);
    UNROLL (j, (size_t)SUM_VECTORS)
        sums[j] = (vec){0};
    if (n_rest > 0)
        add_terms(sums, rest, shift, squared);
    for (size_t i = 0; i + PARTIAL_SUMS <= n; i += PARTIAL_SUMS)
        add_terms(sums, x + i, shift, squared);
    UNROLLED for (size_t half = SUM_VECTORS / 2; half > 0; half /= 2) UNROLL (j, half) sums[j] +=
        sums[j + half];
    return sum_of_lanes(sums[0]);
}

/* (x - shift) · scale · weight (+ bias) */
INLINE vec scaled(vec x, float shift, float scale, vec weight, vec bias)
{
    return multiply_add((x - shift) * scale, weight, bias);
}

INLINE void scale_row(const float *x, float shift, float scale, const float *weight,
                      const float *bias, size_t n, float *out)
{
    const vec zero = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        store(out + i, scaled(load(x + i), shift, scale, load(weight + i),
                              bias != NULL ? load(bias + i) : zero));
    if (i < n)
        store_tail(out + i,
                   scaled(load_tail(x + i, n - i, 0), shift, scale, load_tail(weight + i, n - i, 0),
                          bias != NULL ? load_tail(bias + i, n - i, 0) : zero),
                   n - i);
}

static void norm_row(const struct norm *norm, float eps, size_t n, const float *x, float *out)
{
    float mean, variance;
    switch (norm->kind) {
    case NORM_NONE:
        if (out != x)
            memcpy(out, x, n * sizeof *out);
        return;
    case NORM_LAYER:
        mean = sum_of(x, n, 0, 0) / (float)n;
        variance = sum_of(x, n, mean, 1) / (float)n;
        scale_row(x, mean, 1 / sqrtf(variance + eps), norm->weight, norm->bias, n, out);
        return;
    case NORM_RMS:
        variance = sum_of(x, n, 0, 1) / (float)n;
        scale_row(x, 0, 1 / sqrtf(variance + eps), norm->weight, NULL, n, out);
        return;
    }
}

#endif
