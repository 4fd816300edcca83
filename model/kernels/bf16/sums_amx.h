/* sums_amx.h - the sums of product_pairs.h by tdpbf16ps: two by two tiles. */
#ifndef MODEL_KERNELS_SUMS_AMX_H
#define MODEL_KERNELS_SUMS_AMX_H

#include "model/kernels/bf16/pair_block.h"
#include "model/kernels/product_amx.h"

#define BEGIN_TILES shape_tiles(AMX_SIDE, AMX_SIDE)
#define END_TILES   _tile_release()

/* Finishes rows of the block before between the steps, so that tiles and vectors work at the same
 * time. Few rows leave the memory no time for more than what it fetches by itself. */
static void sum_block(const struct pair_block *block, bool lower, const struct product *p,
                      struct pair_block *before, struct fetch *fetch)
{
    const size_t at_once = (BF16_SIDE + block->n_steps - 1) / block->n_steps;
    const size_t bytes = BF16_SIDE * sizeof(float);
    const uint16_t *x = block->x, *w = block->w;
    float *below = block->sums + PANEL * BF16_SIDE;
    compiler_barrier();
    if (block->add) {
        _tile_loadd(0, block->sums, bytes);
        _tile_loadd(1, block->sums + PANEL, bytes);
        _tile_loadd(2, below, bytes);
        _tile_loadd(3, below + PANEL, bytes);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    for (size_t i = 0; i < block->n_steps; i++, x += block->x_step, w += PANEL * BF16_STEP) {
        _tile_loadd(6, w, AMX_K);
        _tile_loadd(4, x, AMX_K);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, w + block->w_stride, AMX_K);
        _tile_dpbf16ps(1, 4, 7);
        if (lower) {
            _tile_loadd(5, x + block->x_below, AMX_K);
            _tile_dpbf16ps(2, 5, 6);
            _tile_dpbf16ps(3, 5, 7);
            fetch_ahead(fetch);
        }
        for (size_t n = 0; n < at_once && before->row < before->end; n++)
            finish_row(p, before);
    }
    _tile_stored(0, block->sums, bytes);
    _tile_stored(1, block->sums + PANEL, bytes);
    if (lower) {
        _tile_stored(2, below, bytes);
        _tile_stored(3, below + PANEL, bytes);
    }
    compiler_barrier();
}

#endif
