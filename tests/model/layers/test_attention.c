/* tags: numbers aarch64 long */
/* One head of attention against softmax(q·kᵀ/√K)·v in double, with masks, windows and biases: every
 * number of tokens to 140, which crosses the blocks of queries and keys (96), the panels (16) and
 * EXACT_KEYS (32), and some beyond.
 *
 * Tolerance 1e-6 for numbers within ±1: a score is a float sum of K ≤ 64 products, an exp and a sum
 * of T ≤ 140 terms follow; measured, all of it together stays below 3e-7. */
#include "tests/model/plain.h"

#include "engine/runtime/machine.h"
#include "model/layers/attention.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 140, MOST_ISAS = 8 };

static const size_t head_widths[] = {1, 7, 26, 32, 64};
enum { N_WIDTHS = 5 };

static const struct blas *blas;

/* How a head computes scores from q·k, and which keys a query sees. */
struct scoring {
    double scale;
    enum mask_kind mask;
    size_t window;      /* 0: none */
    double slope;       /* of ALiBi, or 0 */
    const float *table; /* biases of the distances -reach .. reach, or NULL */
    size_t reach;
};

/* One head among others: q, k, v in rows of wide, [T, stride], and its context in rows of out. */
struct head_case {
    size_t n_tokens, width, stride, out_stride;
    struct scoring scores;
    bool bf16;
    float *wide, *out, *map;
};

/* Scores that have no scale of their own get 1/√K. */
static struct head_case new_case(size_t n_tokens, size_t width, struct scoring scores)
{
    struct head_case c = {.n_tokens = n_tokens,
                          .width = width,
                          .stride = 3 * width + 5,
                          .out_stride = width + 3,
                          .scores = scores};
    if (c.scores.scale == 0)
        c.scores.scale = 1 / sqrt((double)width);
    c.wide = new_floats(extent(n_tokens, c.stride, 3 * width));
    c.out = new_floats(extent(n_tokens, c.out_stride, width));
    c.map = new_floats(n_tokens * n_tokens);
    return c;
}

static void fill_random(struct head_case *c, uint64_t seed, double range)
{
    for (size_t t = 0; t < c->n_tokens; t++)
        for (size_t i = 0; i < 3 * c->width; i++)
            c->wide[t * c->stride + i] = (float)random_within(&seed, range);
}

/* Carves memory for heads of so many tokens, full of NaN, with a panel after it. */
static float *new_work(struct attention_work *work, const struct head_case *c, size_t n_tokens,
                       bool has_bias, size_t *n_floats)
{
    struct arena arena = {0};
    attention_work_carve(work, n_tokens, c->width, has_bias, c->bf16, &arena);
    *n_floats = arena.used / sizeof(float);
    arena.base = new_bytes(arena.used + ARENA_ALIGN);
    arena.used = 0;
    fill_untouched((float *)(void *)arena.base, *n_floats + PANEL);
    attention_work_carve(work, n_tokens, c->width, has_bias, c->bf16, &arena);
    return (float *)(void *)arena.base;
}

/* Without a map; then the same with a map, in the memory of longer heads. Memory after that of the
 * work and between the rows of out stays unchanged. */
static void run(const struct kernels *kernels, struct head_case *c, const struct blas *with)
{
    size_t n_out = extent(c->n_tokens, c->out_stride, c->width);
    struct distance_bias bias = {c->scores.slope, c->scores.table, c->scores.reach};
    bool has_bias = bias.slope > 0 || bias.table != NULL;
    size_t n_exact, n_larger;
    struct attention_work exact, larger;
    float *exact_floats = new_work(&exact, c, c->n_tokens, has_bias, &n_exact);
    float *larger_floats = new_work(&larger, c, c->n_tokens + 70, true, &n_larger);
    float *unmapped = new_floats(n_out);
    struct attention_head head = {
        .q = c->wide,
        .k = c->wide + c->width,
        .v = c->wide + 2 * c->width,
        .stride = c->stride,
        .n_tokens = c->n_tokens,
        .head_width = c->width,
        .scale = (float)c->scores.scale,
        .band = mask_band(c->scores.mask, c->scores.window),
        .bias = has_bias ? &bias : NULL,
        .blas = with,
        .bf16 = c->bf16,
        .out = unmapped,
        .out_stride = c->out_stride,
    };
    fill_untouched(unmapped, n_out);
    attention_head(kernels, &head, &exact);
    head.out = c->out;
    head.map = c->map;
    fill_untouched(c->out, n_out);
    fill_untouched(c->map, c->n_tokens * c->n_tokens);
    attention_head(kernels, &head, &larger);
    assert_true(untouched(exact_floats + n_exact, PANEL));
    assert_true(untouched(larger_floats + n_larger, PANEL));
    assert_true(same_floats(c->out, unmapped, n_out));
    for (size_t t = 0; t + 1 < c->n_tokens; t++)
        assert_true(untouched(c->out + t * c->out_stride + c->width, c->out_stride - c->width));
}

