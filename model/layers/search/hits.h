/* hits.h - the k best rows so far: a heap whose root is the worst of them. Of equal scores the row
 * with the lower index is better, so that the order of adding does not matter.
 */
#ifndef MODEL_HITS_H
#define MODEL_HITS_H

#include "engine/engine_types.h"

#include <math.h>

struct hits {
    engine_hit *heap; /* [k] */
    size_t n, k;      /* number of hits; most hits, 1 or more */
};

/* Returns a threshold: a later row with a score that is not above it would be dropped. */
static inline float hits_threshold(const struct hits *hits)
{
    return hits->n < hits->k ? -INFINITY : hits->heap[0].score;
}

void hits_add(struct hits *hits, engine_hit hit);

/* Sorts the hits, best first; no hit can be added afterwards. */
void hits_sort(struct hits *hits);

#endif
