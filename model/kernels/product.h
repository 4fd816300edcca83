/* product.h - a linear layer's product: a register tile of TILE_ROWS rows by TILE_PANELS panels of 16 columns; per step of k
 * one load per vector of weights and one broadcast per row. Each element is one chain acc += x·w over ascending k.
 * While a tile is computed, the panels that come next are fetched: with few rows the weights stream from memory.
 */
#ifndef MODEL_KERNELS_PRODUCT_H
#define MODEL_KERNELS_PRODUCT_H

#include "model/kernels.h"
#include "model/kernels/activation.h"
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

/* Where a tile's rows go: straight to `out`, or to a buffer from which finish_tile takes them. */
struct tile_target {
    float *to;
    size_t stride;
};

INLINE bool has_finish(const struct product *p)
{
    return p->activated || p->gate != NULL;
}

INLINE struct tile_target tile_target(const struct product *p, size_t row, size_t column, size_t n_columns,
                                      float *buffer)
{
    if (has_finish(p))
        return (struct tile_target){buffer, n_columns};
    return (struct tile_target){p->out + row * p->out_stride + column, p->out_stride};
}

/* Activation and gate of a tile that has just been computed, [n_rows, n_columns], while it is in the nearest cache. */
static void finish_tile(const struct product *p, size_t row, size_t n_rows, size_t column, size_t n_columns,
                        float *tile)
{
    if (p->activated)
        activate(p->activation, tile, n_rows * n_columns);
    for (size_t r = 0; r < n_rows; r++) {
        size_t at = (row + r) * p->out_stride + column;
        if (p->gate != NULL)
            multiply(tile + r * n_columns, p->gate + at, n_columns);
        memcpy(p->out + at, tile + r * n_columns, n_columns * sizeof *tile);
    }
}

/* A tile's place among those that share its panels. */
struct place {
    size_t index, n;
};

/* Which tile fetches the j-th of the next panels: the work is shared, so that fetching goes on while all are computed. */
INLINE bool fetched_here(struct place place, int j)
{
    return place.index == (size_t)j % place.n;
}

enum { K_STEP = 4 };

/* `steps` steps of k for a tile: x are its rows' bases, w its panels, next what to fetch if it is to. rows, panels, type and steps are
 * constants at every call, so that the accumulators stay in registers. */
INLINE void add_products(vec acc[TILE_ROWS][TILE_PANELS * VECTORS], const float *x[BASES(TILE_ROWS)],
                         size_t x_stride, const char **w, size_t panel_bytes, const char *next[TILE_PANELS], bool fetch,
                         const int steps, const int rows, const int panels, const enum tensor_type type)
{
    const size_t step_bytes = PANEL_WIDTH * weight_bytes(type);
    if (fetch)
        UNROLL for (int j = 0; j < panels; j++)
            UNROLL for (int k = 0; k < steps; k++)
                __builtin_prefetch(next[j] + (size_t)k * step_bytes, 0, 2);
    UNROLL for (int k = 0; k < steps; k++) {
        vec weights[TILE_PANELS * VECTORS];
        UNROLL for (int v = 0; v < panels * VECTORS; v++)
            weights[v] = load_weights(type, *w + (size_t)(v / VECTORS) * panel_bytes + (size_t)k * step_bytes,
                                      (size_t)(v % VECTORS) * LANES);
        UNROLL for (int r = 0; r < rows; r++) {
            vec value = splat(x[r / ROWS_PER_BASE][(size_t)(r % ROWS_PER_BASE) * x_stride + (size_t)k]);
            UNROLL for (int v = 0; v < panels * VECTORS; v++)
                acc[r][v] += value * weights[v];
        }
    }
    UNROLL for (int b = 0; b < BASES(rows); b++) {
        x[b] += steps;
        OPAQUE(x[b]);
    }
    UNROLL for (int j = 0; j < panels; j++)
        next[j] += (size_t)steps * step_bytes;
    *w += (size_t)steps * step_bytes;
}

