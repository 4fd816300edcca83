/* tags: numbers aarch64 */
/* Functions that answer from a head agree with each other, and refuse models without that head.
 * What they refuse of inputs and options is in api/test_head_api.c. */
#include "tests/engine/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static engine_session *open_head(const char *options)
{
    return support_session(support_small_model(options), NULL);
}

TEST(cross_encoder)
{
    engine_session *session = open_head("--head sequence --labels 1 --head-dense tanh");
    engine_input query = support_text("I ride");
    engine_input texts[] = {support_text("bike"), support_text("dog cat")};
    engine_input pairs[] = {engine_text_pair("I ride", "bike"),
                            engine_text_pair("I ride", "dog cat")};
    float scores[2], expected[2];
    assert_ok(engine_rank(session, &query, texts, 2, NULL, scores));
    assert_ok(engine_encode(session, pairs, 2,
                            &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS), expected, 2,
                            NULL, NULL));
    assert_memory_equal(scores, expected, sizeof expected);
    assert_ok(engine_rank(session, &query, NULL, 0, NULL, NULL));
}

TEST(no_pooler)
{
    static const char *const without[] = {
        "", "--head mask --head-dense tanh", "--head sequence --labels 2 --head-dense relu",
        "--head sequence --labels 2 --head-dense tanh --head-pooling mean"};
    engine_encode_options pooler = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_POOLER);
    engine_input text = support_text("I ride");
    float out[16];
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        engine_session *session = open_head(without[i]);
        assert_fails(UNSUPPORTED, engine_encode(session, &text, 1, &pooler, out, 16, NULL, NULL));
        assert_fails(UNSUPPORTED, engine_rank(session, &text, &text, 1, &pooler, out));
    }
}

/* The message names what is missing: the head, or the token that it would fill in. */
TEST(no_mask_token)
{
    static const char *const models[][2] = {
        {"--head mask --head-dense tanh", "its tokenizer names no mask token"},
        {"", "no head for mask tokens: its head is 'none'"},
    };
    engine_input text = support_text("I ride");
    engine_candidate out[2];
    for (size_t i = 0; i < 2; i++) {
        engine_session *session = open_head(models[i][0]);
        assert_fails(UNSUPPORTED, engine_fill(session, &text, 2, NULL, out, 2, NULL, NULL));
        assert_non_null(strstr(engine_session_message(session), models[i][1]));
    }
}

/* A classifier's dense layer is one if it is BERT's. */
TEST(pooler_of_a_classifier)
{
    engine_session *session = open_head("--head sequence --labels 2 --head-dense tanh");
    engine_encode_options pooler = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_POOLER);
    engine_input text = support_text("I ride");
    float out[16];
    assert_ok(engine_encode(session, &text, 1, &pooler, out, 16, NULL, NULL));
    for (size_t i = 0; i < 16; i++)
        assert_true(fabsf(out[i]) <= 1);
}

TEST(rank_by_cosine)
{
    engine_session *session = open_head("--projections 1 --normalize yes");
    engine_input texts[40];
    float scores[40], vectors[2 * 16];
    for (size_t i = 0; i < 40; i++) /* more than one batch */
        texts[i] = i % 2 ? support_text("dog cat") : support_text("I ride bike");
    assert_ok(engine_rank(session, &texts[0], texts, 40, NULL, scores));
    assert_ok(engine_encode(session, texts, 2, NULL, vectors, 2 * 16, NULL, NULL));
    float expected = (float)engine_cosine(vectors, vectors + 16, 16);
    for (size_t i = 0; i < 40; i++)
        assert_true(fabsf(scores[i] - (i % 2 ? expected : 1)) <= 1e-6f);
}

