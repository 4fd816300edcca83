/* scan.h - every row measured by every query, a block of rows at a time, and the best kept.
 *
 *     dot: q·v    cosine: q·v / (|q| |v|), 0 where either is all zeros
 *
 * of rows v as they are widened to float32: int8 times its scale, a bit as ±1 / √width. Scores
 * are computed as (Σ_k query[k] · row[k] + offset) · factor: the query has made its vector and the
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
    float *queries; /* [scan_query_cap(), scan_stride()], made by scan_queries */
    float *offsets; /* [n_queries], too */
    size_t n_queries;
};

/* Floats of a query, or of a row in panels. */
static inline size_t scan_stride(size_t width)
{
    return round_up(width, PANEL);
}

/* Queries for which there must be room, as those in panels are filled up with zeros. */
size_t scan_query_cap(const struct scan *scan);

/* Writes the queries [n_queries, width] to where the products read them, and their offsets. */
void scan_queries(const struct scan *scan, const float *queries);

/* Rows of a block. */
size_t scan_block_rows(const struct scan *scan);

/* Floats of scratch for scan_block, a multiple of 16. */
size_t scan_scratch(const struct scan *scan);

/* Measures the rows of block `block`, and adds the best to the hits of each query, [n_queries].
 * Blocks come in their order, though others may be left out. A score that is not finite is none. */
void scan_block(const struct scan *scan, size_t block, struct hits *hits, float *scratch);

#endif
