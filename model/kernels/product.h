/* product.h - a linear layer's product, out = x·Wᵀ (+ bias) (+ residual): a register tile of
 * TILE_ROWS rows by TILE_PANELS panels of 16 columns. Each step of k costs one load per vector of
 * weights and one broadcast per row.
 *
 * An element is ((block 0 + block 1) + …), each block one chain acc += x·w over SUM_BLOCK steps of
 * ascending k, in any tile: short chains round less than one long chain. The tiles of a few dozen
 * rows take turns at a block, so that its weights come from the nearest cache for all but the first
 * tile; meanwhile the next panels are fetched, an even share with each step of all tiles.
 *
 * Weights of 16 bits are converted to floats a block at a time. Plain twins: plain_product and, to
 * the last bit, plain_chains in tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_PRODUCT_H
#define MODEL_KERNELS_PRODUCT_H

#include "model/kernels/kernels.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

enum {
    K_STEP = 4,
    TURN_TILES = 8, /* tiles that take turns at a block */
    TILE_COLUMNS = TILE_PANELS * PANEL_WIDTH,
};

/* The rows of one tile by the weights of one block of k. */
struct tile {
    const float *x; /* its first row, at the block's first k */
    size_t x_stride;
    const float *w; /* its first panel, at the block's first k */
    size_t panel_stride, n_k;
    bool add; /* add to the sums of earlier blocks, stored in `to` */
    struct tile_target target;
    struct fetch fetch;
};

/* Adds some steps of k to a tile: x are its rows' bases; strides are in bytes. steps, rows and
 * panels are constants at every call, so that the accumulators stay in registers. */
INLINE void add_products(vec acc[TILE_ROWS][TILE_PANELS * VECTORS], const char *x[BASES(TILE_ROWS)],
                         size_t *x_stride, const char **w, size_t *panel_stride, const int steps,
                         const int rows, const int panels)
{
    UNROLL (k, (size_t)steps) {
        vec weights[TILE_PANELS * VECTORS];
        OPAQUE(*x_stride);
        OPAQUE(*panel_stride);
        UNROLL (v, (size_t)panels * VECTORS)
            weights[v] = *(const vec_memory *)(*w + v / VECTORS * *panel_stride +
                                               (k * VECTORS + v % VECTORS) * sizeof(vec));
        UNROLL (r, (size_t)rows) {
            const char *row = x[r / ROWS_PER_BASE] + r % ROWS_PER_BASE * *x_stride;
            vec value = splat(*(const float *)(const void *)(row + k * sizeof(float)));
            UNROLL (v, panels * VECTORS)
                add_product(&acc[r][v], value, weights[v]);
        }
        UNROLL (v, panels * VECTORS)
            KEEP(weights[v]);
    }
    UNROLL (b, BASES(rows)) {
        x[b] += (size_t)steps * sizeof(float);
        OPAQUE(x[b]);
    }
    *w += (size_t)(steps * PANEL_WIDTH) * sizeof(float);
}

INLINE void tile(const struct tile *t, const int rows, const int panels)
{
    vec acc[TILE_ROWS][TILE_PANELS * VECTORS];
    const char *x[BASES(TILE_ROWS)], *w = (const char *)t->w;
    size_t x_stride = t->x_stride * sizeof(float), panel_stride = t->panel_stride * sizeof(float);
    const size_t n_k = t->n_k;
    struct fetch fetch = t->fetch;
    UNROLL (b, BASES(rows))
        x[b] = (const char *)t->x + (size_t)(b * ROWS_PER_BASE) * x_stride;
    UNROLL (r, rows)
        UNROLL (v, panels * VECTORS)
            acc[r][v] = (vec){0};

    size_t k = 0;
    for (; k + K_STEP <= n_k; k += K_STEP) {
        fetch_ahead(&fetch);
        add_products(acc, x, &x_stride, &w, &panel_stride, K_STEP, rows, panels);
    }
    AS_IT_IS for (; k < n_k; k++)
        add_products(acc, x, &x_stride, &w, &panel_stride, 1, rows, panels);

    float *to = t->target.to;
    const size_t stride = t->target.stride;
    if (t->add)
        UNROLL (r, rows)
            UNROLL (v, panels * VECTORS)
                acc[r][v] = load(to + (size_t)r * stride + (size_t)v * LANES) + acc[r][v];
    UNROLL (r, rows)
        UNROLL (v, panels * VECTORS)
            store(to + (size_t)r * stride + (size_t)v * LANES, acc[r][v]);
}

/* Not inlined: the caller's code would take registers from the sums. */
__attribute__((noinline)) static void tile_of_rows(const struct tile *t, size_t rows, size_t panels)
{
#define TILE(n)        tile(t, n, TILE_PANELS)
#define NARROW_TILE(n) tile(t, n, 1)
    if (TILE_PANELS == 1 || panels == TILE_PANELS)
        SWITCH_ROWS(rows, TILE_ROWS, TILE)
    else
        SWITCH_ROWS(rows, TILE_ROWS, NARROW_TILE)
#undef TILE
#undef NARROW_TILE
}

/* ---- Weights of a block ---- */

INLINE void decode(const enum tensor_type type, const void *weights, size_t n, float *out)
{
    for (size_t i = 0; i < n; i += LANES)
        store(out + i, load_weights(type, weights, i));
}

/* ---- Tiles by turns ---- */

/* A column of tiles: its panels and their weights. */
struct tile_column {
    size_t panel, n_panels;
    const char *weights;
    size_t panel_bytes, step_bytes;
};

