/* row_products.h - many rows by some queries, for search: each product is a sum over the row, and
 * the rows are read where they lie.
 *
 * A row goes by in steps of 16 columns, and each column of a step has a partial sum of its own,
 * one chain of multiply-adds: s[i] = Σ_j q[16j + i] · x[16j + i]. They are added up by halves:
 * s[i] + s[i + 8], then [i] + [i + 4], then (0 + 2) + (1 + 3). So row_products gives the bits that
 * row_products_many gives, and registers of any width give the same. Plain twin: plain_score in
 * tests/engine/search/test_search.c.
 */
#ifndef MODEL_KERNELS_ROW_PRODUCTS_H
#define MODEL_KERNELS_ROW_PRODUCTS_H

#include "model/kernels/kernels.h"
#include "model/kernels/pack.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

enum { STEP = 16, AHEAD_BYTES = 8192 }; /* so far ahead rows are asked for */

#if defined(__AVX512F__)
#define LOW_HALVES(a, b)                                                                           \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define HIGH_HALVES(a, b)                                                                          \
    __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#endif

typedef float quarter __attribute__((vector_size(16)));
typedef float quarter_memory __attribute__((vector_size(16), aligned(4), may_alias));

/* ---- Columns ---- */

INLINE size_t columns_bytes(const enum row_type type, size_t n)
{
    switch (type) {
    case ROWS_F32: return 4 * n;
    case ROWS_F16: return 2 * n;
    case ROWS_INT8: return n;
    default: return (n + 7) / 8;
    }
}

/* Where the columns of a row begin. */
INLINE const char *columns_of(const enum row_type type, const char *row)
{
    return type == ROWS_INT8 ? row + sizeof(float) : row;
}

/* Vector v of a step of bits, the lowest of each byte first, as 0 or 1. */
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
    const uvec places = (uvec){1, 2, 4, 8, 16, 32, 64, 128} << (uint32_t)(v * LANES);
#else
    const uvec places = (uvec){1, 2, 4, 8} << (uint32_t)(v * LANES);
#endif
    return (vec)((ivec)one & (((bits - (uvec){0}) & places) != 0));
#endif
}

/* Vector v of the step at column k. */
INLINE vec load_columns(const enum row_type type, const char *columns, size_t k, const int v)
{
    typedef float floats __attribute__((vector_size(LANES * 4), aligned(1), may_alias));
    size_t column = k + (size_t)(v * LANES);
    switch (type) {
    case ROWS_F32: return *(const floats *)(const void *)(columns + 4 * column);
    case ROWS_F16: return load_f16(columns + 2 * column);
    case ROWS_INT8: return load_int8(columns + column);
    default: return load_bits(columns + k / 8, v);
    }
}

/* The last columns, fewer than STEP, filled up with zeros. */
struct tail {
    char bytes[STEP * sizeof(float)];
};

INLINE struct tail tail_of(const enum row_type type, const char *columns, size_t column, size_t n)
{
    struct tail tail = {{0}};
    memcpy(tail.bytes, columns + columns_bytes(type, column), columns_bytes(type, n));
    return tail;
}

INLINE void widen_row_of(const enum row_type type, const char *row, size_t width, float *out)
{
    const char *columns = columns_of(type, row);
    size_t k = 0;
    for (; k + STEP <= width; k += STEP)
        UNROLL (v, VECTORS)
            store(out + k + v * LANES, load_columns(type, columns, k, v));
    if (k < width) {
        struct tail tail = tail_of(type, columns, k, width - k);
        UNROLL (v, VECTORS)
            store(out + k + v * LANES, load_columns(type, tail.bytes, 0, v));
    }
}

static void widen_row(enum row_type type, const void *row, size_t width, float *out)
{
    switch (type) {
    case ROWS_F32: widen_row_of(ROWS_F32, row, width, out); return;
    case ROWS_F16: widen_row_of(ROWS_F16, row, width, out); return;
    case ROWS_INT8: widen_row_of(ROWS_INT8, row, width, out); return;
    case ROWS_BINARY: widen_row_of(ROWS_BINARY, row, width, out); return;
    }
}

/* ---- Sums ---- */

/* The partial sums of a step, VECTORS vectors of them, in one. */
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

