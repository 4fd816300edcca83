/* tags: numbers threads */
/* Sessions at their edges: options that make no sense, positions of their own, profiles. After
 * every refusal a session must work and give the same numbers, to the bit.
 *
 * Guarantee: a session refuses wrong options and a second thread, and then gives the same
 * numbers. */
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

TINY_SUITE((support_allow_threads(3), tiny_model_bytes("learned", &len)));

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
    support_assert_refused(engine_session_new(model, options, &other, &error), expected, &error);
    assert_null(other);
}

static void ignore_trace(const engine_trace_view *view, void *user)
{
    (void)view;
    (void)user;
}

TEST(session_options)
{
    engine_error error;
    engine_session *other = session;
    assert_refuses(ARGUMENT, &error, engine_session_new(NULL, NULL, &other, &error));
    assert_null(other);
    assert_refuses(ARGUMENT, &error, engine_session_new(model, NULL, NULL, &error));
    assert_fails(ARGUMENT, engine_session_new(NULL, NULL, NULL, NULL));
    assert_string_equal(engine_session_message(session), "");
    assert_true(engine_session_threads(session) >= 1);
    assert_true(engine_session_bytes(model, NULL) > 0);

    const size_t least = engine_session_bytes(model, &ENGINE_SESSION_OPTIONS(.n_threads = 1));
    const engine_session_options more = ENGINE_SESSION_OPTIONS(.n_threads = 3),
                                 few = ENGINE_SESSION_OPTIONS(.n_threads = 1, .max_tokens = 4);
    assert_true(least > 0 && engine_session_bytes(model, &more) >= least);
    assert_int_equal(engine_session_threads(support_session(model, &more)), 3);
    assert_true(engine_session_bytes(model, &few) <= least);

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
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_session_refused(&ENGINE_SESSION_OPTIONS(.n_threads = counts[i]),
                               ENGINE_ERROR_ARGUMENT);
        assert_session_refused(&ENGINE_SESSION_OPTIONS(.max_tokens = counts[i]),
                               ENGINE_ERROR_ARGUMENT);
    }
    assert_session_refused(&ENGINE_SESSION_OPTIONS(.max_tokens = TINY_MAX_TOKENS + 1),
                           ENGINE_ERROR_ARGUMENT);
    support_session(model, &ENGINE_SESSION_OPTIONS(.max_tokens = TINY_MAX_TOKENS));
}

TEST(learned_positions_without_table)
{
    const engine_session_options options =
        ENGINE_SESSION_OPTIONS(.position = ENGINE_POSITION_LEARNED);
    engine_session *other = session;
    engine_error error;
    size_t len;
    void *bytes = tiny_model_bytes("sinusoidal", &len);
    engine_model *sinusoidal = support_open_memory(bytes, len);
    assert_int_equal(engine_session_bytes(sinusoidal, &options), 0);
    assert_refuses(UNSUPPORTED, &error, engine_session_new(sinusoidal, &options, &other, &error));
    assert_null(other);
    support_session(sinusoidal, &ENGINE_SESSION_OPTIONS(.position = ENGINE_POSITION_SINUSOIDAL));
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
    assert_memory_equal(out, same, sizeof out);
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
    size_t model_len;
    const void *model_bytes = tiny_model_bytes("learned", &model_len);
    engine_model *none;
    engine_error error;
    assert_refuses(ARGUMENT, &error,
                   engine_model_open_memory(model_bytes, model_len, NULL, &none, &error));
    assert_non_null(strstr(error.message, "the environment's ENGINE_ISA is 'none'"));
    if (isa == NULL || setenv("ENGINE_ISA", isa, 1) != 0)
        unsetenv("ENGINE_ISA");
}

/* ---- Profiles: only where asked for, of the steps that ran, within the threads' time ---- */

enum { N_TEXTS = 64, N_CALLS = 20 };

static engine_session *new_session(size_t n_threads, int profile)
{
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.n_threads = n_threads, .profile = profile);
    return support_session(model, &options);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t total_ns(const engine_profile *profile)
{
    uint64_t total = 0;
    for (size_t i = 0; i < sizeof profile->ns / sizeof profile->ns[0]; i++)
        total += profile->ns[i];
    return total;
}

