/* tags: numbers aarch64 */
/* The element-wise kernels and softmax of every instruction set against erf, tanh and exp in
 * double.
 *
 * A step is the distance between neighbouring floats there. The bounds are what the way of
 * computing leaves: an exp takes about 2 steps, and an argument a that was rounded itself adds
 * |a|/2 of them, which is why relative errors grow in the tails, where the values are next to
 * nothing. */
#include "tests/model/plain.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const enum activation activations[] = {CONSTANTS_OF(ACTIVATIONS)};
#define NAME_AND_COMMA(constant, name) name,
static const char *const names[] = {ACTIVATIONS(NAME_AND_COMMA, NAME_AND_COMMA)};

enum { N_ACTIVATIONS = sizeof activations / sizeof *activations };

TEST(select)
{
    const char *best = "";
    for (size_t s = 0; support_isa(s) != NULL; s++)
        best = tested_kernels(s)->isa;
    assert_string_equal(kernels_select(NULL, true)->isa, best);
#if defined(__x86_64__)
    const char *highest = "amx", *foreign = "neon";
#else
    const char *highest = "neoni8mm", *foreign = "amx";
#endif
    /* A set that the CPU lacks gives the best set below it; a set of other architectures, the
     * portable set; an unknown set, nothing. */
    assert_string_equal(kernels_select(highest, true)->isa, best);
    assert_string_equal(kernels_select(foreign, true)->isa, "portable");
    assert_string_equal(kernels_select("", true)->isa, best);
    assert_string_not_equal(kernels_select("amx", false)->isa, "amx"); /* the tiles are for int8 */
    assert_null(kernels_select("AVX2", true));
    assert_null(kernels_select("avx1024", true));
    print_message("best: %s\n", best);
}

/* ---- activations ---- */

/* Values dense in -40 .. 40, and of every size from 1e-38 on, both signs. */
static float *sweep(size_t *n)
{
    enum { LINEAR = 1 << 19, PER_EXPONENT = 512, EXPONENTS = 131 };
    uint64_t state = 1;
    *n = LINEAR + PER_EXPONENT * EXPONENTS;
    float *x = new_floats(*n);
    for (size_t i = 0; i < LINEAR; i++)
        x[i] = (float)(-40 + 80 * ((double)i + random_within(&state, 0.5)) / (LINEAR - 1));
    for (size_t i = LINEAR; i < *n; i++) {
        int exponent = (int)((i - LINEAR) / PER_EXPONENT) - 126;
        x[i] = (float)ldexp(1 + fabs(random_within(&state, 1)), exponent);
        x[i] = i % 2 == 0 ? x[i] : -x[i];
    }
    return x;
}

struct accuracy {
    double middle;   /* in steps, from -1 on */
    double tail;     /* in steps, from `from` on */
    double from;     /* results below it count as 0: at most 1e-36 */
    double absolute; /* anywhere, divided by |x| where that is more than 1 */
};

/* gelu's exp has -x²/2 as its argument, rounded once, twice without fused multiply-add: at -13 that
 * is 84 steps each. gelu_tanh's has 1.6·(x + 0.045·x³), -87 at -10, in five roundings. silu's is
 * exact. Seen: gelu 3.2 and 118 steps, 8e-8; gelu_tanh 2.2, 192, 1.2e-7; silu 2.0, 2.4, 1.2e-7. */
static const struct accuracy accuracies[] = {
    {0, 0, -40, 0}, {4, 150, -13, 1.5e-7}, {4, 250, -10, 1.5e-7}, {4, 4, -40, 1.5e-7}};
_Static_assert(sizeof accuracies / sizeof *accuracies == N_ACTIVATIONS,
               "accuracies has a row for each activation");

