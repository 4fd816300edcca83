/* tags: numbers aarch64 threads */
/* engine_encode at its edges: empty texts, texts that are too long, ids and types out of range,
 * masks of zeros, buffers that are too small, and what a trace shows. After every refusal the
 * session must still work and give the same numbers, to the bit. */
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

TINY_SUITE((support_allow_threads(3), tiny_model_bytes("learned", &len)));

/* The vectors of "I ride", one per token: [4, D]. */
static void encode_sample(float out[4 * D])
{
    engine_input input = support_text("I ride");
    size_t needed = 0;
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    assert_ok(engine_encode(session, &input, 1, &options, out, 4 * D, &needed, NULL));
    assert_int_equal(needed, 4 * D);
}

/* A refused engine_encode: the status, words, and the same numbers as before afterwards. */
static void assert_encode_refused(const engine_input *inputs, size_t n,
                                  const engine_encode_options *options, engine_status expected)
{
    float out[64 * D], before[4 * D], after[4 * D];
    engine_result results[4];
    encode_sample(before);
    assert_int_equal(
        engine_encode(session, inputs, n, options, out, sizeof out / sizeof out[0], NULL, results),
        expected);
    assert_int_not_equal(engine_session_message(session)[0], 0);
    assert_true(strlen(engine_session_message(session)) < 256);
    encode_sample(after);
    assert_memory_equal(before, after, sizeof before);
}

TEST(encode_nothing)
{
    engine_input input = support_text("I ride");
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.no_special = 1, .pooling = ENGINE_POOLING_NONE);
    engine_result result;
    float out[2 * D];
    size_t needed = 99;
    assert_ok(engine_encode(session, NULL, 0, NULL, NULL, 0, &needed, NULL));
    assert_int_equal(needed, 0);
    assert_ok(engine_encode(session, &input, 0, NULL, out, D, &needed, &result));
    assert_int_equal(needed, 0);
    assert_fails(ARGUMENT, engine_encode(session, NULL, 1, NULL, out, D, NULL, NULL));
    assert_fails(ARGUMENT, engine_encode(NULL, &input, 1, NULL, out, D, NULL, NULL));
    assert_fails(ARGUMENT, engine_encode(session, &input, 1, NULL, NULL, D, NULL, NULL));
    assert_ok(engine_encode(session, &input, SIZE_MAX / 2, NULL, NULL, 0, NULL, NULL) == 0);

    /* No tokens: no rows, and a pooled vector of zeros. */
    input = support_text(" ");
    assert_ok(engine_encode(session, &input, 1, &options, NULL, 0, &needed, &result));
    assert_int_equal(needed, 0);
    assert_int_equal(result.n_tokens, 0);
    for (int pooling = ENGINE_POOLING_MODEL; pooling <= ENGINE_POOLING_MAX; pooling++) {
        if (pooling == ENGINE_POOLING_NONE)
            continue;
        options.pooling = (engine_pooling)pooling;
        for (size_t i = 0; i < D; i++)
            out[i] = NAN;
        assert_ok(engine_encode(session, &input, 1, &options, out, D, &needed, &result));
        assert_int_equal(needed, D);
        for (size_t i = 0; i < D; i++)
            assert_true(out[i] == 0);
    }
}

TEST(encode_refuses_inputs)
{
    static const int32_t bad_ids[] = {-1, TINY_VOCABULARY, INT32_MAX, INT32_MIN};
    static const int32_t bad_types[] = {-1, TINY_TYPES, INT32_MAX, INT32_MIN};
    int32_t ids[TINY_MAX_TOKENS + 1] = {2, 4, 3}, types[3] = {0, 0, 0};
    engine_input input = support_ids(ids, 3), two[2];
    for (size_t i = 0; i < 4; i++) {
        ids[1] = bad_ids[i];
        assert_encode_refused(&input, 1, NULL, ENGINE_ERROR_ARGUMENT);
        two[0] = support_text("I ride");
        two[1] = input;
        assert_encode_refused(two, 2, NULL, ENGINE_ERROR_ARGUMENT);
        ids[1] = 4;
        input.types = types;
        types[2] = bad_types[i];
        assert_encode_refused(&input, 1, NULL, ENGINE_ERROR_ARGUMENT);
        types[2] = 0;
        input.types = NULL;
    }
    input = support_ids(ids, TINY_MAX_TOKENS + 1);
    assert_encode_refused(&input, 1, NULL, ENGINE_ERROR_LENGTH);
    alarm(300); /* the count alone must be enough to refuse it */
    input = support_ids(ids, SIZE_MAX);
    assert_encode_refused(&input, 1, NULL, ENGINE_ERROR_LENGTH);
    alarm(0);
}

