/* scan.c - see scan.h. Plain twin: plain_score in tests/engine/search/test_search.c.
 *
 * Few queries read rows directly from memory, which limits their speed. For many, a block of rows
 * is packed into panels that stay in the second-level cache, and multiplied by one panel of queries
 * after another; nearly all scores are below the threshold and dropped at once. Of rows of int8 and
 * of bits, bounds of the scores leave a few candidates, which are scored one by one.
 */
#include "model/layers/search/scan.h"

#include "model/layers/pooling.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Blocks are longer with sparse queries: the cursors of all their words advance for each block. */
enum { FEW_BLOCK_ROWS = 1024, BLOCK_BYTES = 192 * 1024, SPARSE_BLOCK_BYTES = 4 * BLOCK_BYTES };

/* With fewer rows than this for each hit, so many are candidates that panels are faster. */
enum { LEAST_ROWS_OF_A_HIT = 200 };

static bool has_distances(const struct scan *scan)
{
    return scan->metric == ENGINE_METRIC_EUCLIDEAN || scan->metric == ENGINE_METRIC_MANHATTAN;
}

/* Returns whether bits are multiplied as such. */
static bool has_bits(const struct scan *scan)
{
    return scan->type == ENGINE_BINARY && !has_distances(scan);
}

/* Returns whether only candidates are scored, found by bounds of the scores: for many queries and
 * few hits of each. */
static bool has_candidates(const struct scan *scan)
{
    return scan->n_queries > FEW_QUERIES && !scan->of_texts && !has_distances(scan) &&
           scan->k <= scan->n / LEAST_ROWS_OF_A_HIT &&
           candidates_are_fast(scan->kernels, scan->type, scan->width);
}

static bool has_panels(const struct scan *scan)
{
    return scan->n_queries > FEW_QUERIES && !has_candidates(scan) && !has_distances(scan);
}

/* ---- Sizes ---- */

static size_t limited(size_t n, size_t least, size_t most)
{
    return n < least ? least : n > most ? most : n;
}

/* Returns the number of queries to allocate: in panels they are padded with zeros. */
static size_t query_cap(const struct scan *scan)
{
    return has_panels(scan) ? round_up(scan->n_queries, QUERY_PANEL) : scan->n_queries;
}

size_t scan_block_rows(const struct scan *scan)
{
    size_t row = scan_stride(scan->width) * sizeof(float);
    if (scan->n_queries <= FEW_QUERIES || row == 0)
        return FEW_BLOCK_ROWS;
    const size_t bytes = scan->sparse != NULL ? SPARSE_BLOCK_BYTES : BLOCK_BYTES;
    return limited(bytes / row / ROWS_OF_TILES * ROWS_OF_TILES, ROWS_OF_TILES, FEW_BLOCK_ROWS);
}

/* Returns the number of queries whose scores are stored at a time. */
static size_t group_queries(const struct scan *scan)
{
    return has_candidates(scan) ? CANDIDATE_QUERIES : has_panels(scan) ? QUERY_PANEL : FEW_QUERIES;
}

void scan_carve(struct scan *scan, struct arena *arena)
{
    scan->queries = arena_floats(arena, query_cap(scan), scan_stride(scan->width));
    scan->offsets = arena_cut(arena, scan->n_queries, sizeof *scan->offsets);
    if (has_candidates(scan))
        rounded_queries_carve(&scan->rounded, scan->n_queries, scan->width, arena);
}

void scan_work_carve(struct scan_work *work, const struct scan *scan, struct arena *arena)
{
    const size_t n_rows = scan_block_rows(scan);
    *work = (struct scan_work){
        .factors = arena_cut(arena, n_rows, sizeof *work->factors),
        .scores = arena_floats(arena, group_queries(scan), n_rows),
    };
    if (has_panels(scan) || has_distances(scan))
        work->panels = arena_floats(arena, has_panels(scan) ? n_rows : 1, scan_stride(scan->width));
    if (has_candidates(scan))
        rounded_rows_carve(&work->rounded, n_rows, scan->width, arena);
    if (scan->sparse != NULL)
        work->sparse = arena_cut(arena, n_rows, sizeof *work->sparse);
    work->rounded.factors = work->factors;
}

/* ---- Queries ---- */

/* Returns the index of column k of a query. */
static size_t index_of(const struct scan *scan, size_t query, size_t k)
{
    size_t stride = scan_stride(scan->width);
    if (has_bits(scan)) /* the lowest bit of a byte is the last of its eight columns */
        k ^= 7;
    if (!has_panels(scan))
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
    if (scan->metric == ENGINE_METRIC_COSINE)
        scale = squares > 0 ? 1 / sqrt(squares) : 0;
    if (has_bits(scan)) /* Σ ±q = Σ over bits of 2q - Σ q */
        scale *= 2 / sqrt((double)scan->width);
    for (size_t i = 0; i < scan->width; i++) {
        float value = (float)((double)query[i] * scale);
        scan->queries[index_of(scan, index, i)] = value;
        sum += (double)value;
    }
    scan->offsets[index] = has_bits(scan) ? (float)(-sum / 2) : 0;
}

