/* tags: numbers aarch64 */
/* Routing: the largest logits and their softmax, against sums in double; and rows by expert. */
#include "tests/support.h"

#include "model/layers/feed_forward.h"

#include <math.h>
#include <string.h>

enum { MOST = 20 };

/* Many logits are equal. */
TEST(choose)
{
    uint64_t state = 3;
    for (size_t round = 0; round < 2000; round++) {
        size_t n = 1 + support_below(&state, MOST), used = 1 + support_below(&state, n);
        float logits[MOST], before[MOST], shares[MOST];
        int32_t chosen[MOST];
        double sum = 0, most = -INFINITY;
        for (size_t i = 0; i < n; i++)
            logits[i] = (float)support_below(&state, 5) - 80;
        memcpy(before, logits, sizeof before);
        for (size_t i = 0; i < n; i++)
            most = fmax(most, (double)before[i]);
        for (size_t i = 0; i < n; i++)
            sum += exp((double)before[i] - most);
        experts_choose(logits, n, used, chosen, shares);
        for (size_t k = 0; k < used; k++) {
            size_t expected =
                0; /* the k-th of all, sorted: larger ones, and equal ones before it */
            for (size_t i = 0; i < n; i++) {
                size_t n_before = 0;
                for (size_t j = 0; j < n; j++)
                    n_before += before[j] > before[i] || (before[j] == before[i] && j < i);
                expected = n_before == k ? i : expected;
            }
            assert_int_equal(chosen[k], expected);
            assert_true(fabs((double)shares[k] - exp((double)before[expected] - most) / sum) <
                        1e-7);
        }
    }
}

/* Whatever is in memory, all places are different, and an expert's rows are in their order. */
TEST(place)
{
    uint64_t state = 5;
    for (size_t round = 0; round < 2000; round++) {
        size_t n = support_below(&state, MOST), n_experts = 1 + support_below(&state, 6);
        int32_t chosen[MOST], before[MOST];
        size_t starts[8], seen[MOST] = {0};
        for (size_t i = 0; i < n; i++) {
            chosen[i] = (int32_t)support_below(&state, n_experts);
            before[i] = chosen[i];
            if (round % 3 == 0 && i % 2 == 0)
                chosen[i] = i % 4 == 0 ? INT32_MIN : INT32_MAX; /* stale: expert 0 */
            if (chosen[i] != before[i])
                before[i] = 0;
        }
        experts_place(chosen, n, n_experts, starts);
        assert_int_equal(starts[0], 0);
        assert_int_equal(starts[n_experts], n);
        for (size_t i = 0; i < n; i++) {
            size_t place = (size_t)chosen[i];
            assert_true(place >= starts[before[i]] && place < starts[before[i] + 1]);
            assert_int_equal(seen[place]++, 0);
            for (size_t j = 0; j < i; j++)
                assert_true(before[j] != before[i] || chosen[j] < chosen[i]);
        }
    }
}
