/* tags: threads */
/* Hosts that have signals, threads and OpenMP regions of their own: what calls do to them, and they
 * to calls. */
#include "tests/support.h"

#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 16, N_INPUTS = 100, N_THREADS = 3, N_HOSTS = 50, MOST_TASKS = 500 };

static engine_model *model;
static float alone[N_INPUTS * WIDTH];

/* Whether a session with so many threads gives the same bits; no check of cmocka's, which belong
 * into the main thread. */
static bool is_same(engine_session *session)
{
    engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    engine_input inputs[N_INPUTS];
    float out[N_INPUTS * WIDTH];
    for (size_t i = 0; i < N_INPUTS; i++)
        inputs[i] = (engine_input){.text = "a b c d a b c d", .text_len = 1 + 2 * (i % 8)};
    return engine_encode(session, inputs, N_INPUTS, &mean, out, N_INPUTS * WIDTH, NULL, NULL) ==
               ENGINE_OK &&
           engine_encode(session, inputs, 1, &mean, out, WIDTH, NULL, NULL) == ENGINE_OK &&
           memcmp(out, alone, sizeof out) == 0;
}

static bool is_same_with(size_t n_threads)
{
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
    engine_session *session;
    if (engine_session_new(model, &options, &session, NULL))
        return false;
    bool same = is_same(session);
    engine_session_free(session);
    return same;
}

/* Signals that a thread blocks, as /proc prints them: bit i - 1 is signal i. */
static unsigned long long blocked_signals(long thread)
{
    char path[64], line[256];
    unsigned long long signals = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", thread);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        sscanf(line, "SigBlk: %llx", &signals);
    fclose(file);
    return signals;
}

static bool is_blocked(unsigned long long signals, int number)
{
    return (signals >> (number - 1) & 1) != 0;
}

/* The threads of this process, at most `cap`; returns how many. */
static size_t list_threads(long *threads, size_t cap)
{
    size_t n = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        if (entry->d_name[0] != '.' && n < cap)
            threads[n++] = strtol(entry->d_name, NULL, 10);
    closedir(tasks);
    return n;
}

__attribute__((weak)) void kmp_set_blocktime(int milliseconds); /* LLVM's runtime alone has it */

/* The host's signals are not for OpenMP's threads; those of their own faults are, but LLVM's block
 * all. */
static void check_signals_of(long thread)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
    static const int hosts[] = {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGHUP, SIGPIPE};
    unsigned long long signals = blocked_signals(thread);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        assert_true(kmp_set_blocktime != NULL || !is_blocked(signals, own[i]));
        assert_true(is_blocked(signals, hosts[i]));
    }
}

/* Checks the threads that are there and were not before; returns how many. */
static size_t check_new_threads(const long *before, size_t n_before)
{
    long after[MOST_TASKS];
    size_t n_after = list_threads(after, MOST_TASKS), n_new = 0;
    for (size_t i = 0; i < n_after; i++) {
        size_t k = 0;
        while (k < n_before && before[k] != after[i])
            k++;
        if (k < n_before)
            continue;
        check_signals_of(after[i]);
        n_new++;
    }
    return n_new;
}

TEST(signals)
{
    long before[MOST_TASKS];
    sigset_t mask_before, mask_after;
    if (support_sanitized())
        skip(); /* it has a thread of its own */
    size_t n_before = list_threads(before, MOST_TASKS);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    assert_true(is_same_with(N_THREADS));
    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    for (int i = 1; i < NSIG; i++)
        assert_int_equal(sigismember(&mask_before, i), sigismember(&mask_after, i));
    assert_int_equal(check_new_threads(before, n_before), N_THREADS - 1);
}

/* GCC's OpenMP ends threads that the host's smaller region does not need, and starts new ones. */
TEST(signals_after_a_smaller_region)
{
    long before[MOST_TASKS];
    int n = 0;
    if (support_sanitized())
        skip();
    assert_true(is_same_with(N_THREADS + 1));
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    assert_int_equal(n, 2);
    for (size_t i = 0; i < 1000 && list_threads(before, MOST_TASKS) > 2; i++)
        usleep(1000); /* the others may still be ending; LLVM's stay */
    size_t n_before = list_threads(before, MOST_TASKS);
    assert_true(is_same_with(N_THREADS + 1));
    check_new_threads(before, n_before);
}

static void *call(void *session)
{
    return is_same(session) ? session : NULL;
}

static size_t count_threads(void)
{
    long threads[MOST_TASKS];
    return list_threads(threads, MOST_TASKS);
}

/* A thread that ends takes those with it that OpenMP made for it. */
TEST(threads_of_callers_end)
{
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = N_THREADS);
    engine_session *session = support_session(model, &options);
    size_t n_before = count_threads();
    for (size_t i = 0; i < N_HOSTS; i++) {
        pthread_t thread;
        void *result;
        assert_int_equal(pthread_create(&thread, NULL, call, session), 0);
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_non_null(result);
    }
    for (size_t i = 0; i < 1000 && count_threads() > n_before + N_THREADS; i++)
        usleep(10000); /* the last of them may still be ending */
    assert_true(count_threads() <= n_before + N_THREADS);
}

/* In a region of the host a session works with what OpenMP gives it: one thread, or where the host
 * allows regions in regions, its own. */
TEST(regions_of_the_host)
{
    for (int levels = 1; levels <= 2; levels++) {
        int n_same = 0, n_hosts = 0, before = omp_get_max_active_levels();
        omp_set_max_active_levels(levels);
#pragma omp parallel num_threads(4) reduction(+ : n_same, n_hosts)
        {
            n_hosts++;
            n_same += is_same_with(N_THREADS);
        }
        omp_set_max_active_levels(before);
        assert_true(n_hosts > 1);
        assert_int_equal(n_same, n_hosts);
    }
}

/* Before and after it: regions of other sizes, and of one thread. */
TEST(regions_beside)
{
    for (int n = 1; n <= 5; n++) {
        int sum = 0;
#pragma omp parallel num_threads(n) reduction(+ : sum)
        sum += omp_get_thread_num();
        assert_int_equal(sum, n * (n - 1) / 2);
        assert_true(is_same_with(N_THREADS));
        assert_true(is_same_with((size_t)n));
    }
}

static void *call_with_five(void *yes)
{
    omp_set_dynamic(1);
    return is_same_with(5) ? yes : NULL;
}

/* If OpenMP chooses the number of threads, a call continues with that number, in a thread that has
 * had regions and in one that has not: this is no refusal. */
TEST(fewer_than_promised)
{
    int before = omp_get_dynamic();
    pthread_t thread;
    void *result;
    omp_set_dynamic(1);
    assert_true(is_same_with(5));
    omp_set_dynamic(before);
    assert_int_equal(pthread_create(&thread, NULL, call_with_five, &before), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_non_null(result);
}

SET_UP()
{
    support_allow_threads(5);
    model = support_new_model("a b c d", "--layers 2 --width 16 --heads 2 --feed-forward 32");
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = 1);
    engine_session *session = support_session(model, &options);
    engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    for (size_t i = 0; i < N_INPUTS; i++) {
        engine_input input = {.text = "a b c d a b c d", .text_len = 1 + 2 * (i % 8)};
        assert_ok(engine_encode(session, &input, 1, &mean, alone + i * WIDTH, WIDTH, NULL, NULL));
    }
}