void scan_queries(const struct scan *scan, const float *queries)
{
    memset(scan->queries, 0, query_cap(scan) * scan_stride(scan->width) * sizeof *scan->queries);
    for (size_t i = 0; i < scan->n_queries; i++)
        make_query(scan, i, queries + i * scan->width);
    if (has_candidates(scan))
        candidates_round(scan->kernels, scan->type, scan->queries, scan->n_queries, scan->width,
                         &scan->rounded);
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
    if (scan->metric != ENGINE_METRIC_COSINE)
        return isfinite(product) || isfinite(squares_of(scan, row)) ? scale : NAN;
    if (square >= 0x1p-100F && square <= FLT_MAX)
        return scale == 0 ? 0 : copysignf(1 / sqrtf(square), scale);
    const double length = sqrt(squares_of(scan, row));
    if (length == 0)
        return 0;
    return length >= SCAN_LEAST_LENGTH && length <= SCAN_MOST_LENGTH ? (float)(1 / length) : NAN;
}

/* A block of rows, and what is computed for it, in the memory of a thread. */
struct block {
    struct row_products rows; /* arguments of the products */
    size_t first_row;
    struct scan_work work;
    struct hits *hits; /* [n_queries] */
};

/* Returns whether sums of squares are needed: for cosines and bounds, except of bits, whose lengths
 * are all 1. */
static bool needs_squares(const struct scan *scan)
{
    return (scan->metric == ENGINE_METRIC_COSINE || has_candidates(scan)) &&
           scan->type != ENGINE_BINARY;
}

static struct block block_at(const struct scan *scan, size_t row, struct hits *hits,
                             const struct scan_work *work)
{
    size_t most = scan_block_rows(scan), bytes = row_bytes(scan->type, scan->width);
    struct block block = {.first_row = row, .work = *work, .hits = hits};
    block.rows =
        (struct row_products){.type = scan->type,
                              .rows = scan->rows + row * bytes,
                              .row_bytes = bytes,
                              .n_rows = scan->n - row < most ? scan->n - row : most,
                              .width = scan->width,
                              .queries = scan->queries,
                              .query_stride = scan_stride(scan->width),
                              .n_queries = scan->n_queries > FEW_QUERIES ? 0 : scan->n_queries,
                              .scores = work->scores,
                              .scores_stride = most,
                              .squares = needs_squares(scan) ? work->factors : NULL};
    return block;
}

/* Scores n of many queries, from query `first` on. */
static void score_group(const struct scan *scan, const struct block *block, size_t first, size_t n)
{
    const struct row_products *rows = &block->rows;
    const struct panel_products products = {.panels = block->work.panels,
                                            .queries = scan->queries + first * rows->query_stride,
                                            .n_rows = rows->n_rows,
                                            .n_queries = n,
                                            .n_steps = chain_steps(scan->width),
                                            .scores = rows->scores,
                                            .scores_stride = rows->scores_stride};
    scan->kernels->panel_products(&products);
}

/* Makes the factors of the rows; unless they have candidates, any products are made. Returns the
 * number of rows without scores, and lowers *first. */
static size_t make_factors(const struct scan *scan, const struct block *block, size_t *first)
{
    size_t n_dropped = 0;
    float *factors = block->work.factors;
    for (size_t r = block->rows.n_rows; r-- > 0;) {
        const char *row = (const char *)block->rows.rows + r * block->rows.row_bytes;
        if (!has_distances(scan))
            factors[r] =
                factor_of(scan, row, factors[r], has_candidates(scan) ? 0 : block->rows.scores[r]);
        if (!isnan(factors[r]))
            continue;
        n_dropped++;
        *first = block->first_row + r < *first ? block->first_row + r : *first;
    }
    return n_dropped;
}

/* Replaces float32 sums that overflowed by the product in double, at most the largest float32. */
static void clamp_scores(const struct scan *scan, const struct block *block, size_t query,
                         float *scores)
{
    for (size_t r = 0; r < block->rows.n_rows; r++) {
        const char *row = (const char *)block->rows.rows + r * block->rows.row_bytes;
        const double factor = (double)block->work.factors[r];
        double sum = 0;
        if (isfinite(scores[r]) || isnan(factor))
            continue;
        for (size_t i = 0; i < scan->width; i++)
            sum += (double)scan->queries[index_of(scan, query, i)] * row_value(scan->type, row, i);
        scores[r] = (float)fmax(-FLT_MAX, fmin(sum * factor, FLT_MAX));
    }
}

