/* round.h - floats rounded to bfloat16, to nearest even; subnormal numbers become zeros, NaN stays
 * NaN. Plain twin: plain_bf16 in tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_ROUND_H
#define MODEL_KERNELS_ROUND_H

#include "model/kernels/pack.h"

INLINE uvec bf16_bits(vec v)
{
    uvec bits = (uvec)v, size = bits & 0x7FFFFFFFu;
    uvec rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    uvec is_nan = (uvec)(size > 0x7F800000u), is_tiny = (uvec)(size < 0x00800000u);
    rounded = (rounded & ~is_nan) | ((bits >> 16 | 0x40u) & is_nan);
    return (rounded & ~is_tiny) | (bits >> 31 << 15 & is_tiny);
}

/* Returns pairs of a and b. */
INLINE vec bf16_pairs(vec a, vec b)
{
#if defined(__AVX512BF16__)
    typedef uint16_t halves __attribute__((vector_size(LANES * 4)));
    const halves v = (halves)_mm512_cvtne2ps_pbh((__m512)b, (__m512)a);
    return (vec)__builtin_shufflevector(v, v, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                        23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                        15, 31);
#else
    return (vec)(bf16_bits(a) | bf16_bits(b) << 16);
#endif
}

/* Which two numbers are pair i of a step: neighbours, or as vdpbf16ps needs them (sums_dot.h). */
#if defined(KERNELS_DOT)
#define PAIR_LOW(i)  ((i) / 2 * 4 + (i) % 2 + 2)
#define PAIR_HIGH(i) ((i) / 2 * 4 + (i) % 2)
#else
#define PAIR_LOW(i)  ((i)*2)
#define PAIR_HIGH(i) ((i)*2 + 1)
#endif

/* out: a row of tiles [16, 32]. */
static void round_pairs(const float *x, size_t n, uint16_t *out)
{
#if defined(KERNELS_DOT)
    const __m512i order =
        _mm512_broadcast_i32x4(_mm_setr_epi8(4, 5, 0, 1, 6, 7, 2, 3, 12, 13, 8, 9, 14, 15, 10, 11));
#endif
    for (size_t i = 0; i < n; i += BF16_STEP, out += PANEL * BF16_STEP) {
#if defined(__AVX512BF16__)
        const vec low = load_some(x + i, n - i);
        const vec high = i + LANES < n ? load_some(x + i + LANES, n - i - LANES) : (vec){0};
        __m512i row = (__m512i)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low);
#if defined(KERNELS_DOT)
        row = _mm512_shuffle_epi8(row, order);
#endif
        _mm512_storeu_si512(out, row);
#else
        typedef uint16_t halves __attribute__((vector_size(LANES * 2), aligned(2), may_alias));
        for (size_t j = i; j < i + BF16_STEP; j += LANES) {
            const vec v = j < n ? load_some(x + j, n - j) : (vec){0};
            *(halves *)(out + (j - i)) = __builtin_convertvector(bf16_bits(v), halves);
        }
#endif
    }
}

/* Returns a vector of pairs, number i of n rows; zeros are below the last row and after the last
 * column. */
INLINE vec pair_of_rows(const float *rows, size_t stride, size_t i, size_t n, size_t n_columns)
{
    const size_t row[2] = {PAIR_LOW(i), PAIR_HIGH(i)};
    vec r[2] = {{0}};
    UNROLL (k, (size_t)2)
        if (row[k] < n)
            r[k] = load_some(rows + row[k] * stride, n_columns);
    return bf16_pairs(r[0], r[1]);
}

static void pair_rows(const float *rows, size_t stride, size_t n, uint16_t *out)
{
    for (size_t j = 0; j < round_up(n, BF16_STEP); j += 2, out += 2 * PANEL)
        for (size_t c = 0; c < PANEL; c += LANES)
            store((float *)(void *)(out + 2 * c), pair_of_rows(rows + c, stride, j / 2, n, LANES));
}

#endif
