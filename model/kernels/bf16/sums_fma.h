/* sums_fma.h - the sums of product_pairs.h where no instruction adds pairs: each k is one
 * multiply-add of numbers widened to float. */
#ifndef MODEL_KERNELS_SUMS_FMA_H
#define MODEL_KERNELS_SUMS_FMA_H

#include "model/kernels/bf16/pair_block.h"

#define BEGIN_TILES (void)0
#define END_TILES   (void)0

enum { CHAIN_ROWS = LANES == 16 ? 4 : 2, CHAIN_VECTORS = 2, STEP_PAIRS = BF16_STEP / 2 };

/* Returns x·w + sum. Subnormal numbers become zeros by the processor's mode, or by comparison: in
 * double products of bfloat16 are exact, and sums, though rounded twice, are those rounded once, as
 * 53 bits are more than twice 24 and one. */
INLINE vec chain_link(vec x, vec w, vec sum)
{
#if defined(__FMA__)
    return multiply_add(x, w, sum);
#else
    for (int i = 0; i < LANES; i++) {
        const double exact = (double)x[i] * (double)w[i] + (double)sum[i];
        const bool is_tiny = fabs(exact) < 0x1p-126 - 0x1p-151; /* more rounds to 2^-126 */
        sum[i] = (float)(is_tiny ? copysign(0, exact) : exact);
    }
    return sum;
#endif
}

/* The numbers of a step, widened: even k, odd k. */
struct wide_step {
    _Alignas(64) float x[BF16_SIDE][2][STEP_PAIRS], w[2][STEP_PAIRS][BF16_SIDE];
};

INLINE void widen_pairs(const uint16_t *pairs, float *even, float *odd)
{
    for (size_t i = 0; i < PANEL; i += LANES) {
        uvec bits = (uvec)load((const float *)(const void *)(pairs + 2 * i));
        store(even + i, (vec)(bits << 16));
        store(odd + i, (vec)(bits & 0xFFFF0000u));
    }
}

/* Adds the chains of a step to CHAIN_ROWS rows of CHAIN_VECTORS vectors of sums. */
INLINE void add_chains(const struct wide_step *step, size_t row, size_t column, float *sums)
{
    const vec one = splat(1);
    vec chain[2][CHAIN_ROWS][CHAIN_VECTORS] = {0};
    for (size_t p = 0; p < STEP_PAIRS; p++)
        UNROLL (odd, (size_t)2)
            UNROLL (r, (size_t)CHAIN_ROWS) {
                vec *link = chain[odd][r], x = splat(step->x[row + r][odd][p]);
                UNROLL (v, (size_t)CHAIN_VECTORS)
                    link[v] = chain_link(x, load(&step->w[odd][p][column] + v * LANES), link[v]);
            }
    UNROLL (r, (size_t)CHAIN_ROWS)
        UNROLL (v, (size_t)CHAIN_VECTORS) {
            float *sum = sums + (row + r) * BF16_SIDE + column + v * LANES;
            vec both = chain_link(chain[0][r][v], one, chain[1][r][v]);
            store(sum, chain_link(both, one, load(sum)));
        }
}

/* Not inlined: no arithmetic of the caller may move to where subnormal numbers are zeros. */
__attribute__((noinline)) static void sum_block(const struct pair_block *block, bool lower,
                                                const struct product *p, struct pair_block *before,
                                                struct fetch *fetch)
{
    struct wide_step step;
    const size_t n_rows = lower ? BF16_SIDE : PANEL;
    const uint16_t *x = block->x, *w = block->w;
    (void)p, (void)before, (void)fetch;
#if defined(__FMA__)
    const unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | FLUSH_SUBNORMALS);
#endif
    for (size_t r = 0; r < n_rows && !block->add; r++)
        memset(block->sums + r * BF16_SIDE, 0, BF16_SIDE * sizeof(float));
    for (size_t i = 0; i < block->n_steps; i++, x += block->x_step, w += PANEL * BF16_STEP) {
        for (size_t r = 0; r < n_rows; r++)
            widen_pairs(x + r / PANEL * block->x_below + r % PANEL * BF16_STEP, step.x[r][0],
                        step.x[r][1]);
        for (size_t j = 0; j < BF16_STEP; j++) {
            const size_t pair = j / 2, right = j % 2;
            widen_pairs(w + right * block->w_stride + pair * BF16_STEP,
                        step.w[0][pair] + right * PANEL, step.w[1][pair] + right * PANEL);
        }
        for (size_t r = 0; r < n_rows; r += CHAIN_ROWS)
            for (size_t c = 0; c < BF16_SIDE; c += CHAIN_VECTORS * LANES)
                add_chains(&step, r, c, block->sums);
    }
#if defined(__FMA__)
    _mm_setcsr(mode);
#endif
}

#endif