static float limit(float x)
{
    return x > FLT_MAX ? FLT_MAX : x < -FLT_MAX ? -FLT_MAX : x;
}

/* Scores n queries, from query `first` on, by minus their distances to the rows. */
static void measure_group(const struct scan *scan, const struct block *block, size_t first,
                          size_t n)
{
    const struct row_products *rows = &block->rows;
    float *values = block->work.panels, scale = 1;
    if (scan->type == ENGINE_BINARY) /* row_value is ±1/2 */
        scale = (float)(2 / sqrt((double)scan->width));
    for (size_t r = 0; r < rows->n_rows; r++) {
        const char *row = (const char *)rows->rows + r * rows->row_bytes;
        if (scan->type == ENGINE_INT8)
            memcpy(&scale, row, sizeof scale);
        for (size_t i = 0; i < scan->width; i++)
            values[i] = (float)(row_value(scan->type, row, i) * (double)scale);
        block->work.factors[r] = floats_are_finite(values, scan->width) ? 1 : NAN;
        for (size_t q = 0; q < n; q++)
            rows->scores[q * rows->scores_stride + r] = limit(
                (float)similarity(scan->metric, scan->queries + (first + q) * rows->query_stride,
                                  values, scan->width));
    }
}

/* ---- Hits ---- */

enum { FUSED_ROWS = 64 };

/* Fuses a row's scores. What float32 cannot hold becomes its largest number; other bits are those
 * of fuse_rows. */
static float fuse_row(engine_fusion fusion, float score, double sparse)
{
    return limit(limit(fusion.vector * score) +
                 limit(fusion.sparse * limit((float)sparse) + fusion.offset));
}

/* Fuses n scores, or bounds with `error` times the lengths; returns whether one may be a hit, which
 * those may be that are not finite. Rounding keeps the order of bounds and scores. */
static bool fuse_rows(engine_fusion fusion, const float *scores, const double *sparse,
                      const float *lengths, float error, size_t n, float threshold, float *fused)
{
    int is_above = 0;
    for (size_t i = 0; i < n; i++) {
        float score = scores[i];
        if (lengths != NULL)
            score = (score < -FLT_MAX ? -FLT_MAX : score) + error * lengths[i];
        fused[i] = fusion.vector * score + (fusion.sparse * (float)sparse[i] + fusion.offset);
        is_above |= !(fused[i] <= threshold) | (fused[i] < -FLT_MAX);
    }
    return is_above;
}

/* Adds the rows with the best fused scores to the hits or, with `found`, the indexes of those whose
 * bounds are above the threshold to the candidates. Returns the number of candidates. */
static size_t add_fused(const struct scan *scan, const struct block *block, size_t query,
                        const float *scores, uint16_t *found)
{
    const engine_fusion fusion =
        scan->sparse->fusions != NULL ? scan->sparse->fusions[query] : (engine_fusion){1, 1, 0};
    struct hits *hits = &block->hits[query];
    float fused[FUSED_ROWS];
    size_t n_found = 0;
    for (size_t from = 0, n; from < block->rows.n_rows; from += n) {
        n = limited(block->rows.n_rows - from, 1, FUSED_ROWS);
        if (!fuse_rows(fusion, scores + from, block->work.sparse + from,
                       found ? block->work.rounded.lengths + from : NULL,
                       found ? scan->rounded.errors[query] : 0, n, hits_threshold(hits), fused))
            continue;
        for (size_t i = 0; i < n; i++) {
            if (fused[i] <= hits_threshold(hits) && fused[i] >= -FLT_MAX)
                continue;
            if (found != NULL)
                found[n_found++] = (uint16_t)(from + i);
            else if (isfinite(scores[from + i]))
                hits_add(hits, (engine_hit){block->first_row + from + i,
                                            fuse_row(fusion, scores[from + i],
                                                     block->work.sparse[from + i])});
        }
    }
    return n_found;
}

/* Makes scores of a query's products with the rows, and adds those above the threshold to its
 * hits. */
static void add_hits(const struct scan *scan, const struct block *block, size_t query,
                     float *scores)
{
    struct hits *hits = &block->hits[query];
    const float threshold = scan->sparse != NULL ? -INFINITY : hits_threshold(hits);
    if (!scan->kernels->scale_scores(scores, scan->offsets[query], block->work.factors,
                                     block->rows.n_rows, threshold))
        return;
    if (scan->metric == ENGINE_METRIC_DOT)
        clamp_scores(scan, block, query, scores);
    if (scan->sparse != NULL)
        add_fused(scan, block, query, scores, NULL);
    for (size_t r = 0; r < block->rows.n_rows && scan->sparse == NULL; r++)
        if (scores[r] > hits_threshold(hits) && isfinite(scores[r]))
            hits_add(hits, (engine_hit){block->first_row + r, scores[r]});
}