INLINE void tile(const struct product *p, size_t row, size_t panel, const struct place place, const int rows,
                 const int panels, const enum tensor_type type)
{
    vec acc[TILE_ROWS][TILE_PANELS * VECTORS];
    const float *x[BASES(TILE_ROWS)];
    const size_t x_stride = p->x_stride, panel_bytes = p->panel_stride * weight_bytes(type);
    const char *w = (const char *)p->panels + panel * panel_bytes, *next[TILE_PANELS];
    UNROLL for (int b = 0; b < BASES(rows); b++)
        x[b] = (const float *)p->x + (row + (size_t)(b * ROWS_PER_BASE)) * x_stride;
    UNROLL for (int j = 0; j < panels; j++)
        next[j] = fetched_here(place, j) ? w + (size_t)(panels + j) * panel_bytes
                                         : (const char *)x[0]; /* is there already */
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < panels * VECTORS; v++)
            acc[r][v] = (vec){0};

    const bool fetch = place.index < (size_t)panels; /* the others would find it there, at the cost of their loads */
    size_t k = 0;
    for (; k + K_STEP <= p->k; k += K_STEP)
        add_products(acc, x, x_stride, &w, panel_bytes, next, fetch, K_STEP, rows, panels, type);
    for (; k < p->k; k++)
        add_products(acc, x, x_stride, &w, panel_bytes, next, fetch, 1, rows, panels, type);

    float buffer[TILE_ROWS * TILE_PANELS * PANEL_WIDTH];
    const size_t column = panel * PANEL_WIDTH, n_columns = (size_t)(panels * PANEL_WIDTH);
    struct tile_target target = tile_target(p, row, column, n_columns, buffer);
    UNROLL for (int r = 0; r < rows; r++) {
        size_t at = (row + (size_t)r) * p->out_stride + column;
        UNROLL for (int v = 0; v < panels * VECTORS; v++) {
            size_t lane = (size_t)v * LANES;
            vec sum = acc[r][v];
            if (p->bias != NULL)
                sum += load(p->bias + column + lane);
            if (p->residual != NULL)
                sum += load(p->residual + at + lane);
            store(target.to + (size_t)r * target.stride + lane, sum);
        }
    }
    if (has_finish(p))
        finish_tile(p, row, (size_t)rows, column, n_columns, buffer);
}

/* One switch, so that each case has constant bounds. */
INLINE void tile_of(const struct product *p, size_t row, size_t panel, struct place place, size_t rows,
                    const int panels, const enum tensor_type type)
{
    switch (rows) {
#if defined(__AVX512F__)
    case 12: tile(p, row, panel, place, 12, panels, type); break;
    case 11: tile(p, row, panel, place, 11, panels, type); break;
    case 10: tile(p, row, panel, place, 10, panels, type); break;
    case 9: tile(p, row, panel, place, 9, panels, type); break;
    case 8: tile(p, row, panel, place, 8, panels, type); break;
    case 7: tile(p, row, panel, place, 7, panels, type); break;
#endif
#if defined(__AVX2__)
    case 6: tile(p, row, panel, place, 6, panels, type); break;
    case 5: tile(p, row, panel, place, 5, panels, type); break;
    case 4: tile(p, row, panel, place, 4, panels, type); break;
    case 3: tile(p, row, panel, place, 3, panels, type); break;
#endif
    case 2: tile(p, row, panel, place, 2, panels, type); break;
    case 1: tile(p, row, panel, place, 1, panels, type); break;
    default: break;
    }
}

/* The rows in as few tiles as can be, about equally high: 16 rows are 8 and 8, not 12 and 4. */
INLINE void column_of_tiles(const struct product *p, size_t panel, const int panels,
                            const enum tensor_type type)
{
    size_t n_tiles = (p->n_rows + TILE_ROWS - 1) / TILE_ROWS, row = 0;
    for (size_t i = 0; i < n_tiles; i++) {
        size_t end = p->n_rows * (i + 1) / n_tiles;
        tile_of(p, row, panel, (struct place){i, n_tiles}, end - row, panels, type);
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
