/* tags: numbers aarch64 */
/* Models whose panels are int8, against a reference that rounds the rows as they do.
 *
 * Rounding is not continuous: where single and double precision fall on the two sides of a half, a
 * number jumps by a whole step of its row, and the layers after it jump with it. At differences of
 * some 5e-7 and steps of some 0.02 that happens to one number in twenty thousand, so of texts of a
 * few tokens (some hundreds of numbers each) nearly all are free of it. Hence two bounds: most
 * texts are within 1e-5, as without int8, and no text is further off than some steps. The sums
 * themselves are exact: tests/model/kernels/test_product_int8.c tests them. */
#include "tests/engine/comparison.h"

#include <math.h>

static const double TOLERANCE = 1e-5, JUMPS = 0.03;
enum { MOST_TOKENS = 4 };

/* How many texts are within TOLERANCE of what is expected; the largest difference goes to *largest.
 */
static size_t count_close(const struct subject *subject, const struct texts *texts,
                          size_t n_threads, double *largest)
{
    static float out[MAX_TEXTS * MOST_TOKENS * MAX_LEN];
    engine_result results[MAX_TEXTS];
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
    engine_encode_options tokens = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    engine_session *session = support_session(subject->model, &options);
    size_t width = subject->info.width, n_close = 0;
    assert_true(width <= MAX_LEN);
    assert_ok(engine_encode(session, texts->inputs, texts->n, &tokens, out,
                            sizeof out / sizeof *out, NULL, results));
    for (size_t i = 0; i < texts->n; i++) {
        struct difference difference =
            support_difference(out + results[i].row * width, texts->expected[i]->tokens,
                               results[i].n_tokens * width, false);
        n_close += difference.largest <= TOLERANCE;
        *largest = fmax(*largest, difference.largest);
    }
    return n_close;
}

static void check_model(const char *words, size_t index)
{
    size_t lens[MAX_TEXTS];
    for (size_t i = 0; i < MAX_TEXTS; i++)
        lens[i] = 1 + i % MOST_TOKENS;
    struct subject *subject = comparison_make(
        NULL,
        "--seed 31 --layers 2 --position learned --max-tokens 128 --type int8 --layout panels %s",
        words);
    const struct texts *texts = comparison_texts(subject, lens, MAX_TEXTS, index,
                                                 &(struct plain_options){.int8_rows = true}),
                       *unrounded = comparison_texts(subject, lens, MAX_TEXTS, index, NULL);
    for (size_t i = 0; support_isa(i); i++) {
        double largest = 0, ignored = 0;
        comparison_reopen(subject, support_isa(i));
        size_t n_close = count_close(subject, texts, 1 + i % 2, &largest);
        print_message("%s (%s): %zu of %d texts within %g, largest difference %.2g\n", words,
                      subject->info.isa, n_close, MAX_TEXTS, TOLERANCE, largest);
        assert_true(n_close >= MAX_TEXTS * 9 / 10);
        assert_true(largest <= JUMPS);
        /* the rounding is not for nothing */
        assert_int_equal(count_close(subject, unrounded, 1, &ignored), 0);
    }
}

/* Gates whose halves fall into panels of their own are multiplied in the tile, others not. */
TEST(rounded_rows)
{
    static const char *const words[] = {
        "--width 42 --heads 2 --feed-forward 37",
        "--width 64 --heads 2 --feed-forward 128 --norm-place pre --final-norm yes --mask causal",
        "--width 42 --heads 2 --feed-forward 48 --gate first",
        "--width 64 --heads 4 --feed-forward 64 --gate second --activation silu --norm rms",
        "--width 36 --heads 3 --feed-forward 37 --gate first --activation gelu_tanh",
        "--width 66 --heads 3 --feed-forward 41 --gate second --activation relu",
        ("--width 36 --heads 3 --set head_width=20 --set key_value_heads=1 --norm-place sandwich "
         "--set query_key_norm=yes"),
        "--width 36 --heads 3 --norm-place twice --set query_key_norm=all",
        "--width 44 --heads 2 --set head_width=40 --set layer_groups=1 --norm-place sandwich",
        "--width 36 --heads 3 --set value_norm=yes --set layer_input_width=28",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        check_model(words[i], i);
}
