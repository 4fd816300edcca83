/* scan.h - every row measured by every query, a block of rows at a time, and the best kept.
 *
 *     dot: q·v    cosine: q·v / (|q| |v|), 0 where either is all zeros
 *
 * of rows v as they are widened to float32: int8 times its scale, a bit as ±1 / √width. Scores are
 * computed as (Σ_k query[k] · row[k] + offset) · factor: the query has made its vector and the
 * offset, the row makes the factor.
 */
#ifndef MODEL_SCAN_H
#define MODEL_SCAN_H

#include "model/layers/search/hits.h"
#include "model/layers/search/rows.h"

#include <stdbool.h>

/* What is looked for, and where. */
struct scan {
    const struct kernels *kernels;
    enum row_type type;
    bool cosine;
    const char *rows;
    size_t n, width;
    const float *queries; /* [n_queries, scan_stride()], made by scan_query */
    const float *offsets; /* [n_queries] */
    size_t n_queries;
};

/* Floats from one query, or widened row, to the next: a multiple of 16, but not of 1 KB, as the
 * queries of a group would be in each other's way in the nearest cache. */
static inline size_t scan_stride(size_t width)
{
    size_t stride = round_up(width, PANEL);
    return stride % 256 == 0 ? stride + PANEL : stride;
}

/* Makes a query [width] what the products read, [scan_stride()]; returns its offset. */
float scan_query(const struct scan *scan, const float *query, float *out);

/* Rows of a block. */
size_t scan_block_rows(const struct scan *scan);

/* Floats of scratch for scan_block, a multiple of 16. */
size_t scan_scratch(const struct scan *scan);

/* Measures the rows of block `block`, and adds the best to the hits of each query, [n_queries].
 * Blocks come in their order, though others may be left out. A score that is not finite is none. */
void scan_block(const struct scan *scan, size_t block, struct hits *hits, float *scratch);

#endif
