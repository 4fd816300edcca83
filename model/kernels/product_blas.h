/* product_blas.h - a linear layer's product by OpenBLAS: blocks of columns, whose weights are
 * unpacked into a matrix, by blocks of rows; then bias, residual, activation and gate.
 *
 * OpenBLAS promises no order for its sums: in some of its kernels the bits of a row depend on its
 * index and on the number of rows. So the shapes of its calls depend on the layer alone: columns in
 * blocks of BLAS_PANELS panels from the first one on, rows in blocks of BLAS_ROWS, padded with
 * zeros, or in larger blocks if blas_rows_alike (blas.h) found that the bits are the same.
 *
 * Panels in int8 need no such care: sums of products of integers are exact in f32, in any order,
 * below 2^24, so EXACT_STEPS products at a time give product_int8's bits.
 */
#ifndef MODEL_KERNELS_PRODUCT_BLAS_H
#define MODEL_KERNELS_PRODUCT_BLAS_H

#include "model/kernels/attend.h"
#include "model/kernels/blas.h"
#include "model/kernels/product.h"
#include "model/kernels/product_int8.h"

enum { EXACT_STEPS = 1024 }; /* 128 · 127 times that is below 2^24 */

/* Rows row .. row + n_rows - 1 of x, multiplied as `height` rows, by n_panels panels. */
struct blas_block {
    size_t row, n_rows, height;
    size_t panel, n_panels;
};

INLINE void unpack_panel(const enum tensor_type type, const struct product *p, size_t panel,
                         float *out, size_t stride)
{
    const char *w = (const char *)p->panels + panel * p->panel_stride * weight_bytes(type);
    for (size_t k = 0; k < p->k; k++)
        UNROLL (v, (size_t)VECTORS)
            store(out + k * stride + v * LANES, load_weights(type, w, k * PANEL_WIDTH + v * LANES));
}

static void unpack_panel_int8(const struct product *p, size_t panel, float *out, size_t stride)
{
    const int8_t *w = (const int8_t *)p->panels + panel * p->panel_stride;
    for (size_t k = 0; k < p->k; k++)
        for (size_t lane = 0; lane < PANEL_WIDTH; lane += LANES) {
            uvec four = (uvec)load_integers(w + k / GROUP * GROUP_BYTES + lane * GROUP);
            ivec one = (ivec)(four << (uint32_t)(24 - 8 * (k % GROUP))) >> 24;
            store(out + k * stride + lane, __builtin_convertvector(one, vec));
        }
}

/* out [K, 16·n_panels] = the panels from `panel` on, side by side. */
static void unpack_panels(const struct product *p, size_t panel, size_t n_panels, float *out)
{
    size_t stride = n_panels * PANEL_WIDTH;
    for (size_t i = 0; i < n_panels; i++, out += PANEL_WIDTH)
        switch (p->type) {
        case TENSOR_F32: unpack_panel(TENSOR_F32, p, panel + i, out, stride); break;
        case TENSOR_F16: unpack_panel(TENSOR_F16, p, panel + i, out, stride); break;
        case TENSOR_BF16: unpack_panel(TENSOR_BF16, p, panel + i, out, stride); break;
        default: unpack_panel_int8(p, panel + i, out, stride); break;
        }
}

/* Returns the block's rows in f32: in place, or a copy with zeros for missing rows. */
static const float *block_rows(const struct product *p, const struct blas_block *block, float *copy,
                               size_t *stride)
{
    size_t from = block->row * p->x_stride;
    *stride = p->x_stride;
    if (p->type != TENSOR_INT8 && block->n_rows == block->height)
        return (const float *)p->x + from;
    for (size_t r = 0; r < block->height; r++, from += p->x_stride) {
        float *to = copy + r * p->k;
        if (r >= block->n_rows)
            memset(to, 0, p->k * sizeof *to);
        else if (p->type != TENSOR_INT8)
            memcpy(to, (const float *)p->x + from, p->k * sizeof *to);
        else
            for (size_t k = 0; k < p->k; k++)
                to[k] = (float)((const int8_t *)p->x)[from + k];
    }
    *stride = p->k;
    return copy;
}

/* sums [n] (+)= part, which holds integers. */
static void add_exactly(const float *part, size_t n, bool first, int32_t *sums)
{
    for (size_t i = 0; i < n; i++)
        sums[i] = (first ? 0 : sums[i]) + (int32_t)part[i];
}

/* Finishes the sums of one panel, [rows, 16]; int8 sums are in exact. */
static void finish_panel(const struct product *p, const struct blas_block *block, size_t panel,
                         float *sums, const int32_t *exact)
{
    if (exact == NULL) {
        const struct tile_column column = {.panel = panel, .n_panels = 1};
        finish_tile(p, &column, block->row, block->n_rows, sums);
        return;
    }
    size_t first = panel * PANEL_WIDTH;
    struct tile_target target = tile_target(p, block->row, first, PANEL_WIDTH, sums);
    scale_sums(p, block->row, block->n_rows, panel, exact, target);
    if (has_activation(p))
        activate_tile(p, block->row, block->n_rows, first, PANEL_WIDTH, sums);
}

static void multiply_block(const struct blas *blas, const struct product *p,
                           const struct blas_block *block, const struct blas_work *work)
{
    bool is_int8 = p->type == TENSOR_INT8;
    size_t height = block->height, n = block->n_panels * PANEL_WIDTH, x_stride;
    size_t step = is_int8 ? EXACT_STEPS : p->k;
    const float *x = block_rows(p, block, work->rows, &x_stride);
    for (size_t k = 0; k < p->k; k += step) {
        size_t n_steps = p->k - k < step ? p->k - k : step;
        blas_multiply(blas, n, height, n_steps, 1,
                      (struct blas_operand){work->weights + k * n, n, true},
                      (struct blas_operand){x + k, x_stride, true}, false, work->tile, height);
        pack_rows(work->tile, height, n, height, 1, work->sums);
        if (is_int8)
            add_exactly(work->sums, n * height, k == 0, work->exact);
    }
    for (size_t i = 0; i < block->n_panels; i++) {
        size_t at = i * height * PANEL_WIDTH;
        finish_panel(p, block, block->panel + i, work->sums + at,
                     is_int8 ? work->exact + at : NULL);
    }
}

static void product_blas(const struct blas *blas, size_t most_rows, const struct product *p,
                         const struct blas_work *work)
{
    if (p->type == TENSOR_INT8)
        most_rows = BLAS_MOST_ROWS;
    for (size_t panel = 0; panel < p->n_panels; panel += BLAS_PANELS) {
        struct blas_block block = {.panel = panel, .n_panels = p->n_panels - panel};
        if (block.n_panels > BLAS_PANELS)
            block.n_panels = BLAS_PANELS;
        unpack_panels(p, panel, block.n_panels, work->weights);
        for (; block.row < p->n_rows; block.row += block.n_rows) {
            size_t left = p->n_rows - block.row;
            for (block.height = most_rows; block.height > BLAS_ROWS && block.height > left;)
                block.height /= 2;
            block.n_rows = left < block.height ? left : block.height;
            multiply_block(blas, p, &block, work);
        }
    }
}

#endif
