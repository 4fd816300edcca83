/* row.h - one row: activated, multiplied; of a table, added to another; normalized; rounded to
 * int8. */
#ifndef MODEL_KERNELS_ROW_H
#define MODEL_KERNELS_ROW_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

/* ---- Activations and gates ----
 * gelu: x·Φ(x) with Φ(-a) = e^(-a²/2)·R(a), a ≥ 0, R a rational function: exact in the tails, where
 * 1 + erf cancels. Coefficients: least squares, reweighted towards equal relative error (5e-9 on
 * [0, 13.5]); the remaining error is float rounding: test_kernels.c states and checks the errors.
 * Plain twin: plain_activation in engine/plain/steps.c. */

INLINE vec sigmoid_times(vec x, vec y) /* x / (1 + e^-y); zero where that is below 1e-36 */
{
    vec power, factor = exp_factors(smaller(splat(88.3f), larger(splat(-87.3f), -y)), &power);
    vec result = x / multiply_add(factor, power, splat(1.0f));
    return choose(y < -88.0f, splat(0.0f), result);
}

/* e^(-a²/2) for a² up to 169, as 2^y, y = a² · (-log2(e) / 2), 2^y = 2^n · 2^r, n = round(y):
 * exp_between would take two more steps. The polynomial is fitted like that of exp (3e-9). */
INLINE vec half_square_exp(vec a)
{
    const float to_integer = 12582912.0f + 127; /* 1.5 · 2^23: the sum's low bits are n + 127 */
    const vec square = a * a, factor = splat(-0.7213475108146667f);
    vec shifted = multiply_add(square, factor, splat(to_integer));
    vec n = shifted - to_integer;
    vec r = multiply_add(square, factor, -n);
    static const float TERMS[] = {0.00015327803f, 0.0013390997f, 0.009618503f, 0.055503596f,
                                  0.24022648f,    0.6931472f,    1.0f};
    vec p = POLYNOMIAL(TERMS, r);
    return p * (vec)((uvec)shifted << 23);
}

INLINE vec gelu_vec(vec x)
{
    vec a = smaller(magnitude(x), splat(13.0f)); /* for a > 13, Φ(-a) is below 1e-37 */
    static const float ABOVE[] = {0.0040368275f, 0.04009699f, 0.1816428f, 0.43614236f, 0.5f};
    vec p = POLYNOMIAL(ABOVE, a);
    static const float BELOW[] = {0.010118687f, 0.10051546f, 0.46526718f,
                                  1.1958839f,   1.6701696f,  1.0f};
    vec q = POLYNOMIAL(BELOW, a);
    vec below = half_square_exp(a) * (p / q); /* Φ(-|x|) */
    return multiply_add(-a, below, larger(splat(0), x));
}

/* gelu for sums of int8 products: within 6e-5, where rounding to int8 moves by 1e-2, and in a third
 * of the time. max(x, 0) - a·Φ(-a), a = |x|, as a polynomial of a ≤ 4.3; beyond it,
 * a·Φ(-a) is nearly 0. Coefficients: least squares, reweighted towards equal errors. */
INLINE vec gelu_near_vec(vec x)
{
    vec a = smaller(magnitude(x), splat(4.3f));
    static const float TERMS[] = {-1.51621125e-05f, 0.00035293444f, -0.0033995367f, 0.0170169f,
                                  -0.043890018f,    0.03996445f,    0.03896935f,    0.010127035f,
                                  -0.40051827f,     0.5000405f};
    vec p = POLYNOMIAL(TERMS, a);
    return multiply_add(-a, p, larger(splat(0), x));
}

INLINE vec gelu_tanh_vec(vec x)
{
    const float two_sqrt_2_over_pi = 1.5957691216057308f;
    return sigmoid_times(x, two_sqrt_2_over_pi * multiply_add(x * x * x, splat(0.044715f), x));
}

INLINE vec activation_vec(const enum activation activation, vec x)
{
    switch (activation) {
    case ACTIVATION_RELU: return larger(splat(0), x);
    case ACTIVATION_GELU: return gelu_vec(x);
    case ACTIVATION_GELU_TANH: return gelu_tanh_vec(x);
    case ACTIVATION_SILU: return sigmoid_times(x, x);
    }
    return x;
}

INLINE void activate_all(const enum activation activation, float *x, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        store(x + i, activation_vec(activation, load(x + i)));
    if (i < n)
        store_tail(x + i, activation_vec(activation, load_tail(x + i, n - i, 0)), n - i);
}

static void activate(enum activation activation, float *x, size_t n)
{
    switch (activation) { /* one loop per activation, specialised at compile time */
    case ACTIVATION_RELU: activate_all(ACTIVATION_RELU, x, n); return;
    case ACTIVATION_GELU: activate_all(ACTIVATION_GELU, x, n); return;
    case ACTIVATION_GELU_TANH: activate_all(ACTIVATION_GELU_TANH, x, n); return;
    case ACTIVATION_SILU: activate_all(ACTIVATION_SILU, x, n); return;
    }
}

