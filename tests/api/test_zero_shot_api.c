/* tags: numbers */
/* Labels that a caller names: engine_zero_shot gives what transformers' pipeline computes of a
 * model's logits, whatever the index and the case of its label of entailment. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { N = 3, N_LABELS = 3 };

static const float LOGITS[N * N_LABELS] = {1, -2, 3, 0.5f, 0, -1, 2, 4, 2.5f};

/* The pipeline's formulas, of the label of entailment and the one that it is set against. */
static double expected(size_t i, size_t entailment, size_t against, bool is_alone)
{
    const float *row = LOGITS + i * N_LABELS;
    double sum = is_alone ? exp(row[entailment]) + exp(row[against]) : 0;
    for (size_t k = 0; !is_alone && k < N; k++)
        sum += exp(LOGITS[k * N_LABELS + entailment]);
    return exp(row[entailment]) / sum;
}

TEST(scores_by_the_label_of_entailment)
{
    static const struct {
        const char *labels;
        size_t entailment, against;
    } cases[] = {
        {"--labels contradiction,neutral,entailment", 2, 0},
        {"--labels neutral,Entailment,contradiction", 1, 0},
        {"--labels ENTAIL,neutral,contradiction", 0, 2},
        {"--labels not_entailment,x,entailment", 2, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        engine_model *model = support_small_model(cases[c].labels);
        for (int is_multi = 0; is_multi < 2; is_multi++) {
            float out[N * N_LABELS], alone;
            memcpy(out, LOGITS, sizeof out);
            assert_ok(engine_zero_shot(model, out, N, is_multi, out, NULL));
            for (size_t i = 0; i < N; i++)
                assert_true(fabs(out[i] - expected(i, cases[c].entailment, cases[c].against,
                                                   is_multi)) <= 1e-7);
            assert_ok(engine_zero_shot(model, LOGITS, 1, is_multi, &alone, NULL));
            assert_true(fabs(alone - expected(0, cases[c].entailment, cases[c].against, true)) <=
                        1e-7);
        }
    }
}

/* exp of these is infinite. */
TEST(large_logits)
{
    engine_model *model = support_small_model("--labels contradiction,entailment");
    const float logits[] = {-2000, 2000, 2000, 1999};
    float out[2];
    for (int is_multi = 0; is_multi < 2; is_multi++) {
        assert_ok(engine_zero_shot(model, logits, 2, is_multi, out, NULL));
        assert_true(out[0] == 1 || fabsf(out[0] - 0.7310586f) <= 1e-6f);
        assert_true(out[1] >= 0 && out[1] <= 0.27f);
    }
}

TEST(what_is_refused)
{
    static const char *const others[] = {"", "--labels bad,good", "--labels entailment",
                                         "--head token --labels O,entailment"};
    float out[N];
    engine_error error;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        engine_model *model = support_small_model(others[i]);
        assert_fails(UNSUPPORTED, engine_zero_shot(model, LOGITS, 1, 0, out, &error));
        assert_non_null(strstr(error.message, "no label 'entailment'"));
        assert_fails(ARGUMENT, engine_zero_shot(model, NULL, 1, 0, out, NULL));
    }
    assert_fails(ARGUMENT, engine_zero_shot(NULL, LOGITS, 1, 0, out, NULL));
}

TEST(hypotheses)
{
    char out[64];
    size_t needed;
    engine_error error;
    assert_ok(engine_hypothesis(NULL, "sport", out, sizeof out, &needed, &error));
    assert_string_equal(out, "This example is sport.");
    assert_int_equal(needed, sizeof "This example is sport.");
    assert_ok(engine_hypothesis("{}", "", out, 1, NULL, NULL));
    assert_string_equal(out, "");
    assert_ok(engine_hypothesis("a {} b", "{}", out, 7, NULL, NULL));
    assert_string_equal(out, "a {} b");
    assert_fails(BUFFER, engine_hypothesis("a {} b", "x", out, 5, &needed, &error));
    assert_int_equal(needed, 6);
    assert_fails(ARGUMENT, engine_hypothesis("a", "x", out, 5, NULL, &error));
    assert_non_null(strstr(error.message, "'a' has no {}"));
    assert_fails(ARGUMENT, engine_hypothesis("{} {}", "x", out, 9, NULL, &error));
    assert_fails(ARGUMENT, engine_hypothesis("{}", NULL, out, 9, NULL, &error));
    assert_fails(ARGUMENT, engine_hypothesis("{}", "x", NULL, 9, NULL, &error));
}
