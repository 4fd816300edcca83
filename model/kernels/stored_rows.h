/* stored_rows.h - many rows of vectors, as files store them, by queries: for search. */
#ifndef MODEL_KERNELS_STORED_ROWS_H
#define MODEL_KERNELS_STORED_ROWS_H

#include "model/kernels/kernels.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

#include <float.h>

/* ---- Columns ----
 * Rows of every type as vectors of floats, a step of 16 columns at a time. */

enum { STEP = 16 };

INLINE size_t columns_bytes(const engine_element type, size_t n)
{
    switch (type) {
    case ENGINE_F32: return 4 * n;
    case ENGINE_F16: return 2 * n;
    case ENGINE_INT8: return n;
    default: return (n + 7) / 8;
    }
}

/* Returns the address of a row's first column. */
INLINE const char *columns_of(const engine_element type, const char *row)
{
    return type == ENGINE_INT8 ? row + sizeof(float) : row;
}

/* Loads vector v of a step of bits, the lowest of each byte first, as 0 or 1. */
INLINE vec load_bits(const char *bytes, const int v)
{
    const vec one = splat(1);
    uint16_t bits;
    memcpy(&bits, bytes, sizeof bits);
#if defined(__AVX512F__)
    (void)v;
    return (vec)_mm512_maskz_mov_ps(bits, (__m512)one);
#else
#if defined(__AVX2__)
    const uvec masks = (uvec){1, 2, 4, 8, 16, 32, 64, 128} << (uint32_t)(v * LANES);
#else
    const uvec masks = (uvec){1, 2, 4, 8} << (uint32_t)(v * LANES);
#endif
    return (vec)((ivec)one & (((bits - (uvec){0}) & masks) != 0));
#endif
}

/* Loads vector v of the step at column k. */
INLINE vec load_columns(const engine_element type, const char *columns, size_t k, const int v)
{
    typedef float floats __attribute__((vector_size(LANES * 4), aligned(1), may_alias));
    size_t column = k + (size_t)(v * LANES);
    switch (type) {
    case ENGINE_F32: return *(const floats *)(const void *)(columns + 4 * column);
    case ENGINE_F16: return load_f16(columns + 2 * column);
    case ENGINE_INT8: return load_int8(columns + column);
    default: return load_bits(columns + k / 8, v);
    }
}

/* The last columns, fewer than STEP, padded with zeros. */
struct tail {
    char bytes[STEP * sizeof(float)];
};

INLINE struct tail tail_of(const engine_element type, const char *columns, size_t column, size_t n)
{
    struct tail tail = {{0}};
    memcpy(tail.bytes, columns + columns_bytes(type, column), columns_bytes(type, n));
    return tail;
}

/* ---- A few queries ----
 * Each product is a sum over the row, and rows are read in place.
 *
 * A row is read in steps of 16 columns, and each column of a step has its own partial sum, one
 * chain of multiply-adds: s[i] = Σ_j q[16j + i] · x[16j + i]. They are added by halves: s[i] + s[i
 * + 8], then [i] + [i + 4], then (0 + 2) + (1 + 3). So registers of any width give the same bits,
 * and so do many queries. Plain twin: plain_score in tests/engine/search/test_search.c. */

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

/* ---- Many queries ----
 * Rows by many queries: the sums of a few, to the bit, by tiles of
 * TILE_QUERIES queries and PANELS_OF_TILE panels of 16 rows, whose lanes are rows.
 *
 * A tile computes one chain of all its sums at a time. Chains are stored in the order in which they
 * are added, 0 8 4 12  2 10 6 14  1 9 5 13  3 11 7 15: two neighbours, then two such pairs, like
 * the carries of a binary counter. So each sum has at most four chains not yet added. */

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

/* ---- Bounds ----
 * Rows of int8 or bits as the panels of product_int8, which finds candidates by
 * them: [K/4, 16, 4], K the width rounded up to 16. A bit is a byte, 1 or -1.
 *
 * Four columns of a row are a lane, so that rows are transposed as floats are (vector.h). Twin: the
 * searches for few queries in tests/engine/search/test_candidates.c. */

/* Columns of a lane, and of a vector. */
enum { LANE_COLUMNS = 4, VECTOR_COLUMNS = LANE_COLUMNS * LANES };