/* The same, near it where that is enough: n is a multiple of LANES. */
static void activate_near(enum activation activation, float *x, size_t n)
{
    if (activation != ACTIVATION_GELU) {
        activate(activation, x, n);
        return;
    }
    for (size_t i = 0; i < n; i += LANES)
        store(x + i, gelu_near_vec(load(x + i)));
}

static void multiply(float *out, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] *= y[i];
}

/* ---- Tables ----
 * Adds a row of an embedding table, of any element type, to a row of floats. */

INLINE void add_row_of(const enum tensor_type type, const struct matrix *table, size_t index,
                       float *out)
{
    const size_t n = table->cols, at = index * n;
    const float scale = type == TENSOR_INT8 ? table->scales[index] : 1;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        store(out + i,
              load(out + i) + (type == TENSOR_INT8
                                   ? load_int8((const int8_t *)table->data + at + i) * scale
                                   : load_weights(type, table->data, at + i)));
    if (i < n) {
        float last[LANES];
        matrix_piece(table, index, i, n - i, last);
        for (size_t k = 0; k < n - i; k++)
            out[i + k] += last[k];
    }
}

static inline void add_row(const struct matrix *table, size_t index, float *out)
{
    switch (table->type) { /* one loop per element type, specialised at compile time */
    case TENSOR_F32: add_row_of(TENSOR_F32, table, index, out); return;
    case TENSOR_F16: add_row_of(TENSOR_F16, table, index, out); return;
    case TENSOR_BF16: add_row_of(TENSOR_BF16, table, index, out); return;
    default: add_row_of(TENSOR_INT8, table, index, out); return;
    }
}

/* ---- Norms ----
 * Norms of a row.
 *
 *   layer: (x - mean) / sqrt(variance + eps) · weight (+ bias); variance divides by n
 *   rms:   x / sqrt(mean of squares + eps) · weight
 *
 * Source: Ba et al. 2016; Zhang and Sennrich 2019.
 *
 * A variance that overflows makes the row NaN (0 * variance): 1 / sqrt of it is 0, and hides that.
 * A sum over a row is 64 partial sums, element i in sum i mod 64, which are then added by halves:
 * the same additions for any width of vectors, and enough chains that additions do not wait for
 * each other. Plain twin: plain_norm in engine/plain/steps.c. */

enum { PARTIAL_SUMS = 64, SUM_VECTORS = PARTIAL_SUMS / LANES };

/* Adds 64 elements: x - shift, or its square. */
INLINE void add_terms(vec *sums, const float *x, float shift, const int squared)
{
    UNROLL (j, (size_t)SUM_VECTORS) {
        vec d = load(x + j * LANES) - shift;
        sums[j] = squared ? multiply_add(d, d, sums[j]) : sums[j] + d;
    }
}

/* Σ (x - shift), or Σ (x - shift)²; a remainder of fewer than 64 elements is added first. */
INLINE float sum_of(const float *x, size_t n, float shift, const int squared)
{
    vec sums[SUM_VECTORS];
    UNROLL (j, (size_t)SUM_VECTORS)
        sums[j] = (vec){0};
    if (n % PARTIAL_SUMS > 0) {
        float rest[PARTIAL_SUMS]; /* filled up with elements that add nothing */
        UNROLL (j, (size_t)SUM_VECTORS)
            store(rest + j * LANES, splat(shift));
        memcpy(rest, x + n - n % PARTIAL_SUMS, n % PARTIAL_SUMS * sizeof *x);
        add_terms(sums, rest, shift, squared);
    }
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

static inline void norm_row(const struct norm *norm, float eps, size_t n, const float *x,
                            float *out)
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
        if (variance < 1e-6f * mean * mean) { /* of nearly equal numbers, which the mean has lost */
            mean += sum_of(x, n, mean, 0) / (float)n;
            variance = sum_of(x, n, mean, 1) / (float)n;
        }
        scale_row(x, mean, 1 / sqrtf(variance + eps) + 0 * variance, norm->weight, norm->bias, n,
                  out);
        return;
    case NORM_RMS:
        variance = sum_of(x, n, 0, 1) / (float)n;
        scale_row(x, 0, 1 / sqrtf(variance + eps) + 0 * variance, norm->weight, NULL, n, out);
        return;
    }
}

/* ---- Rounding ----
 * A row rounded to int8, y[i] = x[i] · factors[i]:
 *
 *     symmetric:        scale = max|y| / 127,           zero = 0,                        |q| ≤ 127
 *     8 bits, 7 bits:   scale = (high - low) / levels,  zero = round(-low / scale) + least,
 *                       low = min(y, 0), high = max(y, 0); levels = 255, 127; least = -128, 0
 *     unsigned:         as 8 bits, but least = 0
 *     q[i] = round(y[i] / scale + zero), at most 127; unsigned: 255
 *
 * 1/scale is taken as levels / (high - low), and each product rounded, so that every instruction
 * set gives the same bits. Plain twin: the loops in tests/model/kernels/test_quantize.c. */

