/* tags: numbers threads */
/* Sessions at their edges: options that make no sense, structs of other versions, positions of
 * their own. After every refusal a session must work and give the same numbers, to the bit.
 *
 * Guarantee: a session refuses wrong options and a second thread, and then gives the same
 * numbers. */
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = TINY_WIDTH };

static void *model_bytes;
static size_t model_len;
static engine_model *model;
static engine_session *session;

SET_UP()
{
    support_allow_threads(3);
    model_bytes = tiny_model_bytes("learned", &model_len);
    model = support_open_memory(model_bytes, model_len);
    session = support_session(model, NULL);
}

static void assert_bits_equal(const float *a, const float *b, size_t n)
{
    assert_memory_equal(a, b, n * sizeof *a);
}

static void assert_refused(const engine_error *error, engine_status status, engine_status expected)
{
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    assert_int_not_equal(error->message[0], 0);
    assert_non_null(memchr(error->message, 0, sizeof error->message));
}

TEST(harmless_without_object)
{
    engine_session_free(NULL);
    assert_int_equal(engine_session_bytes(NULL, NULL), 0);
    assert_int_equal(engine_session_threads(NULL), 0);
    assert_non_null(engine_session_message(NULL));
}

static void assert_session_refused(const engine_session_options *options, engine_status expected)
{
    engine_error error;
    engine_session *other = session;
    assert_int_equal(engine_session_bytes(model, options), 0);
    assert_refused(&error, engine_session_new(model, options, &other, &error), expected);
    assert_null(other);
}

static void ignore_trace(const engine_trace_view *view, void *user)
{
    (void)view;
    (void)user;
}

TEST(session_options)
{
    engine_session_options options = ENGINE_SESSION_OPTIONS();
    engine_error error;
    engine_session *other = session;
    size_t least;
    assert_refused(&error, engine_session_new(NULL, NULL, &other, &error), ENGINE_ERROR_ARGUMENT);
    assert_null(other);
    assert_refused(&error, engine_session_new(model, NULL, NULL, &error), ENGINE_ERROR_ARGUMENT);
    assert_fails(ARGUMENT, engine_session_new(NULL, NULL, NULL, NULL));
    assert_string_equal(engine_session_message(session), "");
    assert_true(engine_session_threads(session) >= 1);
    assert_true(engine_session_bytes(model, NULL) > 0);

    options.n_threads = 1;
    least = engine_session_bytes(model, &options);
    assert_true(least > 0);
    options.n_threads = 3;
    assert_true(engine_session_bytes(model, &options) >= least);
    assert_int_equal(engine_session_threads(support_session(model, &options)), 3);
    options.n_threads = 1;
    options.max_tokens = 4;
    assert_true(engine_session_bytes(model, &options) <= least);

    const engine_session_options wrong[] = {
        ENGINE_SESSION_OPTIONS(.position = (engine_position)8),
        ENGINE_SESSION_OPTIONS(.mask = (engine_mask)3),
        ENGINE_SESSION_OPTIONS(.trace = ENGINE_TRACE_ALL + 1, .trace_callback = ignore_trace),
        ENGINE_SESSION_OPTIONS(.trace = ENGINE_TRACE_HIDDEN)}; /* and no function to call */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_session_refused(&wrong[i], ENGINE_ERROR_ARGUMENT);
}

TEST(absurd_sessions)
{
    static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8 + 1, SIZE_MAX / 16 + 1};
    engine_session_options options = ENGINE_SESSION_OPTIONS();
    engine_error error;
    engine_session *other;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        options = ENGINE_SESSION_OPTIONS();
        options.n_threads = counts[i];
        other = session;
        assert_int_not_equal(engine_session_new(model, &options, &other, &error), 0);
        assert_int_not_equal(error.message[0], 0);
        assert_null(other);
        options.n_threads = 1;
        options.max_tokens = counts[i]; /* more than the model has positions for */
        assert_session_refused(&options, ENGINE_ERROR_ARGUMENT);
    }
    options.max_tokens = TINY_MAX_TOKENS + 1;
    assert_session_refused(&options, ENGINE_ERROR_ARGUMENT);
    options.max_tokens = TINY_MAX_TOKENS;
    support_session(model, &options);
}

TEST(learned_positions_without_table)
{
    engine_session_options options = ENGINE_SESSION_OPTIONS();
    engine_session *other = session;
    engine_error error;
    size_t len;
    void *bytes = tiny_model_bytes("sinusoidal", &len);
    engine_model *sinusoidal = support_open_memory(bytes, len);
    options.position = ENGINE_POSITION_LEARNED;
    assert_int_equal(engine_session_bytes(sinusoidal, &options), 0);
    assert_refused(&error, engine_session_new(sinusoidal, &options, &other, &error),
                   ENGINE_ERROR_UNSUPPORTED);
    assert_null(other);
    options.position = ENGINE_POSITION_SINUSOIDAL;
    support_session(sinusoidal, &options);
}

/* The session keeps what it was given: the caller's numbers may go. */
TEST(position_numbers_are_copied)
{
    float frequencies[] = {0.25f, 0.01f};
    double token_weight = 0.5, position_weight = 2;
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.position = ENGINE_POSITION_FOURIER, .frequencies = frequencies,
                               .n_frequencies = 2, .embedding_scale = &token_weight,
                               .position_scale = &position_weight);
    engine_input input = support_text("I ride");
    engine_session *kept = support_session(model, &options),
                   *changed = support_session(model, &options);
    float out[D], same[D], other[D];
    assert_ok(engine_encode(kept, &input, 1, NULL, out, D, NULL, NULL));
    frequencies[0] = frequencies[1] = NAN;
    token_weight = position_weight = (double)NAN;
    assert_ok(engine_encode(changed, &input, 1, NULL, same, D, NULL, NULL));
    assert_ok(engine_encode(session, &input, 1, NULL, other, D, NULL, NULL));
    assert_bits_equal(out, same, D);
    assert_memory_not_equal(out, other, sizeof out);
}

/* Settings of the environment; with the name of an unknown instruction set no model opens. */
TEST(sets_of_instructions)
{
    const char *isa = getenv("ENGINE_ISA");
    assert_int_equal(setenv("ENGINE_ISA", "portable", 1), 0);
    assert_non_null(strstr(engine_build_info(), "kernels portable"));
    assert_int_equal(setenv("ENGINE_ISA", "none", 1), 0); /* opening a model then fails */
    assert_non_null(strstr(engine_build_info(), "kernels portable"));
    engine_model *none;
    engine_error error;
    assert_refused(&error, engine_model_open_memory(model_bytes, model_len, NULL, &none, &error),
                   ENGINE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "the environment's ENGINE_ISA is 'none'"));
    if (isa == NULL || setenv("ENGINE_ISA", isa, 1) != 0)
        unsetenv("ENGINE_ISA");
}