/* Up to TURN_TILES tiles, one below the other: their first row, their number, and the number of
 * tiles that are one row higher than the others. */
struct turn {
    size_t row, n_tiles, n_higher, height;
    struct fetch fetch;
};

/* Returns the weights of a block, stored at w, as floats. */
INLINE const float *decoded(const enum tensor_type type, const struct tile_column *column,
                            const char *w, size_t n_k, float *to)
{
    for (size_t i = 0; i < column->n_panels; i++, w += column->panel_bytes, to += n_k * PANEL_WIDTH)
        if (type == TENSOR_F16)
            decode(TENSOR_F16, w, n_k * PANEL_WIDTH, to);
        else
            decode(TENSOR_BF16, w, n_k * PANEL_WIDTH, to);
    return to - column->n_panels * n_k * PANEL_WIDTH;
}

/* out = the sums (+ bias) (+ residual), then activation and gate. */
static void finish_tile(const struct product *p, const struct tile_column *column, size_t row,
                        size_t n_rows, float *sums)
{
    size_t first = column->panel * PANEL_WIDTH, n = column->n_panels * PANEL_WIDTH;
    const size_t stride = p->out_stride;
    const float *residual = p->residual != NULL ? p->residual + row * stride + first : NULL;
    const bool has_bias = p->bias != NULL;
    struct tile_target target = tile_target(p, row, first, n, sums);
    for (size_t c = 0; c < n; c += LANES) {
        vec bias = has_bias ? load(p->bias + first + c) : (vec){0};
        for (size_t r = 0; r < n_rows; r++) {
            vec sum = load(sums + r * n + c);
            if (has_bias)
                sum += bias;
            if (residual != NULL)
                sum += load(residual + r * stride + c);
            store(target.to + r * target.stride + c, sum);
        }
    }
    if (has_activation(p))
        activate_tile(p, row, n_rows, first, n, sums);
}

/* A product that is a sum alone accumulates in `out` itself. */
static void take_turns(const struct product *p, const struct tile_column *column,
                       const struct turn *turn)
{
    float sums[TURN_TILES][TILE_ROWS * TILE_COLUMNS], wide[SUM_BLOCK * TILE_COLUMNS];
    const bool is_wide = weight_bytes(p->type) == sizeof(float);
    const bool is_alone = p->bias == NULL && p->residual == NULL && !has_activation(p);
    float *out = p->out + column->panel * PANEL_WIDTH;
    struct fetch fetch = turn->fetch;
    size_t k = 0, n_k;
    do {
        n_k = p->k - k < SUM_BLOCK ? p->k - k : SUM_BLOCK;
        const char *w = column->weights + k * column->step_bytes;
        struct tile t = {
            .x_stride = p->x_stride,
            .w = is_wide ? (const float *)(const void *)w : decoded(p->type, column, w, n_k, wide),
            .panel_stride = is_wide ? p->panel_stride : n_k * PANEL_WIDTH,
            .n_k = n_k,
            .add = k > 0,
            .fetch = fetch,
        };
        for (size_t i = 0, row = turn->row, rows; i < turn->n_tiles; i++, row += rows) {
            rows = turn->height + (i < turn->n_higher);
            t.x = (const float *)p->x + row * p->x_stride + k;
            t.target = is_alone ? (struct tile_target){out + row * p->out_stride, p->out_stride}
                                : (struct tile_target){sums[i], column->n_panels * PANEL_WIDTH};
            tile_of_rows(&t, rows, column->n_panels);
            t.fetch.at += n_k / K_STEP * t.fetch.step_bytes;
            if (k + n_k == p->k && !is_alone)
                finish_tile(p, column, row, rows, sums[i]);
        }
        fetch = t.fetch;
        k += n_k;
    } while (k < p->k);
}

/* Divides the rows into the fewest tiles of about equal height: 16 rows are 8 and 8, not 12 and
 * 4. */
static void product(const struct product *p)
{
    const size_t bytes = weight_bytes(p->type), n_steps = p->k / K_STEP;
    const size_t n_tiles = (p->n_rows + TILE_ROWS - 1) / TILE_ROWS;
    struct tile_column column = {.panel_bytes = p->panel_stride * bytes,
                                 .step_bytes = PANEL_WIDTH * bytes};
    for (; column.panel < p->n_panels && n_tiles > 0; column.panel += column.n_panels) {
        column.n_panels = p->n_panels - column.panel < TILE_PANELS ? 1 : TILE_PANELS;
        column.weights = (const char *)p->panels + column.panel * column.panel_bytes;
        const size_t column_bytes = column.n_panels * column.panel_bytes;
        size_t n_higher = p->n_rows % n_tiles; /* among the remaining tiles */
        struct turn turn = {
            .height = p->n_rows / n_tiles,
            .fetch = {column.weights + column_bytes,
                      n_steps > 0 ? (column_bytes + n_tiles * n_steps - 1) / (n_tiles * n_steps)
                                  : 0},
        };
        for (size_t first = 0; first < n_tiles; first += TURN_TILES) {
            turn.n_tiles = n_tiles - first < TURN_TILES ? n_tiles - first : TURN_TILES;
            turn.n_higher = n_higher < turn.n_tiles ? n_higher : turn.n_tiles;
            take_turns(p, &column, &turn);
            n_higher -= turn.n_higher;
            turn.row += turn.n_tiles * turn.height + turn.n_higher;
            turn.fetch.at += turn.n_tiles * n_steps * turn.fetch.step_bytes;
        }
    }
}

#endif