struct twin {
    double *weights, *out;
};

static struct plain_model plain_model(const struct scoring *scores)
{
    return (struct plain_model){.mask = config_value_name("mask", scores->mask),
                                .window = scores->window,
                                .score_scale = scores->scale,
                                .distances = scores->reach};
}

static struct twin new_twin(const struct head_case *c)
{
    const size_t n = c->n_tokens, reach = c->scores.reach;
    const double *wide = widened(c->wide, extent(n, c->stride, 3 * c->width));
    const struct plain_model model = plain_model(&c->scores);
    const struct plain_head head = {
        .width = c->width,
        .stride = c->stride,
        .queries = wide,
        .keys = wide + c->width,
        .values = wide + 2 * c->width,
        .slope = c->scores.slope,
        .biases = c->scores.table ? widened(c->scores.table, 2 * reach + 1) + reach : NULL};
    struct twin twin = {new_doubles(n * n), new_doubles(n * c->width)};
    plain_score(&model, &head, n, n, twin.weights);
    plain_mix(&head, twin.weights, n, twin.out, c->width);
    return twin;
}

static void check_twin(const struct head_case *c, const struct twin *twin, struct largest *largest)
{
    const struct plain_model model = plain_model(&c->scores);
    size_t n_tokens = c->n_tokens;
    for (size_t i = 0; i < n_tokens; i++) {
        double sum = 0;
        for (size_t j = 0; j < n_tokens; j++) {
            double got = (double)c->map[i * n_tokens + j],
                   expected = twin->weights[i * n_tokens + j];
            note_error(largest, fabs(got - expected), got, expected, (double)n_tokens);
            assert_true(plain_sees(&model, i, j) || got == 0);
            sum += got;
        }
        note_error(largest, fabs(sum - 1) / 2, sum, 1, (double)n_tokens);
        for (size_t x = 0; x < c->width; x++) {
            double got = (double)c->out[i * c->out_stride + x],
                   expected = twin->out[i * c->width + x];
            note_error(largest, fabs(got - expected), got, expected, (double)n_tokens);
        }
    }
}

/* The numbers of tokens around the borders, and with two of the widths all of them, if there is
 * time. Windows and biases, which are not the width's matter: around the borders, with these
 * two, and in an emulator half of them with each. */
static bool is_tested(size_t n_tokens, size_t width, bool is_usual)
{
    bool is_chosen = width == 7 || width == 32;
    static const size_t borders[] = {1,  2,  3,  15, 16, 17, 31, 32,  33,  34,  47,  48, 49,
                                     50, 63, 64, 65, 95, 96, 97, 127, 128, 129, 139, 140};
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
        if (borders[i] == n_tokens)
            return support_emulated() ? is_chosen && i % 2 == (width == 7) : is_chosen || is_usual;
    return is_usual && is_chosen && !support_slow();
}

static void check_grid(struct scoring scores, const struct blas *with, double range,
                       double tolerance, const char *what)
{
    bool is_usual = scores.window == 0 && scores.slope == 0 && scores.table == NULL;
    struct largest largest[MOST_ISAS] = {{0}};
    for (size_t w = 0; w < N_WIDTHS; w++) {
        for (size_t n_tokens = 1; n_tokens <= MOST; n_tokens++) {
            if (!is_tested(n_tokens, head_widths[w], is_usual))
                continue;
            const size_t mark = owned_mark();
            struct head_case c = new_case(n_tokens, head_widths[w], scores);
            fill_random(&c, n_tokens, range);
            struct twin twin = new_twin(&c);
            for (size_t s = 0; float_kernels(s) != NULL; s++) {
                run(float_kernels(s), &c, with);
                check_twin(&c, &twin, &largest[s]);
            }
            owned_release(mark);
        }
    }
    for (size_t s = 0; float_kernels(s) != NULL; s++)
        assert_bound(&largest[s], tolerance, "%s %s", float_kernels(s)->isa, what);
}

static const struct scoring full = {.mask = MASK_FULL}, causal = {.mask = MASK_CAUSAL};

TEST(full)
{
    check_grid(full, NULL, 1, 1e-6, "full");
}