/* The session's memory limits the number of ids, also if the call would allow more. */
TEST(ids_for_a_smaller_session)
{
    static const int32_t ids[] = {4, 5, 6};
    engine_session_options two = ENGINE_SESSION_OPTIONS(.max_tokens = 2);
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.max_tokens = 3);
    engine_session *narrow = support_session(model, &two);
    engine_input input = support_ids(ids, 3);
    float out[D];
    assert_fails(LENGTH, engine_encode(narrow, &input, 1, &options, out, D, NULL, NULL));
    assert_non_null(strstr(engine_session_message(narrow), "3 ids, the limit is 2"));
    assert_ok(engine_encode(session, &input, 1, &options, out, D, NULL, NULL));
}

/* An input has either a text, or ids, or tokens, and what it counts. */
TEST(encode_refuses_mixtures)
{
    static const int32_t ids[] = {2, 4, 3};
    static const engine_token token = {.id = 4};
    const engine_input mixtures[] = {
        {.ids = ids, .n_ids = 3, .text = ""},
        {.ids = ids, .n_ids = 3, .text_len = 1},
        {.ids = ids, .n_ids = 3, .pair = ""},
        {.ids = ids, .n_ids = 3, .pair_len = 1},
        {.ids = ids, .n_ids = 3, .tokens = &token},
        {.ids = ids, .n_ids = 3, .n_tokens = 1},
        {.tokens = &token, .n_tokens = 1, .text = ""},
        {.tokens = &token, .n_tokens = 1, .pair = ""},
        {.n_tokens = 1},
        {.n_ids = 3},
        {.text_len = 3},
        {.text = "I ride", .text_len = 6, .ids = ids, .n_ids = 3},
        {.text = "I ride", .text_len = 6, .pair_len = 4},
    };
    for (size_t i = 0; i < sizeof mixtures / sizeof mixtures[0]; i++)
        assert_encode_refused(&mixtures[i], 1, NULL, ENGINE_ERROR_ARGUMENT);
}

TEST(encode_refuses_options)
{
    const engine_encode_options wrong[] = {
        ENGINE_ENCODE_OPTIONS(.pooling = (engine_pooling)13),
        ENGINE_ENCODE_OPTIONS(.pooling = (engine_pooling)-1),
        ENGINE_ENCODE_OPTIONS(.on_long = (engine_on_long)3),
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE, .normalize = 1)};
    engine_input input = support_text("I ride");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_encode_refused(&input, 1, &wrong[i], ENGINE_ERROR_ARGUMENT);
}

TEST(encode_long_texts)
{
    engine_input input = support_text("i i i i i i i i i i i i i i i");
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.on_long = ENGINE_ON_LONG_ERROR);
    engine_result result;
    float out[TINY_MAX_TOKENS * D];
    size_t needed;
    assert_encode_refused(&input, 1, NULL, ENGINE_ERROR_LENGTH);
    assert_encode_refused(&input, 1, &options, ENGINE_ERROR_LENGTH);
    options.on_long = ENGINE_ON_LONG_TRUNCATE;
    options.pooling = ENGINE_POOLING_NONE;
    assert_ok(
        engine_encode(session, &input, 1, &options, out, TINY_MAX_TOKENS * D, &needed, &result));
    assert_int_equal(result.n_tokens, TINY_MAX_TOKENS);
    assert_int_equal(result.n_dropped, 15 - (TINY_MAX_TOKENS - 2));
    options.max_tokens = 2; /* room for the special tokens only */
    assert_ok(
        engine_encode(session, &input, 1, &options, out, TINY_MAX_TOKENS * D, &needed, &result));
    assert_int_equal(result.n_tokens, 2);
    options.max_tokens = 1; /* and not even for them */
    assert_encode_refused(&input, 1, &options, ENGINE_ERROR_LENGTH);
    options.max_tokens = SIZE_MAX; /* the session's stays the limit */
    assert_ok(
        engine_encode(session, &input, 1, &options, out, TINY_MAX_TOKENS * D, &needed, &result));
    assert_int_equal(result.n_tokens, TINY_MAX_TOKENS);
}

