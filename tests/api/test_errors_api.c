/* tags: numbers threads */
/* What a host reads of a failure: status, reason and index of the input. Words are not compared:
 * they are for people, but name_len must be that of the input's name. */
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_TEXTS = 40 };
TINY_SUITE(tiny_model_bytes("learned", &len));

static void assert_error(engine_status status, engine_status expected, engine_reason reason,
                         size_t input)
{
    const engine_error *error = engine_session_error(session);
    char name[32] = "";
    if (input == ENGINE_QUERY_INPUT)
        strcpy(name, "the query");
    else if (input != ENGINE_NO_INPUT)
        snprintf(name, sizeof name, "input %zu", input);
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    assert_int_equal(error->reason, reason);
    assert_true(error->input == input);
    assert_int_equal(error->name_len, strlen(name));
    assert_memory_equal(error->message, name, strlen(name));
    assert_ptr_equal(engine_session_message(session), error->message);
}

/* Encodes a sound text, `wrong`, and one more that is wrong but not the first. */
static engine_status encode_wrong(engine_input wrong, const engine_encode_options *options)
{
    const engine_input inputs[] = {engine_text("i"), wrong, {.ids = NULL, .n_ids = 1}};
    float out[3 * D];
    return engine_encode(session, inputs, 3, options, out, 3 * D, NULL, NULL);
}

TEST(inputs_of_a_call)
{
    static const int32_t bad_id[] = {4, TINY_VOCABULARY}, bad_type[] = {0, TINY_TYPES},
                         many[TINY_MAX_TOKENS + 1];
    const char *long_text = "i i i i i i i i i i i i i i i";
    engine_encode_options no_room =
        ENGINE_ENCODE_OPTIONS(.max_tokens = 1, .on_long = ENGINE_ON_LONG_TRUNCATE);
    assert_error(encode_wrong(engine_text("i"), NULL), ENGINE_ERROR_ARGUMENT, ENGINE_REASON_NONE,
                 2);
    assert_error(encode_wrong(support_ids(bad_id, 2), NULL), ENGINE_ERROR_ARGUMENT,
                 ENGINE_REASON_BAD_ID, 1);
    assert_error(encode_wrong((engine_input){.ids = many, .types = bad_type, .n_ids = 2}, NULL),
                 ENGINE_ERROR_ARGUMENT, ENGINE_REASON_BAD_ID, 1);
    assert_error(encode_wrong(support_ids(many, TINY_MAX_TOKENS + 1), NULL), ENGINE_ERROR_LENGTH,
                 ENGINE_REASON_LONG_IDS, 1);
    assert_error(encode_wrong(engine_text(long_text), NULL), ENGINE_ERROR_LENGTH,
                 ENGINE_REASON_LONG_TEXT, 1);
    assert_error(encode_wrong(engine_text(NULL), NULL), ENGINE_ERROR_ARGUMENT, ENGINE_REASON_NONE,
                 1);
    assert_error(encode_wrong(engine_text("i"), &no_room), ENGINE_ERROR_LENGTH,
                 ENGINE_REASON_NO_ROOM, 0);
}

TEST(what_is_no_input)
{
    engine_input input = engine_text("i");
    float vector[D];
    assert_error(engine_encode(session, NULL, 1, NULL, NULL, 0, NULL, NULL), ENGINE_ERROR_ARGUMENT,
                 ENGINE_REASON_NONE, ENGINE_NO_INPUT);
    assert_error(engine_encode(session, &input, 1, NULL, vector, 1, NULL, NULL),
                 ENGINE_ERROR_BUFFER, ENGINE_REASON_NONE, ENGINE_NO_INPUT);
    assert_error(engine_encode(session, &input, 1, NULL, vector, D, NULL, NULL), ENGINE_OK,
                 ENGINE_REASON_NONE, ENGINE_NO_INPUT);
    assert_fails(ARGUMENT, engine_session_error(NULL)->status);
    assert_true(engine_session_error(NULL)->input == ENGINE_NO_INPUT);
}

/* engine_rank encodes texts some at a time, and the query by itself. */
TEST(texts_and_query_of_a_rank)
{
    static const int32_t bad_id[] = {-1};
    engine_input texts[N_TEXTS], query = engine_text("ride");
    float scores[N_TEXTS];
    for (size_t i = 0; i < N_TEXTS; i++)
        texts[i] = engine_text("bike");
    texts[N_TEXTS - 1] = support_ids(bad_id, 1);
    assert_error(engine_rank(session, &query, texts, N_TEXTS, NULL, scores), ENGINE_ERROR_ARGUMENT,
                 ENGINE_REASON_BAD_ID, N_TEXTS - 1);
    query = texts[N_TEXTS - 1];
    assert_error(engine_rank(session, &query, texts, N_TEXTS, NULL, scores), ENGINE_ERROR_ARGUMENT,
                 ENGINE_REASON_BAD_ID, ENGINE_QUERY_INPUT);
}

/* A cross-encoder reads the query in a pair with each text: where texts alone are cut, a query that
 * fills the pair is to blame. */
TEST(query_of_a_cross_encoder)
{
    engine_input texts[] = {engine_text("bike"), engine_text("dog")};
    engine_input query = engine_text("I ride bike I ride bike I ride bike");
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.max_tokens = 6, .on_long = ENGINE_ON_LONG_TRUNCATE,
                              .truncation = ENGINE_TRUNCATE_ONLY_SECOND);
    float scores[2];
    engine_model *pairs = support_small_model("--head sequence --labels 1 --token-types 2");
    engine_session *own = session;
    session = support_session(pairs, NULL);
    assert_error(engine_rank(session, &query, texts, 2, &options, scores), ENGINE_ERROR_LENGTH,
                 ENGINE_REASON_NO_ROOM, ENGINE_QUERY_INPUT);
    query = engine_text("ride");
    assert_error(engine_rank(session, &query, texts, 2, &options, scores), ENGINE_OK,
                 ENGINE_REASON_NONE, ENGINE_NO_INPUT);
    session = own;
}

TEST(queries_of_a_search)
{
    const float queries[] = {1, 2, NAN};
    engine_vectors rows = {.rows = queries, .n = 1, .width = 1, .type = ENGINE_F32};
    engine_error error;
    engine_hit hits[3];
    assert_fails(NOT_FINITE, engine_search(&rows, queries, 3, 1, NULL, hits, &error));
    assert_int_equal(error.input, 2);
    assert_ok(engine_search(&rows, queries, 2, 1, NULL, hits, &error));
    assert_true(error.input == ENGINE_NO_INPUT);
}