static void check_sweep(const struct kernels *kernels, size_t a, const float *x,
                        const double *expected, size_t n)
{
    struct largest middle = {0}, tail = {0}, absolute = {0}, below = {.n = 1};
    const struct accuracy *accuracy = &accuracies[a];
    float *got = copy_floats(x, n);
    kernels->activate(activations[a], got, n);
    for (size_t i = 0; i < n; i++) {
        double at = (double)x[i], value = (double)got[i], steps = in_steps(value, expected[i]);
        if (at >= -1)
            note_error(&middle, steps, value, expected[i], at);
        if (at >= accuracy->from)
            note_error(&tail, steps, value, expected[i], at);
        else
            note_error(&below, fabs(value), value, expected[i], at);
        note_error(&absolute, fabs(value - expected[i]) / fmax(1, fabs(at)), value, expected[i],
                   at);
    }
    assert_bound(&middle, accuracy->middle, "%s %s, steps from -1 on", kernels->isa, names[a]);
    assert_bound(&tail, accuracy->tail, "%s %s, steps from %g on", kernels->isa, names[a],
                 accuracy->from);
    assert_bound(&below, 1e-36, "%s %s, size below %g", kernels->isa, names[a], accuracy->from);
    assert_bound(&absolute, accuracy->absolute, "%s %s, absolute", kernels->isa, names[a]);
}

TEST(activation_sweep)
{
    size_t n;
    float *x = sweep(&n);
    double *expected = new_doubles(n);
    for (size_t a = 0; a < N_ACTIVATIONS; a++) {
        for (size_t i = 0; i < n; i++)
            expected[i] = plain_activation(names[a], (double)x[i]);
        for (size_t s = 0; float_kernels(s) != NULL; s++)
            check_sweep(float_kernels(s), a, x, expected, n);
    }
}

/* Here sums of the bias alone: near x·Φ(x), the same bits wherever multiply-adds are
 * fused. */
TEST(gelu_of_int8_sums)
{
    enum { SWEEP = 4001 * PANEL };
    int8_t *zeros = new_bytes(QUANTIZED_STEP), *panels = new_bytes(4 * SWEEP);
    float *x = new_floats(SWEEP), *got = new_floats(SWEEP), *first = new_floats(SWEEP);
    float *scales = random_floats(&(uint64_t){9}, SWEEP, 1);
    memset(zeros, 0, QUANTIZED_STEP);
    memset(panels, 1, 4 * SWEEP);
    for (size_t i = 0; i < SWEEP; i++)
        x[i] = ((float)i / SWEEP - 0.5f) * 24;
    x[0] = -INFINITY;
    x[1] = INFINITY;
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        const struct kernels *kernels = tested_kernels(s);
        struct quantization quantization = {.scale = 1};
        kernels->product_int8(&(struct product){.x = zeros,
                                                .x_stride = QUANTIZED_STEP,
                                                .x_quantization = &quantization,
                                                .panels = panels,
                                                .panel_stride = 4 * PANEL,
                                                .k = 4,
                                                .scales = scales,
                                                .bias = x,
                                                .activated = true,
                                                .activation = ACTIVATION_GELU,
                                                .out = got,
                                                .out_stride = SWEEP,
                                                .n_rows = 1,
                                                .n_panels = SWEEP / PANEL});
        struct largest error = {0};
        assert_true(fabs((double)got[0]) <= 6e-5 && got[1] == INFINITY);
        for (size_t i = 2; i < SWEEP; i++) {
            double expected = plain_activation("gelu", (double)x[i]);
            note_error(&error, fabs((double)got[i] - expected), (double)got[i], expected,
                       (double)x[i]);
        }
        assert_bound(&error, 6e-5, "gelu of int8 sums, %s", kernels->isa);
        if (s == 1)
            memcpy(first, got, SWEEP * sizeof *got);
        assert_true(s < 2 || same_floats(got, first, SWEEP));
    }
}

/* Element by element: the result at x[i] depends neither on n nor on its neighbours nor on where
 * the array starts, and nothing past the array is written. */
