/* sums_dot.h - the sums of product_pairs.h by vdpbf16ps, which is two links of one chain:
 *
 *     sum = fma(x.low, w.low, fma(x.high, w.high, sum))     each rounded to nearest even, subnormal
 *                                                           operands and results zeros
 *
 * So its pairs are of (low: k + 2, high: k) and (low: k + 3, high: k + 1), PAIR_LOW and PAIR_HIGH
 * of round.h: one instruction adds two numbers to the even chain, the next two to the odd one.
 */
#ifndef MODEL_KERNELS_SUMS_DOT_H
#define MODEL_KERNELS_SUMS_DOT_H

#include "model/kernels/bf16/pair_block.h"

#define BEGIN_TILES (void)0
#define END_TILES   (void)0
enum { DOT_ROWS = 4, STEP_DOTS = BF16_STEP / 4 };

/* Adds a chain of a step, even or odd, to sums [DOT_ROWS][2] that begin as 0. */
INLINE void add_dots(const struct pair_block *block, const uint16_t *x, const uint16_t *w,
                     __m512 sums[DOT_ROWS][2])
{
    UNROLL (i, (size_t)STEP_DOTS) {
        const uint16_t *weights = w + 2 * i * BF16_STEP;
        const __m512bh left = (__m512bh)_mm512_loadu_si512(weights);
        const __m512bh right = (__m512bh)_mm512_loadu_si512(weights + block->w_stride);
        UNROLL (r, (size_t)DOT_ROWS) {
            int32_t pair;
            memcpy(&pair, x + r * BF16_STEP + 4 * i, sizeof pair);
            const __m512bh both = (__m512bh)_mm512_set1_epi32(pair);
            sums[r][0] = _mm512_dpbf16_ps(sums[r][0], both, left);
            sums[r][1] = _mm512_dpbf16_ps(sums[r][1], both, right);
        }
    }
}

/* Rows row .. row + DOT_ROWS - 1 of a block: their sums stay in registers over all steps. */
INLINE void sum_rows(const struct pair_block *block, size_t row)
{
    float *sums = block->sums + row * BF16_SIDE;
    const uint16_t *x = block->x + row / PANEL * block->x_below + row % PANEL * BF16_STEP;
    const uint16_t *w = block->w;
    __m512 total[DOT_ROWS][2] = {{{0}}};
    if (block->add)
        UNROLL (i, (size_t)DOT_ROWS * 2)
            total[i / 2][i % 2] = _mm512_loadu_ps(sums + i * PANEL);
    for (size_t i = 0; i < block->n_steps; i++, x += block->x_step, w += PANEL * BF16_STEP) {
        __m512 even[DOT_ROWS][2] = {{{0}}}, odd[DOT_ROWS][2] = {{{0}}};
        add_dots(block, x, w, even);
        add_dots(block, x + 2, w + BF16_STEP, odd);
        UNROLL (r, (size_t)DOT_ROWS)
            UNROLL (v, (size_t)2)
                total[r][v] += even[r][v] + odd[r][v];
    }
    UNROLL (i, (size_t)DOT_ROWS * 2)
        _mm512_storeu_ps(sums + i * PANEL, total[i / 2][i % 2]);
}

/* Not inlined: no arithmetic of the caller may move to where subnormal numbers are zeros. */
__attribute__((noinline)) static void sum_block(const struct pair_block *block, bool lower,
                                                const struct product *p, struct pair_block *before,
                                                struct fetch *fetch)
{
    const unsigned mode = _mm_getcsr();
    const size_t n_left = block->end - block->row, n_all = lower ? BF16_SIDE : PANEL;
    const size_t n_rows = p != NULL && n_left < n_all ? n_left : n_all;
    const size_t n_turns = (n_rows + DOT_ROWS - 1) / DOT_ROWS;
    (void)before;
    _mm_setcsr(mode | FLUSH_SUBNORMALS);
    for (size_t turn = 0; turn < n_turns; turn++) {
        sum_rows(block, turn * DOT_ROWS);
        for (size_t i = 0; i < block->n_steps; i += n_turns)
            fetch_ahead(fetch);
    }
    _mm_setcsr(mode);
}

#endif
