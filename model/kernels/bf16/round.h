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

static void round_pairs(const float *x, size_t n, uint16_t *out)
{
    typedef uint16_t halves __attribute__((vector_size(LANES * 2), aligned(2), may_alias));
    for (size_t i = 0; i < round_up(n, BF16_STEP); i += LANES) {
        vec v = i + LANES <= n ? load(x + i) : load_tail(x + i, i < n ? n - i : 0, 0);
        *(halves *)(out + i) = __builtin_convertvector(bf16_bits(v), halves);
    }
}

/* Returns a vector of pairs of rows j and j + 1 of n; zeros are below the last row. */
INLINE vec pair_of_rows(const float *rows, size_t stride, size_t j, size_t n)
{
    vec a = j < n ? load(rows + j * stride) : (vec){0};
    vec b = j + 1 < n ? load(rows + (j + 1) * stride) : (vec){0};
    return (vec)(bf16_bits(a) | bf16_bits(b) << 16);
}

static void pair_rows(const float *rows, size_t stride, size_t n, uint16_t *out)
{
    for (size_t j = 0; j < round_up(n, BF16_STEP); j += 2, out += 2 * PANEL)
        for (size_t c = 0; c < PANEL; c += LANES)
            store((float *)(void *)(out + 2 * c), pair_of_rows(rows + c, stride, j, n));
}

static void pair_columns(const float *rows, size_t stride, size_t n, size_t n_columns,
                         uint16_t *out, size_t out_stride)
{
    for (size_t c = 0; c < n_columns; c += LANES)
        for (size_t j = 0; j < round_up(n, BF16_STEP); j += 2 * LANES) {
            vec r[LANES];
            UNROLL (i, (size_t)LANES)
                r[i] = pair_of_rows(rows + c, stride, j + 2 * i, n);
            transpose(r);
            UNROLL (i, (size_t)LANES)
                store((float *)(void *)(out + (c + i) * out_stride + j), r[i]);
        }
}

#endif
