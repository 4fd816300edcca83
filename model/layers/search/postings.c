/* postings.c - see postings.h. Plain twin: plain_bm25 in tests/engine/search/test_index.c. */
#include "model/layers/search/postings.h"

struct posting_range postings_find(const struct postings *postings, int32_t id)
{
    struct posting_range range = {0, 0, SIZE_MAX};
    if (id < 0 || (size_t)id >= postings->n_ids)
        return range;
    const uint64_t begin = postings->starts[id], end = postings->starts[id + 1];
    range.end = end < postings->n ? (size_t)end : postings->n;
    range.begin = begin < range.end ? (size_t)begin : range.end;
    range.next = range.begin < range.end ? postings->all[range.begin].row : SIZE_MAX;
    return range;
}

/* Advances a cursor to the first posting of row `first` or later, by steps that double and then
 * halve. */
static size_t seek(const struct posting *all, const struct posting_range *cursor, size_t first)
{
    size_t at = cursor->begin, step = 1;
    if (cursor->next >= first)
        return at;
    while (at < cursor->end && all[at].row < first) {
        if (step < cursor->end - at && all[at + step].row < first) {
            at += step;
            step *= 2;
        } else if (step > 1) {
            step /= 2;
        } else {
            at++;
        }
    }
    return at;
}

bool postings_add(const struct postings *postings, const engine_weight *query, size_t n,
                  struct posting_range *cursors, size_t first, size_t n_rows, double *sums)
{
    const struct posting *all = postings->all;
    bool has_any = false;
    for (size_t i = 0; i < n; i++) {
        struct posting_range *cursor = &cursors[i];
        const double weight = (double)query[i].weight;
        if (cursor->next == SIZE_MAX || cursor->next >= first + n_rows)
            continue;
        const struct posting *at = all + seek(all, cursor, first), *const end = all + cursor->end;
        for (; at < end && at->row - (uint32_t)first < n_rows; at++)
            sums[at->row - (uint32_t)first] += weight * (double)at->weight;
        has_any = true;
        cursor->begin = (size_t)(at - all);
        cursor->next = at < end ? at->row : SIZE_MAX;
    }
    return has_any;
}
