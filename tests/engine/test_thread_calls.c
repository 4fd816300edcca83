/* tags: threads */
/* Calls of many inputs of all kinds, shared by threads: each answer is where it belongs and has the
 * bits it has alone, among texts too long for one thread's part of the memory, empty texts,
 * padding, wrong inputs, and buffers that are too small. And the calls' parallel regions. */
#include "engine/runtime/machine.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

enum { N_INPUTS = 160, WIDTH = 16, N_WORDS = 26 };

static const char SHAPE[] = "--layers 1 --width 16 --heads 2 --feed-forward 32 --max-tokens 2048 "
                            "--position sinusoidal --pooling mean";

/* Inputs, and their answers alone with one thread. */
struct corpus {
    engine_input inputs[N_INPUTS];
    size_t n_rows;        /* of all */
    size_t row[N_INPUTS]; /* of each, where it begins */
    float pooled[N_INPUTS][WIDTH];
    float *tokens; /* [n_rows, WIDTH] */
};

static engine_model *model;
static struct corpus corpus;
static const engine_encode_options PER_TOKEN = {.struct_bytes = sizeof PER_TOKEN,
                                                .pooling = ENGINE_POOLING_NONE};

static engine_session *session_of(size_t n_threads)
{
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
    engine_session *session = support_session(model, &options);
    assert_int_equal(engine_session_threads(session), n_threads);
    return session;
}

/* One-letter words, as many as asked for. */
static char *words(uint64_t *state, size_t n)
{
    char *text = new_bytes(2 * n + 1);
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = (char)('a' + support_below(state, N_WORDS));
        text[2 * i + 1] = ' ';
    }
    return text;
}

static engine_input make_input(uint64_t *state, size_t index)
{
    size_t longest = support_slow() ? 800 : 1700;
    size_t n = index % 41 == 7 ? longest - support_below(state, 100) /* for all threads together */
               : index % 13 == 5 ? 0
               : index % 17 == 3 ? 400 + support_below(state, 200)
                                 : 1 + support_below(state, 40);
    engine_input input = {0};
    if (index % 3 != 0) {
        input.text = words(state, n);
        input.text_len = 2 * n;
        return input;
    }
    int32_t *ids = new_bytes(n * sizeof *ids);
    uint8_t *mask = new_bytes(n);
    support_random_ids(state, ids, n, N_WORDS);
    for (size_t i = 0; i < n; i++)
        mask[i] = support_below(state, 4) != 0;
    input.ids = ids;
    input.mask = index % 2 ? mask : NULL;
    input.n_ids = n;
    return input;
}

static void make_corpus(void)
{
    uint64_t state = 5;
    engine_session *session = session_of(1);
    for (size_t i = 0; i < N_INPUTS; i++) {
        corpus.inputs[i] = make_input(&state, i);
        corpus.row[i] = corpus.n_rows;
        size_t n_floats;
        assert_ok(engine_encode(session, &corpus.inputs[i], 1, NULL, corpus.pooled[i], WIDTH, NULL,
                                NULL));
        engine_encode(session, &corpus.inputs[i], 1, &PER_TOKEN, NULL, 0, &n_floats, NULL);
        corpus.n_rows += n_floats / WIDTH;
    }
    corpus.tokens = new_floats(corpus.n_rows * WIDTH);
    for (size_t i = 0; i < N_INPUTS; i++)
        assert_ok(engine_encode(session, &corpus.inputs[i], 1, &PER_TOKEN,
                                corpus.tokens + corpus.row[i] * WIDTH,
                                (corpus.n_rows - corpus.row[i]) * WIDTH, NULL, NULL));
}

static void assert_same(const float *got, const float *expected, size_t n, size_t n_threads)
{
    if (memcmp(got, expected, n * sizeof *got) != 0)
        fail_msg("%zu threads: other bits than alone", n_threads);
}

TEST(everything_in_its_place)
{
    static engine_result results[N_INPUTS];
    float *out = new_floats(corpus.n_rows * WIDTH);
    for (size_t n_threads = 1; n_threads <= 5; n_threads++) {
        engine_session *session = session_of(n_threads);
        for (size_t n = N_INPUTS; n > 0; n /= 3) {
            size_t needed = 0, n_rows = n < N_INPUTS ? corpus.row[n] : corpus.n_rows;
            assert_ok(
                engine_encode(session, corpus.inputs, n, NULL, out, n * WIDTH, &needed, results));
            assert_int_equal(needed, n * WIDTH);
            assert_same(out, corpus.pooled[0], n * WIDTH, n_threads);
            assert_ok(engine_encode(session, corpus.inputs, n, &PER_TOKEN, out, n_rows * WIDTH,
                                    &needed, results));
            assert_int_equal(needed, n_rows * WIDTH);
            assert_same(out, corpus.tokens, n_rows * WIDTH, n_threads);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(results[i].row, corpus.row[i]);
        }
    }
}

