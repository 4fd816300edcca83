/* panel_products.h - rows by many queries: the sums of row_products.h, to the bit, by tiles of
 * TILE_QUERIES queries and PANELS_OF_TILE panels of 16 rows, whose lanes are rows.
 *
 * A tile computes one chain of all its sums at a time. Chains are stored in the order in which they
 * are added, 0 8 4 12  2 10 6 14  1 9 5 13  3 11 7 15: two neighbours, then two such pairs, like
 * the carries of a binary counter. So each sum has at most four chains not yet added.
 */
#ifndef MODEL_KERNELS_ROWS_PANEL_PRODUCTS_H
#define MODEL_KERNELS_ROWS_PANEL_PRODUCTS_H

#include "model/kernels/kernels.h"
#include "model/kernels/pack.h"
#include "model/kernels/rows/columns.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

/* ---- Rows to panels ---- */

/* Packs a step of columns of LANES rows: one column of each chain. */
INLINE void pack_step(const engine_element type, const char *const columns[LANES], size_t k,
                      size_t n_steps, float *panel)
{
    UNROLL (v, VECTORS) {
        vec r[LANES];
        UNROLL (i, LANES)
            r[i] = load_columns(type, columns[i], k, v);
        transpose(r);
        UNROLL (i, LANES)
            store(panel + chain_position((size_t)(v * LANES + i)) * n_steps * PANEL_WIDTH, r[i]);
    }
}

/* Packs LANES rows from row `first` on; the last row is repeated for missing rows. */
INLINE void pack_lanes(const engine_element type, const struct row_products *p, size_t first,
                       float *panel)
{
    const char *columns[LANES];
    struct tail tails[LANES];
    size_t k = 0, ahead = 0, last = p->n_rows - 1, n_steps = chain_steps(p->width);
    for (size_t i = 0; i < LANES; i++) {
        size_t row = first + i < last ? first + i : last;
        columns[i] = columns_of(type, (const char *)p->rows + row * p->row_bytes);
    }
    for (; k + STEP <= p->width; k += STEP, panel += PANEL_WIDTH) {
        pack_step(type, columns, k, n_steps, panel);
        for (size_t end = columns_bytes(type, LANES * (k + STEP)); ahead < end; ahead += CACHE_LINE)
            __builtin_prefetch(columns[0] + LANES * p->row_bytes + ahead);
    }
    if (k == p->width)
        return;
    for (size_t i = 0; i < LANES; i++) {
        tails[i] = tail_of(type, columns[i], k, p->width - k);
        columns[i] = tails[i].bytes;
    }
    pack_step(type, columns, 0, n_steps, panel);
}

INLINE void pack_panels_of(const engine_element type, const struct row_products *p, float *panels)
{
    const size_t panel_floats = chain_steps(p->width) * STEP * PANEL_WIDTH;
    for (size_t row = 0; row < round_up(p->n_rows, ROWS_OF_TILES); row += LANES)
        pack_lanes(type, p, row, panels + row / PANEL_WIDTH * panel_floats + row % PANEL_WIDTH);
}

static void pack_row_panels(const struct row_products *p, float *panels)
{
    switch (p->type) {
    case ENGINE_F32: pack_panels_of(ENGINE_F32, p, panels); return;
    case ENGINE_F16: pack_panels_of(ENGINE_F16, p, panels); return;
    case ENGINE_INT8: pack_panels_of(ENGINE_INT8, p, panels); return;
    case ENGINE_BINARY: pack_panels_of(ENGINE_BINARY, p, panels); return;
    }
}

/* ---- Tiles ---- */

/* Prefetch distances in floats: queries come from more distant memory. */
enum { QUERIES_AHEAD = 64 * QUERY_PANEL, ROWS_AHEAD = 8 * PANEL_WIDTH };

enum {
    TILE_QUERIES = LANES == 16 ? QUERY_PANEL : TILE_ROWS,
    PANELS_OF_TILE = LANES == 16 ? 2 : 1,
    TILE_VECTORS = PANELS_OF_TILE * VECTORS,
    LEVELS = 4,
};

/* A tile's first query and first panel, and its scores; the strides of both. */
struct panel_tile {
    const float *queries, *panels;
    size_t n_steps;
    float *scores;
    size_t scores_stride;
};

/* Sums chain `position` of each element of a tile. */
INLINE void sum_chains(const struct panel_tile *t, size_t position, const int queries,
                       vec sums[TILE_QUERIES][TILE_VECTORS])
{
    const size_t n_steps = t->n_steps, panel_floats = n_steps * STEP * PANEL_WIDTH;
    const float *q = t->queries + position * n_steps * QUERY_PANEL;
    const float *rows = t->panels + position * n_steps * PANEL_WIDTH;
    UNROLL (i, queries)
        UNROLL (v, TILE_VECTORS)
            sums[i][v] = (vec){0};
    AS_IT_IS for (size_t step = 0; step < n_steps; step++)
    {
        vec of_rows[TILE_VECTORS];
        UNROLL (v, TILE_VECTORS)
            of_rows[v] = load(rows + (size_t)(v / VECTORS) * panel_floats + v % VECTORS * LANES);
        UNROLL (i, queries) {
            vec of_query = splat(q[i]);
            UNROLL (v, TILE_VECTORS)
                sums[i][v] = multiply_add(of_query, of_rows[v], sums[i][v]);
        }
        __builtin_prefetch(q + QUERIES_AHEAD);
        __builtin_prefetch(rows + ROWS_AHEAD);
        q += QUERY_PANEL;
        rows += PANEL_WIDTH;
    }
}

INLINE void score_tile(const struct panel_tile *t, const int queries)
{
    vec kept[LEVELS][TILE_QUERIES][TILE_VECTORS];
    for (size_t position = 0; position < STEP; position++) {
        vec sums[TILE_QUERIES][TILE_VECTORS];
        size_t level = 0;
        sum_chains(t, position, queries, sums);
        for (; position >> level & 1; level++)
            UNROLL (i, queries)
                UNROLL (v, TILE_VECTORS)
                    sums[i][v] += kept[level][i][v];
        UNROLL (i, queries)
            UNROLL (v, TILE_VECTORS)
                if (level < LEVELS)
                    kept[level][i][v] = sums[i][v];
                else
                    store(t->scores + (size_t)i * t->scores_stride + v * LANES, sums[i][v]);
    }
}

static void panel_products(const struct panel_products *p)
{
    const size_t panel_floats = p->n_steps * STEP * PANEL_WIDTH;
    for (size_t row = 0; row < p->n_rows; row += PANELS_OF_TILE * PANEL_WIDTH)
        for (size_t query = 0; query < p->n_queries; query += TILE_QUERIES) {
            struct panel_tile t = {p->queries + query, p->panels + row / PANEL_WIDTH * panel_floats,
                                   p->n_steps, p->scores + query * p->scores_stride + row,
                                   p->scores_stride};
            if (p->n_queries - query > TILE_QUERIES / 2)
                score_tile(&t, TILE_QUERIES);
            else
                score_tile(&t, TILE_QUERIES / 2);
        }
}

#endif
