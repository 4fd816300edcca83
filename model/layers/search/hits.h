/* hits.h - the k best rows so far: a heap with the worst of them first. Of equal scores the row
 * that comes first is better, so that the order in which they are added does not matter.
 */
#ifndef MODEL_HITS_H
#define MODEL_HITS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* may_alias: the engine hands its callers' buffers of engine_hit, the same fields, to us. */
struct __attribute__((may_alias)) hit {
    uint64_t row;
    float score;
};

struct hits {
    struct hit *heap; /* [k] */
    size_t n, k;      /* how many there are; at most, 1 or more */
};

/* A score that is not above this one, of a row after all others, would not be kept. */
static inline float hits_threshold(const struct hits *hits)
{
    return hits->n < hits->k ? -INFINITY : hits->heap[0].score;
}

void hits_add(struct hits *hits, struct hit hit);

/* Best first; nothing can be added any more. */
void hits_sort(struct hits *hits);

#endif
