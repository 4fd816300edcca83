/* tags: numbers aarch64 */
/* Mean, first and largest of rows, L2 normalisation and cosine against their formulas in double. */
#include "engine/plain/answers.h"
#include "tests/model/plain.h"

#include "model/layers/pooling.h"

#include <float.h>
#include <math.h>

static const size_t row_counts[] = {1, 2, 3, 7, 31, 128, 512};
static const size_t widths[] = {1, 2, 3, 5, 15, 16, 17, 31, 33, 64, 70};
enum { N_COUNTS = 7, N_WIDTHS = 11 };

/* Means are summed in double and rounded once; the others are exact. */
static void check_pooling(enum pooling pooling, size_t n_tokens, size_t width, uint64_t *state,
                          struct largest *largest)
{
    size_t stride = width + n_tokens % 4, n_skipped = n_tokens > 2 ? width % 3 : 0;
    float *x = random_floats(state, (n_tokens - 1) * stride + width, 3), *out = new_floats(width);
    double *rows = new_doubles(n_tokens * width), *expected = new_doubles(width);
    const bool is_exact =
        pooling == POOLING_CLS || pooling == POOLING_MAX || pooling == POOLING_LAST;
    for (size_t i = 0; i < n_tokens * width; i++)
        rows[i] = (double)x[i / width * stride + i % width];
    assert_false(plain_pool("mean_", rows, n_tokens, width, n_skipped, expected));
    assert_true(plain_pool(config_value_name("pooling", pooling), rows, n_tokens, width, n_skipped,
                           expected));
    fill_untouched(out, width);
    pool_rows(pooling, x, stride, n_tokens, n_skipped, width, out);
    for (size_t i = 0; i < width; i++) {
        double bound = 1.01 * FLOAT_ROUNDING * (is_exact ? 0 : fabs(expected[i])) + 1e-15;
        double error = fabs((double)out[i] - expected[i]);
        note_error(largest, error == 0 ? 0 : error / bound, (double)out[i], expected[i],
                   (double)n_tokens);
    }
}

TEST(pooling)
{
    static const enum pooling poolings[] = {CONSTANTS_OF(TOKEN_POOLINGS)};
    uint64_t state = 1;
    for (size_t p = 0; p < sizeof poolings / sizeof *poolings; p++) {
        struct largest largest = {0};
        for (size_t c = 0; c < N_COUNTS; c++)
            for (size_t w = 0; w < N_WIDTHS; w++)
                check_pooling(poolings[p], row_counts[c], widths[w], &state, &largest);
        assert_bound(&largest, 1, "%s, share of the bound",
                     config_value_name("pooling", poolings[p]));
    }
}

TEST(no_rows)
{
    for (int pooling = POOLING_NONE; pooling <= POOLING_MAX; pooling++) {
        for (size_t width = 0; width <= 70; width++) {
            float *out = new_floats(width + 1);
            fill_untouched(out, width + 1);
            pool_rows((enum pooling)pooling, NULL, width, 0, 0, width, out);
            for (size_t i = 0; i < width; i++)
                assert_true(out[i] == 0 && !signbit(out[i]));
            assert_true(untouched(out + width, 1));
        }
    }
}

TEST(max_of_negatives)
{
    static const float x[3][2] = {{-3, -FLT_MAX}, {-1, -FLT_MAX}, {-2, -INFINITY}};
    float out[2];
    pool_rows(POOLING_MAX, x[0], 2, 3, 0, 2, out);
    assert_true(out[0] == -1 && out[1] == -FLT_MAX);
}

/* Neither pooling nor normalising hides a NaN of what it looks at. */
TEST(nan)
{
    for (size_t at = 0; at < 3; at++) {
        float x[6] = {1, 2, 3, 4, 5, 6}, out[2];
        x[2 * at] = NAN;
        pool_rows(POOLING_MEAN, x, 2, 3, 0, 2, out);
        assert_true(isnan(out[0]) && out[1] == 4);
        pool_rows(POOLING_MAX, x, 2, 3, 0, 2, out);
        assert_true(isnan(out[0]) && out[1] == 6);
        pool_rows(POOLING_CLS, x, 2, 3, 0, 2, out);
        assert_true(at == 0 ? isnan(out[0]) : out[0] == 1);
        normalize_row(x, 6);
        for (size_t i = 0; i < 6; i++)
            assert_true(isnan(x[i]));
    }
}

