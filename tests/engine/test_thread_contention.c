/* tags: threads no-asan no-coverage alone */
/* Sessions with twice as many threads as there are CPUs: together they do not take many times the
 * CPU time for a call that one thread takes. Threads that wait by spinning for others which are not
 * running do: seen 2 calls where one thread makes 100, and 67 to 105 as it should be, on an idle
 * machine and at a load of 30. CPU time is compared, not the time on the wall, so other work takes
 * nothing from either side; and rounds go on until one is beyond the limit, so only many that are
 * not tell a collapse. */
#include "engine/runtime/machine.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <pthread.h>
#include <sched.h>

enum { N_SESSIONS = 2, N_IDS = 24, MANY = 192, MOST_ROUNDS = 60, WIDTH = 128 };

static const double COLLAPSE = 0.3;
static const uint64_t LONG_ENOUGH_NS = 150000000;

static engine_model *model;

struct host {
    pthread_t thread;
    engine_session *session;
    size_t n_inputs;
    size_t n_calls;
};

/* Calls for a while. */
static void *encode(void *user)
{
    struct host *host = user;
    int32_t ids[N_IDS];
    float out[MANY * WIDTH];
    engine_input inputs[MANY];
    uint64_t state = 9;
    const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    support_random_ids(&state, ids, N_IDS, 26);
    for (size_t i = 0; i < host->n_inputs; i++)
        inputs[i] = (engine_input){.ids = ids, .n_ids = N_IDS - i % 9};
    do {
        if (engine_encode(host->session, inputs, host->n_inputs, NULL, out, host->n_inputs * WIDTH,
                          NULL, NULL))
            return NULL;
        host->n_calls++;
    } while (clock_ns(CLOCK_MONOTONIC) - begin < LONG_ENOUGH_NS);
    return NULL;
}

/* Calls per nanosecond of CPU time, of so many sessions at once; 0: the clock stood still. */
static double rate(size_t n_sessions, size_t n_threads, size_t n_inputs)
{
    struct host hosts[N_SESSIONS];
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
    size_t n_calls = 0;
    const size_t mark = owned_mark();
    for (size_t i = 0; i < n_sessions; i++)
        hosts[i] = (struct host){.session = support_session(model, &options), .n_inputs = n_inputs};
    const uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < n_sessions; i++)
        assert_int_equal(pthread_create(&hosts[i].thread, NULL, encode, &hosts[i]), 0);
    for (size_t i = 0; i < n_sessions; i++) {
        assert_int_equal(pthread_join(hosts[i].thread, NULL), 0);
        assert_true(hosts[i].n_calls > 0);
        n_calls += hosts[i].n_calls;
    }
    const uint64_t taken = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
    owned_release(mark);
    return taken > 0 ? (double)n_calls / (double)taken : 0;
}

static void check(size_t n_inputs, const char *what)
{
    size_t n_cpus = threads_choose(0);
    double best = 0;
    if (support_sanitized())
        skip();
    for (size_t round = 0; round < MOST_ROUNDS && best < COLLAPSE; round++) {
        double alone = rate(1, 1, n_inputs), together = rate(N_SESSIONS, n_cpus, n_inputs);
        best = alone > 0 && together / alone > best ? together / alone : best;
    }
    print_message(
        "%s: %d sessions of %zu threads on as many CPUs do %.0f %% of what one thread does in a "
        "second of CPU time\n",
        what, N_SESSIONS, n_cpus, 100 * best);
    assert_true(best >= COLLAPSE);
}

TEST(many_texts)
{
    check(MANY, "many texts");
}

TEST(one_text)
{
    check(1, "one text");
}

/* If a session requests more threads than CPUs, they are not started. */
TEST(no_more_than_cpus)
{
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = 1000);
    engine_session *session = support_session(model, &options);
    assert_int_equal(engine_session_threads(session), threads_choose(1000));
    assert_true(engine_session_threads(session) < 1000 || threads_choose(0) >= 1000);
    assert_int_equal(threads_choose(1), 1);
    support_allow_threads(7);
    assert_int_equal(threads_choose(0), 7);
    assert_true(threads_choose(1000) >= 7);
    assert_int_equal(threads_choose(5), 5);
}

/* On two CPUs: more threads would have their own costs on a text that is short. */
static void keep_two_cpus(void)
{
    cpu_set_t all, two;
    CPU_ZERO(&two);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &two);
    assert_int_equal(sched_setaffinity(0, sizeof two, &two), 0);
}

SET_UP()
{
    keep_two_cpus();
    model = support_new_model(NULL, "--layers 4 --width 128 --heads 4 --feed-forward 512");
}