TEST(activation_lengths)
{
    static const size_t lengths[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,  13,
                                     14, 15, 16, 17, 18, 19, 23, 24, 25, 31, 32, 33, 34,  35,
                                     47, 48, 49, 50, 63, 64, 65, 66, 67, 68, 69, 70, 383, 1023};
    enum { MOST = 1023, BEHIND = 17 };
    uint64_t state = 2;
    float *x = random_floats(&state, MOST, 6);
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t a = 0; a < N_ACTIVATIONS; a++) {
            float *all = copy_floats(x, MOST);
            float_kernels(s)->activate(activations[a], all, MOST);
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
                size_t n = lengths[l], from = (MOST - n) / 2;
                float *exact = copy_floats(x + from, n);
                float_kernels(s)->activate(activations[a], exact, n);
                assert_true(same_floats(exact, all + from, n));

                float *longer = new_floats(1 + n + BEHIND);
                fill_untouched(longer, 1 + n + BEHIND);
                memcpy(longer + 1, x, n * sizeof *x);
                float_kernels(s)->activate(activations[a], longer + 1, n);
                assert_true(same_floats(longer + 1, all, n) && untouched(longer, 1) &&
                            untouched(longer + 1 + n, BEHIND));
            }
        }
    }
}

static void check_nan(const struct kernels *kernels, size_t a, size_t n, size_t at, float nan)
{
    enum activation activation = activations[a];
    float *x = new_floats(n), *with_nan = new_floats(n);
    for (size_t i = 0; i < n; i++)
        x[i] = with_nan[i] = (float)i * 0.25f - 4;
    with_nan[at] = nan;
    kernels->activate(activation, x, n);
    kernels->activate(activation, with_nan, n);
    for (size_t i = 0; i < n; i++)
        if (i == at ? !isnan(with_nan[i]) : !same_floats(with_nan + i, x + i, 1))
            fail_msg("%s %s: %g at %zu, NaN at %zu of %zu", kernels->isa, names[a],
                     (double)with_nan[i], i, at, n);
}

TEST(activation_of_nan)
{
    uint64_t state = 5;
    for (size_t s = 0; float_kernels(s) != NULL; s++)
        for (size_t a = 0; a < N_ACTIVATIONS; a++)
            for (size_t n = 1; n <= 35; n++)
                for (size_t at = 0; at < n; at++)
                    check_nan(float_kernels(s), a, n, at,
                              at == 0 ? NAN : nan_with(support_random(&state)));
}

/* Far out all four are 0 and x. */
TEST(activation_far_out)
{
    static const float far[] = {88.5f, 100, 1e3f, 1e6f, 1e10f, 1e20f, 1e30f};
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t a = 0; a < N_ACTIVATIONS; a++) {
            float edge[] = {0.0f, -0.0f, INFINITY, FLT_MAX, FLT_TRUE_MIN, -FLT_TRUE_MIN};
            float_kernels(s)->activate(activations[a], edge, 6);
            assert_true(edge[0] == 0 && edge[1] == 0);
            assert_true(isinf(edge[2]) && edge[2] > 0 && edge[3] == FLT_MAX);
            assert_true(fabsf(edge[4]) <= FLT_TRUE_MIN && fabsf(edge[5]) <= FLT_TRUE_MIN);
            for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
                float x[] = {far[i], -far[i]};
                float_kernels(s)->activate(activations[a], x, 2);
                assert_true(x[0] == far[i]);
                /* e^88.3 is as large as exp gets, so what is left is x·4.5e-39. */
                assert_true(fabsf(x[1]) <= far[i] * 6e-39f);
            }
        }
    }
}

TEST(multiply)
{
    uint64_t state = 3;
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t n = 0; n <= 70; n++) {
            float *x = random_floats(&state, n, 3), *y = random_floats(&state, n, 3);
            float *out = copy_floats(x, n);
            float_kernels(s)->multiply(out, y, n);
            for (size_t i = 0; i < n; i++)
                assert_true(out[i] == x[i] * y[i]);
        }
    }
}