/* sum_of_lanes of each of four vectors: their halves and quarters are added side by side. */
INLINE quarter sums_of_four(vec a, vec b, vec c, vec d)
{
#if defined(__AVX512F__)
    vec ab = LOW_HALVES(a, b) + HIGH_HALVES(a, b), cd = LOW_HALVES(c, d) + HIGH_HALVES(c, d);
    vec all = EVEN(ab, cd) + ODD(ab, cd);
    all += QUARTERS(all, all, 2, 3, 0, 1);
    all += QUARTERS(all, all, 1, 0, 3, 2);
    return __builtin_shufflevector(all, all, 0, 4, 8, 12);
#else
#if defined(__AVX2__)
    vec ab = EVEN(a, b) + ODD(a, b), cd = EVEN(c, d) + ODD(c, d);
    vec pairs = QUARTERS(ab, cd, 0, 1, 8, 9) + QUARTERS(ab, cd, 2, 3, 10, 11);
    pairs += QUARTERS(pairs, pairs, 1, 0, 3, 2);
    return __builtin_shufflevector(pairs, pairs, 0, 4, 2, 6);
#else
    vec ab = QUARTERS(a, b, 0, 1, 4, 5) + QUARTERS(a, b, 2, 3, 6, 7);
    vec cd = QUARTERS(c, d, 0, 1, 4, 5) + QUARTERS(c, d, 2, 3, 6, 7);
    return QUARTERS(ab, cd, 0, 2, 4, 6) + QUARTERS(ab, cd, 1, 3, 5, 7);
#endif
#endif
}

/* ---- A row from memory, few queries ---- */

/* So many rows keep four sums of one query under way. */
enum { MOST_AT_ONCE = VECTORS < 4 ? 4 / VECTORS : 1 };

/* Adds a step of a row times each query to that query's sums, and its squares to the last ones. */
INLINE void add_step(const enum row_type type, const char *columns, size_t k, const float *q,
                     size_t stride, const int queries, vec sums[FEW_QUERIES + 1][VECTORS])
{
    UNROLL (v, VECTORS) {
        vec x = load_columns(type, columns, k, v);
        UNROLL (i, queries)
            sums[i][v] =
                multiply_add(x, load(q + (size_t)i * stride + (size_t)(v * LANES)), sums[i][v]);
        if (type != ROWS_BINARY)
            sums[queries][v] = multiply_add(x, x, sums[queries][v]);
    }
}

/* Scores and squares of `rows` rows, from row r on. */
INLINE void rows_by_few(const struct row_products *p, const enum row_type type, size_t r,
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

/* Floats are waited for, and best asked for one row after the other; what is smaller is computed
 * with, and some rows at once keep the multipliers busy. */
INLINE void all_rows_by_few(const struct row_products *p, const enum row_type type,
                            const int queries)
{
    const int at_once = type == ROWS_F32 || type == ROWS_F16 ? 1 : MOST_AT_ONCE;
    size_t r = 0;
    for (; r + (size_t)at_once <= p->n_rows; r += (size_t)at_once)
        rows_by_few(p, type, r, at_once, queries);
    for (; r < p->n_rows; r++)
        rows_by_few(p, type, r, 1, queries);
}

INLINE void row_products_of(const struct row_products *p, const enum row_type type)
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
    case ROWS_F32: row_products_of(p, ROWS_F32); return;
    case ROWS_F16: row_products_of(p, ROWS_F16); return;
    case ROWS_INT8: row_products_of(p, ROWS_INT8); return;
    case ROWS_BINARY: row_products_of(p, ROWS_BINARY); return;
    }
}

/* ---- Tiles of rows in the cache, many queries ---- */

/* Four rows by as many queries as have room for their sums, LANES partial sums at a time. */
#if defined(__AVX512F__) || defined(KERNELS_NEON)
enum { MANY_ROWS = 4, MANY_QUERIES = 6 };
#elif defined(__AVX2__)
enum { MANY_ROWS = 4, MANY_QUERIES = 3 };
#else
enum { MANY_ROWS = 4, MANY_QUERIES = 2 };
#endif

/* A tile's first row, first query and score; its columns begin .. end - 1; and where its sums are
 * kept between those and the next columns, as vectors [VECTORS, queries, MANY_ROWS]. */
struct row_tile {
    const char *rows;
    const float *q;
    float *scores, *kept;
    size_t begin, end;
};