/* ---- normalize_row ---- */

/* The length in double, the quotient rounded once. */
TEST(normalize)
{
    static const double ranges[] = {1, 1e-3, 1e4, 1e-9, 1e18, 3e38};
    uint64_t state = 2;
    struct largest largest = {0};
    for (size_t r = 0; r < 6; r++) {
        for (size_t w = 0; w < N_WIDTHS; w++) {
            float *x = random_floats(&state, widths[w], ranges[r]), *y = copy_floats(x, widths[w]);
            double square = 0, length = 0;
            for (size_t i = 0; i < widths[w]; i++)
                square += (double)x[i] * (double)x[i];
            normalize_row(y, widths[w]);
            for (size_t i = 0; i < widths[w]; i++) {
                double expected = (double)x[i] / sqrt(square);
                note_error(&largest, in_steps((double)y[i], expected), (double)y[i], expected,
                           ranges[r]);
                length += (double)y[i] * (double)y[i];
            }
            assert_true(fabs(length - 1) <= 2e-7);
        }
    }
    assert_bound(&largest, 0.5 + 1e-6, "normalised, in steps");
}

/* Lengths below 1e-12 count as 1e-12, and zeros stay zeros. */
TEST(normalize_short)
{
    for (size_t width = 0; width <= 70; width++) {
        float *x = random_floats(&(uint64_t){3}, width, 0);
        normalize_row(x, width);
        for (size_t i = 0; i < width; i++)
            assert_true(x[i] == 0);
    }
    float x[] = {3e-14f, -4e-14f}, tiny[] = {FLT_TRUE_MIN, 0}, unit[] = {0, -1e-12f * 1.5f};
    normalize_row(x, 2);
    assert_true(fabsf(x[0] - 0.03f) <= 1e-8f && fabsf(x[1] + 0.04f) <= 1e-8f);
    normalize_row(tiny, 2);
    assert_true(tiny[0] > 0 && tiny[0] <= 2e-33f && tiny[1] == 0);
    normalize_row(unit, 2);
    assert_true(unit[0] == 0 && unit[1] == -1);
}

/* ---- cosine ---- */

static double plain_cosine(const float *a, const float *b, size_t n)
{
    struct plain_sum aa = plain_product(a, a, 1, n), bb = plain_product(b, b, 1, n);
    return plain_product(a, b, 1, n).sum / sqrt(aa.sum) / sqrt(bb.sum);
}

TEST(cosine)
{
    static const double ranges[] = {1, 1e-30, 1e-44, 1e30, 3e38};
    uint64_t state = 4;
    for (size_t r = 0; r < 5; r++) {
        for (size_t w = 0; w < N_WIDTHS; w++) {
            size_t n = widths[w];
            float *a = random_floats(&state, n, ranges[r]), *b = random_floats(&state, n, 1);
            float *opposite = new_floats(n), *zeros = random_floats(&state, n, 0);
            a[0] = (float)ranges[r];
            for (size_t i = 0; i < n; i++)
                opposite[i] = -a[i];
            assert_true(fabs(similarity(ENGINE_METRIC_COSINE, a, b, n) - plain_cosine(a, b, n)) <=
                        1e-15);
            assert_true(similarity(ENGINE_METRIC_COSINE, a, b, n) ==
                        similarity(ENGINE_METRIC_COSINE, b, a, n));
            assert_true(fabs(similarity(ENGINE_METRIC_COSINE, a, a, n) - 1) <= 1e-15);
            assert_true(fabs(similarity(ENGINE_METRIC_COSINE, a, opposite, n) + 1) <= 1e-15);
            assert_true(similarity(ENGINE_METRIC_COSINE, a, zeros, n) == 0 &&
                        similarity(ENGINE_METRIC_COSINE, zeros, a, n) == 0);
            assert_true(similarity(ENGINE_METRIC_COSINE, zeros, zeros, n) == 0);
            a[n - 1] = NAN;
            assert_true(isnan(similarity(ENGINE_METRIC_COSINE, a, b, n)) &&
                        isnan(similarity(ENGINE_METRIC_COSINE, b, a, n)));
        }
    }
    assert_true(similarity(ENGINE_METRIC_COSINE, NULL, NULL, 0) == 0);
}
