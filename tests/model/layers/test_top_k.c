/* tags: numbers aarch64 */
/* The k largest scores against the plain twin: sort all, largest and smaller id first. */
#include "tests/support.h"

#include "model/layers/head.h"

#include <math.h>
#include <stdlib.h>

static int by_score(const void *a, const void *b)
{
    const engine_candidate *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void plain_top_k(const float *scores, size_t n, engine_candidate *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (engine_candidate){.id = (int32_t)i, .score = scores[i]};
    qsort(out, n, sizeof *out, by_score);
}

TEST(random)
{
    enum { MOST = 60 };
    uint64_t state = 9;
    for (size_t round = 0; round < 3000; round++) {
        size_t n = support_below(&state, MOST + 1), k = support_below(&state, n + 1);
        unsigned values = round % 2 ? 5 : 1u << 20; /* few: many of them are equal */
        float scores[MOST];
        engine_candidate expected[MOST], got[MOST];
        for (size_t i = 0; i < n; i++)
            scores[i] = (float)(support_random(&state) % values) - 2;
        if (n > 0 && round % 3 == 0)
            scores[support_random(&state) % n] = -INFINITY;
        if (n > 0 && round % 5 == 0)
            scores[support_random(&state) % n] = INFINITY;
        plain_top_k(scores, n, expected);
        top_k(scores, n, k, got);
        for (size_t i = 0; i < k; i++) {
            assert_int_equal(got[i].id, expected[i].id);
            assert_true(got[i].score == expected[i].score && got[i].token == 0);
        }
    }
}

TEST(none_wanted)
{
    const float scores[] = {1, 2};
    engine_candidate around[2] = {{.id = 7}, {.id = 8}};
    top_k(scores, 2, 0, around + 1);
    assert_int_equal(around[0].id, 7);
    assert_int_equal(around[1].id, 8);
}

/* A number that is none is never larger than another. */
TEST(nan)
{
    const float scores[] = {1, NAN, 3, NAN, 2};
    engine_candidate got[2];
    top_k(scores, 5, 1, got);
    assert_int_equal(got[0].id, 2);
    top_k(scores + 1, 4, 1, got); /* nor is another larger than it: the first of them stays */
    assert_int_equal(got[0].id, 0);
}