TEST(causal)
{
    check_grid(causal, blas, 1, 1e-6, "causal");
}

/* Narrower than a vector, than a panel, than a block; wider than all of it. */
TEST(windows)
{
    static const size_t windows[] = {1, 2, 7, 8, 15, 16, 31, 64, 95, 96, 139, 1000};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i += support_slow() ? 5 : 1) {
        char what[64];
        struct scoring scores = {.window = windows[i],
                                 .mask = i % 3 == 2 ? MASK_CAUSAL : MASK_FULL};
        snprintf(what, sizeof what, "%swindow of %zu", i % 3 == 2 ? "causal " : "", windows[i]);
        check_grid(scores, i % 2 == 0 ? NULL : blas, 1, 1e-6, what);
    }
}

static float table[2 * 40 + 1];

/* ALiBi, and biases from a table: of distances that are longer or shorter than the text. */
TEST(biases)
{
    uint64_t state = 11;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        table[i] = (float)random_within(&state, 2);
    check_grid((struct scoring){.slope = 0.5}, NULL, 1, 1e-6, "slope 1/2");
    check_grid((struct scoring){.slope = 1 / 256.0, .mask = MASK_CAUSAL}, NULL, 1, 1e-6,
               "slope 1/256, causal");
    check_grid((struct scoring){.table = table, .reach = 40}, blas, 1, 1e-6, "table");
    check_grid((struct scoring){.table = table, .reach = 1}, NULL, 1, 1e-6, "table of three");
    check_grid((struct scoring){.table = table, .reach = 40, .window = 20, .scale = 0.37}, NULL, 1,
               1e-6, "table, window of 20, another scale");
}

/* One case on every instruction set. */
static void check_case(size_t n_tokens, size_t width, struct scoring scores,
                       const struct blas *with, const char *what)
{
    struct head_case c = new_case(n_tokens, width, scores);
    struct largest largest[MOST_ISAS] = {{0}};
    fill_random(&c, n_tokens + width, 1);
    struct twin twin = new_twin(&c);
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        run(float_kernels(s), &c, with);
        check_twin(&c, &twin, &largest[s]);
        assert_bound(&largest[s], 1e-6, "%s %s, %zu tokens, width %zu", float_kernels(s)->isa, what,
                     n_tokens, width);
    }
}

/* Any width to 256, whether a multiple of the panels or not, with some scale. */
TEST(widths)
{
    static const size_t widths[] = {80, 100, 128, 160, 200, 255, 256};
    for (size_t i = 0; i < 2 * sizeof widths / sizeof *widths; i++)
        check_case(i % 4 < 2 ? 140 : 30, widths[i / 2],
                   (struct scoring){.window = i % 2 * 50, .scale = 0.05}, i % 3 == 0 ? blas : NULL,
                   "wide");
}

TEST(full_with_blas)
{
    if (blas == NULL) {
        print_message("skipped: this build of OpenBLAS is not used\n");
        skip();
    }
    check_grid(full, blas, 1, 1e-6, "full, OpenBLAS");
}

/* Many blocks of keys. Measured, below 3e-7 as well: sums over a block at a time are short. */
TEST(long)
{
    static const size_t cases[][2] = {{191, 4},  {192, 64}, {193, 32},
                                      {300, 26}, {480, 96}, {1000, 32}};
    const size_t step = support_slow() ? 5 : 1; /* 5: no divisor of the four ways */
    for (size_t i = 0; i < 4 * sizeof cases / sizeof *cases; i += step)
        check_case(cases[i / 4][0], cases[i / 4][1], i % 2 == 0 ? full : causal,
                   i % 4 >= 2 ? blas : NULL, i % 2 == 0 ? "full" : "causal");
}

/* Thousands of tokens, with and without a window. */
TEST(very_long)
{
    size_t n_tokens = support_slow() ? 300 : 1500;
    check_case(n_tokens, 24, (struct scoring){.window = 64}, NULL, "window of 64");
    check_case(n_tokens, 24, (struct scoring){.window = 200, .slope = 0.01}, NULL,
               "window of 200, slope 0.01");
    check_case(n_tokens, 24, (struct scoring){.slope = 1 / 256.0}, NULL, "slope 1/256");
}

/* q, k, v and weights are rounded to 8 bits: numbers within 1 are 2^-9 off, scores up to a sum of
 * those, and weights 2^-9 of themselves. The same bits on every set but the portable one. Scores
 * whose differences float does not hold give NaN. */
