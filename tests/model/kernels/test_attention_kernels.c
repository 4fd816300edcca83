/* tags: numbers aarch64 */
/* The steps of one head except softmax, each by itself, of every instruction set: packed rows and
 * mixes of values, against sums in double. A row of weights is a key, a column a query. */
#include "tests/model/plain.h"

#include <math.h>

static size_t to_panels(size_t n)
{
    return (n + PANEL - 1) / PANEL * PANEL;
}

/* ---- pack_rows ---- */

TEST(pack)
{
    uint64_t state = 1;
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t n = 1; n <= 40; n++) {
            for (size_t k = 1; k <= 70; k += k < 36 ? 1 : 7) {
                size_t stride = k + n % 4, n_panels = to_panels(n) / PANEL;
                float *x = random_floats(&state, extent(n, stride, k), 3);
                float *panels = new_floats(n_panels * k * PANEL);
                fill_untouched(panels, n_panels * k * PANEL);
                float_kernels(s)->pack_rows(x, stride, n, k, 0.3f, panels);
                for (size_t r = 0; r < n_panels * PANEL; r++) {
                    const float *row = x + (r < n ? r : n - 1) * stride;
                    for (size_t i = 0; i < k; i++)
                        if (!(panels[(r / PANEL * k + i) * PANEL + r % PANEL] == row[i] * 0.3f))
                            fail_msg("%s: row %zu of %zu, element %zu of %zu",
                                     float_kernels(s)->isa, r, n, i, k);
                }
            }
        }
    }
}

/* ---- mix ---- */

/* The column of one query as floats, for plain_product. */
static float *column(const float *weights, size_t stride, size_t n, size_t query)
{
    float *copy = new_floats(n);
    for (size_t j = 0; j < n; j++)
        copy[j] = weights[j * stride + query];
    return copy;
}

/* Sums of n products in floats, and two roundings each for the context and the division. */
static void check_mix(const struct kernels *kernels, struct mix *m, struct largest *largest)
{
    size_t n_out = extent(m->n_queries, m->out_stride, m->width);
    float *out = new_floats(n_out);
    fill_untouched(out, n_out);
    m->out = out;
    kernels->mix(m);
    for (size_t i = 0; i < m->n_queries; i++) {
        float *weights = column(m->weights, m->weights_stride, m->n_keys, i);
        double divisor = m->sum != NULL ? (double)m->sum[i] : 1;
        for (size_t c = 0; c < m->width; c++) {
            struct plain_sum sum =
                plain_product(weights, m->values + c, m->values_stride, m->n_keys);
            if (m->context != NULL) {
                double before =
                    (double)m->context[i * m->context_stride + c] * (double)m->factor[i];
                sum.sum += before;
                sum.magnitude += fabs(before);
            }
            double got = (double)out[i * m->out_stride + c], expected = sum.sum / divisor;
            double bound = (double)(m->n_keys + 6) * FLOAT_ROUNDING * sum.magnitude / divisor;
            note_error(largest, fabs(got - expected) / (bound + 1e-300), got, expected,
                       (double)m->width);
        }
        if (i + 1 < m->n_queries)
            assert_true(untouched(out + i * m->out_stride + m->width, m->out_stride - m->width));
    }
}

static void mix_of(const struct kernels *kernels, size_t n_keys, size_t n_queries, size_t width,
                   struct largest *largest)
{
    const size_t mark = owned_mark();
    uint64_t state = n_queries * 1000 + width;
    size_t weights_stride = to_panels(n_queries), values_stride = to_panels(width);
    float *weights = random_floats(&state, n_keys * weights_stride, 1);
    float *values = random_floats(&state, n_keys * values_stride, 3);
    float *context = random_floats(&state, n_queries * values_stride, 3);
    float *factor = random_floats(&state, n_queries, 1), *sum = random_floats(&state, n_queries, 1);
    for (size_t i = 0; i < n_queries; i++)
        sum[i] += 2;
    struct mix mix = {
        .weights = weights,
        .weights_stride = weights_stride,
        .values = values,
        .values_stride = values_stride,
        .n_keys = n_keys,
        .n_queries = n_queries,
        .width = width,
        .context_stride = values_stride,
        .factor = factor,
        .out_stride = width + n_queries % 3,
    };
    check_mix(kernels, &mix, largest);
    mix.sum = sum;
    check_mix(kernels, &mix, largest);
    mix.context = context;
    check_mix(kernels, &mix, largest);
    mix.sum = NULL;
    check_mix(kernels, &mix, largest);
    owned_release(mark);
}

