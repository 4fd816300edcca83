/* attend.h - attention's inner loops: queries as panels of 16, the layout in which the product
 * reads weights; softmax over the keys of a block of scores; and the second product, values
 * weighted.
 *
 * Plain twins: plain_softmax in engine/plain/steps.c and plain_mix in engine/plain/attention.c; for
 * panels, the loop in tests/model/kernels/test_attention_kernels.c.
 */
#ifndef MODEL_KERNELS_ATTEND_H
#define MODEL_KERNELS_ATTEND_H

#include "model/kernels/kernels.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

#include <float.h>

/* ---- Panels ---- */

/* Columns i .. i + LANES - 1 of LANES rows become LANES rows of a panel; the last row is repeated
 * for missing rows. */
INLINE void pack_square(const float *x, size_t x_stride, size_t n_rows, float scale, float *panel)
{
    vec r[LANES];
    UNROLL (i, (size_t)LANES)
        r[i] = load(x + (i < n_rows ? i : n_rows - 1) * x_stride);
    transpose(r);
    UNROLL (i, (size_t)LANES)
        store(panel + i * PANEL_WIDTH, r[i] * scale);
}

INLINE void pack_rows(const float *x, size_t x_stride, size_t n_rows, size_t k, float scale,
                      float *panels)
{
    size_t n_padded = (n_rows + PANEL_WIDTH - 1) / PANEL_WIDTH * PANEL_WIDTH;
    for (size_t row = 0; row < n_padded; row += LANES) {
        size_t from = row < n_rows ? row : n_rows - 1, rows = n_rows - from, i = 0;
        float *panel = panels + row / PANEL_WIDTH * k * PANEL_WIDTH + row % PANEL_WIDTH;
        for (; i + LANES <= k; i += LANES)
            pack_square(x + from * x_stride + i, x_stride, rows, scale, panel + i * PANEL_WIDTH);
        for (; i < k; i++) /* the last columns, fewer than LANES */
            for (size_t r = 0; r < LANES; r++)
                panel[i * PANEL_WIDTH + r] =
                    x[(from + (r < rows ? r : rows - 1)) * x_stride + i] * scale;
    }
}

/* ---- Softmax ----
 * A row of scores is a key, a lane is a query: maxima and sums run down the rows, and nothing is
 * ever summed across a vector. Over several blocks of keys (Milakov and Gimelshein 2018): if a
 * later block raises a query's maximum from m to m', earlier sums are multiplied by e^(m - m'). */

/* e^x for x ≤ 0; e^-87.3 for x below -87.3. */
INLINE vec exp_negative(vec x)
{
    return exp_between(larger(splat(-87.3f), x));
}

/* Returns a mask of the queries query .. query + LANES - 1 that see key j. */
INLINE ivec sees(const struct score_block *s, size_t query, size_t j)
{
    int32_t key = (int32_t)((ptrdiff_t)j - (ptrdiff_t)query);
    ivec lane;
    for (int i = 0; i < LANES; i++)
        lane[i] = i;
    return (lane >= key - (int32_t)s->last) & (lane <= key - (int32_t)s->first);
}

/* Keys of a block that queries query .. query + LANES - 1 see: keys begin .. end - 1 are seen by
 * any of them, keys all_begin .. all_end - 1 by all. all_begin is even, so that the same keys are
 * summed together for any LANES. */
struct seen_keys {
    size_t begin, all_begin, all_end, end;
};

INLINE size_t key_within(const struct score_block *s, ptrdiff_t key)
{
    return key < 0 ? 0 : (size_t)key < s->n_keys ? (size_t)key : s->n_keys;
}

INLINE struct seen_keys seen_keys(const struct score_block *s, size_t query)
{
    ptrdiff_t first = (ptrdiff_t)query + s->first, end = (ptrdiff_t)query + s->last + 1;
    struct seen_keys seen = {key_within(s, first), key_within(s, first + LANES - 1),
                             key_within(s, end), key_within(s, end + LANES - 1)};
    seen.all_begin += seen.all_begin % 2;
    if (seen.all_begin > seen.all_end)
        seen.all_begin = seen.all_end = seen.end;
    return seen;
}

INLINE void add_bias(const struct score_block *s, const struct seen_keys *seen, size_t query)
{
    for (size_t j = seen->begin; j < seen->end; j++) {
        float *scores = s->scores + j * s->stride + query;
        store(scores, load(scores) + load(s->bias + (ptrdiff_t)query - (ptrdiff_t)j));
    }
}

/* Returns the scores of key j, -FLT_MAX for queries that do not see it. */
INLINE vec seen_score(const struct score_block *s, size_t query, size_t j)
{
    return choose(sees(s, query, j), load(s->scores + j * s->stride + query), splat(-FLT_MAX));
}

