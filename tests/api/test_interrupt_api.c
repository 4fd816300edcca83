/* tags: sizes threads */
/* Calls that are interrupted: by the progress callback, by another thread, by a signal handler; and
 * threads that are cancelled in a call. The session works afterwards. */
#include "tests/owned.h"
#include "tests/support.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { N_TEXTS = 300, WIDTH = 64 };

static char path[SUPPORT_PATH];
static engine_model *model;
static engine_session *session;
static engine_input texts[N_TEXTS];
static float out[N_TEXTS * WIDTH], expected[N_TEXTS * WIDTH];
static size_t n_calls, last_done, stop_at;
static bool has_stopped;

/* Interrupts once stop_at inputs are done, and is not called again. */
static int progress(size_t n_done, size_t n, void *user)
{
    assert_ptr_equal(user, &n_calls);
    assert_true(n_done >= last_done && n_done <= n && !has_stopped);
    n_calls++;
    last_done = n_done;
    has_stopped = n_done >= stop_at;
    return has_stopped;
}

static engine_session *open_session(size_t n_threads)
{
    return support_session(model,
                           &ENGINE_SESSION_OPTIONS(.n_threads = n_threads, .progress = progress,
                                                   .progress_user = &n_calls));
}

static void begin(void)
{
    last_done = n_calls = 0;
    has_stopped = false;
}

static engine_status encode_all(void)
{
    begin();
    return engine_encode(session, texts, N_TEXTS,
                         &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN), out,
                         N_TEXTS * WIDTH, NULL, NULL);
}

SET_UP()
{
    support_path(path, support_folder(), "m.weights");
    support_make_model(path, "a b c d e f g h", "--width 64 --heads 4 --layers 3");
    model = support_open(path);
    for (size_t i = 0; i < N_TEXTS; i++)
        texts[i] = engine_text(i % 3 ? "a b c d e f g h a b c d" : "h g f");
    session = support_session(model, NULL);
    assert_ok(encode_all());
    memcpy(expected, out, sizeof out);
}

static void assert_usable(void)
{
    stop_at = SIZE_MAX;
    assert_ok(encode_all());
    assert_memory_equal(out, expected, sizeof out);
}

TEST(by_the_callback)
{
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        session = open_session(n_threads);
        for (stop_at = 0; stop_at < N_TEXTS / 2; stop_at += 40) {
            assert_fails(INTERRUPTED, encode_all());
            assert_fails(INTERRUPTED, engine_session_error(session)->status);
        }
        assert_usable();
        assert_true(n_calls > 0 && last_done <= N_TEXTS);
    }
}

/* One text, whose heads and columns the threads share: before its first layer. */
TEST(in_the_middle_of_a_text)
{
    float vector[WIDTH];
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        session = open_session(n_threads);
        begin();
        stop_at = 0;
        assert_fails(INTERRUPTED,
                     engine_encode(session, texts, 1, NULL, vector, WIDTH, NULL, NULL));
        assert_non_null(strstr(engine_session_message(session), "about 0 of 1"));
        assert_usable();
    }
}

/* The texts of a rank are counted in one go. */
TEST(ranks)
{
    float scores[N_TEXTS];
    session = open_session(2);
    begin();
    stop_at = 70;
    assert_fails(INTERRUPTED, engine_rank(session, &texts[1], texts, N_TEXTS, NULL, scores));
    assert_in_range(last_done, 70, N_TEXTS);
    begin();
    stop_at = SIZE_MAX;
    assert_ok(engine_rank(session, &texts[1], texts, N_TEXTS, NULL, scores));
    assert_int_equal(last_done, N_TEXTS);
}

/* An interruption while no call is at work is none of the next call. */
TEST(between_calls)
{
    session = open_session(2);
    engine_session_interrupt(session);
    engine_session_interrupt(NULL);
    assert_usable();
}

/* ---- From elsewhere: calls in a loop, until one is interrupted ---- */

static void *interrupt_until_told(void *is_over)
{
    while (!atomic_load((atomic_bool *)is_over)) {
        engine_session_interrupt(session);
        usleep(100);
    }
    return NULL;
}

TEST(by_another_thread)
{
    for (size_t n_threads = 1; n_threads <= 2; n_threads++) {
        pthread_t thread;
        atomic_bool is_over = false;
        session = open_session(n_threads);
        stop_at = SIZE_MAX;
        assert_int_equal(pthread_create(&thread, NULL, interrupt_until_told, &is_over), 0);
        engine_status status = ENGINE_OK;
        while (status == ENGINE_OK)
            status = encode_all();
        atomic_store(&is_over, true);
        pthread_join(thread, NULL);
        assert_fails(INTERRUPTED, status);
        assert_usable();
    }
}