TEST(mix)
{
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        struct largest largest = {0};
        for (size_t n_queries = 1; n_queries <= 40; n_queries++)
            for (size_t width = 1; width <= 70; width += width < 34 ? 1 : 7)
                mix_of(float_kernels(s), (n_queries + width) % 7, n_queries, width, &largest);
        mix_of(float_kernels(s), 300, 96, 96, &largest);
        assert_bound(&largest, 1, "%s mix, share of the bound", float_kernels(s)->isa);
    }
}

/* One rounding of a sum whose own error is n·2^-53 of its magnitude. */
static void mix_exactly_of(const struct kernels *kernels, size_t n_keys, size_t n_queries,
                           size_t width, struct largest *largest)
{
    const size_t mark = owned_mark();
    uint64_t state = n_queries * 1000 + width;
    size_t weights_stride = to_panels(n_queries), v_stride = width + n_keys % 3;
    size_t out_stride = width + n_keys % 4;
    float *narrow = random_floats(&state, n_keys * weights_stride, 1);
    float *v = random_floats(&state, extent(n_keys, v_stride, width), 3);
    float *out = new_floats(extent(n_queries, out_stride, width));
    double *weights = new_doubles(n_keys * weights_stride), *share = new_doubles(n_queries);
    double *values = new_doubles(n_keys * to_panels(width));
    for (size_t i = 0; i < n_keys * weights_stride; i++)
        weights[i] = (double)narrow[i];
    for (size_t i = 0; i < n_queries; i++)
        share[i] = 1 + random_within(&state, 0.5);
    fill_untouched(out, extent(n_queries, out_stride, width));
    fill_untouched((float *)values, 2 * n_keys * to_panels(width));
    kernels->mix_exactly(&(struct exact_mix){
        .weights = weights,
        .weights_stride = weights_stride,
        .share = share,
        .v = v,
        .v_stride = v_stride,
        .values = values,
        .n_keys = n_keys,
        .n_queries = n_queries,
        .width = width,
        .out = out,
        .out_stride = out_stride,
    });
    for (size_t i = 0; i < n_queries; i++) {
        float *of_query = column(narrow, weights_stride, n_keys, i);
        for (size_t c = 0; c < width; c++) {
            struct plain_sum sum = plain_product(of_query, v + c, v_stride, n_keys);
            double got = (double)out[i * out_stride + c], expected = sum.sum * share[i];
            double bound = FLOAT_ROUNDING * fabs(expected) +
                           (double)(n_keys + 2) * 0x1p-52 * sum.magnitude * share[i];
            note_error(largest, fabs(got - expected) / (bound + 1e-300), got, expected,
                       (double)width);
        }
        if (i + 1 < n_queries)
            assert_true(untouched(out + i * out_stride + width, out_stride - width));
    }
    owned_release(mark);
}

TEST(mix_exactly)
{
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        struct largest largest = {0};
        for (size_t n = 1; n <= EXACT_KEYS; n++)
            for (size_t width = 1; width <= 70; width += width < 34 ? 1 : 7)
                mix_exactly_of(float_kernels(s), n, 1 + (n + width) % EXACT_KEYS, width, &largest);
        mix_exactly_of(float_kernels(s), 32, 32, 96, &largest);
        mix_exactly_of(float_kernels(s), 0, 3, 5, &largest);
        assert_bound(&largest, 1, "%s mix_exactly, share of the bound", float_kernels(s)->isa);
    }
}
