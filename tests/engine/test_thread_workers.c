/* A session's threads where the system has few, and the signals they take. pthread_create is
 * wrapped (--wrap, see the Makefile). */
#include "tests/support.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 16, N_INPUTS = 100, MOST_THREADS = 4 };

static engine_model *model;
static size_t n_left = MOST_THREADS; /* threads that the system lets us have */
static sigset_t mask;                /* that the last of them began with */

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
    pthread_sigmask(SIG_SETMASK, NULL, &mask); /* a thread has its maker's */
    return __real_pthread_create(thread, attributes, run, user);
}

static void encode(engine_session *session, float *out)
{
    engine_encode_options mean = {.pooling = ENGINE_POOLING_MEAN};
    engine_input inputs[N_INPUTS];
    for (size_t i = 0; i < N_INPUTS; i++)
        inputs[i] = (engine_input){.text = "a b c d a b c d", .text_len = 1 + 2 * (i % 8)};
    assert_int_equal(
        engine_encode(session, inputs, N_INPUTS, &mean, out, N_INPUTS * WIDTH, NULL, NULL), 0);
}

/* Where nobody asked for a number of threads, a session has those that it gets; the answers are the
 * same. */
TEST(few_threads)
{
    static float alone[N_INPUTS * WIDTH], out[N_INPUTS * WIDTH];
    support_allow_threads(MOST_THREADS);
    for (size_t n_workers = 0; n_workers < MOST_THREADS; n_workers++) {
        n_left = n_workers;
        engine_session *session = support_session(model, NULL);
        assert_int_equal(n_left, 0);
        assert_int_equal(engine_session_threads(session), n_workers + 1);
        encode(session, n_workers == 0 ? alone : out);
        if (n_workers > 0)
            assert_memory_equal(out, alone, sizeof out);
        engine_session_free(session);
    }
}

TEST(threads_asked_for)
{
    engine_session_options options = {.n_threads = MOST_THREADS};
    support_allow_threads(MOST_THREADS);
    for (size_t n_workers = 0; n_workers < MOST_THREADS; n_workers++) {
        engine_session *session;
        engine_error error;
        bool is_enough = n_workers == MOST_THREADS - 1;
        n_left = n_workers;
        assert_int_equal(engine_session_new(model, &options, &session, &error),
                         is_enough ? ENGINE_OK : ENGINE_ERROR_MEMORY);
        if (!is_enough)
            assert_non_null(strstr(error.message, "refuses 4 threads"));
        engine_session_free(session);
    }
}

/* The host's signals are not for the workers; those of their own faults are. */
TEST(signals)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
    static const int hosts[] = {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGHUP, SIGPIPE};
    sigset_t before, after;
    support_allow_threads(2);
    n_left = 1;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    engine_session_free(support_session(model, NULL));
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(n_left, 0);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        assert_false(sigismember(&mask, own[i]));
        assert_true(sigismember(&mask, hosts[i]));
    }
    for (int i = 1; i < NSIG; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

SET_UP()
{
    char path[SUPPORT_PATH];
    support_path(path, support_folder(), "m.weights");
    support_make_model(path, "a b c d", "--layers 2 --width 16 --heads 2 --feed-forward 32");
    model = support_open(path);
}

TEAR_DOWN()
{
    engine_model_close(model);
}
