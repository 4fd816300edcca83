/* quantize.h - a row rounded to int8: q[i] = round(x[i] / scale), scale = max|x| / 127.
 * Plain twin: the loops in tests/model/kernels/test_product_int8.c.
 */
#ifndef MODEL_KERNELS_QUANTIZE_H
#define MODEL_KERNELS_QUANTIZE_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

INLINE vec load_some(const float *x, size_t n)
{
    return n >= (size_t)LANES ? load(x) : load_tail(x, n, 0);
}

/* max |x|; NaN if any x is NaN or infinite, which then makes the whole row NaN. Several at a time,
 * so that the comparisons do not wait for each other. */
INLINE float largest_magnitude(const float *x, size_t n)
{
    enum { AT_ONCE = 4 };
    vec largest[AT_ONCE] = {{0}}, poison[AT_ONCE] = {{0}};
    size_t i = 0;
    for (; i + AT_ONCE * LANES <= n; i += AT_ONCE * LANES)
        UNROLL (j, (size_t)AT_ONCE) {
            vec v = magnitude(load(x + i + j * LANES));
            largest[j] = larger(v, largest[j]);
            poison[j] += v * 0.0f;
        }
    for (; i < n; i += LANES) {
        vec v = magnitude(load_some(x + i, n - i));
        largest[0] = larger(v, largest[0]);
        poison[0] += v * 0.0f;
    }
    vec most = larger(larger(largest[0], largest[1]), larger(largest[2], largest[3]));
    return largest_lane(most) + sum_of_lanes((poison[0] + poison[1]) + (poison[2] + poison[3]));
}

/* LANES whole numbers of -127 .. 127. */
INLINE void store_bytes(int8_t *q, ivec v)
{
#if defined(__AVX512F__)
    _mm_storeu_si128((__m128i *)(void *)q, _mm512_cvtepi32_epi8((__m512i)v));
#elif defined(__AVX2__)
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)v),
                                    _mm256_extracti128_si256((__m256i)v, 1));
    _mm_storel_epi64((__m128i *)(void *)q, _mm_packs_epi16(words, words));
#else
    typedef int8_t bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
    *(bytes *)q = __builtin_convertvector(v, bytes);
#endif
}

/* Rounds to nearest, ties to even: adding 1.5 · 2^23 leaves the whole number in the low bits. */
INLINE ivec round_to_integer(vec x)
{
    const float to_integer = 12582912.0f;
    return (ivec)(x + to_integer) - (ivec)splat(to_integer);
}

static struct quantization quantize(const float *x, size_t n, int8_t *q)
{
    float max = largest_magnitude(x, n), scale = max / 127;
    if (!(max >= 1e-35f)) { /* 127 / max may be infinite: zeros will do; NaN: so is the scale */
        memset(q, 0, (n + QUANTIZED_STEP - 1) / QUANTIZED_STEP * QUANTIZED_STEP);
        return (struct quantization){scale, 0};
    }
    const float inverse = 127 / max;
    ivec sums = {0};
    size_t i = 0;
    for (; i < n; i += LANES) {
        ivec rounded_value = round_to_integer(rounded(load_some(x + i, n - i) * inverse));
        sums += rounded_value;
        store_bytes(q + i, rounded_value);
    }
    memset(q + i, 0, (QUANTIZED_STEP - i % QUANTIZED_STEP) % QUANTIZED_STEP);
    int32_t sum = 0;
    for (int lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    return (struct quantization){scale, sum};
}

#endif