/* Returns the maximum of largest and the scores of each query from `query` on. */
INLINE vec largest_scores(const struct score_block *s, const struct seen_keys *seen, size_t query,
                          vec largest)
{
    const float *scores = s->scores + query;
    size_t j = seen->all_begin;
    vec most[4]; /* so that comparisons do not wait for each other */
    UNROLL (i, (size_t)4)
        most[i] = largest;
    for (; j + 4 <= seen->all_end; j += 4)
        UNROLL (i, (size_t)4)
            most[i] = larger(load(scores + (j + i) * s->stride), most[i]);
    for (; j < seen->all_end; j++)
        most[0] = larger(load(scores + j * s->stride), most[0]);
    for (j = seen->begin; j < seen->all_begin; j++)
        most[1] = larger(seen_score(s, query, j), most[1]);
    for (j = seen->all_end; j < seen->end; j++)
        most[1] = larger(seen_score(s, query, j), most[1]);
    return larger(larger(most[0], most[1]), larger(most[2], most[3]));
}

/* The largest score of each query; NaN if all that it sees have overflowed to -infinity. */
INLINE vec peak_of(vec largest)
{
    return choose(largest > -FLT_MAX, largest, splat(NAN));
}

/* e^(score - peak) of key j, 0 where the mask hides it. */
INLINE vec exp_score(const struct score_block *s, size_t query, size_t j, vec peak,
                     const int masked)
{
    vec e = exp_negative(load(s->scores + j * s->stride + query) - peak);
    return masked ? choose(sees(s, query, j), e, (vec){0}) : e;
}

/* Replaces the score of a key by its exp_score, and adds it to a sum. */
INLINE void exp_key(const struct score_block *s, size_t query, size_t j, vec peak, const int masked,
                    vec *sum)
{
    vec e = exp_score(s, query, j, peak, masked);
    store(s->scores + j * s->stride + query, e);
    *sum += e;
}

INLINE void softmax_block(const struct score_block *block, float *max, float *sum, float *factor)
{
    /* A copy: stores could alias *block, and every field would be read again. */
    const struct score_block s = *block;
    for (size_t query = 0; query < s.n_queries; query += LANES) {
        const struct seen_keys seen = seen_keys(&s, query);
        if (s.bias != NULL)
            add_bias(&s, &seen, query);
        vec before = load(max + query), largest = largest_scores(&s, &seen, query, before);
        vec peak = peak_of(largest), sums[2] = {{0}};
        for (size_t j = 0; j < seen.begin; j++)
            store(s.scores + j * s.stride + query, (vec){0});
        for (size_t j = seen.begin; j < seen.all_begin; j++)
            exp_key(&s, query, j, peak, 1, &sums[j % 2]);
        size_t j = seen.all_begin;
        for (; j + 2 <= seen.all_end; j += 2)
            UNROLL (i, (size_t)2)
                exp_key(&s, query, j + i, peak, 0, &sums[i]);
        if (j < seen.all_end)
            exp_key(&s, query, j, peak, 0, &sums[0]);
        for (j = seen.all_end; j < seen.end; j++)
            exp_key(&s, query, j, peak, 1, &sums[j % 2]);
        for (j = seen.end; j < s.n_keys; j++)
            store(s.scores + j * s.stride + query, (vec){0});
        vec scale = exp_negative(before - largest);
        store(factor + query, scale);
        store(sum + query, multiply_add(load(sum + query), scale, sums[0] + sums[1]));
        store(max + query, largest);
    }
}

/* Stores the weights of a key as doubles and adds them to the sums (softmax_exactly). */
INLINE void widen_exp(vec e, double *weights, dvec *sums)
{
    const struct halves halves = halves_of(e);
    dvec low = widen(halves.low), high = widen(halves.high);
    store_wide(weights, low);
    store_wide(weights + DOUBLE_LANES, high);
    sums[0] += low;
    sums[1] += high;
}

INLINE void softmax_exactly(const struct score_block *block, double *weights, double *share)
{
    const struct score_block s = *block;
    for (size_t query = 0; query < s.n_queries; query += LANES) {
        const struct seen_keys seen = seen_keys(&s, query);
        if (s.bias != NULL)
            add_bias(&s, &seen, query);
        vec peak = peak_of(largest_scores(&s, &seen, query, splat(-FLT_MAX)));
        dvec sums[2] = {{0}};
        size_t j = 0;
        for (; j < seen.all_begin; j++)
            widen_exp(exp_score(&s, query, j, peak, 1), weights + j * s.stride + query, sums);
        for (; j < seen.all_end; j++)
            widen_exp(exp_score(&s, query, j, peak, 0), weights + j * s.stride + query, sums);
        for (; j < s.n_keys; j++)
            widen_exp(exp_score(&s, query, j, peak, 1), weights + j * s.stride + query, sums);
        store_wide(share + query, 1.0 / sums[0]);
        store_wide(share + query + DOUBLE_LANES, 1.0 / sums[1]);
    }
}

/* ---- Values weighted by the keys' weights ----
 * A row of weights is a key. A register tile holds queries by columns; each key costs one load per
 * vector of values and one broadcast per query. Queries are divided evenly among the fewest tiles
 * that hold them: in a tile of few rows, additions would wait for each other. */

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
static inline void finish_mix(const struct mix *m, size_t query, size_t n_rows, size_t column,
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

static inline void mix(const struct mix *m)
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

static inline void mix_exactly(const struct exact_mix *m)
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