static void encode_texts(engine_session *own, float out[N_TEXTS * D])
{
    engine_input inputs[N_TEXTS] = {{0}};
    for (size_t i = 0; i < N_TEXTS; i++) {
        inputs[i].text = "ride the bike";
        inputs[i].text_len = i % 2 ? 13 : 8;
    }
    assert_ok(engine_encode(own, inputs, N_TEXTS, NULL, out, N_TEXTS * D, NULL, NULL));
}

TEST(only_where_asked)
{
    engine_session *plain = new_session(1, 0), *timed = new_session(1, 1);
    engine_profile profile;
    float out[2][N_TEXTS * D];
    assert_fails(ARGUMENT, engine_session_profile(NULL, &profile));
    assert_fails(ARGUMENT, engine_session_profile(plain, &profile));
    assert_fails(ARGUMENT, engine_session_profile(timed, NULL));
    memset(&profile, 1, sizeof profile);
    assert_ok(engine_session_profile(timed, &profile));
    assert_int_equal(total_ns(&profile), 0);
    encode_texts(plain, out[0]);
    encode_texts(timed, out[1]);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
}

static void ask_at_work(const engine_trace_view *view, void *user)
{
    engine_session *own = *(engine_session **)user;
    engine_input input = engine_text("i");
    engine_profile profile;
    engine_token token;
    float vector[D];
    (void)view;
    assert_fails(BUSY, engine_session_profile(own, &profile));
    assert_fails(BUSY, engine_encode(own, &input, 1, NULL, vector, D, NULL, NULL));
    assert_fails(BUSY, engine_tokenize(own, &input, NULL, &token, 1, NULL, NULL));
    assert_fails(BUSY, engine_rank(own, &input, &input, 1, NULL, vector));
    assert_non_null(strstr(engine_session_message(own), "another call is using"));
}

TEST(not_while_it_works)
{
    engine_session *own = NULL;
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.profile = 1, .trace = ENGINE_TRACE_HIDDEN,
                               .trace_callback = ask_at_work, .trace_user = &own);
    float out[N_TEXTS * D];
    own = support_session(model, &options);
    encode_texts(own, out);
    encode_texts(own, out);
}

TEST(time_of_threads)
{
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        engine_session *own = new_session(n_threads, 1);
        engine_profile before = {0}, profile;
        float out[N_TEXTS * D];
        uint64_t start = now_ns();
        for (int call = 0; call < N_CALLS; call++) {
            encode_texts(own, out);
            assert_ok(engine_session_profile(own, &profile));
            for (size_t step = 0; step < ENGINE_N_STEPS; step++)
                assert_true(profile.ns[step] >= before.ns[step]);
            assert_true(total_ns(&profile) > total_ns(&before));
            before = profile;
        }
        assert_true(total_ns(&profile) <= (now_ns() - start) * n_threads);
        for (size_t step = 0; step < ENGINE_N_STEPS; step++)
            assert_int_equal(profile.ns[step] > 0, step != ENGINE_STEP_WAIT || n_threads > 1);
        for (size_t step = ENGINE_N_STEPS; step < 16; step++)
            assert_int_equal(profile.ns[step], 0);
    }
}

/* A step that does not run takes no time. */
TEST(ids_are_not_tokenized)
{
    static const int32_t IDS[] = {2, 4, 5, 6, 3};
    engine_session *own = new_session(1, 1);
    engine_input input = {.ids = IDS, .n_ids = 5};
    engine_profile profile;
    float out[D];
    assert_ok(engine_encode(own, &input, 1, NULL, out, D, NULL, NULL));
    assert_ok(engine_session_profile(own, &profile));
    assert_int_equal(profile.ns[ENGINE_STEP_TOKENIZE], 0);
    assert_true(profile.ns[ENGINE_STEP_LINEAR] > 0);
}

TEST(names)
{
    assert_string_equal(engine_step_name(ENGINE_STEP_TOKENIZE), "tokenize");
    assert_string_equal(engine_step_name(ENGINE_STEP_WAIT), "wait");
    for (size_t step = 0; step < ENGINE_N_STEPS; step++)
        assert_non_null(engine_step_name((engine_step)step));
    assert_null(engine_step_name(ENGINE_N_STEPS));
}
