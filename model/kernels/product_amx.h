/* product_amx.h - product_int8 on Intel's tile registers: two by two tiles of 16 rows by 16 columns
 * of sums, 64 k at a time.
 *
 * 16 groups of a panel are a tile of weights as stored; 64 bytes of 16 quantized rows are a tile of
 * x. Sums are exact, so the results are those of product_int8.h to the last bit.
 */
#ifndef MODEL_KERNELS_PRODUCT_AMX_H
#define MODEL_KERNELS_PRODUCT_AMX_H

#include "model/kernels/kernels.h"
#include "model/kernels/product_int8.h"

enum {
    AMX_SIDE = 16,
    AMX_K = 64,
    AMX_GROUPS = AMX_K / GROUP,
    AMX_BYTES = AMX_SIDE * AMX_K,
    FEW_ROWS = 6
};

/* The registers: sums 0 1 over 2 3, rows 4 over 5, weights 6 7. */
struct tile_shapes {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

/* gcc's tile loads do not declare the memory they read: earlier stores must be complete. */
INLINE void compiler_barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

/* upper and lower: rows of the tiles above and below, 1 .. 16 and 0 .. 16. */
static void shape_tiles(size_t upper, size_t lower)
{
    const size_t rows[] = {upper, upper, lower, lower, upper, lower, AMX_SIDE, AMX_SIDE};
    _Alignas(64) struct tile_shapes shapes = {.palette = 1};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        shapes.rows[i] = (uint8_t)rows[i];
        shapes.row_bytes[i] = rows[i] > 0 ? AMX_K : 0;
    }
    compiler_barrier();
    _tile_loadconfig(&shapes);
}

/* Multiplies 64 k of two panels; second is NULL for one panel. */
INLINE void add_step(const int8_t *x, size_t x_stride, size_t lower, const int8_t *first,
                     const int8_t *second)
{
    _tile_loadd(4, x, x_stride);
    _tile_loadd(6, first, AMX_K);
    _tile_dpbssd(0, 4, 6);
    if (lower > 0) {
        _tile_loadd(5, x + AMX_SIDE * x_stride, x_stride);
        _tile_dpbssd(2, 5, 6);
    }
    if (second != NULL) {
        _tile_loadd(7, second, AMX_K);
        _tile_dpbssd(1, 4, 7);
        if (lower > 0)
            _tile_dpbssd(3, 5, 7);
    }
}

/* Copies the last groups of a panel, padded to a tile. */
static const int8_t *last_weights(const int8_t *w, size_t n_groups, int8_t *filled)
{
    memset(filled, 0, AMX_BYTES);
    memcpy(filled, w, n_groups * GROUP_BYTES);
    return filled;
}

INLINE void sum_tiles(const struct product *p, size_t row, size_t panel, size_t lower,
                      const int panels, int32_t sums[4][AMX_SIDE * AMX_SIDE])
{
    const int8_t *x = (const int8_t *)p->x + row * p->x_stride;
    const int8_t *w = (const int8_t *)p->panels + panel * p->panel_stride;
    size_t n_groups = (p->k + GROUP - 1) / GROUP, g = 0;
    _tile_zero(0);
    _tile_zero(1);
    if (lower > 0) {
        _tile_zero(2);
        _tile_zero(3);
    }
    size_t n_bytes = (size_t)panels * p->panel_stride,
           n_blocks = (p->n_rows + 2 * AMX_SIDE - 1) / (2 * AMX_SIDE);
    struct fetch fetch = fetch_share((const char *)w + n_bytes, n_bytes, n_groups / AMX_GROUPS,
                                     row / (2 * AMX_SIDE), n_blocks);
    for (; g + AMX_GROUPS <= n_groups; g += AMX_GROUPS) {
        const int8_t *first = w + g * GROUP_BYTES;
        fetch_ahead(&fetch);
        add_step(x + g * GROUP, p->x_stride, lower, first,
                 panels > 1 ? first + p->panel_stride : NULL);
    }
    if (g < n_groups) {
        int8_t filled[2][AMX_BYTES];
        const int8_t *at = w + g * GROUP_BYTES, *second = NULL;
        const int8_t *first = last_weights(at, n_groups - g, filled[0]);
        if (panels > 1)
            second = last_weights(at + p->panel_stride, n_groups - g, filled[1]);
        compiler_barrier();
        add_step(x + g * GROUP, p->x_stride, lower, first, second);
        compiler_barrier(); /* the loads have read `filled` */
    }
    _tile_stored(0, sums[0], AMX_K);
    if (panels > 1)
        _tile_stored(1, sums[1], AMX_K);
    if (lower > 0)
        _tile_stored(2, sums[2], AMX_K);
    if (lower > 0 && panels > 1)
        _tile_stored(3, sums[3], AMX_K);
}

static void block_of_tiles(const struct product *p, size_t row, size_t panel, size_t n_rows,
                           const int panels)
{
    _Alignas(64) int32_t sums[4][AMX_SIDE * AMX_SIDE];
    float buffer[2 * AMX_SIDE * 2 * PANEL_WIDTH];
    const size_t column = panel * PANEL_WIDTH, n_columns = (size_t)(panels * PANEL_WIDTH);
    struct tile_target target = tile_target(p, row, column, n_columns, buffer);
    sum_tiles(p, row, panel, n_rows > AMX_SIDE ? n_rows - AMX_SIDE : 0, panels, sums);
    for (size_t v = 0; v < (size_t)panels; v++)
        for (size_t r = 0; r < n_rows; r += AMX_SIDE) {
            struct tile_target tile = {target.to + r * target.stride + v * PANEL_WIDTH,
                                       target.stride};
            scale_sums(p, row + r, n_rows - r < AMX_SIDE ? n_rows - r : AMX_SIDE, panel + v,
                       sums[r / AMX_SIDE * 2 + v], tile);
        }
    if (has_activation(p))
        activate_tile(p, row, n_rows, column, n_columns, buffer);
}

/* n_rows is a multiple of 32, or less than 32. */
static void rows_of_tiles(const struct product *p, size_t row, size_t n_rows)
{
    size_t height = n_rows < 2 * AMX_SIDE ? n_rows : 2 * AMX_SIDE, panel = 0;
    for (; panel + 2 <= p->n_panels; panel += 2)
        for (size_t r = row; r < row + n_rows; r += height)
            block_of_tiles(p, r, panel, height, 2);
    for (size_t r = row; panel < p->n_panels && r < row + n_rows; r += height)
        block_of_tiles(p, r, panel, height, 1);
}

/* Complete blocks of 32 rows first, then the rest: few changes of the tiles' shapes. */
static void product_amx(const struct product *p)
{
    size_t whole = p->n_rows / (2 * AMX_SIDE) * (2 * AMX_SIDE), rest = p->n_rows - whole;
    if (whole > 0) {
        shape_tiles(AMX_SIDE, AMX_SIDE);
        rows_of_tiles(p, 0, whole);
    }
    if (rest > 0) {
        shape_tiles(rest < AMX_SIDE ? rest : AMX_SIDE, rest > AMX_SIDE ? rest - AMX_SIDE : 0);
        rows_of_tiles(p, whole, rest);
    }
    _tile_release();
}

#endif