TEST(bfloat16)
{
    static const size_t widths[] = {1, 20, 32, 64, 80};
    struct largest largest = {0};
    size_t short_step = support_slow() ? 13 : 1, long_step = support_slow() ? 129 : 43;
    for (size_t n = 1; n <= (support_emulated() ? 100 : 300); n += n < 40 ? short_step : long_step)
        for (size_t i = 0; i < 4 * sizeof widths / sizeof *widths; i++) {
            const size_t mark = owned_mark(), kind = i % 4, width = widths[i / 4];
            struct head_case c =
                new_case(n, width,
                         (struct scoring){.mask = kind % 2 ? MASK_CAUSAL : MASK_FULL,
                                          .window = kind >= 2 ? 3 + n / 4 : 0,
                                          .slope = kind == 3 ? 0.1 : 0});
            const size_t n_out = extent(n, c.out_stride, width);
            float *first = new_floats(n_out);
            c.bf16 = true;
            fill_random(&c, n + i, 1);
            const struct twin twin = new_twin(&c);
            for (size_t s = 0; float_kernels(s) != NULL; s++) {
                run(float_kernels(s), &c, NULL);
                check_twin(&c, &twin, &largest);
                if (s == 1)
                    memcpy(first, c.out, n_out * sizeof *first);
                if (s > 1 && !same_floats(first, c.out, n_out))
                    fail_msg("%zu tokens of width %zu: %s and %s differ", n, width,
                             float_kernels(1)->isa, float_kernels(s)->isa);
            }
            owned_release(mark);
        }
    assert_bound(&largest, 0.01, "attention in bfloat16");
    struct head_case huge = new_case(40, 32, (struct scoring){.scale = 1e12});
    huge.bf16 = true;
    fill_random(&huge, 1, 1);
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        run(float_kernels(s), &huge, NULL);
        assert_true(isnan(huge.out[0]));
    }
}

static size_t work_floats(size_t n_tokens, size_t width, bool has_bias)
{
    struct attention_work work;
    struct arena arena = {0};
    attention_work_carve(&work, n_tokens, width, has_bias, false, &arena);
    return arena.used / sizeof(float);
}

/* Each token takes memory for a key and a value, for any number of tokens, and two biases. */
TEST(memory_is_linear)
{
    for (size_t width = 1; width <= 100; width++) {
        size_t padded = (width + PANEL - 1) / PANEL * PANEL;
        size_t few = work_floats(1000, width, false);
        assert_true(work_floats(8000, width, false) <= few + 7000 * (width + padded) + PANEL);
        assert_true(work_floats(8000, width, true) <=
                    work_floats(8000, width, false) + 2 * 8000 + 2 * PANEL);
        assert_true(few >= 1000 * (width + padded));
        assert_int_equal(work_floats(0, width, false), 0);
        for (size_t n = 1; n <= 200; n++)
            assert_true(work_floats(n - 1, width, n % 2) <= work_floats(n, width, n % 2));
    }
}

/* Numbers within ±10: scores reach hundreds, where floats are 3e-5 apart, and one that is off by so
 * much changes its weight by that share and a context of 10 by 3e-4. */
TEST(sharp)
{
    check_grid(full, blas, 10, 1e-3, "full, sharp");
    check_grid(causal, NULL, 10, 1e-3, "causal, sharp");
    check_grid((struct scoring){.window = 9}, NULL, 10, 1e-3, "window, sharp");
}

/* With a look-ahead mask, the tokens that follow change no bit, and neither does their number. */
TEST(causal_prefix)
{
    static const struct scoring kinds[] = {
        {.mask = MASK_CAUSAL},
        {.mask = MASK_CAUSAL, .slope = 0.1},
        {.mask = MASK_CAUSAL, .window = 40},
        {.mask = MASK_CAUSAL}, /* in bfloat16 */
    };
    static const size_t widths[] = {7, 32, 16, 32};
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t w = 0; w < 4; w++) {
            struct head_case all = new_case(MOST, widths[w], kinds[w]);
            all.bf16 = w == 3;
            fill_random(&all, 1, 2);
            run(float_kernels(s), &all, blas);
            for (size_t n_tokens = 1; n_tokens < MOST; n_tokens += support_slow() ? 7 : 1) {
                const size_t mark = owned_mark();
                struct head_case part = new_case(n_tokens, widths[w], kinds[w]);
                part.bf16 = all.bf16;
                fill_random(&part, 1, 2);
                assert_true(same_floats(part.wide, all.wide, 3 * widths[w]));
                run(float_kernels(s), &part, blas);
                for (size_t t = 0; t < n_tokens; t++) {
                    if (!same_floats(part.out + t * part.out_stride, all.out + t * all.out_stride,
                                     widths[w]) ||
                        !same_floats(part.map + t * n_tokens, all.map + t * MOST, t + 1))
                        fail_msg("%s: token %zu differs, %zu tokens and %d", float_kernels(s)->isa,
                                 t, n_tokens, MOST);
                }
                owned_release(mark);
            }
        }
    }
}

