/* postings.h - rows of sparse weights by id, and the scores that queries have by them:
 *
 *     score(q, r) = Σ over ids of q[id] · r[id],  in double, in ascending order of ids
 *
 * An id's postings are the rows that have it, in ascending order, each with its weight. Arrays may
 * be of a damaged file: whatever they hold, only elements of the arrays are read.
 */
#ifndef MODEL_POSTINGS_H
#define MODEL_POSTINGS_H

#include "engine/engine_types.h"

#include <stdbool.h>
#include <stddef.h>

struct posting {
    uint32_t row;
    float weight;
};

struct postings {
    const uint64_t *starts;    /* [n_ids + 1] */
    const struct posting *all; /* [n] */
    size_t n_ids, n;
};

struct posting_range {
    size_t begin, end;
    size_t next; /* row of the first; SIZE_MAX: there is none */
};

/* Returns the postings of an id; of an unknown one none. */
struct posting_range postings_find(const struct postings *postings, int32_t id);

/* Adds the scores of rows first to first + n_rows - 1 to sums [n_rows]. cursors [n]: what
 * postings_find returned for each id of the query; they advance, as rows come in ascending order.
 * Returns whether a row has an id of the query. */
bool postings_add(const struct postings *postings, const engine_weight *query, size_t n,
                  struct posting_range *cursors, size_t first, size_t n_rows, double *sums);

#endif
