/* tags: numbers aarch64 */
/* Layer norm and RMS norm, the kernels and norm_row, against the formula in double.
 *
 * In units of 2^-24 an element is off by: the error of the mean, whose sum is at most n/4 + 5
 * roundings of numbers up to max|x|, over what x is divided by; half of as many for the divisor and
 * 8 more, times the normalised value; both times the weight; and 1 for adding the bias. */
#include "tests/model/plain.h"

#include <math.h>

struct row {
    size_t n;
    float *x, *weight, *bias;
};

static struct row new_row(uint64_t *state, size_t n, double offset, double range)
{
    struct row row = {n, random_floats(state, n, range), random_floats(state, n, 2),
                      random_floats(state, n, 2)};
    for (size_t i = 0; i < n; i++)
        row.x[i] += (float)offset;
    return row;
}

static void check_row(const struct kernels *kernels, const struct row *row, enum norm_kind kind,
                      bool has_bias, double eps, struct largest *largest)
{
    size_t n = row->n;
    struct norm norm = {kind, row->weight, has_bias ? row->bias : NULL};
    float *out = new_floats(n), *in_place = copy_floats(row->x, n);
    double *expected = new_doubles(n), max = 0;
    double divisor =
        plain_norm(config_value_name("norm", kind), widened(row->x, n), widened(row->weight, n),
                   has_bias ? widened(row->bias, n) : NULL, eps, n, expected);
    for (size_t i = 0; i < n; i++)
        max = fmax(max, fabs((double)row->x[i]));
    fill_untouched(out, n);
    kernels->norm_row(&norm, (float)eps, n, row->x, out);
    kernels->norm_row(&norm, (float)eps, n, in_place, in_place);
    assert_true(same_floats(out, in_place, n));
    for (size_t i = 0; i < n; i++) {
        double bias = has_bias ? (double)row->bias[i] : 0, weighted = fabs(expected[i] - bias);
        double mean = kind == NORM_LAYER ? ((double)n / 4 + 5) * max / divisor : 0;
        double bound = mean * fabs((double)row->weight[i]) + ((double)n / 8 + 8) * weighted +
                       fabs(expected[i]);
        note_error(largest, fabs((double)out[i] - expected[i]) / (bound * FLOAT_ROUNDING + 1e-300),
                   (double)out[i], expected[i], (double)n);
    }
}

static void check_sizes(const struct kernels *kernels, double offset, double range, double eps)
{
    static const size_t large[] = {100, 128, 384, 768, 1000, 4096};
    static const enum norm_kind kinds[] = {CONSTANTS_OF(LAYER_NORMS)};
    enum { N_KINDS = sizeof kinds / sizeof *kinds };
    uint64_t state = 1;
    struct largest largest[N_KINDS] = {{0}};
    for (size_t i = 1; i <= 70 + sizeof large / sizeof *large; i++) {
        struct row row = new_row(&state, i <= 70 ? i : large[i - 71], offset, range);
        for (size_t k = 0; k < N_KINDS; k++) {
            check_row(kernels, &row, kinds[k], false, eps, &largest[k]);
            if (kinds[k] == NORM_LAYER)
                check_row(kernels, &row, kinds[k], true, eps, &largest[k]);
        }
    }
    for (size_t k = 0; k < N_KINDS; k++)
        assert_bound(&largest[k], 1, "%s %s norm of %g +- %g, eps %g, share of the bound",
                     kernels->isa, config_value_name("norm", kinds[k]), offset, range, eps);
}

TEST(norms)
{
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        check_sizes(float_kernels(s), 0, 1, 1e-12);
        check_sizes(float_kernels(s), 0.5, 3, 1e-5);
        check_sizes(float_kernels(s), 0, 1e-4, 1e-5);
        check_sizes(float_kernels(s), 100, 1, 1e-6);
        check_sizes(float_kernels(s), -3, 1e6, 1e-12);
    }
}

/* Equal values, whose sums may be rounded, have no variance: what is left is the bias. A NaN, or a
 * variance beyond float, is in every number of its row. */
TEST(equal_values_and_nan)
{
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t n = 1; n <= 70; n++) {
            uint64_t state = n;
            struct row row = new_row(&state, n, 0, 0);
            const struct norm norms[] = {{NORM_LAYER, row.weight, row.bias},
                                         {NORM_RMS, row.weight, NULL}};
            float *out[2] = {new_floats(n), new_floats(n)};
            for (int round = 0; round < 4; round++) {
                for (size_t i = 0; i < n; i++)
                    row.x[i] = round == 0 ? 0 : 10.1f;
                if (round > 1)
                    row.x[support_below(&state, n)] = round == 2 ? NAN : 1e25f;
                for (size_t k = 0; k < 2; k++)
                    float_kernels(s)->norm_row(&norms[k], 1e-12f, n, row.x, out[k]);
                assert_true(round > 1 || same_floats(out[0], row.bias, n));
                for (size_t i = 0; i < n; i++)
                    assert_true(round == 0   ? out[1][i] == 0
                                : round == 1 ? fabsf(out[1][i] - row.weight[i]) <=
                                                   3e-7f * fabsf(row.weight[i])
                                             : isnan(out[1][i]) && (n == 1 || isnan(out[0][i])));
            }
        }
    }
}

TEST(no_norm_copies)
{
    const struct norm none = {NORM_NONE, NULL, NULL};
    uint64_t state = 2;
    for (size_t n = 0; n <= 70; n++) {
        float *x = random_floats(&state, n, 1), *before = copy_floats(x, n), *out = new_floats(n);
        fill_untouched(out, n);
        float_kernels(0)->norm_row(&none, 0, n, x, out);
        float_kernels(0)->norm_row(&none, 0, n, x, x);
        assert_true(same_floats(out, before, n) && same_floats(x, before, n));
    }
}