/* The head's result depends on its own rows alone: not on where they are in memory, nor on what is
 * between them. */
TEST(place)
{
    static const size_t n_tokens[] = {1, 5, 32, 33, 64, 100, 128, 140};
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t i = 0; i < 2 * sizeof n_tokens / sizeof *n_tokens; i++) {
            size_t n = n_tokens[i / 2], width = 26;
            struct scoring scores = i % 2 == 0 ? full : causal;
            struct head_case a = new_case(n, width, scores), b = new_case(n, width, scores);
            b.stride = 3 * width + 16;
            b.wide = new_floats(extent(n, b.stride, 3 * width) + 1);
            fill_untouched(b.wide, extent(n, b.stride, 3 * width) + 1);
            b.wide++;
            fill_random(&a, n, 1);
            fill_random(&b, n, 1);
            run(float_kernels(s), &a, blas);
            run(float_kernels(s), &b, blas);
            for (size_t t = 0; t < n; t++)
                assert_true(same_floats(a.out + t * a.out_stride, b.out + t * b.out_stride, width));
            assert_true(same_floats(a.map, b.map, n * n));
        }
    }
}

/* Up to EXACT_KEYS keys, their order changes the context by no more than a rounding of it: by
 * 2^-23 of the values' size, and hardly ever by that. */
TEST(order_of_keys)
{
    uint64_t state = 3;
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        size_t n_differ = 0;
        struct largest largest = {0};
        for (size_t n = 2; n <= EXACT_KEYS; n += support_emulated() ? 6 : 1) {
            for (size_t w = 0; w < N_WIDTHS; w++) {
                struct head_case a = new_case(n, head_widths[w], full);
                struct head_case b = new_case(n, head_widths[w], full);
                size_t width = a.width, bytes = 2 * width * sizeof *a.wide;
                fill_random(&a, n, 2);
                fill_random(&b, n, 2);
                for (size_t t = n - 1; t > 0; t--) { /* keys keep their values */
                    size_t other = support_below(&state, t + 1);
                    float row[2 * 64];
                    memcpy(row, b.wide + t * b.stride + width, bytes);
                    memmove(b.wide + t * b.stride + width, b.wide + other * b.stride + width,
                            bytes);
                    memcpy(b.wide + other * b.stride + width, row, bytes);
                }
                run(float_kernels(s), &a, blas);
                run(float_kernels(s), &b, blas);
                for (size_t t = 0; t < n; t++) {
                    for (size_t i = 0; i < width; i++) {
                        double x = (double)a.out[t * a.out_stride + i];
                        double y = (double)b.out[t * b.out_stride + i];
                        note_error(&largest, fabs(x - y), y, x, (double)n);
                        n_differ += x != y;
                    }
                }
            }
        }
        assert_bound(&largest, 2 * 0x1p-23, "%s, keys in another order", float_kernels(s)->isa);
        print_message("    %zu of %zu numbers differ\n", n_differ, largest.n);
        assert_true(n_differ * 1000 <= largest.n);
    }
}

/* What 32 bits cannot count, but a file may ask for, has its like in 64: neither a product of sizes
 * nor their sum wraps around. */
TEST(memory_that_cannot_be_counted_is_refused)
{
    const size_t root = (size_t)1 << sizeof(size_t) * 4; /* its square is one too many */
    const size_t widths[] = {root, root / 8, root / 16};
    for (size_t i = 0; i < 3; i++) {
        struct attention_work work;
        struct arena arena = {0};
        attention_work_carve(&work, root, widths[i], true, false, &arena);
        assert_int_equal(arena.overflow, i < 2);
    }
}

/* No tokens, no work: neither out nor map nor memory is there to be touched. */
TEST(no_tokens)
{
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        struct attention_head head = {.head_width = 8, .stride = 24, .out_stride = 8, .blas = blas};
        attention_head(float_kernels(s), &head, &(struct attention_work){0});
        head.band = mask_band(MASK_FULL, 0);
        head.bias = &(struct distance_bias){.slope = 1};
        attention_head(float_kernels(s), &head, &(struct attention_work){0});
    }
}

SET_UP()
{
    blas = machine_blas();
}
