/* mix.h - attention's second product: values weighted by the keys' weights; a row of weights is a
 * key. A register tile holds queries by columns; each key costs one load per vector of values and
 * one broadcast per query.
 *
 * Queries are divided evenly among the fewest tiles that hold them: in a tile of few rows,
 * additions would wait for each other. Plain twin: plain_attention in tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_MIX_H
#define MODEL_KERNELS_MIX_H

#include "model/kernels/kernels.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

#if defined(__AVX512F__)
enum { MIX_ROWS = 12, MIX_VECTORS = 2, EXACT_ROWS = 6, EXACT_VECTORS = 4 };
#elif defined(__AVX2__)
enum { MIX_ROWS = 6, MIX_VECTORS = 2, EXACT_ROWS = 3, EXACT_VECTORS = 4 };
#elif defined(KERNELS_NEON)
enum { MIX_ROWS = 6, MIX_VECTORS = 4, EXACT_ROWS = 6, EXACT_VECTORS = 4 };
#else
enum { MIX_ROWS = 2, MIX_VECTORS = 4, EXACT_ROWS = 2, EXACT_VECTORS = 4 };
#endif

/* Returns the number of rows of the next tile, at most `most`. */
INLINE size_t even_share(size_t n_left, size_t most)
{
    size_t n_tiles = (n_left + most - 1) / most;
    return (n_left + n_tiles - 1) / n_tiles;
}

/* Computes sums [rows, vectors · LANES] of a tile. */
INLINE void mix_tile(const struct mix *m, size_t query, size_t column, float *sums, const int rows,
                     const int vectors)
{
    vec acc[MIX_ROWS][MIX_VECTORS];
    const float *weights = m->weights + query, *values = m->values + column;
    const size_t weights_stride = m->weights_stride, values_stride = m->values_stride;
    UNROLL (r, rows)
        UNROLL (v, vectors)
            acc[r][v] = (vec){0};

    for (size_t j = 0; j < m->n_keys; j++) {
        vec value[MIX_VECTORS];
        UNROLL (v, vectors)
            value[v] = load(values + j * values_stride + (size_t)v * LANES);
        UNROLL (r, rows) {
            vec weight = splat(weights[j * weights_stride + (size_t)r]);
            UNROLL (v, vectors)
                acc[r][v] = multiply_add(weight, value[v], acc[r][v]);
        }
    }

    UNROLL (r, rows)
        UNROLL (v, vectors)
            store(sums + (r * vectors + v) * LANES, acc[r][v]);
}

/* Adds the values mixed from earlier blocks of keys to a tile's sums, and divides them. The last
 * tile may be wider than the remaining row. */
static void finish_mix(const struct mix *m, size_t query, size_t n_rows, size_t column,
                       size_t n_columns, float *sums)
{
    size_t left = m->width - column;
    for (size_t q = query; q < query + n_rows; q++, sums += n_columns) {
        float share = m->sum != NULL ? 1 / m->sum[q] : 1, *out = m->out + q * m->out_stride;
        float *to = left < n_columns ? sums : out + column;
        for (size_t c = 0; c < n_columns; c += LANES) {
            vec mixed = load(sums + c);
            if (m->context != NULL)
                mixed = multiply_add(load(m->context + q * m->context_stride + column + c),
                                     splat(m->factor[q]), mixed);
            store(to + c, mixed * share);
        }
        if (left < n_columns)
            memcpy(out + column, sums, left * sizeof *sums);
    }
}

INLINE void mix_columns(const struct mix *m, size_t column, const int vectors)
{
    float sums[MIX_ROWS * MIX_VECTORS * LANES];
#define TILE(rows) mix_tile(m, query, column, sums, rows, vectors)
    for (size_t query = 0, rows; query < m->n_queries; query += rows) {
        rows = even_share(m->n_queries - query, MIX_ROWS);
        SWITCH_ROWS(rows, MIX_ROWS, TILE)
        finish_mix(m, query, rows, column, (size_t)vectors * LANES, sums);
    }
#undef TILE
}

