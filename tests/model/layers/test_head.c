/* tags: numbers aarch64 */
/* Scores of single rows against their formulas in double. Heads are compared with the second
 * implementation in engine/test_grid.c, dense layers after the pooling in engine/test_heads.c. */
#include "tests/suite.h"

#include "model/layers/head.h"

#include <math.h>

TEST(scores)
{
    float soft[] = {1, 2, 3, -1000}, sigmoid[] = {0, 100, -100, 1}, none[] = {5, -5};
    head_scores(SCORES_SOFTMAX, soft, 4);
    assert_true(fabs((double)soft[0] - exp(-2) / (1 + exp(-1) + exp(-2))) < 1e-7);
    assert_true(fabs((double)soft[0] + (double)soft[1] + (double)soft[2] - 1) < 2e-7);
    assert_true(soft[3] == 0);
    head_scores(SCORES_SIGMOID, sigmoid, 4);
    assert_true(sigmoid[0] == 0.5f && sigmoid[1] == 1 && sigmoid[2] >= 0 && sigmoid[2] < 1e-40f);
    assert_true(fabs((double)sigmoid[3] - 1 / (1 + exp(-1))) < 1e-7);
    head_scores(SCORES_NONE, none, 2);
    assert_true(none[0] == 5 && none[1] == -5);
    for (int at = 0; at < 3; at++) { /* what is not finite stays so, wherever it is */
        float low[] = {1, 2, 3}, high[] = {1, 2, 3};
        low[at] = -INFINITY;
        high[at] = INFINITY;
        head_scores(SCORES_SOFTMAX, low, 3);
        head_scores(SCORES_SIGMOID, high, 3);
        assert_false(floats_are_finite(low, 3) || floats_are_finite(high, 3));
    }
    head_scores(SCORES_SOFTMAX, none, 0); /* no labels: nothing is touched */
}