/* Adds the hits of a query among n candidates, whose indexes in the block are `found`. Neighbours
 * are scored together. */
static void add_candidates(const struct scan *scan, const struct block *block, size_t query,
                           const uint16_t *found, size_t n)
{
    float scores[FEW_BLOCK_ROWS];
    struct block run = {.rows = block->rows, .hits = block->hits};
    run.rows.n_queries = 1;
    run.rows.queries += query * run.rows.query_stride;
    run.rows.scores = scores;
    run.rows.squares = NULL;
    for (size_t i = 0; i < n; i += run.rows.n_rows) {
        run.rows.n_rows = 1;
        while (i + run.rows.n_rows < n && found[i + run.rows.n_rows] == found[i] + run.rows.n_rows)
            run.rows.n_rows++;
        run.rows.rows = (const char *)block->rows.rows + found[i] * run.rows.row_bytes;
        run.first_row = block->first_row + found[i];
        run.work.factors = block->work.factors + found[i];
        run.work.sparse = block->work.sparse != NULL ? block->work.sparse + found[i] : NULL;
        scan->kernels->row_products(&run.rows);
        add_hits(scan, &run, query, scores);
    }
}

/* Adds the hits of n queries, from query `first` on. */
static void add_group(const struct scan *scan, const struct block *block, size_t first, size_t n,
                      struct posting_range *cursors)
{
    const struct sparse_queries *sparse = scan->sparse;
    float *scores = block->rows.scores;
    uint16_t *found = block->work.rounded.found;
    for (size_t q = first; q < first + n; q++, scores += block->rows.scores_stride) {
        const bool has_sparse =
            sparse != NULL &&
            postings_add(&sparse->postings, sparse->weights + sparse->starts[q],
                         sparse->starts[q + 1] - sparse->starts[q], cursors + sparse->starts[q],
                         block->first_row, block->rows.n_rows, block->work.sparse);
        if (!has_candidates(scan))
            add_hits(scan, block, q, scores);
        else if (sparse != NULL)
            add_candidates(scan, block, q, found, add_fused(scan, block, q, scores, found));
        else
            add_candidates(scan, block, q, found,
                           scan->kernels->find_candidates(
                               scores, block->work.rounded.lengths, block->rows.n_rows,
                               scan->rounded.errors[q], hits_threshold(&block->hits[q]), found));
        if (has_sparse)
            memset(block->work.sparse, 0, block->rows.n_rows * sizeof *block->work.sparse);
    }
}

size_t scan_block(const struct scan *scan, size_t index, struct hits *hits,
                  struct posting_range *cursors, const struct scan_work *work, size_t *first)
{
    const bool by_bounds = has_candidates(scan);
    size_t n_dropped = 0;
    struct block block = block_at(scan, index * scan_block_rows(scan), hits, work);
    if (block.work.sparse != NULL)
        memset(block.work.sparse, 0, block.rows.n_rows * sizeof *block.work.sparse);
    if (!has_distances(scan) && (needs_squares(scan) || scan->n_queries <= FEW_QUERIES))
        scan->kernels->row_products(&block.rows);
    if (by_bounds)
        candidates_pack(scan->kernels, &block.rows, &block.work.rounded);
    if (has_panels(scan))
        scan->kernels->pack_row_panels(&block.rows, block.work.panels);
    for (size_t q = 0, n; q < scan->n_queries; q += n) {
        n = limited(scan->n_queries - q, 1, group_queries(scan));
        if (has_panels(scan))
            score_group(scan, &block, q, n);
        if (has_distances(scan))
            measure_group(scan, &block, q, n);
        if (q == 0)
            n_dropped = make_factors(scan, &block, first);
        if (q == 0 && by_bounds)
            candidates_measure(&block.rows, &block.work.rounded);
        if (by_bounds)
            candidates_multiply(scan->kernels, &block.rows, &block.work.rounded, &scan->rounded, q,
                                n);
        add_group(scan, &block, q, n, cursors);
    }
    return n_dropped;
}

float scan_text(const struct scan *scan, size_t begin, size_t end, struct hits *hits,
                const struct scan_work *work)
{
    const size_t block_rows = scan_block_rows(scan), n_queries = scan->n_queries;
    struct scan text = *scan;
    size_t n_dropped = 0, first = SIZE_MAX;
    double sum = 0;
    text.rows += begin * row_bytes(scan->type, scan->width);
    text.n = end - begin;
    for (size_t block = 0; block * block_rows < text.n && n_queries > 0; block++)
        n_dropped += scan_block(&text, block, hits, NULL, work, &first);
    for (size_t i = 0; i < n_queries; hits[i++].n = 0)
        sum += hits[i].n > 0 ? (double)hits[i].heap->score : 0;
    return n_dropped > 0 ? NAN : limit((float)sum);
}
