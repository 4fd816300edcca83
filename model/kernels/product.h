/* product.h - a linear layer's product, out = x·Wᵀ (+ bias) (+ residual): a register tile of
 * TILE_ROWS rows by TILE_PANELS panels of 16 columns. Each step of k costs one load per vector of
 * weights and one broadcast per row. Each element is one chain acc += x·w over ascending k.
 *
 * While a tile is computed, the panels that come next are fetched: with few rows the weights come
 * from memory. Plain twin: plain_product in tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_PRODUCT_H
#define MODEL_KERNELS_PRODUCT_H

#include "model/kernels/kernels.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

INLINE vec load_weights(const enum tensor_type type, const void *panels, size_t index)
{
    switch (type) {
    case TENSOR_F16: return load_f16((const uint16_t *)panels + index);
    case TENSOR_BF16: return load_bf16((const uint16_t *)panels + index);
    default: return load((const float *)panels + index);
    }
}

INLINE size_t weight_bytes(const enum tensor_type type)
{
    return type == TENSOR_F16 || type == TENSOR_BF16 ? sizeof(uint16_t) : sizeof(float);
}

enum { K_STEP = 4 };

/* Steps of k for a tile: x are its rows' bases, w its panels. steps, rows, panels and type are
 * constants at every call, so that the accumulators stay in registers. */
INLINE void add_products(vec acc[TILE_ROWS][TILE_PANELS * VECTORS],
                         const float *x[BASES(TILE_ROWS)], size_t x_stride, const char **w,
                         size_t panel_bytes, const int steps, const int rows, const int panels,
                         const enum tensor_type type)
{
    const size_t step_bytes = PANEL_WIDTH * weight_bytes(type);
    UNROLL (k, steps) {
        vec weights[TILE_PANELS * VECTORS];
        UNROLL (v, panels * VECTORS)
            weights[v] = load_weights(
                type, *w + (size_t)(v / VECTORS) * panel_bytes + (size_t)k * step_bytes,
                (size_t)(v % VECTORS) * LANES);
        UNROLL (r, rows) {
            vec value =
                splat(x[r / ROWS_PER_BASE][(size_t)(r % ROWS_PER_BASE) * x_stride + (size_t)k]);
            UNROLL (v, panels * VECTORS)
                acc[r][v] = multiply_add(value, weights[v], acc[r][v]);
        }
    }
    UNROLL (b, BASES(rows)) {
        x[b] += steps;
        OPAQUE(x[b]);
    }
    *w += (size_t)steps * step_bytes;
}

INLINE void tile(const struct product *p, size_t row, size_t panel, struct fetch fetch,
                 const int rows, const int panels, const enum tensor_type type)
{
    vec acc[TILE_ROWS][TILE_PANELS * VECTORS];
    const float *x[BASES(TILE_ROWS)];
    const size_t x_stride = p->x_stride, panel_bytes = p->panel_stride * weight_bytes(type);
    const char *w = (const char *)p->panels + panel * panel_bytes;
    UNROLL (b, BASES(rows))
        x[b] = (const float *)p->x + (row + (size_t)(b * ROWS_PER_BASE)) * x_stride;
    UNROLL (r, rows)
        UNROLL (v, panels * VECTORS)
            acc[r][v] = (vec){0};

    size_t k = 0;
    for (; k + K_STEP <= p->k; k += K_STEP) {
        fetch_ahead(&fetch);
        add_products(acc, x, x_stride, &w, panel_bytes, K_STEP, rows, panels, type);
    }
    for (; k < p->k; k++)
        add_products(acc, x, x_stride, &w, panel_bytes, 1, rows, panels, type);

    float buffer[TILE_ROWS * TILE_PANELS * PANEL_WIDTH];
    const size_t column = panel * PANEL_WIDTH, n_columns = (size_t)(panels * PANEL_WIDTH);
    struct tile_target target = tile_target(p, row, column, n_columns, buffer);
    UNROLL (r, rows) {
        size_t at = (row + (size_t)r) * p->out_stride + column;
        UNROLL (v, panels * VECTORS) {
            size_t lane = (size_t)v * LANES;
            vec sum = acc[r][v];
            if (p->bias != NULL)
                sum += load(p->bias + column + lane);
            if (p->residual != NULL)
                sum += load(p->residual + at + lane);
            store(target.to + (size_t)r * target.stride + lane, sum);
        }
    }
    if (has_activation(p))
        activate_tile(p, row, (size_t)rows, column, n_columns, buffer);
}

/* The rows in as few tiles as can be, about equally high: 16 rows are 8 and 8, not 12 and 4. */
INLINE void column_of_tiles(const struct product *p, size_t panel, const int panels,
                            const enum tensor_type type)
{
    size_t n_tiles = (p->n_rows + TILE_ROWS - 1) / TILE_ROWS, row = 0;
    size_t n_bytes = (size_t)panels * p->panel_stride * weight_bytes(type);
    const char *next =
        (const char *)p->panels + panel * p->panel_stride * weight_bytes(type) + n_bytes;
    for (size_t i = 0; i < n_tiles; i++) {
        size_t end = p->n_rows * (i + 1) / n_tiles;
        struct fetch fetch = fetch_share(next, n_bytes, p->k / K_STEP, i, n_tiles);
#define TILE(rows) tile(p, row, panel, fetch, rows, panels, type)
        SWITCH_ROWS(end - row, TILE_ROWS, TILE)
#undef TILE
        row = end;
    }
}

INLINE void product_of(const struct product *p, const enum tensor_type type)
{
    size_t panel = 0;
    for (; panel + TILE_PANELS <= p->n_panels; panel += TILE_PANELS)
        column_of_tiles(p, panel, TILE_PANELS, type);
    for (; panel < p->n_panels; panel++)
        column_of_tiles(p, panel, 1, type);
}

static void product(const struct product *p)
{
    product_of(p, TENSOR_F32);
}

static void product_f16(const struct product *p)
{
    product_of(p, TENSOR_F16);
}

static void product_bf16(const struct product *p)
{
    product_of(p, TENSOR_BF16);
}

#endif
