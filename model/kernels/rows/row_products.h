/* row_products.h - many rows by a few queries, for search: each product is a sum over the row, and
 * rows are read in place.
 *
 * A row is read in steps of 16 columns, and each column of a step has its own partial sum, one
 * chain of multiply-adds: s[i] = Σ_j q[16j + i] · x[16j + i]. They are added by halves: s[i] + s[i
 * + 8], then [i] + [i + 4], then (0 + 2) + (1 + 3). So registers of any width give the same bits,
 * and so does panel_products.h. Plain twin: plain_score in tests/engine/search/test_search.c.
 */
#ifndef MODEL_KERNELS_ROWS_ROW_PRODUCTS_H
#define MODEL_KERNELS_ROWS_ROW_PRODUCTS_H

#include "model/kernels/kernels.h"
#include "model/kernels/rows/columns.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

#include <float.h>

enum { AHEAD_BYTES = 8192 }; /* prefetch distance */

/* Returns the partial sums of a step, VECTORS vectors, added into one vector. */
INLINE vec one_vector(const vec sums[VECTORS])
{
#if defined(__AVX512F__)
    return sums[0];
#elif defined(__AVX2__)
    return sums[0] + sums[1];
#else
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
#endif
}

/* Rows computed at once, so that four sums of one query are in flight. */
enum { MOST_AT_ONCE = VECTORS < 4 ? 4 / VECTORS : 1 };

/* Adds a step of a row times each query to that query's sums, and its squares to the last sums. */
INLINE void add_step(const engine_element type, const char *columns, size_t k, const float *q,
                     size_t stride, const int queries, vec sums[FEW_QUERIES + 1][VECTORS])
{
    UNROLL (v, VECTORS) {
        vec x = load_columns(type, columns, k, v);
        UNROLL (i, queries)
            sums[i][v] =
                multiply_add(x, load(q + (size_t)i * stride + (size_t)(v * LANES)), sums[i][v]);
        if (type != ENGINE_BINARY)
            sums[queries][v] = multiply_add(x, x, sums[queries][v]);
    }
}

/* Computes scores and squares of `rows` rows, from row r on. */
INLINE void rows_by_few(const struct row_products *p, const engine_element type, size_t r,
                        const int rows, const int queries)
{
    const size_t width = p->width, bytes = p->row_bytes;
    const char *row = (const char *)p->rows + r * bytes;
    vec sums[MOST_AT_ONCE][FEW_QUERIES + 1][VECTORS];
    size_t k = 0;
    for (size_t i = 0; i < (size_t)rows * bytes; i += CACHE_LINE)
        __builtin_prefetch(row + AHEAD_BYTES + i);
    UNROLL (j, rows)
        UNROLL (i, queries + 1)
            UNROLL (v, VECTORS)
                sums[j][i][v] = (vec){0};
    AS_IT_IS for (; k + STEP <= width; k += STEP) UNROLL (j, rows)
        add_step(type, columns_of(type, row + (size_t)j * bytes), k, p->queries + k,
                 p->query_stride, queries, sums[j]);
    if (k < width)
        UNROLL (j, rows) {
            const char *columns = columns_of(type, row + (size_t)j * bytes);
            struct tail tail = tail_of(type, columns, k, width - k);
            add_step(type, tail.bytes, 0, p->queries + k, p->query_stride, queries, sums[j]);
        }
    UNROLL (j, rows) {
        UNROLL (i, queries)
            p->scores[(size_t)i * p->scores_stride + r + (size_t)j] =
                sum_of_lanes(one_vector(sums[j][i]));
        if (p->squares != NULL)
            p->squares[r + (size_t)j] = sum_of_lanes(one_vector(sums[j][queries]));
    }
}

/* Rows of floats wait for memory and are best read one after the other; smaller types are limited
 * by arithmetic, and several rows at once keep the multipliers busy. */
INLINE void all_rows_by_few(const struct row_products *p, const engine_element type,
                            const int queries)
{
    const int at_once = type == ENGINE_F32 || type == ENGINE_F16 ? 1 : MOST_AT_ONCE;
    size_t r = 0;
    for (; r + (size_t)at_once <= p->n_rows; r += (size_t)at_once)
        rows_by_few(p, type, r, at_once, queries);
    for (; r < p->n_rows; r++)
        rows_by_few(p, type, r, 1, queries);
}

INLINE void row_products_of(const struct row_products *p, const engine_element type)
{
    switch (p->n_queries) {
    case 0: all_rows_by_few(p, type, 0); return;
    case 1: all_rows_by_few(p, type, 1); return;
    case 2: all_rows_by_few(p, type, 2); return;
    case 3: all_rows_by_few(p, type, 3); return;
    default: all_rows_by_few(p, type, FEW_QUERIES); return;
    }
}

static void row_products(const struct row_products *p)
{
    switch (p->type) {
    case ENGINE_F32: row_products_of(p, ENGINE_F32); return;
    case ENGINE_F16: row_products_of(p, ENGINE_F16); return;
    case ENGINE_INT8: row_products_of(p, ENGINE_INT8); return;
    case ENGINE_BINARY: row_products_of(p, ENGINE_BINARY); return;
    }
}

/* ---- Scores ---- */

static bool scale_scores(float *scores, float offset, const float *factors, size_t n,
                         float threshold)
{
    ivec above = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec score = (load(scores + i) + offset) * load(factors + i);
        store(scores + i, score);
        above |= ~(score < threshold) | (score < -FLT_MAX);
    }
    bool is_above = false;
    for (size_t lane = 0; lane < LANES; lane++)
        is_above |= above[lane] != 0;
    for (; i < n; i++) {
        scores[i] = (scores[i] + offset) * factors[i];
        is_above |= !(scores[i] < threshold) || scores[i] < -FLT_MAX;
    }
    return is_above;
}

#endif