static void mix(const struct mix *m)
{
    size_t column = 0;
    for (; column + PANEL_WIDTH < m->width; column += MIX_VECTORS * LANES)
        mix_columns(m, column, MIX_VECTORS);
    for (; column < m->width; column += PANEL_WIDTH)
        mix_columns(m, column, VECTORS);
}

/* values [n, width rounded up to panels] as doubles, with zeros after width. */
INLINE void widen_values(const struct exact_mix *m)
{
    size_t padded = (m->width + PANEL_WIDTH - 1) / PANEL_WIDTH * PANEL_WIDTH;
    for (size_t j = 0; j < m->n_keys; j++) {
        const float *row = m->v + j * m->v_stride;
        double *out = m->values + j * padded;
        size_t c = 0;
        for (; c + DOUBLE_LANES <= m->width; c += DOUBLE_LANES)
            store_wide(out + c, widen(*(const half_vec *)(row + c)));
        for (; c < padded; c++)
            out[c] = c < m->width ? (double)row[c] : 0;
    }
}

INLINE void exact_tile(const struct exact_mix *m, size_t query, size_t column, const int rows,
                       const int vectors)
{
    dvec acc[EXACT_ROWS][EXACT_VECTORS];
    size_t values_stride = (m->width + PANEL_WIDTH - 1) / PANEL_WIDTH * PANEL_WIDTH;
    const double *weights = m->weights + query, *values = m->values + column;
    const size_t weights_stride = m->weights_stride;
    UNROLL (r, rows)
        UNROLL (v, vectors)
            acc[r][v] = (dvec){0};

    for (size_t j = 0; j < m->n_keys; j++) {
        dvec weight[EXACT_ROWS];
        UNROLL (r, rows)
            weight[r] = weights[j * weights_stride + (size_t)r] - (dvec){0};
        UNROLL (v, vectors) {
            dvec value = load_wide(values + j * values_stride + (size_t)v * DOUBLE_LANES);
            UNROLL (r, rows)
                acc[r][v] = multiply_add_wide(weight[r], value, acc[r][v]);
        }
    }

    float border[EXACT_ROWS * EXACT_VECTORS * DOUBLE_LANES];
    float *out = m->out + query * m->out_stride + column;
    size_t n_columns = (size_t)vectors * DOUBLE_LANES, left = m->width - column;
    size_t out_stride = left < n_columns ? n_columns : m->out_stride;
    float *to = left < n_columns ? border : out;
    UNROLL (r, rows)
        UNROLL (v, vectors)
            *(half_vec *)(to + (size_t)r * out_stride + v * DOUBLE_LANES) =
                narrow(acc[r][v] * m->share[query + (size_t)r]);
    for (size_t r = 0; left < n_columns && r < (size_t)rows; r++)
        memcpy(out + r * m->out_stride, border + r * n_columns, left * sizeof *out);
}

INLINE void exact_columns(const struct exact_mix *m, size_t column, const int vectors)
{
#define TILE(rows) exact_tile(m, query, column, rows, vectors)
    for (size_t query = 0, rows; query < m->n_queries; query += rows) {
        rows = even_share(m->n_queries - query, EXACT_ROWS);
        SWITCH_ROWS(rows, EXACT_ROWS, TILE)
    }
#undef TILE
}

static void mix_exactly(const struct exact_mix *m)
{
    size_t column = 0;
    widen_values(m);
    for (; column + EXACT_VECTORS * DOUBLE_LANES / 2 < m->width;
         column += EXACT_VECTORS * DOUBLE_LANES)
        exact_columns(m, column, EXACT_VECTORS);
    for (; column < m->width; column += EXACT_VECTORS * DOUBLE_LANES / 2)
        exact_columns(m, column, EXACT_VECTORS / 2);
}

#endif