/* The mean of equal rows is the row: a sum of floats alone loses 4e-4 of it in 20,000. */
TEST(late_head_of_a_long_text)
{
    static const int32_t ids[20000];
    const engine_input texts[] = {support_ids(ids, 1), support_ids(ids, 20000)};
    engine_encode_options labels = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS);
    engine_session *session =
        open_head("--layers 0 --position none --max-tokens 20000 --labels 2 --head sequence "
                  "--head-pooling mean --set head_late=yes");
    float logits[4];
    assert_ok(engine_encode(session, texts, 2, &labels, logits, 4, NULL, NULL));
    for (size_t i = 0; i < 2; i++)
        assert_true(fabsf(logits[2 + i] - logits[i]) <= 1e-6f);
}

/* Several poolings side by side, dense layers of several activations, and layer norms: as the
 * second implementation has them, without the first tokens of a prompt, too. */
TEST(own_vectors_of_many_steps)
{
    static const char *const made[] = {
        "--pooling cls --set joined_poolings=mean,max,weighted_mean,last,mean_sqrt",
        "--pooling max --set joined_poolings=mean --projections 3 --set projection_activation="
        "layer_norm,sigmoid,layer_norm --normalize yes",
        "--pooling weighted_mean --projections 2 --set projection_activation=silu,identity "
        "--projection-bias no",
        "--pooling mean --projections 2 --set projection_activation=layer_norm",
        "--pooling mean --projections 3 --set projection_activation=tanh,relu,gelu",
        "--pooling mean --projections 2 --set projection_activation=identity,gelu_tanh"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        for (size_t n_prompt = 0; n_prompt < 3; n_prompt++) {
            engine_token tokens[5] = {{0}};
            char error[256];
            float got[6 * 16];
            size_t width, n_floats;
            const struct subject *subject = comparison_make(
                NULL, "--layers 1 --width 16 --heads 2 --feed-forward 32 --vocabulary 30 %s%s",
                made[i], n_prompt > 0 ? " --set pools_prompt=no" : "");
            engine_session *session = support_session(subject->model, NULL);
            for (size_t t = 0; t < 5; t++)
                tokens[t] = (engine_token){.id = (int32_t)(3 * t % 7), .unpooled = t < n_prompt};
            engine_input input = {.tokens = tokens, .n_tokens = 5};
            const int32_t ids[] = {0, 3, 6, 2, 5};
            assert_ok(engine_encode(session, &input, 1, NULL, got, 96, &n_floats, NULL));
            struct plain_output *output = comparison_expected(
                &subject->weights, &(struct plain_input){.n = 5, .ids = ids}, NULL);
            output->n_prompt = n_prompt;
            double *expected = plain_vector_of_text(&subject->weights, output, &width, error);
            assert_int_equal(n_floats, width);
            for (size_t c = 0; c < width; c++)
                if (!(fabs((double)got[c] - expected[c]) <= 1e-5 * fmax(1, fabs(expected[c]))))
                    fail_msg("%s: column %zu is %.9g, expected %.9g", subject->words, c,
                             (double)got[c], expected[c]);
            free(expected);
        }
}

/* Head and projections belong to the model's own pooling: another one is the mean of the tokens'
 * vectors and no more. */
TEST(pooling_that_is_asked_for)
{
    static const char *const with[] = {"--projections 1 --pooling mean",
                                       "--head pooler --head-dense tanh",
                                       "--projections 1 --pooling none"};
    engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN),
                          every = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    engine_input text = support_text("I ride");
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++) {
        engine_session *session = open_head(with[i]);
        float pooled[16], tokens[2 * 16], own[2 * 16];
        assert_ok(engine_encode(session, &text, 1, &mean, pooled, 16, NULL, NULL));
        assert_ok(engine_encode(session, &text, 1, &every, tokens, 32, NULL, NULL));
        assert_ok(engine_encode(session, &text, 1, NULL, own, 32, NULL, NULL));
        for (size_t c = 0; c < 16; c++)
            assert_true(fabsf(pooled[c] - (tokens[c] + tokens[16 + c]) / 2) <= 1e-6f);
        if (i == 0)
            assert_memory_not_equal(own, pooled, sizeof pooled);
        if (i == 2)
            assert_memory_equal(own, tokens, sizeof tokens);
    }
}
