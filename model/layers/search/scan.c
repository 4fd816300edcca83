/* scan.c - see scan.h. Plain twin: plain_score in tests/engine/search/test_search.c.
 *
 * Few queries read rows directly from memory, which limits their speed. For many, a block of rows
 * is packed into panels that stay in the second-level cache, and multiplied by one panel of queries
 * after another; nearly all scores are below the threshold and dropped at once.
 */
#include "model/layers/search/scan.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FEW_BLOCK_ROWS = 1024, BLOCK_BYTES = 192 * 1024 };

static bool are_many(const struct scan *scan)
{
    return scan->n_queries > FEW_QUERIES;
}

/* ---- Sizes ---- */

static size_t limited(size_t n, size_t least, size_t most)
{
    return n < least ? least : n > most ? most : n;
}

size_t scan_query_cap(const struct scan *scan)
{
    return are_many(scan) ? round_up(scan->n_queries, QUERY_PANEL) : scan->n_queries;
}

size_t scan_block_rows(const struct scan *scan)
{
    size_t row = scan_stride(scan->width) * sizeof(float);
    if (!are_many(scan) || row == 0)
        return FEW_BLOCK_ROWS;
    return limited(BLOCK_BYTES / row / ROWS_OF_TILES * ROWS_OF_TILES, ROWS_OF_TILES,
                   FEW_BLOCK_ROWS);
}

/* Returns the number of queries whose scores are stored at a time. */
static size_t group_queries(const struct scan *scan)
{
    return are_many(scan) ? QUERY_PANEL : FEW_QUERIES;
}

size_t scan_scratch(const struct scan *scan)
{
    size_t panels = are_many(scan) ? scan_stride(scan->width) : 0;
    return scan_block_rows(scan) * (1 + group_queries(scan) + panels);
}

/* ---- Queries ---- */

/* Returns the index of column k of a query. */
static size_t index_of(const struct scan *scan, size_t query, size_t k)
{
    size_t stride = scan_stride(scan->width);
    if (scan->type == ENGINE_BINARY) /* the lowest bit of a byte is the last of its eight columns */
        k ^= 7;
    if (!are_many(scan))
        return query * stride + k;
    return query / QUERY_PANEL * QUERY_PANEL * stride +
           (chain_position(k % PANEL) * chain_steps(scan->width) + k / PANEL) * QUERY_PANEL +
           query % QUERY_PANEL;
}

static void make_query(const struct scan *scan, size_t index, const float *query)
{
    double squares = 0, sum = 0, scale = 1;
    for (size_t i = 0; i < scan->width; i++)
        squares += (double)query[i] * (double)query[i];
    if (scan->cosine)
        scale = squares > 0 ? 1 / sqrt(squares) : 0;
    if (scan->type == ENGINE_BINARY) /* Σ ±q = Σ over bits of 2q - Σ q */
        scale *= 2 / sqrt((double)scan->width);
    for (size_t i = 0; i < scan->width; i++) {
        float value = (float)((double)query[i] * scale);
        scan->queries[index_of(scan, index, i)] = value;
        sum += (double)value;
    }
    scan->offsets[index] = scan->type == ENGINE_BINARY ? (float)(-sum / 2) : 0;
}

void scan_queries(const struct scan *scan, const float *queries)
{
    memset(scan->queries, 0,
           scan_query_cap(scan) * scan_stride(scan->width) * sizeof *scan->queries);
    for (size_t i = 0; i < scan->n_queries; i++)
        make_query(scan, i, queries + i * scan->width);
}

/* ---- Blocks ---- */

/* Returns the sum of the squares of a row's values, in double, which no float32 overflows. */
static double squares_of(const struct scan *scan, const char *row)
{
    double squares = 0;
    for (size_t i = 0; i < scan->width; i++)
        squares += row_value(scan->type, row, i) * row_value(scan->type, row, i);
    return squares;
}

/* Returns the factor of a row's products. `square` is the sum of its squares, for int8 without the
 * scale; below 2^-100 it has lost bits. `product` is any product of the row: not finite if the row
 * is not. NaN: the row has no scores. */
static float factor_of(const struct scan *scan, const char *row, float square, float product)
{
    float scale = 1;
    if (scan->type == ENGINE_BINARY)
        return 1;
    if (scan->type == ENGINE_INT8)
        memcpy(&scale, row, sizeof scale);
    if (!isfinite(scale))
        return NAN;
    if (!scan->cosine)
        return isfinite(product) || isfinite(squares_of(scan, row)) ? scale : NAN;
    if (square >= 0x1p-100F && square <= FLT_MAX)
        return scale == 0 ? 0 : copysignf(1 / sqrtf(square), scale);
    const double length = sqrt(squares_of(scan, row));
    if (length == 0)
        return 0;
    return length >= SCAN_LEAST_LENGTH && length <= SCAN_MOST_LENGTH ? (float)(1 / length) : NAN;
}