/* Several wrong inputs: the first in order is named, and what comes before it is answered. */
TEST(first_of_the_wrong)
{
    static const int32_t bad_ids[] = {1, -1, 2};
    static const size_t places[] = {0, 1, 29, 30, 31, 90, N_INPUTS - 1};
    static engine_input inputs[N_INPUTS];
    float *out = new_floats(corpus.n_rows * WIDTH);
    char expected[32];
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        engine_session *session = session_of(n_threads);
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            size_t place = places[i];
            memcpy(inputs, corpus.inputs, sizeof inputs);
            for (size_t k = place; k < N_INPUTS; k += 11)
                inputs[k] = (engine_input){.ids = bad_ids, .n_ids = 3};
            snprintf(expected, sizeof expected, "input %zu:", place);
            assert_fails(ARGUMENT, engine_encode(session, inputs, N_INPUTS, NULL, out,
                                                 N_INPUTS * WIDTH, NULL, NULL));
            assert_memory_equal(engine_session_message(session), expected, strlen(expected));
            assert_same(out, corpus.pooled[0], place * WIDTH, n_threads);
            assert_fails(ARGUMENT, engine_encode(session, inputs, N_INPUTS, &PER_TOKEN, out,
                                                 corpus.n_rows * WIDTH, NULL, NULL));
            assert_memory_equal(engine_session_message(session), expected, strlen(expected));
            assert_same(out, corpus.tokens, corpus.row[place] * WIDTH, n_threads);
        }
    }
}

/* The buffer ends in the middle: nothing is written past it, and the complete size is returned. */
TEST(buffers_too_small)
{
    static engine_result results[N_INPUTS];
    float *out = new_floats(corpus.n_rows * WIDTH + 1);
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        engine_session *session = session_of(n_threads);
        for (size_t part = 0; part <= 4; part++) {
            size_t needed = 0, cap = corpus.n_rows * WIDTH * part / 4 - (part == 4);
            out[cap] = 7;
            memset(results, 0, sizeof results);
            assert_fails(BUFFER, engine_encode(session, corpus.inputs, N_INPUTS, &PER_TOKEN,
                                               part > 0 ? out : NULL, cap, &needed, results));
            assert_int_equal(needed, corpus.n_rows * WIDTH);
            assert_true(out[cap] == 7);
            for (size_t i = 0; i < N_INPUTS; i++) {
                const size_t end = i + 1 < N_INPUTS ? corpus.row[i + 1] : corpus.n_rows;
                assert_int_equal(results[i].row, corpus.row[i]);
                assert_int_equal(results[i].n_tokens, end - corpus.row[i]);
                assert_int_equal(results[i].n_dropped, 0);
            }
            assert_fails(BUFFER, engine_encode(session, corpus.inputs, N_INPUTS, NULL, out,
                                               N_INPUTS * WIDTH - 1, &needed, results));
            assert_int_equal(needed, N_INPUTS * WIDTH);
        }
    }
}

/* ---- The parallel regions of the calls ---- */

enum { N_JOBS = 3000, MOST_THREADS = 5 };

struct sum {
    uint32_t by_rank[MOST_THREADS], before[MOST_THREADS];
};

/* Each thread counts, waits, and finds the counts of all. */
static void count(void *user, struct team team)
{
    struct sum *sum = user;
    sum->by_rank[team.rank]++;
    end_step(team, ENGINE_STEP_WAIT);
    for (size_t rank = 0; rank < team.size; rank++)
        if (sum->by_rank[rank] != sum->by_rank[0])
            sum->before[team.rank]++;
    end_step(team, ENGINE_STEP_WAIT);
}

TEST(threads_meet)
{
    for (size_t n = 1; n <= MOST_THREADS; n++) {
        struct barrier barrier = {0};
        struct sum sum = {0};
        assert_int_equal(region_threads(n, NULL), n);
        for (size_t i = 0; i < N_JOBS; i++)
            region_run(n, &barrier, count, &sum);
        for (size_t rank = 0; rank < n; rank++) {
            assert_int_equal(sum.by_rank[rank], N_JOBS);
            assert_int_equal(sum.before[rank], 0);
        }
    }
}

static void last(void *user, struct team team)
{
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), *ns = user;
    while (clock_ns(CLOCK_MONOTONIC) - begin < ns[team.size > 1])
        ;
    if (team.rank == 0)
        ns[2 + (team.size > 1)]++;
}

/* Passes of few rows that one thread finishes in 10 microseconds and two in 2,000: both ways are
 * tried, and then one thread runs nearly all. Of many rows both threads run each pass, but for the
 * pauses that a busy machine gives. */
TEST(passes_of_few_rows_run_on_one_thread_where_that_is_faster)
{
    struct barrier barrier = {0};
    struct sharing few = {0}, many = {0};
    uint64_t of_few[4] = {10000, 2000000}, of_many[4] = {10000, 2000000};
    assert_int_equal(region_threads(2, NULL), 2);
    for (size_t i = 0; i < 100; i++)
        region_share(&few, 16, 2, &barrier, last, of_few);
    for (size_t i = 0; i < 8; i++) {
        many.alone_until_ns = 0;
        region_share(&many, 129, 2, &barrier, last, of_many);
    }
    assert_in_range(of_few[3], 1, 30);
    assert_int_equal(of_few[2] + of_few[3], 100);
    assert_int_equal(of_many[3], 8);
}

SET_UP()
{
    support_allow_threads(5);
    model = support_new_model(NULL, "%s", SHAPE);
    make_corpus();
}
