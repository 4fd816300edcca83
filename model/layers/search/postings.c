/* postings.c - see postings.h. Plain twin: plain_bm25 in tests/engine/search/test_index.c. */
#include "model/layers/search/postings.h"

struct posting_range postings_find(const struct postings *postings, int32_t id)
{
    struct posting_range range = {0, 0};
    if (id < 0 || (size_t)id >= postings->n_ids)
        return range;
    const uint64_t begin = postings->starts[id], end = postings->starts[id + 1];
    range.end = end < postings->n ? (size_t)end : postings->n;
    range.begin = begin < range.end ? (size_t)begin : range.end;
    return range;
}

/* Advances to the first posting of row `first` or later, by steps that double and then halve. */
static size_t seek(const uint32_t *rows, struct posting_range cursor, size_t first)
{
    size_t at = cursor.begin, step = 1;
    while (at < cursor.end && rows[at] < first) {
        const size_t left = cursor.end - at;
        if (step < left && rows[at + step] < first) {
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
    const uint32_t *rows = postings->rows;
    bool has_any = false;
    for (size_t i = 0; i < n; i++) {
        const double weight = (double)query[i].weight;
        size_t at = seek(rows, cursors[i], first);
        for (; at < cursors[i].end && (size_t)rows[at] - first < n_rows; at++) {
            sums[rows[at] - first] += weight * (double)postings->weights[at];
            has_any = true;
        }
        cursors[i].begin = at;
    }
    return has_any;
}