/* Loads LANES numbers of a row from i on, zeros after its end. */
INLINE vec load_scaled(const float *x, const float *factors, size_t i, size_t n)
{
    vec v = load_some(x + i, n - i);
    return factors != NULL ? v * load(factors + i) : v;
}

/* The least and the largest of a row's numbers and 0; NaN if a number is NaN or infinite, which
 * makes the complete row NaN. */
struct extent {
    float low, high;
};

/* The same of each lane, and 0 or NaN. */
struct extents {
    vec low, high, poison;
};

INLINE void extend(struct extents *extents, vec v)
{
    extents->low = smaller(v, extents->low);
    extents->high = larger(v, extents->high);
    extents->poison = multiply_add(v, splat(0), extents->poison);
}

/* Two vectors at a time, so that the comparisons do not wait for each other. */
INLINE struct extent extent_of(const float *x, const float *factors, size_t n)
{
    struct extents even = {{0}, {0}, {0}}, odd = even;
    size_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        extend(&even, load_scaled(x, factors, i, n));
        extend(&odd, load_scaled(x, factors, i + LANES, n));
    }
    for (; i < n; i += LANES)
        extend(&even, load_scaled(x, factors, i, n));
    float poisoned = sum_of_lanes(even.poison + odd.poison);
    return (struct extent){poisoned - largest_lane(-smaller(even.low, odd.low)),
                           poisoned + largest_lane(larger(even.high, odd.high))};
}

/* Stores the lowest bytes of LANES integers. */
INLINE void store_bytes(int8_t *q, ivec v)
{
#if defined(__AVX512F__)
    _mm_storeu_si128((__m128i *)(void *)q, _mm512_cvtepi32_epi8((__m512i)v));
#elif defined(__AVX2__)
    const __m256i lowest = _mm256_set1_epi32(0x0C080400);
    __m256i fours = _mm256_shuffle_epi8((__m256i)v, lowest);
    _mm_storel_epi64((__m128i *)(void *)q, _mm_unpacklo_epi32(_mm256_castsi256_si128(fours),
                                                              _mm256_extracti128_si256(fours, 1)));
#elif defined(KERNELS_NEON)
    int16x4_t words = vmovn_s32((int32x4_t)v);
    int8x8_t bytes = vmovn_s16(vcombine_s16(words, words));
    memcpy(q, &bytes, LANES);
#else
    typedef int8_t bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
    *(bytes *)q = __builtin_convertvector(v, bytes);
#endif
}

/* Constants of a row's rounding: y / scale is y · inverse. */
struct steps {
    float scale, inverse;
    int32_t zero, most;
};

INLINE struct quantization round_row(const float *x, const float *factors, size_t n,
                                     struct steps steps, int8_t *q)
{
    const float to_integer = 12582912.0f; /* 1.5 · 2^23: the sum's low bits are an integer, rounded
                                             to nearest, ties to even */
    uvec sums = {0};
    size_t i = 0;
    for (; i < n; i += LANES) {
        vec y = load_scaled(x, factors, i, n) * steps.inverse;
        vec shifted =
            smaller(y + (to_integer + (float)steps.zero), splat(to_integer + (float)steps.most));
        sums += (uvec)shifted;
        store_bytes(q + i, (ivec)shifted);
    }
    /* Every number has the bits of to_integer, too, and the lanes after the end are zeros. */
    uint32_t sum = -(uint32_t)i * 0x4B400000u - (uint32_t)steps.zero * (uint32_t)(i - n);
    for (int lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    memset(q + n, 0, (QUANTIZED_STEP - n % QUANTIZED_STEP) % QUANTIZED_STEP);
    return (struct quantization){steps.scale, (int32_t)sum, steps.zero, {0}};
}

INLINE struct quantization quantize_scaled(const float *x, const float *factors, size_t n,
                                           enum rounding rounding, int8_t *q)
{
    const struct extent extent = extent_of(x, factors, n);
    float levels = rounding >= ROUND_8_BITS ? 255 : 127, range = extent.high - extent.low;
    if (rounding == ROUND_SYMMETRIC)
        range = -extent.low > extent.high ? -extent.low : extent.high;
    struct steps steps = {range / levels, levels / range, 0,
                          rounding == ROUND_UNSIGNED ? 255 : 127};
    if (!(range >= 1e-35f)) {
        /* The inverse may be infinite: zeros are correct. For a NaN too, as the scale is NaN. */
        memset(q, 0, (n + QUANTIZED_STEP - 1) / QUANTIZED_STEP * QUANTIZED_STEP);
        return (struct quantization){.scale = steps.scale};
    }
    if (rounding != ROUND_SYMMETRIC && isfinite(steps.inverse))
        steps.zero =
            (int32_t)nearbyintf(-extent.low * steps.inverse) - (rounding == ROUND_8_BITS ? 128 : 0);
    return round_row(x, factors, n, steps, q);
}

static inline struct quantization quantize(const float *x, size_t n, enum rounding rounding,
                                           const float *factors, int8_t *q)
{
    return factors != NULL ? quantize_scaled(x, factors, n, rounding, q)
                           : quantize_scaled(x, NULL, n, rounding, q);
}

#endif
