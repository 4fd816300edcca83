/* product_pairs.h - a product of bfloat16 with sums in float, 32 rows by two panels at a time. A
 * sum C starts as +0. Each step of 32 k adds two chains to it, of even and odd k:
 *
 *     e = o = +0;   for pair p ascending:  e = fma(x[2p], w[2p], e),  o = fma(x[2p+1], w[2p+1], o)
 *     C = C + (e + o)      rounded to nearest even; subnormal results are zeros of their sign
 *
 * So adds Intel's tdpbf16ps; all other instruction sets give its bits. Plain twin: plain_pairs in
 * tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_PRODUCT_PAIRS_H
#define MODEL_KERNELS_PRODUCT_PAIRS_H

#include "model/kernels/bf16/pair_block.h"

#if defined(KERNELS_AMX)
#include "model/kernels/bf16/sums_amx.h"
#elif defined(KERNELS_DOT)
#include "model/kernels/bf16/sums_dot.h"
#else
#include "model/kernels/bf16/sums_fma.h"
#endif

static void product_pairs(const struct product *p)
{
    _Alignas(64) float sums[2][BF16_SIDE * BF16_SIDE];
    const size_t n_blocks = (p->n_rows + BF16_SIDE - 1) / BF16_SIDE;
    struct pair_block before = {0}, block = {.x_step = PANEL * BF16_STEP,
                                             .x_below = PANEL * p->x_stride,
                                             .n_steps = (p->k + BF16_STEP - 1) / BF16_STEP};
    BEGIN_TILES;
    const size_t n_bytes = 2 * block.n_steps * PANEL * BF16_STEP * sizeof(uint16_t);
    for (size_t panel = 0, turn = 0; panel < p->n_panels && n_blocks > 0; panel += 2) {
        const bool right = panel + 1 < p->n_panels;
        block.w = (const uint16_t *)p->panels + panel * p->panel_stride;
        block.w_stride = right ? p->panel_stride : 0;
        block.column = panel * PANEL;
        block.n_columns = right ? BF16_SIDE : PANEL;
        struct fetch fetch = fetch_share((const char *)(block.w + 2 * p->panel_stride), n_bytes,
                                         block.n_steps, 0, n_blocks);
        for (size_t i = 0; i < n_blocks; i++, turn ^= 1) {
            block.row = i * BF16_SIDE;
            block.end = i + 1 < n_blocks ? block.row + BF16_SIDE : p->n_rows;
            block.x = (const uint16_t *)p->x + block.row * p->x_stride;
            block.sums = sums[turn];
            sum_block(&block, block.end - block.row > PANEL, p, &before, &fetch);
            while (before.row < before.end)
                finish_row(p, &before);
            before = block;
        }
    }
    while (before.row < before.end)
        finish_row(p, &before);
    END_TILES;
}

#endif
