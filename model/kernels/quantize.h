/* quantize.h - a row rounded to int8, y[i] = x[i] · factors[i]:
 *
 *     symmetric:        scale = max|y| / 127,           zero = 0,                        |q| ≤ 127
 *     8 bits, 7 bits:   scale = (high - low) / levels,  zero = round(-low / scale) + least,
 *                       low = min(y, 0), high = max(y, 0); levels = 255, 127; least = -128, 0
 *     q[i] = round(y[i] / scale + zero), at most 127
 *
 * 1/scale is taken as levels / (high - low), and each product rounded, so that every instruction
 * set gives the same bits. Plain twin: the loops in tests/model/kernels/test_quantize.c.
 */
#ifndef MODEL_KERNELS_QUANTIZE_H
#define MODEL_KERNELS_QUANTIZE_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

INLINE vec load_some(const float *x, size_t n)
{
    return n >= (size_t)LANES ? load(x) : load_tail(x, n, 0);
}

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

/* Several vectors at a time, so that the comparisons do not wait for each other. */
INLINE struct extent extent_of(const float *x, const float *factors, size_t n)
{
    enum { AT_ONCE = 4 };
    vec low[AT_ONCE] = {{0}}, high[AT_ONCE] = {{0}}, poison[AT_ONCE] = {{0}};
    for (size_t i = 0; i < n; i += AT_ONCE * LANES)
        UNROLL (j, (size_t)AT_ONCE)
            if (i + j * LANES < n) {
                vec v = load_scaled(x, factors, i + j * LANES, n);
                low[j] = smaller(v, low[j]);
                high[j] = larger(v, high[j]);
                poison[j] += v * 0.0f;
            }
    float poisoned = sum_of_lanes((poison[0] + poison[1]) + (poison[2] + poison[3]));
    vec least = smaller(smaller(low[0], low[1]), smaller(low[2], low[3]));
    vec most = larger(larger(high[0], high[1]), larger(high[2], high[3]));
    return (struct extent){poisoned - largest_lane(-least), poisoned + largest_lane(most)};
}

/* Stores LANES integers of -128 .. 127. */
INLINE void store_bytes(int8_t *q, ivec v)
{
#if defined(__AVX512F__)
    _mm_storeu_si128((__m128i *)(void *)q, _mm512_cvtepi32_epi8((__m512i)v));
#elif defined(__AVX2__)
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)v),
                                    _mm256_extracti128_si256((__m256i)v, 1));
    _mm_storel_epi64((__m128i *)(void *)q, _mm_packs_epi16(words, words));
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
    float range, scale, inverse;
    int32_t zero;
};

static struct steps steps_of(struct extent extent, enum rounding rounding)
{
    float levels = rounding == ROUND_8_BITS ? 255 : 127, range = extent.high - extent.low;
    if (rounding == ROUND_SYMMETRIC)
        range = -extent.low > extent.high ? -extent.low : extent.high;
    struct steps steps = {range, range / levels, levels / range, 0};
    if (rounding != ROUND_SYMMETRIC && isfinite(steps.inverse))
        steps.zero =
            (int32_t)nearbyintf(-extent.low * steps.inverse) - (rounding == ROUND_8_BITS ? 128 : 0);
    return steps;
}

INLINE struct quantization round_row(const float *x, const float *factors, size_t n,
                                     struct steps steps, int8_t *q)
{
    const float to_integer = 12582912.0f; /* 1.5 · 2^23: the sum's low bits are an integer, rounded
                                             to nearest, ties to even */
    ivec sums = {0};
    size_t i = 0;
    for (; i < n; i += LANES) {
        vec y = load_scaled(x, factors, i, n) * steps.inverse;
        vec shifted = smaller(y + (to_integer + (float)steps.zero), splat(to_integer + 127));
        ivec integers = (ivec)shifted - (ivec)splat(to_integer);
        sums += integers;
        store_bytes(q + i, integers);
    }
    int32_t sum = -steps.zero * (int32_t)(i - n); /* the lanes after the end */
    for (int lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    memset(q + n, 0, (QUANTIZED_STEP - n % QUANTIZED_STEP) % QUANTIZED_STEP);
    return (struct quantization){steps.scale, sum, steps.zero, {0}};
}

INLINE struct quantization quantize_scaled(const float *x, const float *factors, size_t n,
                                           enum rounding rounding, int8_t *q)
{
    struct steps steps = steps_of(extent_of(x, factors, n), rounding);
    if (steps.range >= 1e-35f)
        return round_row(x, factors, n, steps, q);
    /* The inverse may be infinite: zeros are correct. For a NaN too, as the scale is NaN. */
    memset(q, 0, (n + QUANTIZED_STEP - 1) / QUANTIZED_STEP * QUANTIZED_STEP);
    return (struct quantization){.scale = steps.scale};
}

static struct quantization quantize(const float *x, size_t n, enum rounding rounding,
                                    const float *factors, int8_t *q)
{
    return factors != NULL ? quantize_scaled(x, factors, n, rounding, q)
                           : quantize_scaled(x, NULL, n, rounding, q);
}

#endif
