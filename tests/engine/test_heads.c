/* tags: numbers aarch64 */
/* Functions that answer from a head agree with each other, and refuse models without that head.
 * What they refuse of inputs and options is in api/test_head_api.c. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

static engine_session *open_head(const char *options, engine_model **model)
{
    *model = support_small_model(options);
    return support_session(*model, NULL);
}

TEST(cross_encoder)
{
    engine_model *model;
    engine_session *session = open_head("--head sequence --labels 1 --head-dense tanh", &model);
    engine_input query = {.text = "I ride", .text_len = 6};
    engine_input texts[] = {{.text = "bike", .text_len = 4}, {.text = "dog cat", .text_len = 7}};
    engine_input pairs[] = {{.text = "I ride", .text_len = 6, .pair = "bike", .pair_len = 4},
                            {.text = "I ride", .text_len = 6, .pair = "dog cat", .pair_len = 7}};
    float scores[2], expected[2];
    assert_ok(engine_rank(session, &query, texts, 2, NULL, scores));
    assert_ok(engine_encode(session, pairs, 2,
                            &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS), expected, 2,
                            NULL, NULL));
    assert_memory_equal(scores, expected, sizeof expected);
    assert_ok(engine_rank(session, &query, NULL, 0, NULL, NULL));
    engine_session_free(session);
    engine_model_close(model);
}

TEST(no_pooler)
{
    static const char *const without[] = {
        "", "--head mask --head-dense tanh", "--head sequence --labels 2 --head-dense relu",
        "--head sequence --labels 2 --head-dense tanh --head-pooling mean"};
    engine_encode_options pooler = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_POOLER);
    engine_input text = {.text = "I ride", .text_len = 6};
    float out[16];
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        engine_model *model;
        engine_session *session = open_head(without[i], &model);
        assert_fails(UNSUPPORTED, engine_encode(session, &text, 1, &pooler, out, 16, NULL, NULL));
        assert_fails(UNSUPPORTED, engine_rank(session, &text, &text, 1, &pooler, out));
        engine_session_free(session);
        engine_model_close(model);
    }
}

/* The message names what is missing: the head, or the token that it would fill in. */
TEST(no_mask_token)
{
    static const char *const models[][2] = {
        {"--head mask --head-dense tanh", "its tokenizer names no mask token"},
        {"", "no head for mask tokens: its head is 'none'"},
    };
    engine_input text = {.text = "I ride", .text_len = 6};
    engine_candidate out[2];
    for (size_t i = 0; i < 2; i++) {
        engine_model *model;
        engine_session *session = open_head(models[i][0], &model);
        assert_fails(UNSUPPORTED, engine_fill(session, &text, 2, NULL, out, 2, NULL, NULL));
        assert_non_null(strstr(engine_session_message(session), models[i][1]));
        engine_session_free(session);
        engine_model_close(model);
    }
}

/* A classifier's dense layer is one if it is BERT's. */
TEST(pooler_of_a_classifier)
{
    engine_model *model;
    engine_session *session = open_head("--head sequence --labels 2 --head-dense tanh", &model);
    engine_encode_options pooler = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_POOLER);
    engine_input text = {.text = "I ride", .text_len = 6};
    float out[16];
    assert_ok(engine_encode(session, &text, 1, &pooler, out, 16, NULL, NULL));
    for (size_t i = 0; i < 16; i++)
        assert_true(fabsf(out[i]) <= 1);
    engine_session_free(session);
    engine_model_close(model);
}

TEST(rank_by_cosine)
{
    engine_model *model;
    engine_session *session = open_head("--projections 1 --normalize yes", &model);
    engine_input texts[40];
    float scores[40], vectors[2 * 16];
    for (size_t i = 0; i < 40; i++) /* more than one batch */
        texts[i] = i % 2 ? (engine_input){.text = "dog cat", .text_len = 7}
                         : (engine_input){.text = "I ride bike", .text_len = 11};
    assert_ok(engine_rank(session, &texts[0], texts, 40, NULL, scores));
    assert_ok(engine_encode(session, texts, 2, NULL, vectors, 2 * 16, NULL, NULL));
    float expected = (float)engine_cosine(vectors, vectors + 16, 16);
    for (size_t i = 0; i < 40; i++)
        assert_true(fabsf(scores[i] - (i % 2 ? expected : 1)) <= 1e-6f);
    engine_session_free(session);
    engine_model_close(model);
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
    engine_input text = {.text = "I ride", .text_len = 6};
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++) {
        engine_model *model;
        engine_session *session = open_head(with[i], &model);
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
        engine_session_free(session);
        engine_model_close(model);
    }
}