/* Returns the columns whose bits are at `bits`, the lowest of each byte first, as 1 and -1. */
INLINE vec widen_bits(const char *bits)
{
    typedef int8_t signs __attribute__((vector_size(VECTOR_COLUMNS)));
#if defined(__AVX512F__)
    uint64_t mask;
    memcpy(&mask, bits, sizeof mask);
    return (vec)(~(signs)_mm512_movm_epi8(mask) | 1);
#else
    typedef uint64_t eights __attribute__((vector_size(VECTOR_COLUMNS)));
    eights bytes;
    for (size_t i = 0; i < VECTOR_COLUMNS / 8; i++)
        bytes[i] = (unsigned char)bits[i] * UINT64_C(0x0101010101010101);
    return (vec)((signs)((signs)(bytes & UINT64_C(0x8040201008040201)) == 0) | 1);
#endif
}

INLINE vec load_bytes(const engine_element type, const char *columns)
{
    vec bytes;
    if (type == ENGINE_BINARY)
        return widen_bits(columns);
    memcpy(&bytes, columns, sizeof bytes);
    return bytes;
}

/* Packs the columns from k on of LANES rows; rows end after `width` columns. */
INLINE void pack_bytes(const engine_element type, const char *const rows[LANES], size_t k,
                       size_t width, int8_t *panel)
{
    char tails[LANES][VECTOR_COLUMNS] = {{0}};
    const size_t n = width - k, n_bytes = columns_bytes(type, n);
    vec r[LANES];
    if (n >= VECTOR_COLUMNS)
        UNROLL (i, LANES)
            r[i] = load_bytes(type, rows[i] + columns_bytes(type, k));
    else
        UNROLL (i, LANES) {
            memcpy(tails[i], rows[i] + columns_bytes(type, k), n_bytes);
            r[i] = load_bytes(type, tails[i]);
        }
    transpose(r);
    for (size_t i = 0; i < LANES && LANE_COLUMNS * i < n; i++)
        memcpy(panel + (k / LANE_COLUMNS + i) * PANEL_WIDTH * LANE_COLUMNS, &r[i], sizeof r[i]);
}

INLINE void pack_byte_panels_of(const engine_element type, const struct row_products *p,
                                int8_t *panels)
{
    const char *rows[LANES];
    const size_t last = p->n_rows - 1, panel_bytes = chain_steps(p->width) * STEP * PANEL_WIDTH;
    const size_t width = type == ENGINE_BINARY ? round_up(p->width, 8) : p->width;
    for (size_t row = 0; row < round_up(p->n_rows, PANEL_WIDTH); row += LANES) {
        int8_t *panel = panels + row / PANEL_WIDTH * panel_bytes + row % PANEL_WIDTH * LANE_COLUMNS;
        for (size_t i = 0; i < LANES; i++) {
            size_t at = row + i < last ? row + i : last;
            rows[i] = columns_of(type, (const char *)p->rows + at * p->row_bytes);
        }
        for (size_t k = 0; k < width; k += VECTOR_COLUMNS)
            pack_bytes(type, rows, k, width, panel);
    }
}

static void pack_byte_panels(const struct row_products *p, int8_t *panels)
{
    if (p->type == ENGINE_BINARY)
        pack_byte_panels_of(ENGINE_BINARY, p, panels);
    else
        pack_byte_panels_of(ENGINE_INT8, p, panels);
}

/* ---- Candidates ---- */

/* Returns a bit for each lane that is set. */
INLINE unsigned bits_of(ivec mask)
{
#if defined(__AVX512F__)
    return _mm512_movepi32_mask((__m512i)mask);
#elif defined(__AVX2__)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#else
    unsigned bits = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        bits |= mask[lane] != 0 ? 1U << lane : 0;
    return bits;
#endif
}

static size_t find_candidates(const float *scores, const float *lengths, size_t n, float error,
                              float threshold, uint16_t *found)
{
    const vec least = splat(-FLT_MAX);
    size_t n_found = 0, i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec most = multiply_add(load(lengths + i), splat(error), larger(load(scores + i), least));
        for (unsigned bits = bits_of(most >= threshold); bits != 0; bits &= bits - 1)
            found[n_found++] = (uint16_t)(i + (size_t)__builtin_ctz(bits));
    }
    for (; i < n; i++)
        if (fmaxf(scores[i], -FLT_MAX) + error * lengths[i] >= threshold)
            found[n_found++] = (uint16_t)i;
    return n_found;
}

#endif
