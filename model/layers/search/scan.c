/* scan.c - see scan.h. Plain twin: plain_score in tests/engine/search/test_search.c.
 *
 * Few queries take rows as they come from memory, which is what they wait for. For many, a block of
 * rows stays in the second-level cache, as floats, while a group of queries at a time, which stays
 * in the nearest, goes by; nearly all scores are below the threshold and are looked at no further.
 */
#include "model/layers/search/scan.h"

#include <math.h>
#include <string.h>

enum {
    FEW_BLOCK_ROWS = 1024,
    BLOCK_BYTES = 192 * 1024,
    LEAST_BLOCK_ROWS = 16,
    GROUP_BYTES = 24 * 1024,
    GROUP_STEP = 6, /* whole tiles of any kernel */
    MOST_GROUP = 24,
};

/* Columns of bits stand in reverse: the lowest bit of a byte is the last of its eight columns. */
static size_t place_of_column(enum row_type type, size_t column)
{
    return type == ROWS_BINARY ? column ^ 7 : column;
}

float scan_query(const struct scan *scan, const float *query, float *out)
{
    double squares = 0, sum = 0, scale = 1;
    for (size_t i = 0; i < scan->width; i++)
        squares += (double)query[i] * (double)query[i];
    if (scan->cosine)
        scale = squares > 0 ? 1 / sqrt(squares) : 0;
    if (scan->type == ROWS_BINARY) /* Σ ±q = Σ over bits of 2q - Σ q */
        scale *= 2 / sqrt((double)scan->width);
    memset(out, 0, scan_stride(scan->width) * sizeof *out);
    for (size_t i = 0; i < scan->width; i++) {
        float value = (float)((double)query[i] * scale);
        out[place_of_column(scan->type, i)] = value;
        sum += (double)value;
    }
    return scan->type == ROWS_BINARY ? (float)(-sum / 2) : 0;
}

/* ---- Sizes ---- */

static bool are_many(const struct scan *scan)
{
    return scan->n_queries > FEW_QUERIES;
}

/* Rows that the products of many queries do not read as they lie. */
static bool are_widened(const struct scan *scan)
{
    return are_many(scan) && (scan->type != ROWS_F32 || scan->width % PANEL != 0);
}

/* Sums that are not finished in one go. */
static bool are_kept(const struct scan *scan)
{
    return are_many(scan) && scan->width > KEPT_COLUMNS;
}

static size_t limited(size_t n, size_t least, size_t most)
{
    return n < least ? least : n > most ? most : n;
}

size_t scan_block_rows(const struct scan *scan)
{
    size_t row = scan_stride(scan->width) * sizeof(float);
    if (!are_many(scan) || row == 0)
        return FEW_BLOCK_ROWS;
    return limited(BLOCK_BYTES / row / LEAST_BLOCK_ROWS * LEAST_BLOCK_ROWS, LEAST_BLOCK_ROWS,
                   FEW_BLOCK_ROWS);
}

/* Queries whose scores are computed together. */
static size_t group_queries(const struct scan *scan)
{
    size_t query = limited(scan->width, 1, KEPT_COLUMNS) * sizeof(float);
    if (!are_many(scan))
        return FEW_QUERIES;
    return limited(GROUP_BYTES / query / GROUP_STEP * GROUP_STEP, GROUP_STEP, MOST_GROUP);
}

size_t scan_scratch(const struct scan *scan)
{
    size_t rows = scan_block_rows(scan);
    size_t stride = scan_stride(scan->width), scores = group_queries(scan);
    return rows * (1 + scores + are_kept(scan) * scores * PANEL + are_widened(scan) * stride);
}

/* ---- Blocks ---- */

/* The rows as floats, which many queries share, in the last part of scratch. */
static void widen(const struct scan *scan, struct row_products *block, float *scratch)
{
    size_t stride = scan_stride(scan->width);
    float *out = scratch + scan_scratch(scan) - scan_block_rows(scan) * stride;
    const char *row = block->rows;
    for (size_t r = 0; r < block->n_rows; r++, row += block->row_bytes)
        scan->kernels->widen_row(scan->type, row, scan->width, out + r * stride);
    block->type = ROWS_F32;
    block->rows = out;
    block->row_bytes = stride * sizeof *out;
    block->width = round_up(scan->width, PANEL);
}

