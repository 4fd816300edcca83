/* scan.h - scores every row for every query, a block of rows at a time, and keeps the best.
 *
 *     dot: q·v    cosine: q·v / (|q| |v|), 0 where either is all zeros
 *     euclidean: -|q - v|    manhattan: -Σ |q_i - v_i|, in double, one pair after the other
 *
 * of rows v widened to float32: int8 times its scale, a bit as ±1 / √width. Scores are computed as
 * (Σ_k query[k] · row[k] + offset) · factor, unless they are distances: the query determines its
 * vector and the offset, the row determines the factor. With sparse queries, a score is that of the
 * vectors and that of the postings, fused: f.vector · v + (f.sparse · s + f.offset), in float32.
 */
#ifndef MODEL_SCAN_H
#define MODEL_SCAN_H

#include "model/layers/search/candidates.h"
#include "model/layers/search/hits.h"
#include "model/layers/search/postings.h"
#include "model/layers/search/rows.h"

#include <stdbool.h>

struct sparse_queries {
    struct postings postings;
    const engine_weight *weights;
    const size_t *starts;         /* [n_queries + 1] of the weights */
    const engine_fusion *fusions; /* [n_queries], or NULL: 1, 1, 0 */
};

/* The rows and the queries of a search. */
struct scan {
    const struct kernels *kernels;
    engine_element type;
    engine_metric metric;
    const char *rows;
    size_t n, width;
    float *queries;                      /* [n_queries, scan_stride()], made by scan_queries */
    float *offsets;                      /* [n_queries], also made by scan_queries */
    size_t n_queries, k;                 /* hits of a query, at most one for each row */
    struct rounded_queries rounded;      /* by candidates: [n_queries], also made by scan_queries */
    const struct sparse_queries *sparse; /* or NULL */
    bool of_texts;                       /* for scan_text: rows are those of a text */
};

/* Returns the floats of a query, or of a row in panels. */
static inline size_t scan_stride(size_t width)
{
    return round_up(width, PANEL);
}

/* Writes the queries [n_queries, width] in the layout of the products, and their offsets. */
void scan_queries(const struct scan *scan, const float *queries);

/* Returns the rows of a block. */
size_t scan_block_rows(const struct scan *scan);

/* One thread's memory for the rows of a block. */
struct scan_work {
    float *factors;              /* [rows], at first sums of squares */
    float *scores;               /* [queries scored at a time, rows], or bounds of them */
    float *panels;               /* [rows, scan_stride()], with panels; of one row with distances */
    struct rounded_rows rounded; /* with candidates */
    double *sparse;              /* [rows] scores by postings; NULL without sparse queries */
};

/* Cuts the queries, or a thread's memory. */
void scan_carve(struct scan *scan, struct arena *arena);
void scan_work_carve(struct scan_work *work, const struct scan *scan, struct arena *arena);

/* Cosines are computed for rows whose length is between these two, or 0. */
#define SCAN_LEAST_LENGTH 0x1p-115
#define SCAN_MOST_LENGTH  0x1p125

/* Scores the rows of block `block`, and adds the best to the hits of each query, [n_queries].
 * Blocks must come in ascending order; some may be skipped. cursors: of all entries
 * of sparse queries (postings_add); they belong to these hits. Returns the number of rows without
 * scores: rows with numbers that are not finite and, for cosines, rows of other lengths. *first
 * becomes the index of the first such row, if that is below *first. */
size_t scan_block(const struct scan *scan, size_t block, struct hits *hits,
                  struct posting_range *cursors, const struct scan_work *work, size_t *first);

/* Returns MaxSim of the text that has rows begin to end - 1, all queries being vectors of one: the
 * sum of the best score of each. NaN: a row has no scores. hits [n_queries]: empty, of one each. */
float scan_text(const struct scan *scan, size_t begin, size_t end, struct hits *hits,
                const struct scan_work *work);

#endif
