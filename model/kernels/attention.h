/* attention.h - softmax of a row of scores, and the mix of few values in double. */
#ifndef MODEL_KERNELS_ATTENTION_H
#define MODEL_KERNELS_ATTENTION_H

#include "model/kernels.h"
#include "model/kernels/vector.h"

/* Columns c .. c + 15, in registers. */
INLINE void mix_panel(const float *weights, const float *v, size_t v_stride, size_t n, float *out)
{
    dvec sums[PANEL_WIDTH / DOUBLE_LANES];
    UNROLL for (int i = 0; i < PANEL_WIDTH / DOUBLE_LANES; i++)
        sums[i] = (dvec){0};
    for (size_t j = 0; j < n; j++) {
        double weight = (double)weights[j];
        UNROLL for (int i = 0; i < PANEL_WIDTH / DOUBLE_LANES; i++)
            sums[i] += weight * __builtin_convertvector(
                                    *(const half_vec *)(v + j * v_stride + i * DOUBLE_LANES), dvec);
    }
    UNROLL for (int i = 0; i < PANEL_WIDTH / DOUBLE_LANES; i++)
        *(half_vec *)(out + i * DOUBLE_LANES) = __builtin_convertvector(sums[i], half_vec);
}

static void mix_exactly(const float *weights, const float *v, size_t v_stride, size_t n,
                        size_t width, float *out)
{
    size_t c = 0;
    for (; c + PANEL_WIDTH <= width; c += PANEL_WIDTH)
        mix_panel(weights, v + c, v_stride, n, out + c);
    for (; c < width; c++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += (double)weights[j] * (double)v[j * v_stride + c];
        out[c] = (float)sum;
    }
}

static float exact_sum(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    return (float)sum;
}

static void softmax(float *x, size_t n)
{
    size_t whole = n - n % LANES, rest = n % LANES;
    vec largest = splat(x[0]);
    for (size_t i = 0; i < whole; i += LANES)
        largest = choose(load(x + i) > largest, load(x + i), largest);
    vec tail = load_tail(x + whole, rest, x[0]);
    largest = choose(tail > largest, tail, largest);
    float max = largest[0];
    for (int i = 1; i < LANES; i++)
        max = largest[i] > max ? largest[i] : max;

    vec sums = {0};
    for (size_t i = 0; i < whole; i += LANES) {
        vec e = exp_vec(load(x + i) - max);
        sums += e;
        store(x + i, e);
    }
    tail = exp_vec(tail - max);
    store_tail(x + whole, tail, rest);
    float sum = horizontal_sum(sums);
    for (size_t i = 0; i < rest; i++)
        sum += tail[i];
    if (n <= EXACT_KEYS)
        sum = exact_sum(x, n);

    float scale = 1 / sum;
    for (size_t i = 0; i < whole; i += LANES)
        store(x + i, load(x + i) * scale);
    for (size_t i = whole; i < n; i++)
        x[i] *= scale;
}

#endif
