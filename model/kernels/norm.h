/* norm.h - layer norm and RMS norm of a row (formulas: model/layers/norm.h).
 * Plain twin: plain_norm in tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_NORM_H
#define MODEL_KERNELS_NORM_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

/* What one vector adds to a sum: x - shift, or its square. */
INLINE vec term(vec x, float shift, const int squared)
{
    vec d = x - shift;
    return squared ? d * d : d;
}

/* Σ (x - shift), or Σ (x - shift)²: four sums at a time, so that additions do not wait for each
 * other, then pairs. */
INLINE float sum_of(const float *x, size_t n, float shift, const int squared)
{
    vec sums[4] = {{0}};
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        UNROLL (j, (size_t)4)
            sums[j] += term(load(x + i + j * LANES), shift, squared);
    for (; i + LANES <= n; i += LANES)
        sums[0] += term(load(x + i), shift, squared);
    float sum = sum_of_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (; i < n; i++) {
        float d = x[i] - shift;
        sum += squared ? d * d : d;
    }
    return sum;
}

/* out = (x - shift) · scale · weight (+ bias) */
INLINE void scale_row(const float *x, float shift, float scale, const float *weight,
                      const float *bias, size_t n, float *out)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec y = (load(x + i) - shift) * scale * load(weight + i);
        if (bias != NULL)
            y += load(bias + i);
        store(out + i, y);
    }
    for (; i < n; i++) {
        float y = (x[i] - shift) * scale * weight[i];
        out[i] = bias != NULL ? y + bias[i] : y;
    }
}

static void layer_norm(const float *x, const float *weight, const float *bias, float eps, size_t n,
                       float *out)
{
    float mean = sum_of(x, n, 0, 0) / (float)n;
    float variance = sum_of(x, n, mean, 1) / (float)n;
    scale_row(x, mean, 1 / sqrtf(variance + eps), weight, bias, n, out);
}

static void rms_norm(const float *x, const float *weight, float eps, size_t n, float *out)
{
    float mean_square = sum_of(x, n, 0, 1) / (float)n;
    scale_row(x, 0, 1 / sqrtf(mean_square + eps), weight, NULL, n, out);
}

#endif