/* Nothing but padding: zeros with every pooling. */
TEST(masks)
{
    static const int32_t ids[] = {0, 2, 4, 3, 0};
    static const uint8_t none[5] = {0};
    engine_input input = support_ids(ids, 5);
    engine_encode_options options = ENGINE_ENCODE_OPTIONS();
    engine_result result;
    float out[5 * D];
    size_t needed;
    input.mask = none;
    for (int pooling = ENGINE_POOLING_MODEL; pooling <= ENGINE_POOLING_MAX; pooling++) {
        size_t n = pooling == ENGINE_POOLING_NONE ? 5 * D : D;
        options.pooling = (engine_pooling)pooling;
        for (size_t i = 0; i < 5 * D; i++)
            out[i] = NAN;
        assert_ok(engine_encode(session, &input, 1, &options, out, 5 * D, &needed, &result));
        assert_int_equal(needed, n);
        assert_int_equal(result.n_tokens, 5);
        for (size_t i = 0; i < n; i++)
            assert_true(out[i] == 0);
    }
    input.n_ids = 0; /* ids given, and none of them */
    assert_ok(engine_encode(session, &input, 1, &options, out, 5 * D, &needed, &result));
    assert_int_equal(result.n_tokens, 0);
}

struct seen {
    size_t n_hidden, n_attention, n_wrong;
};

static void look(const engine_trace_view *view, void *user)
{
    struct seen *seen = user;
    if (view->kind == ENGINE_TRACE_HIDDEN) {
        seen->n_hidden++;
        seen->n_wrong += view->index > 1 || view->width != D;
    } else {
        seen->n_attention++;
        seen->n_wrong += view->index != 0 || view->n_heads != 2;
        for (size_t row = 0; row < view->n_heads * view->n_tokens; row++) {
            double sum = 0;
            for (size_t i = 0; i < view->n_tokens; i++)
                sum += (double)view->values[row * view->n_tokens + i];
            seen->n_wrong += fabs(sum - 1) <= 1e-6 ? 0 : 1;
        }
    }
    seen->n_wrong += view->n_tokens != (view->input == 0 ? 4 : 2) || view->input > 1;
}

struct stopped {
    engine_session *session;
    size_t n_calls;
};

/* Interrupts the call that traces: nothing more is shown. */
static void stop(const engine_trace_view *view, void *user)
{
    struct stopped *stopped = user;
    (void)view;
    stopped->n_calls++;
    engine_session_interrupt(stopped->session);
}

TEST(tracing)
{
    engine_input inputs[2] = {support_text("I ride"), support_text("")};
    struct seen seen = {0};
    float out[2 * D], plain[2 * D];
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.trace = ENGINE_TRACE_HIDDEN | ENGINE_TRACE_ATTENTION,
                               .trace_callback = look, .trace_user = &seen);
    engine_session *tracer = support_session(model, &options);
    assert_ok(engine_encode(tracer, inputs, 2, NULL, out, 2 * D, NULL, NULL));
    assert_int_equal(seen.n_hidden, 4); /* the embeddings and one layer, twice */
    assert_int_equal(seen.n_attention, 2);
    assert_int_equal(seen.n_wrong, 0);
    assert_ok(engine_encode(session, inputs, 2, NULL, plain, 2 * D, NULL, NULL));
    assert_memory_equal(out, plain, sizeof out);

    struct stopped stopped = {0};
    options.trace_callback = stop;
    options.trace_user = &stopped;
    stopped.session = support_session(model, &options);
    assert_fails(INTERRUPTED,
                 engine_encode(stopped.session, inputs, 2, NULL, out, 2 * D, NULL, NULL));
    assert_int_equal(stopped.n_calls, 1);
}