/* What the products of a row are multiplied by; `square` is the sum of its squares, if cosines are
 * asked for, of int8 without the scale. NaN: a number of the row is not finite. */
static float factor_of(const struct scan *scan, const char *row, float square)
{
    float scale = 1;
    if (scan->type == ROWS_BINARY)
        return 1;
    if (scan->type == ROWS_INT8)
        memcpy(&scale, row, sizeof scale);
    if (!scan->cosine)
        return scale;
    if (!isfinite(scale) || !isfinite(square))
        return NAN;
    return scale == 0 || square == 0 ? 0 : copysignf(1 / sqrtf(square), scale);
}

/* Adds what of a query's scores, of n rows from `row` on, is above its threshold. */
static void take_scores(const float *scores, size_t row, size_t n, struct hits *hits)
{
    for (size_t r = 0; r < n; r++)
        if (scores[r] > hits_threshold(hits) && isfinite(scores[r]))
            hits_add(hits, (struct hit){row + r, scores[r]});
}

/* Cosines need the rows' lengths; those of bits are all 1. */
static bool needs_lengths(const struct scan *scan)
{
    return scan->cosine && scan->type != ROWS_BINARY;
}

/* What the products are told of the block that begins with `row`. Scratch begins with a factor for
 * each row; behind them are the scores of a group and the sums that are kept between columns. */
static struct row_products block_at(const struct scan *scan, size_t row, float *scratch)
{
    size_t most = scan_block_rows(scan), bytes = row_bytes(scan->type, scan->width);
    float *scores = scratch + most, *kept = scores + group_queries(scan) * most;
    return (struct row_products){.type = scan->type,
                                 .rows = scan->rows + row * bytes,
                                 .row_bytes = bytes,
                                 .n_rows = scan->n - row < most ? scan->n - row : most,
                                 .width = scan->width,
                                 .queries = scan->queries,
                                 .query_stride = scan_stride(scan->width),
                                 .n_queries = are_many(scan) ? 0 : scan->n_queries,
                                 .scores = scores,
                                 .scores_stride = most,
                                 .squares = needs_lengths(scan) ? scratch : NULL,
                                 .kept = are_kept(scan) ? kept : NULL};
}

/* The hits of a group of queries, from query `first` on, among the block's rows. The products of
 * few queries are there already. */
static void take_group(const struct scan *scan, struct row_products *block, size_t row,
                       const float *factors, size_t first, struct hits *hits)
{
    size_t n_group = group_queries(scan), n_left = scan->n_queries - first;
    block->queries = scan->queries + first * block->query_stride;
    block->n_queries = n_left < n_group ? n_left : n_group;
    if (are_many(scan))
        scan->kernels->row_products_many(block);
    for (size_t q = first; q < first + block->n_queries; q++) {
        float *scores = block->scores + (q - first) * block->scores_stride;
        if (scan->kernels->scale_scores(scores, scan->offsets[q], factors, block->n_rows,
                                        hits_threshold(&hits[q])))
            take_scores(scores, row, block->n_rows, &hits[q]);
    }
}

void scan_block(const struct scan *scan, size_t index, struct hits *hits, float *scratch)
{
    size_t row = index * scan_block_rows(scan);
    struct row_products block = block_at(scan, row, scratch);
    const char *rows = block.rows;
    size_t bytes = block.row_bytes;
    float *factors = scratch; /* the squares of the rows at first */
    if (are_widened(scan))
        widen(scan, &block, scratch);
    if (needs_lengths(scan) || !are_many(scan))
        scan->kernels->row_products(&block);
    for (size_t r = 0; r < block.n_rows; r++)
        factors[r] = factor_of(scan, rows + r * bytes, needs_lengths(scan) ? factors[r] : 1);
    for (size_t q = 0; q < scan->n_queries; q += group_queries(scan))
        take_group(scan, &block, row, factors, q, hits);
}
