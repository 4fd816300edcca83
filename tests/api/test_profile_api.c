/* tags: numbers threads */
/* engine_session_profile: only where it was asked for, nanoseconds that grow from call to call and
 * never exceed what the threads had, the steps that ran and no others, and vectors that do not
 * change by it. */
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <string.h>
#include <time.h>

enum { D = TINY_WIDTH, N_TEXTS = 64, N_CALLS = 20 };

static engine_model *model;

SET_UP()
{
    size_t len;
    void *bytes = tiny_model_bytes("learned", &len);
    model = support_open_memory(bytes, len);
}

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

static void encode_texts(engine_session *session, float out[N_TEXTS * D])
{
    engine_input inputs[N_TEXTS] = {{0}};
    for (size_t i = 0; i < N_TEXTS; i++) {
        inputs[i].text = "ride the bike";
        inputs[i].text_len = i % 2 ? 13 : 8;
    }
    assert_ok(engine_encode(session, inputs, N_TEXTS, NULL, out, N_TEXTS * D, NULL, NULL));
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
    engine_session *session = *(engine_session **)user;
    engine_profile profile;
    float score;
    (void)view;
    assert_fails(BUSY, engine_session_profile(session, &profile));
    assert_fails(BUSY, engine_encode(session, NULL, 0,
                                     &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS),
                                     &score, 1, NULL, NULL));
}

TEST(not_while_it_works)
{
    engine_session *session = NULL;
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.profile = 1, .trace = ENGINE_TRACE_HIDDEN,
                               .trace_callback = ask_at_work, .trace_user = &session);
    float out[N_TEXTS * D];
    session = support_session(model, &options);
    encode_texts(session, out);
}

TEST(time_of_threads)
{
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        engine_session *session = new_session(n_threads, 1);
        engine_profile before = {0}, profile;
        float out[N_TEXTS * D];
        uint64_t start = now_ns();
        for (int call = 0; call < N_CALLS; call++) {
            encode_texts(session, out);
            assert_ok(engine_session_profile(session, &profile));
            for (size_t step = 0; step < ENGINE_N_STEPS; step++)
                assert_true(profile.ns[step] >= before.ns[step]);
            assert_true(total_ns(&profile) > total_ns(&before));
            before = profile;
        }
        assert_true(total_ns(&profile) <= (now_ns() - start) * n_threads);
        for (size_t step = 0; step < ENGINE_N_STEPS; step++)
            assert_true(profile.ns[step] > 0);
        for (size_t step = ENGINE_N_STEPS; step < 16; step++)
            assert_int_equal(profile.ns[step], 0);
    }
}

/* A step that does not run takes no time. */
TEST(ids_are_not_tokenized)
{
    static const int32_t IDS[] = {2, 4, 5, 6, 3};
    engine_session *session = new_session(1, 1);
    engine_input input = {.ids = IDS, .n_ids = 5};
    engine_profile profile;
    float out[D];
    assert_ok(engine_encode(session, &input, 1, NULL, out, D, NULL, NULL));
    assert_ok(engine_session_profile(session, &profile));
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