/* Adds vector v of the steps begin .. end - 1 to its sums. */
INLINE void add_columns(const struct row_products *p, const struct row_tile *t, const int queries,
                        const int v, vec sums[MANY_QUERIES][MANY_ROWS])
{
    const char *rows = t->rows;
    const float *q = t->q + v * LANES;
    const size_t row_bytes = p->row_bytes, stride = p->query_stride, end = t->end;
    UNROLL (i, queries)
        UNROLL (r, MANY_ROWS)
            sums[i][r] = t->begin > 0 ? load(t->kept + ((v * queries + i) * MANY_ROWS + r) * LANES)
                                      : (vec){0};
    AS_IT_IS for (size_t k = t->begin; k < end; k += STEP)
    {
        vec of_queries[MANY_QUERIES];
        UNROLL (i, queries)
            of_queries[i] = load(q + (size_t)i * stride + k);
        UNROLL (r, MANY_ROWS) {
            vec of_row = load_columns(ROWS_F32, rows + (size_t)r * row_bytes, k, v);
            UNROLL (i, queries)
                sums[i][r] = multiply_add(of_row, of_queries[i], sums[i][r]);
        }
    }
}

INLINE void row_tile(const struct row_products *p, const struct row_tile *t, const int queries)
{
    vec sums[VECTORS][MANY_QUERIES][MANY_ROWS];
    UNROLL (v, VECTORS)
        add_columns(p, t, queries, v, sums[v]);
    if (t->end < p->width) {
        UNROLL (v, VECTORS)
            UNROLL (i, queries)
                UNROLL (r, MANY_ROWS)
                    store(t->kept + ((v * queries + i) * MANY_ROWS + r) * LANES, sums[v][i][r]);
        return;
    }
    UNROLL (i, queries) {
        vec of_rows[MANY_ROWS];
        UNROLL (r, MANY_ROWS) {
            vec of_row[VECTORS];
            UNROLL (v, VECTORS)
                of_row[v] = sums[v][i][r];
            of_rows[r] = one_vector(of_row);
        }
        *(quarter_memory *)(t->scores + (size_t)i * p->scores_stride) =
            sums_of_four(of_rows[0], of_rows[1], of_rows[2], of_rows[3]);
    }
}

/* Not inlined: what its caller holds would take registers from the sums. */
__attribute__((noinline)) static void row_tile_of(const struct row_products *p,
                                                  const struct row_tile *t, size_t queries)
{
#define TILE(n) row_tile(p, t, n)
    SWITCH_ROWS(queries, MANY_QUERIES, TILE)
#undef TILE
}

/* The rows that are left of those in tiles, fewer than MANY_ROWS. */
static void row_products_left(const struct row_products *all, size_t row)
{
    struct row_products left = *all;
    left.rows = (const char *)all->rows + row * all->row_bytes;
    left.n_rows = all->n_rows - row;
    left.squares = NULL;
    for (size_t i = 0; i < all->n_queries; i += FEW_QUERIES) {
        left.queries = all->queries + i * all->query_stride;
        left.n_queries = all->n_queries - i < FEW_QUERIES ? all->n_queries - i : FEW_QUERIES;
        left.scores = all->scores + i * all->scores_stride + row;
        row_products(&left);
    }
}

/* Columns begin .. end - 1 of all whole tiles. */
static void tiles_of_columns(const struct row_products *p, size_t begin, size_t end)
{
    for (size_t row = 0; row + MANY_ROWS <= p->n_rows; row += MANY_ROWS)
        for (size_t i = 0; i < p->n_queries; i += MANY_QUERIES) {
            size_t at = (row * p->n_queries + i * MANY_ROWS) * STEP; /* sums of the tiles before */
            struct row_tile t = {.rows = (const char *)p->rows + row * p->row_bytes,
                                 .q = p->queries + i * p->query_stride,
                                 .scores = p->scores + i * p->scores_stride + row,
                                 .kept = p->kept != NULL ? p->kept + at : NULL,
                                 .begin = begin,
                                 .end = end};
            row_tile_of(p, &t, p->n_queries - i < MANY_QUERIES ? p->n_queries - i : MANY_QUERIES);
        }
}

static void row_products_many(const struct row_products *p)
{
    size_t left = p->n_rows % MANY_ROWS, begin = 0, end;
    do {
        end = p->width - begin < KEPT_COLUMNS ? p->width : begin + KEPT_COLUMNS;
        tiles_of_columns(p, begin, end);
    } while ((begin = end) < p->width);
    if (left > 0)
        row_products_left(p, p->n_rows - left);
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
        above |= score > threshold;
    }
    bool is_above = false;
    for (size_t lane = 0; lane < LANES; lane++)
        is_above |= above[lane] != 0;
    for (; i < n; i++) {
        scores[i] = (scores[i] + offset) * factors[i];
        is_above |= scores[i] > threshold;
    }
    return is_above;
}

#endif
