/* tags: no-asan no-coverage */
/* Guarantee: with a look-ahead mask no later token changes a bit; without positions no order
 * does. */
#include "tests/owned.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { N_TOKENS = 24, N_IDS = 26 };

static char path[SUPPORT_PATH];

/* Vectors [n, D] of the ids. */
static const float *encode_ids(const engine_model *model, engine_session_options options,
                               const int32_t *ids, size_t n)
{
    engine_input input = support_ids(ids, n);
    engine_encode_options every = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    return support_encode(support_session(model, &options), &input, 1, &every, NULL);
}

/* Runs the check with a model of each shape on every instruction set. */
static void each_model(const char *const *shapes, size_t n, const char *usual,
                       void (*check)(const engine_model *model, size_t width, size_t shape))
{
    for (size_t shape = 0; shape < n; shape++) {
        support_make_model(path, NULL, "--seed 3 --max-tokens 32 %s %s", usual, shapes[shape]);
        for (size_t i = 0; support_isa(i); i++) {
            const size_t mark = owned_mark();
            engine_info info = ENGINE_INFO();
            engine_model *model = support_open_isa(path, support_isa(i), ENGINE_PRECISION_EXACT);
            assert_ok(engine_model_info(model, &info, NULL));
            check(model, info.width, shape);
            owned_release(mark);
        }
    }
}

/* The largest difference between the vectors of one word in different orders of three words, and
 * the least if its places differ. */
static void check_orders(const engine_model *model, size_t width, size_t shape)
{
    static const int32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int without = 0; without < 2; without++) {
        engine_session_options options =
            ENGINE_SESSION_OPTIONS(.n_threads = 2, .position = without ? ENGINE_POSITION_NONE
                                                                       : ENGINE_POSITION_MODEL);
        const float *rows[6];
        double least = (double)INFINITY, largest = 0;
        for (size_t i = 0; i < 6; i++)
            rows[i] = encode_ids(model, options, orders[i], 3);
        for (size_t a = 0; a < 18; a++)
            for (size_t b = 0; b < a; b++) {
                const float *x = rows[a / 3] + a % 3 * width, *y = rows[b / 3] + b % 3 * width;
                double difference = 0;
                if (orders[a / 3][a % 3] != orders[b / 3][b % 3])
                    continue;
                for (size_t c = 0; c < width; c++)
                    difference = fmax(difference, fabs((double)(x[c] - y[c])));
                largest = fmax(largest, difference);
                if (a % 3 != b % 3)
                    least = fmin(least, difference);
            }
        if (!(without ? largest <= 1e-6 : least > 1e-2 && largest < 100))
            fail_msg("shape %zu, %s positions: %g to %g", shape, without ? "without" : "with",
                     least, largest);
    }
}

TEST(six_orders)
{
    static const char *const shapes[] = {
        "--layers 2 --width 64 --heads 2 --feed-forward 128 --position sinusoidal",
        "--layers 3 --width 52 --heads 2 --norm-place pre --final-norm yes --position learned",
        "--layers 1 --width 21 --heads 3 --norm rms --gate second --position sinusoidal"};
    each_model(shapes, sizeof shapes / sizeof *shapes, "", check_orders);
}

static void check_causal(const engine_model *model, size_t width, size_t shape)
{
    engine_session_options causal = ENGINE_SESSION_OPTIONS(.mask = shape == 0 ? ENGINE_MASK_MODEL
                                                                              : ENGINE_MASK_CAUSAL),
                           full = ENGINE_SESSION_OPTIONS(.mask = ENGINE_MASK_FULL);
    uint64_t seed = shape;
    int32_t ids[N_TOKENS], changed[N_TOKENS];
    support_random_ids(&seed, ids, N_TOKENS, N_IDS);
    const float *before = encode_ids(model, causal, ids, N_TOKENS);
    for (size_t first = 1; first < N_TOKENS; first++) {
        for (size_t t = 0; t < N_TOKENS; t++) /* every token from `first` on gets another id */
            changed[t] =
                t < first
                    ? ids[t]
                    : (int32_t)(((size_t)ids[t] + 1 + support_below(&seed, N_IDS - 1)) % N_IDS);
        causal.n_threads = 1 + first % 2;
        const float *after = encode_ids(model, causal, changed, N_TOKENS);
        if (memcmp(before, after, first * width * sizeof *after) != 0)
            fail_msg("tokens before %zu changed with those after them", first);
        if (memcmp(before + first * width, after + first * width, width * sizeof *after) == 0)
            fail_msg("token %zu has another id and the same vector", first);
    }
    assert_memory_not_equal(encode_ids(model, full, ids, N_TOKENS),
                            encode_ids(model, full, changed, N_TOKENS), width * sizeof *before);
}

TEST(look_ahead_mask)
{
    static const char *const shapes[] = {
        "--layers 2 --width 64 --heads 2 --feed-forward 128 --mask causal",
        "--layers 3 --width 52 --heads 2 --feed-forward 100 --norm-place pre --mask full",
        "--layers 2 --width 35 --heads 5 --feed-forward 70 --norm rms --gate first --type int8"};
    each_model(shapes, sizeof shapes / sizeof *shapes, "--position learned", check_causal);
}

SET_UP()
{
    support_path(path, support_folder(), "model.weights");
}
