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

/* out: a row of tiles [16, 32]. */
static void round_pairs(const float *x, size_t n, uint16_t *out)
{
    typedef uint16_t halves __attribute__((vector_size(LANES * 2), aligned(2), may_alias));
    size_t i = 0;
#if defined(__AVX512BF16__)
    for (; i + BF16_STEP <= n; i += BF16_STEP)
        store((float *)(void *)(out + i * PANEL),
              (vec)_mm512_cvtne2ps_pbh((__m512)load(x + i + LANES), (__m512)load(x + i)));
#endif
    for (; i < round_up(n, BF16_STEP); i += LANES) {
        vec v = i + LANES <= n ? load(x + i) : load_tail(x + i, i < n ? n - i : 0, 0);
        *(halves *)(out + i / BF16_STEP * BF16_STEP * PANEL + i % BF16_STEP) =
            __builtin_convertvector(bf16_bits(v), halves);
    }
}

/* Returns a vector of pairs of rows j and j + 1 of n; zeros are below the last row and after the
 * last column. */
INLINE vec pair_of_rows(const float *rows, size_t stride, size_t j, size_t n, size_t n_columns)
{
    vec r[2] = {{0}};
    UNROLL (i, (size_t)2)
        if (j + i < n)
            r[i] = n_columns >= LANES ? load(rows + (j + i) * stride)
                                      : load_tail(rows + (j + i) * stride, n_columns, 0);
    return bf16_pairs(r[0], r[1]);
}

static void pair_rows(const float *rows, size_t stride, size_t n, uint16_t *out)
{
    for (size_t j = 0; j < round_up(n, BF16_STEP); j += 2, out += 2 * PANEL)
        for (size_t c = 0; c < PANEL; c += LANES)
            store((float *)(void *)(out + 2 * c), pair_of_rows(rows + c, stride, j, n, LANES));
}

#endif
