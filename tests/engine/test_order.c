/* tags: no-asan no-coverage */
/* Guarantee: with a look-ahead mask no later token changes a bit; without positions no order
 * does. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_WORDS = 3, N_ORDERS = 6, MAX_WIDTH = 64, N_TOKENS = 24 };

static const char *const WORDS[N_WORDS] = {"I", "ride", "bike"};
static const int ORDERS[N_ORDERS][N_WORDS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                              {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static char path[SUPPORT_PATH];

static size_t width_of(const engine_model *model)
{
    engine_info info = ENGINE_INFO();
    assert_int_equal(engine_model_info(model, &info, NULL), ENGINE_OK);
    assert_true(info.width <= MAX_WIDTH);
    return info.width;
}

/* The vectors of the six texts, [6, 3, D]. */
static void encode_orders(const engine_model *model, engine_position position, float *out)
{
    char texts[N_ORDERS][32];
    engine_input inputs[N_ORDERS] = {0};
    engine_result results[N_ORDERS];
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = 2, .position = position);
    engine_encode_options encode_options =
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE, .no_special = 1);
    for (size_t i = 0; i < N_ORDERS; i++) {
        const int *order = ORDERS[i];
        snprintf(texts[i], sizeof texts[i], "%s %s %s", WORDS[order[0]], WORDS[order[1]],
                 WORDS[order[2]]);
        inputs[i].text = texts[i];
        inputs[i].text_len = strlen(texts[i]);
    }
    engine_session *session = support_session(model, &options);
    size_t cap = N_ORDERS * N_WORDS * width_of(model);
    if (engine_encode(session, inputs, N_ORDERS, &encode_options, out, cap, NULL, results))
        fail_msg("%s", engine_session_message(session));
    for (size_t i = 0; i < N_ORDERS; i++) {
        assert_int_equal(results[i].n_tokens, N_WORDS);
        assert_int_equal(results[i].row, i * N_WORDS);
    }
    engine_session_free(session);
}

static double largest_difference(const float *a, const float *b, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        if (!(difference <= largest))
            largest = difference;
    }
    return largest;
}

/* Over all pairs of orders, the smallest and the largest difference between the vectors of one
 * word; the smallest only of pairs where the word has different positions. */
static void spread(const float *vectors, size_t width, double *smallest, double *largest)
{
    *smallest = (double)INFINITY;
    *largest = 0;
    for (size_t a = 0; a < N_ORDERS * N_WORDS; a++) {
        for (size_t b = 0; b < a; b++) {
            if (ORDERS[a / N_WORDS][a % N_WORDS] != ORDERS[b / N_WORDS][b % N_WORDS])
                continue;
            double difference = largest_difference(vectors + a * width, vectors + b * width, width);
            if (!(difference <= *largest))
                *largest = difference;
            if (a % N_WORDS != b % N_WORDS && !(difference >= *smallest))
                *smallest = difference;
        }
    }
}

TEST(six_orders)
{
    static const char *const shapes[] = {
        "--layers 2 --width 64 --heads 2 --feed-forward 128",
        "--layers 3 --width 52 --heads 2 --feed-forward 104 --norm-place pre --final-norm yes",
        "--layers 1 --width 21 --heads 3 --feed-forward 40 --norm rms --gate second"};
    static const char *const schemes[] = {"sinusoidal", "learned"};
    float vectors[N_ORDERS * N_WORDS * MAX_WIDTH];
    double smallest, largest;
    for (size_t choice = 0; choice < 6; choice++) {
        support_make_model(path, "I ride bike", "--seed %zu --max-tokens 16 --position %s %s",
                           choice, schemes[choice % 2], shapes[choice / 2]);
        for (size_t i = 0; support_isa(i); i++) {
            engine_model *model = support_open_isa(path, support_isa(i), ENGINE_PRECISION_EXACT);
            encode_orders(model, ENGINE_POSITION_MODEL, vectors);
            spread(vectors, width_of(model), &smallest, &largest);
            print_message("%s, %s, %s: the same word in another place differs by %.3g or more",
                          schemes[choice % 2], shapes[choice / 2], support_isa(i), smallest);
            if (!(smallest > 1e-2) || !(largest < 100))
                fail_msg("between places: %g to %g", smallest, largest);
            encode_orders(model, ENGINE_POSITION_NONE, vectors);
            spread(vectors, width_of(model), &smallest, &largest);
            print_message("; without positions by %.3g at most\n", largest);
            if (!(largest <= 1e-6))
                fail_msg("without positions: %g", largest);
            engine_model_close(model);
        }
    }
}

/* Vectors [N_TOKENS, D] of the ids. */
static void encode_ids(const engine_model *model, engine_mask mask, size_t n_threads,
                       const int32_t *ids, float *out)
{
    engine_input input = {.ids = ids, .n_ids = N_TOKENS};
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = n_threads, .mask = mask);
    engine_encode_options encode_options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    engine_session *session = support_session(model, &options);
    if (engine_encode(session, &input, 1, &encode_options, out, N_TOKENS * width_of(model), NULL,
                      NULL))
        fail_msg("%s", engine_session_message(session));
    engine_session_free(session);
}

/* Every token from `first` on gets another id. */
static void change_from(int32_t *ids, size_t first, size_t n_ids, uint64_t *state)
{
    for (size_t t = first; t < N_TOKENS; t++)
        ids[t] = (int32_t)(((size_t)ids[t] + 1 + support_below(state, n_ids - 1)) % n_ids);
}

static void check_causal(const engine_model *model, engine_mask mask, uint64_t seed)
{
    static float before[N_TOKENS * MAX_WIDTH], after[N_TOKENS * MAX_WIDTH];
    size_t width = width_of(model), n_ids = 26;
    int32_t ids[N_TOKENS], changed[N_TOKENS];
    support_random_ids(&seed, ids, N_TOKENS, n_ids);
    encode_ids(model, mask, 1, ids, before);
    for (size_t first = 1; first < N_TOKENS; first++) {
        memcpy(changed, ids, sizeof ids);
        change_from(changed, first, n_ids, &seed);
        encode_ids(model, mask, 1 + first % 2, changed, after);
        if (memcmp(before, after, first * width * sizeof *after) != 0)
            fail_msg("tokens before %zu changed with those after them", first);
        if (memcmp(before + first * width, after + first * width, width * sizeof *after) == 0)
            fail_msg("token %zu has another id and the same vector", first);
    }
    encode_ids(model, ENGINE_MASK_FULL, 1, ids, before);
    encode_ids(model, ENGINE_MASK_FULL, 1, changed, after);
    assert_true(memcmp(before, after, width * sizeof *after) != 0);
}

TEST(look_ahead_mask)
{
    static const char *const shapes[] = {
        "--layers 2 --width 64 --heads 2 --feed-forward 128 --mask causal",
        "--layers 3 --width 52 --heads 2 --feed-forward 100 --norm-place pre --mask full",
        "--layers 2 --width 35 --heads 5 --feed-forward 70 --norm rms --gate first --type int8"};
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        support_make_model(path, NULL, "--seed 3 --max-tokens 32 --position learned %s",
                           shapes[shape]);
        for (size_t i = 0; support_isa(i); i++) {
            engine_model *model = support_open_isa(path, support_isa(i), ENGINE_PRECISION_EXACT);
            check_causal(model, shape == 0 ? ENGINE_MASK_MODEL : ENGINE_MASK_CAUSAL, shape);
            engine_model_close(model);
        }
    }
}

SET_UP()
{
    support_path(path, support_folder(), "model.weights");
}