/* Adds a query's scores of n rows from `row` on that are above its threshold. */
static void add_hits(const float *scores, size_t row, size_t n, struct hits *hits)
{
    for (size_t r = 0; r < n; r++)
        if (scores[r] > hits_threshold(hits) && isfinite(scores[r]))
            hits_add(hits, (engine_hit){row + r, scores[r]});
}

/* Returns whether lengths of rows are needed: for cosines, except of bits (all lengths 1). */
static bool needs_lengths(const struct scan *scan)
{
    return scan->cosine && scan->type != ENGINE_BINARY;
}

/* Returns the arguments of the products for the block starting at `row`. Scratch starts with a
 * factor for each row, at first the sum of its squares, followed by the scores of a group. */
static struct row_products block_at(const struct scan *scan, size_t row, float *scratch)
{
    size_t most = scan_block_rows(scan), bytes = row_bytes(scan->type, scan->width);
    return (struct row_products){.type = scan->type,
                                 .rows = scan->rows + row * bytes,
                                 .row_bytes = bytes,
                                 .n_rows = scan->n - row < most ? scan->n - row : most,
                                 .width = scan->width,
                                 .queries = scan->queries,
                                 .query_stride = scan_stride(scan->width),
                                 .n_queries = are_many(scan) ? 0 : scan->n_queries,
                                 .scores = scratch + most,
                                 .scores_stride = most,
                                 .squares = needs_lengths(scan) ? scratch : NULL};
}

/* Scores n of many queries, from query `first` on. */
static void score_group(const struct scan *scan, const struct row_products *block, size_t first,
                        size_t n, const float *panels)
{
    const struct panel_products products = {.panels = panels,
                                            .queries = scan->queries + first * block->query_stride,
                                            .n_rows = block->n_rows,
                                            .n_queries = n,
                                            .n_steps = chain_steps(scan->width),
                                            .scores = block->scores,
                                            .scores_stride = block->scores_stride};
    scan->kernels->panel_products(&products);
}

/* Replaces float32 sums that overflowed by the product in double, at most the largest float32. */
static void clamp_scores(const struct scan *scan, const struct row_products *block, size_t query,
                         const float *factors, float *scores)
{
    for (size_t r = 0; r < block->n_rows; r++) {
        const char *row = (const char *)block->rows + r * block->row_bytes;
        double sum = 0;
        if (isfinite(scores[r]) || isnan(factors[r]))
            continue;
        for (size_t i = 0; i < scan->width; i++)
            sum += (double)scan->queries[index_of(scan, query, i)] * row_value(scan->type, row, i);
        scores[r] = (float)fmax(-FLT_MAX, fmin(sum * (double)factors[r], FLT_MAX));
    }
}

/* Adds the hits of those queries among the rows from `row` on, from their products. */
static void add_group(const struct scan *scan, const struct row_products *block, size_t first,
                      size_t n, const float *factors, size_t row, struct hits *hits)
{
    float *scores = block->scores;
    for (size_t q = first; q < first + n; q++, scores += block->scores_stride)
        if (scan->kernels->scale_scores(scores, scan->offsets[q], factors, block->n_rows,
                                        hits_threshold(&hits[q]))) {
            if (!scan->cosine)
                clamp_scores(scan, block, q, factors, scores);
            add_hits(scores, row, block->n_rows, &hits[q]);
        }
}

size_t scan_block(const struct scan *scan, size_t index, struct hits *hits, float *scratch,
                  size_t *first)
{
    size_t n_dropped = 0, row = index * scan_block_rows(scan);
    struct row_products block = block_at(scan, row, scratch);
    float *factors = scratch, *panels = block.scores + group_queries(scan) * block.scores_stride;
    if (needs_lengths(scan) || !are_many(scan))
        scan->kernels->row_products(&block);
    if (are_many(scan))
        scan->kernels->pack_row_panels(&block, panels);
    for (size_t q = 0, n; q < scan->n_queries; q += n) {
        n = limited(scan->n_queries - q, 1, group_queries(scan));
        if (are_many(scan))
            score_group(scan, &block, q, n, panels);
        for (size_t r = block.n_rows; q == 0 && r-- > 0;) {
            factors[r] = factor_of(scan, (const char *)block.rows + r * block.row_bytes, factors[r],
                                   block.scores[r]);
            n_dropped += isnan(factors[r]) ? 1 : 0;
            *first = isnan(factors[r]) && row + r < *first ? row + r : *first;
        }
        add_group(scan, &block, q, n, factors, row, hits);
    }
    return n_dropped;
}
