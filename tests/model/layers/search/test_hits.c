/* tags: sizes */
/* The k best of hits, whatever the order in which they come: against all of them, sorted. */
#include "model/layers/search/hits.h"
#include "tests/support.h"

#include <stdlib.h>

enum { MOST = 60 };

static int by_score_and_row(const void *a, const void *b)
{
    const engine_hit *one = a, *other = b;
    if (one->score != other->score)
        return one->score > other->score ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Rows with few different scores, so that many are equal, in a random order, falling or rising. */
TEST(the_best_in_any_order)
{
    uint64_t seed = 3;
    for (size_t turn = 0; turn < 3000; turn++) {
        engine_hit all[MOST], heap[MOST] = {{0}};
        const size_t n = support_below(&seed, MOST + 1), k = 1 + support_below(&seed, MOST);
        struct hits hits = {.heap = heap, .k = k};
        for (size_t i = 0; i < n; i++)
            all[i] = (engine_hit){turn % 2 ? i : n - i, (float)support_below(&seed, 1 + turn % 9)};
        for (size_t i = 0; i < n && turn % 3 == 0; i++) {
            const size_t other = support_below(&seed, n);
            const engine_hit moved = all[i];
            all[i] = all[other];
            all[other] = moved;
        }
        for (size_t i = 0; i < n; i++) {
            const bool is_full = hits.n == k;
            float worst = INFINITY;
            for (size_t h = 0; h < hits.n; h++)
                worst = fminf(worst, heap[h].score);
            assert_true(hits_threshold(&hits) == (is_full ? worst : -INFINITY));
            hits_add(&hits, all[i]);
        }
        hits_sort(&hits);
        qsort(all, n, sizeof *all, by_score_and_row);
        assert_int_equal(hits.n, n < k ? n : k);
        for (size_t i = 0; i < hits.n; i++)
            assert_true(by_score_and_row(&heap[i], &all[i]) == 0);
    }
}
