/* hits.c - see hits.h. */
#include "model/layers/search/hits.h"

#include <stdbool.h>

static bool is_worse(engine_hit a, engine_hit b)
{
    return a.score < b.score || (a.score == b.score && a.row > b.row);
}

/* Stores a hit in the heap [n] at `at` or below, replacing the hit at `at`. */
static void sift_down(engine_hit *heap, size_t n, size_t at, engine_hit hit)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_worse(heap[child + 1], heap[child]))
            child++;
        if (!is_worse(heap[child], hit))
            break;
        heap[at] = heap[child];
    }
    heap[at] = hit;
}

static void sift_up(engine_hit *heap, size_t at, engine_hit hit)
{
    for (size_t parent; at > 0; at = parent) {
        parent = (at - 1) / 2;
        if (!is_worse(hit, heap[parent]))
            break;
        heap[at] = heap[parent];
    }
    heap[at] = hit;
}

void hits_add(struct hits *hits, engine_hit hit)
{
    if (hits->n < hits->k)
        sift_up(hits->heap, hits->n++, hit);
    else if (is_worse(hits->heap[0], hit))
        sift_down(hits->heap, hits->n, 0, hit);
}

void hits_sort(struct hits *hits)
{
    for (size_t n = hits->n; n > 1; n--) {
        engine_hit last = hits->heap[n - 1];
        hits->heap[n - 1] = hits->heap[0];
        sift_down(hits->heap, n - 1, 0, last);
    }
}
