/* tags: numbers threads */
/* Sparse weights, vectors of tokens and vectors that are cut, at their edges: models that have
 * none, options that make no sense, older structs, nothing at all. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 16, VECTOR = 6, VOCABULARY = 6 };

static engine_model *plain, *rich;
static engine_session *of_plain, *of_rich;

SET_UP()
{
    plain = support_small_model("--pooling none");
    rich = support_small_model("--set token_vectors=6 --set sparse=linear");
    of_plain = support_session(plain, NULL);
    of_rich = support_session(rich, NULL);
}

static engine_encode_options with(engine_pooling pooling)
{
    return ENGINE_ENCODE_OPTIONS(.pooling = pooling);
}

static void refused(engine_session *session, const engine_encode_options *options,
                    engine_status status, const char *message)
{
    engine_input text = support_text("I ride bike");
    float out[4 * WIDTH], score;
    assert_int_equal(engine_encode(session, &text, 1, options, out, 4 * WIDTH, NULL, NULL), status);
    assert_non_null(strstr(engine_session_message(session), message));
    assert_int_equal(engine_rank(session, &text, &text, 1, options, &score), status);
}

TEST(models_without)
{
    engine_encode_options sparse = with(ENGINE_POOLING_SPARSE), many = with(ENGINE_POOLING_COLBERT);
    engine_info info = ENGINE_INFO();
    refused(of_plain, &sparse, ENGINE_ERROR_UNSUPPORTED,
            "the model has no sparse weights, as SPLADE has");
    refused(of_plain, &many, ENGINE_ERROR_UNSUPPORTED,
            "the model has no layer for tokens' vectors, as ColBERT has");
    assert_ok(engine_model_info(plain, &info, NULL));
    assert_int_equal(info.token_vectors, 0);
    assert_int_equal(info.has_sparse, 0);
    assert_ok(engine_model_info(rich, &info, NULL));
    assert_int_equal(info.token_vectors, VECTOR);
    assert_int_equal(info.has_sparse, 1);
}

TEST(options_that_make_no_sense)
{
    engine_encode_options options = with((engine_pooling)13);
    refused(of_rich, &options, ENGINE_ERROR_ARGUMENT, "pooling is 13, expected 0 to 12");
    options = with(ENGINE_POOLING_SPARSE);
    options.normalize = 1;
    refused(of_rich, &options, ENGINE_ERROR_ARGUMENT, "pooling is 'sparse'");
    options = with(ENGINE_POOLING_SPARSE);
    options.dimensions = 3;
    refused(of_rich, &options, ENGINE_ERROR_ARGUMENT, "dimensions is 3, but only vectors of texts");
    options = with(ENGINE_POOLING_COLBERT);
    options.dimensions = VECTOR + 1;
    refused(of_rich, &options, ENGINE_ERROR_ARGUMENT, "dimensions is 7, the vectors have 6");
    options = with(ENGINE_POOLING_MEAN);
    options.dimensions = WIDTH + 1;
    refused(of_rich, &options, ENGINE_ERROR_ARGUMENT, "dimensions is 17, the vectors have 16");
}

TEST(texts_without_tokens)
{
    engine_encode_options sparse = with(ENGINE_POOLING_SPARSE), many = with(ENGINE_POOLING_COLBERT);
    engine_input texts[] = {support_text(""), support_text("ride")};
    engine_result results[2];
    float out[2 * VOCABULARY], scores[2];
    size_t needed;
    out[0] = 1;
    assert_ok(engine_encode(of_rich, texts, 1, &sparse, out, VOCABULARY, &needed, NULL));
    assert_int_equal(needed, VOCABULARY);
    assert_int_equal(engine_sparse_entries(out, VOCABULARY, NULL, 0), 0);
    assert_ok(engine_encode(of_rich, texts, 2, &many, out, 2 * VOCABULARY, &needed, results));
    assert_int_equal(needed, VECTOR);
    assert_int_equal(results[1].row, 0);
    assert_ok(engine_rank(of_rich, &texts[1], texts, 2, &many, scores));
    assert_true(scores[0] == -1 && fabsf(scores[1] - 1) < 1e-6f);
    assert_ok(engine_rank(of_rich, &texts[0], texts, 2, &many, scores));
    assert_true(scores[0] == 0 && scores[1] == 0 && !signbit(scores[0]));
}

TEST(entries)
{
    const float row[] = {0, 2, 0, 3, 4};
    const engine_weight other[] = {{0, 5}, {3, 7}, {4, 1}, {9, 8}};
    engine_weight out[4] = {{0}};
    assert_int_equal(engine_sparse_entries(row, 5, out, 2), 3);
    assert_true(out[0].id == 1 && out[0].weight == 2 && out[1].id == 3 && out[1].weight == 3);
    assert_int_equal(out[2].id, 0);
    assert_int_equal(engine_sparse_entries(row, 5, out, 4), 3);
    assert_int_equal(engine_sparse_entries(NULL, 5, out, 4), 0);
    assert_int_equal(engine_sparse_entries(row, 5, NULL, 0), 3);
    assert_true(engine_sparse_product(out, 3, other, 4) == 3 * 7 + 4 * 1);
    assert_true(engine_sparse_product(other, 4, out, 3) == 3 * 7 + 4 * 1);
    assert_true(engine_sparse_product(out, 0, other, 4) == 0);
    assert_true(engine_sparse_product(NULL, 3, other, 4) == 0);
    assert_true(engine_sparse_product(other, 4, NULL, 3) == 0);
}

TEST(max_sim)
{
    const float query[] = {1, 0, 0, 1}, text[] = {0.5f, -2, 0.25f, 3, -1, -1};
    assert_true(engine_max_sim(query, 2, text, 3, 2) == 0.5 + 3);
    assert_true(engine_max_sim(query, 1, text + 4, 1, 2) == -1);
    assert_true(engine_max_sim(query, 2, text, 0, 2) == 0);
    assert_true(engine_max_sim(query, 0, text, 3, 2) == 0);
    assert_true(engine_max_sim(NULL, 2, text, 3, 2) == 0);
    assert_true(engine_max_sim(query, 2, NULL, 3, 2) == 0);
    assert_false(engine_token_has_vector(NULL, 1, 1, ENGINE_ROLE_QUERY));
}
