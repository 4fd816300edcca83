/* tags: threads */
/* A session's threads where the system has few. pthread_create is wrapped (--wrap, see the
 * Makefile): the engine calls it to see what can be had before OpenMP makes its threads. */
#include "tests/support.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

enum { WIDTH = 16, N_INPUTS = 100, MOST_THREADS = 4 };

static engine_model *model;
static size_t n_left; /* threads that the system lets us have */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user)
{
    if (n_left == 0)
        return EAGAIN;
    n_left--;
    return __real_pthread_create(thread, attributes, run, user);
}

/* A thread of the host that opens a session and calls it once. OpenMP's threads are those of the
 * thread that calls, so each begins without any. */
struct host {
    size_t n_asked;
    engine_status status;
    engine_error error;
    size_t n_threads; /* of the session */
    float out[N_INPUTS * WIDTH];
};

static void *encode(void *user)
{
    struct host *host = user;
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = host->n_asked);
    engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    engine_input inputs[N_INPUTS];
    engine_session *session;
    for (size_t i = 0; i < N_INPUTS; i++)
        inputs[i] = (engine_input){.text = "a b c d a b c d", .text_len = 1 + 2 * (i % 8)};
    host->status = engine_session_new(model, &options, &session, &host->error);
    host->n_threads = engine_session_threads(session);
    if (host->status == ENGINE_OK)
        host->status = engine_encode(session, inputs, N_INPUTS, &mean, host->out, N_INPUTS * WIDTH,
                                     NULL, NULL);
    engine_session_free(session);
    return NULL;
}

static void run_host(struct host *host, size_t n_asked, size_t n_threads)
{
    pthread_t thread;
    host->n_asked = n_asked;
    n_left = n_threads - 1;
    assert_int_equal(__real_pthread_create(&thread, NULL, encode, host), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* If the options name no number of threads, a session uses the threads it gets; the answers are
 * the same. */
TEST(few_threads)
{
    static struct host alone, host;
    support_allow_threads(MOST_THREADS);
    run_host(&alone, 1, 1);
    for (size_t n = 1; n <= MOST_THREADS; n++) {
        run_host(&host, 0, n);
        assert_ok(host.status);
        assert_int_equal(host.n_threads, n);
        assert_memory_equal(host.out, alone.out, sizeof host.out);
    }
}

TEST(threads_asked_for)
{
    static struct host host;
    support_allow_threads(MOST_THREADS);
    for (size_t n = 1; n < MOST_THREADS; n++) {
        run_host(&host, MOST_THREADS, n);
        assert_fails(MEMORY, host.status);
        assert_int_equal(host.n_threads, 0);
        assert_non_null(strstr(host.error.message, "refuses 4 threads"));
    }
    run_host(&host, MOST_THREADS, MOST_THREADS);
    assert_ok(host.status);
    assert_int_equal(host.n_threads, MOST_THREADS);
}

/* One of the host's threads makes the session, another calls it, and gets none: it works alone. */
static void *encode_elsewhere(void *user)
{
    engine_input input = support_text("a b c d");
    engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    static float out[WIDTH];
    n_left = 0;
    return engine_encode(user, &input, 1, &mean, out, WIDTH, NULL, NULL) == ENGINE_OK ? out : NULL;
}

TEST(refused_later)
{
    static struct host alone;
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = 3);
    pthread_t thread;
    void *out;
    support_allow_threads(MOST_THREADS);
    run_host(&alone, 1, 1);
    n_left = 2;
    engine_session *session = support_session(model, &options);
    assert_int_equal(__real_pthread_create(&thread, NULL, encode_elsewhere, session), 0);
    assert_int_equal(pthread_join(thread, &out), 0);
    assert_non_null(out);
    assert_memory_equal(out, alone.out + 3 * WIDTH, WIDTH * sizeof(float));
}

SET_UP()
{
    model = support_new_model("a b c d", "--layers 2 --width 16 --heads 2 --feed-forward 32");
}