/* A text of 50 MB, by the callback and by another thread. */
TEST(while_a_long_text_is_tokenized)
{
    enum { LEN = 50 << 20 };
    char *text = new_bytes(LEN);
    engine_token token;
    for (size_t i = 0; i < LEN; i++)
        text[i] = i % 2 == 0 ? 'a' : ' ';
    const engine_input long_text = {.text = text, .text_len = LEN};
    const engine_encode_options cut =
        ENGINE_ENCODE_OPTIONS(.on_long = ENGINE_ON_LONG_TRUNCATE, .pooling = ENGINE_POOLING_MEAN);
    for (int way = 0; way < 4; way++) {
        const bool encodes = way / 2, by_thread = way % 2;
        pthread_t thread;
        atomic_bool is_over = false;
        session = open_session(1);
        begin();
        stop_at = by_thread ? SIZE_MAX : 0;
        if (by_thread)
            assert_int_equal(pthread_create(&thread, NULL, interrupt_until_told, &is_over), 0);
        engine_status status;
        do /* a thread may come too late */
            status = encodes ? engine_encode(session, &long_text, 1, &cut, out, WIDTH, NULL, NULL)
                             : engine_tokenize(session, &long_text, NULL, &token, 1, NULL, NULL);
        while (by_thread && status != ENGINE_ERROR_INTERRUPTED);
        assert_fails(INTERRUPTED, status);
        assert_fails(INTERRUPTED, engine_session_error(session)->status);
        atomic_store(&is_over, true);
        if (by_thread)
            pthread_join(thread, NULL);
        else
            assert_int_equal(n_calls, 1);
        assert_usable();
    }
}

static void interrupt_session(int signal_number)
{
    (void)signal_number;
    engine_session_interrupt(session);
}

static int raise_a_signal(size_t n_done, size_t n, void *user)
{
    (void)n_done, (void)n, (void)user;
    raise(SIGUSR1);
    return 0;
}

TEST(by_a_signal_handler)
{
    signal(SIGUSR1, interrupt_session);
    session =
        support_session(model, &ENGINE_SESSION_OPTIONS(.n_threads = 2, .progress = raise_a_signal));
    assert_fails(INTERRUPTED, encode_all());
    signal(SIGUSR1, SIG_DFL);
}

/* ---- Cancelled threads ---- */

static int cancel_the_caller(size_t n_done, size_t n, void *user)
{
    (void)n_done, (void)n, (void)user;
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return 0;
}

static void *encode_and_wait(void *status)
{
    *(engine_status *)status = encode_all();
    pthread_testcancel();
    *(engine_status *)status = ENGINE_ERROR_INTERNAL; /* never: the thread has been cancelled */
    return NULL;
}

TEST(cancelled_threads)
{
    pthread_t thread;
    void *ended;
    engine_status status = ENGINE_ERROR_INTERNAL;
    session = support_session(
        model, &ENGINE_SESSION_OPTIONS(.n_threads = 2, .progress = cancel_the_caller));
    assert_int_equal(pthread_create(&thread, NULL, encode_and_wait, &status), 0);
    pthread_join(thread, &ended);
    assert_true(ended == PTHREAD_CANCELED);
    assert_ok(status);
    assert_ok(engine_session_error(session)->status);
}

/* A thread that is to be cancelled completes calls that allocate memory or open files. */
static void *open_and_search(void *status)
{
    engine_model *own;
    engine_session *of_own;
    engine_hit hit;
    const float row = 1;
    const engine_vectors rows = {.rows = &row, .n = 1, .width = 1, .type = ENGINE_F32};
    pthread_cancel(pthread_self());
    engine_status worst = engine_model_open(path, NULL, &own, NULL);
    worst |= engine_session_new(own, NULL, &of_own, NULL);
    worst |= engine_search(&rows, &row, 1, 1, NULL, &hit, NULL);
    engine_session_free(of_own);
    engine_model_close(own);
    *(engine_status *)status = worst;
    pthread_testcancel();
    return NULL;
}

TEST(cancelled_before_calls)
{
    pthread_t thread;
    void *ended;
    engine_status status = ENGINE_ERROR_INTERNAL;
    assert_int_equal(pthread_create(&thread, NULL, open_and_search, &status), 0);
    pthread_join(thread, &ended);
    assert_true(ended == PTHREAD_CANCELED);
    assert_ok(status);
}

/* ---- Search ---- */

/* Rows are done in blocks of 1,024. */
static int watch_search(size_t n_done, size_t n, void *user)
{
    const size_t n_blocks = ++*(size_t *)user;
    assert_int_equal(n_done, n_blocks * 1024 < n ? n_blocks * 1024 : n);
    return 0;
}

static int stop_search(size_t n_done, size_t n, void *user)
{
    assert_true(n_done <= n);
    ++*(size_t *)user;
    return 1;
}

TEST(searches)
{
    enum { N = 20000, K = 3 };
    float *rows = new_bytes(N * sizeof *rows), query = 1;
    engine_vectors vectors = {.rows = rows, .n = N, .width = 1, .type = ENGINE_F32};
    engine_hit hits[K];
    size_t n = 0;
    engine_search_options options =
        ENGINE_SEARCH_OPTIONS(.n_threads = 1, .progress = stop_search, .progress_user = &n);
    assert_fails(INTERRUPTED, engine_search(&vectors, &query, 1, K, &options, hits, NULL));
    assert_int_equal(n, 1);
    n = 0;
    options.progress = watch_search;
    assert_ok(engine_search(&vectors, &query, 1, K, &options, hits, NULL));
    assert_int_equal(n, (N + 1023) / 1024);
}
