/* pair_block.h - a block of a product of bfloat16, and the end of its rows. */
#ifndef MODEL_KERNELS_PAIR_BLOCK_H
#define MODEL_KERNELS_PAIR_BLOCK_H

#include "model/kernels/tile.h"

/* Of x86's MXCSR: subnormal results and operands are zeros. */
enum { FLUSH_SUBNORMALS = 0x8040 };

/* A block of sums [16 or 32, 32] of a product. Those of a last panel are computed twice. Rows are
 * in tiles [16, 32]: x_step is the distance to the next k, x_below to the lower 16 rows. */
struct pair_block {
    const uint16_t *x, *w;
    float *sums;
    size_t x_step, x_below, w_stride, n_steps; /* w_stride: to the right panel */
    size_t row, end, column, n_columns;        /* row: the next to be finished */
    bool add;                                  /* to the sums */
};

/* out = act(sums (+ bias) (+ residual)) (· gate), for the next row. gelu is near enough: what
 * follows is rounded. */
static void finish_row(const struct product *p, struct pair_block *block)
{
    const size_t row = block->row++, at = row * p->out_stride + block->column;
    for (size_t c = 0; c < block->n_columns; c += LANES) {
        vec v = load(block->sums + c);
        if (p->bias != NULL)
            v += load(p->bias + block->column + c);
        if (p->residual != NULL)
            v += load(p->residual + at + c);
        if (p->activated)
            v = p->activation == ACTIVATION_GELU ? gelu_near_vec(v)
                                                 : activation_vec(p->activation, v);
        if (p->gate != NULL)
            v *= load(p->gate + at + c);
        store(p->out + at + c, v);
    }
    block->sums += BF16_SIDE;
}

#endif
