/* The steps of one head, each by itself, of every instruction set: packed rows, softmax over blocks
 * of keys and at once, mixes of values; against exp and sums in double. A row of scores and weights
 * is a key, a column a query. */
#include "tests/model/plain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t to_panels(size_t n)
{
    return (n + PANEL - 1) / PANEL * PANEL;
}

/* ---- pack_rows ---- */

TEST(pack)
{
    uint64_t state = 1;
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        for (size_t n = 1; n <= 40; n++) {
            for (size_t k = 1; k <= 70; k += k < 36 ? 1 : 7) {
                size_t stride = k + n % 4, n_panels = to_panels(n) / PANEL;
                float *x = random_floats(&state, extent(n, stride, k), 3);
                float *panels = new_floats(n_panels * k * PANEL);
                fill_untouched(panels, n_panels * k * PANEL);
                tested_kernels(s)->pack_rows(x, stride, n, k, 0.3f, panels);
                for (size_t r = 0; r < n_panels * PANEL; r++) {
                    const float *row = x + (r < n ? r : n - 1) * stride;
                    for (size_t i = 0; i < k; i++)
                        if (!(panels[(r / PANEL * k + i) * PANEL + r % PANEL] == row[i] * 0.3f))
                            fail_msg("%s: row %zu of %zu, element %zu of %zu",
                                     tested_kernels(s)->isa, r, n, i, k);
                }
                free(panels);
                free(x);
            }
        }
    }
}

/* ---- softmax ---- */

/* Scores of n_keys by n_queries, and what one of the two ways makes of them: weights [n_keys,
 * stride] before the division, and what they are divided by. */
struct softmax_case {
    struct score_block block;
    double *weights, *sum;
};

static struct softmax_case new_softmax(size_t n_keys, size_t n_queries, bool causal,
                                       ptrdiff_t ahead)
{
    size_t stride = to_panels(n_queries);
    return (struct softmax_case){
        .block = {.scores = new_floats(n_keys * stride),
                  .stride = stride,
                  .n_keys = n_keys,
                  .n_queries = n_queries,
                  .causal = causal,
                  .ahead = ahead},
        .weights = new_doubles(n_keys * stride),
        .sum = new_doubles(stride),
    };
}

static void free_softmax(struct softmax_case *c)
{
    free(c->block.scores);
    free(c->weights);
    free(c->sum);
}

static void run_exactly(const struct kernels *kernels, struct softmax_case *c)
{
    kernels->softmax_exactly(&c->block, c->weights, c->sum);
    for (size_t i = 0; i < c->block.n_queries; i++)
        c->sum[i] = 1 / c->sum[i];
}

/* The keys in blocks of at most so many; the weights of the earlier blocks are made less by the
 * factors of the later ones, as their mix is. */
static void run_blocks(const struct kernels *kernels, struct softmax_case *c, size_t block)
{
    size_t stride = c->block.stride;
    float *max = new_floats(stride), *sum = new_floats(stride), *factor = new_floats(stride);
    for (size_t i = 0; i < stride; i++) {
        max[i] = -FLT_MAX;
        sum[i] = 0;
    }
    for (size_t key = 0; key < c->block.n_keys; key += block) {
        struct score_block part = c->block;
        part.scores += key * stride;
        part.n_keys = part.n_keys - key < block ? part.n_keys - key : block;
        part.ahead -= (ptrdiff_t)key;
        kernels->softmax_block(&part, max, sum, factor);
        for (size_t j = 0; j < key + part.n_keys; j++)
            for (size_t i = 0; i < c->block.n_queries; i++)
                c->weights[j * stride + i] = j < key
                                                 ? c->weights[j * stride + i] * (double)factor[i]
                                                 : (double)c->block.scores[j * stride + i];
    }
    for (size_t i = 0; i < c->block.n_queries; i++)
        c->sum[i] = (double)sum[i];
    free(factor);
    free(sum);
    free(max);
}

static void fill_scores(struct softmax_case *c, uint64_t *state, double range)
{
    for (size_t i = 0; i < c->block.n_keys * c->block.stride; i++)
        c->block.scores[i] = (float)random_within(state, range);
}

/* block 0: all at once, in double. */
static void run_softmax(const struct kernels *kernels, struct softmax_case *c, size_t block)
{
    if (block == 0)
        run_exactly(kernels, c);
    else
        run_blocks(kernels, c, block);
}

/* In units of FLOAT_ROUNDING of a weight: e^d, d = x - max, is off by |d|, as d itself is rounded,
 * and 4 more (the polynomial and its roundings, measured below); so is each factor from one maximum
 * to the next, and all these differences together are d; the sum by the mean of that over its terms
 * and, in floats, by one for each of at most n/2 additions. exp ends at 1e-38, so that is added. */
static void check_column(const struct softmax_case *c, const float *scores, size_t query,
                         size_t block, struct largest *largest)
{
    size_t n_keys = c->block.n_keys, stride = c->block.stride, n = n_keys;
    if (c->block.causal && (ptrdiff_t)query + c->block.ahead + 1 < (ptrdiff_t)n_keys)
        n = (size_t)((ptrdiff_t)query + c->block.ahead + 1);
    double *values = new_doubles(n), *expected = new_doubles(n), max = -INFINITY, mean = 0, sum = 0;
    double n_blocks = block == 0 ? 1 : (double)(n_keys + block - 1) / (double)block;
    double additions = block == 0 ? 1 : (double)n / 2 + 16;
    for (size_t j = 0; j < n; j++) {
        values[j] = (double)scores[j * stride + query];
        max = fmax(max, values[j]);
    }
    plain_softmax(values, n, expected);
    for (size_t j = 0; j < n; j++)
        mean += expected[j] * (max - values[j]);
    for (size_t j = 0; j < n_keys; j++) {
        double got = c->weights[j * stride + query] / c->sum[query];
        sum += got;
        if (j >= n) {
            assert_true(got == 0);
            continue;
        }
        double units = max - values[j] + mean + additions + 8 * n_blocks;
        note_error(largest,
                   fabs(got - expected[j]) / (expected[j] * FLOAT_ROUNDING * units + 2e-38), got,
                   expected[j], (double)n);
    }
    note_error(largest, fabs(sum - 1) / (FLOAT_ROUNDING * (additions + 3 * n_blocks)), sum, 1,
               (double)n);
    free(expected);
    free(values);
}

static void check_softmax(const struct kernels *kernels, struct softmax_case *c, size_t block,
                          double range, struct largest *largest)
{
    uint64_t state = c->block.n_keys;
    fill_scores(c, &state, range);
    float *scores = copy_floats(c->block.scores, c->block.n_keys * c->block.stride);
    run_softmax(kernels, c, block);
    for (size_t i = 0; i < c->block.n_queries; i++)
        check_column(c, scores, i, block, largest);
    free(scores);
}

static const size_t blocks[] = {0, 1, 5, 24, 4099};
enum { N_BLOCKS = sizeof blocks / sizeof *blocks };

TEST(softmax)
{
    static const double ranges[] = {0, 1e-6, 0.3, 3, 20, 100, 1e5, 3e38};
    static const size_t large[] = {127, 128, 140, 511, 1000, 4099};
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        for (size_t b = 0; b < N_BLOCKS; b++) {
            struct largest largest = {0};
            for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
                for (size_t i = 1; i <= 70 + sizeof large / sizeof *large; i++) {
                    size_t n = i <= 70 ? i : large[i - 71];
                    if (blocks[b] > 0 && n > 200 * blocks[b])
                        continue;
                    struct softmax_case c = new_softmax(n, 1 + n % 19, false, 0);
                    check_softmax(tested_kernels(s), &c, blocks[b], ranges[r], &largest);
                    free_softmax(&c);
                }
            }
            assert_bound(&largest, 1, "%s softmax in blocks of %zu, share of the bound",
                         tested_kernels(s)->isa, blocks[b]);
        }
    }
}

/* Queries at every place before, among and behind the keys; each sees the first key. */
TEST(causal_softmax)
{
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        for (size_t b = 0; b < N_BLOCKS; b++) {
            struct largest largest = {0};
            for (size_t n_keys = 1; n_keys <= 50; n_keys++) {
                for (ptrdiff_t ahead = 0; ahead <= 60; ahead += 1 + (ptrdiff_t)n_keys % 5) {
                    struct softmax_case c = new_softmax(n_keys, 1 + n_keys % 37, true, ahead);
                    check_softmax(tested_kernels(s), &c, blocks[b], 3, &largest);
                    free_softmax(&c);
                }
            }
            assert_bound(&largest, 1, "%s causal softmax in blocks of %zu, share of the bound",
                         tested_kernels(s)->isa, blocks[b]);
        }
    }
}

/* Scores (0, d): the second weight is e^d; where d comes near -87.3, exp ends at 1e-38. */
TEST(exp_by_softmax)
{
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        for (size_t block = 0; block <= 2; block += 2) {
            struct largest largest = {0}, beyond = {0};
            for (double d = -110; d <= 0; d += 1.0 / 4096) {
                struct softmax_case c = new_softmax(2, 1, false, 0);
                for (size_t i = 0; i < c.block.stride; i++) {
                    c.block.scores[i] = 0;
                    c.block.scores[c.block.stride + i] = (float)d;
                }
                run_softmax(tested_kernels(s), &c, block);
                double got = c.weights[c.block.stride], expected = exp(d);
                if (d >= -87.25)
                    note_error(&largest, in_steps(got, expected), got, expected, d);
                else
                    note_error(&beyond, got < 0 ? NAN : got, got, expected, d);
                free_softmax(&c);
            }
            assert_bound(&largest, 2, "%s softmax, exp in steps", tested_kernels(s)->isa);
            assert_bound(&beyond, 2e-38, "%s softmax, exp below its end", tested_kernels(s)->isa);
        }
    }
}

static float nan_with(uint64_t bits)
{
    uint32_t pattern = 0x7FC00000u | (uint32_t)(bits & 0x803FFFFF);
    float nan;
    memcpy(&nan, &pattern, sizeof nan);
    return nan;
}

static void fill_column(struct softmax_case *c, size_t query, float first, float second)
{
    for (size_t j = 0; j < c->block.n_keys; j++)
        c->block.scores[j * c->block.stride + query] = j % 2 == 0 ? first : second;
}

/* Equal scores, whatever they are, share equally; one far above the others takes all; NaN gives
 * NaN, and does not leave its query. */
TEST(softmax_extremes)
{
    static const float values[] = {0,     -0.0f,  1,       -1,       88,          -88,
                                   1e30f, -1e30f, FLT_MAX, -FLT_MAX, FLT_TRUE_MIN};
    enum { N_VALUES = 11, ONE_TAKES_ALL = N_VALUES, NOT_A_NUMBER, N_QUERIES };
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        for (size_t n = 1; n <= 140; n++) {
            size_t block = blocks[n % N_BLOCKS], top = n / 3;
            struct softmax_case c = new_softmax(n, N_QUERIES, false, 0);
            fill_untouched(c.block.scores, n * c.block.stride);
            for (size_t v = 0; v < N_VALUES; v++)
                fill_column(&c, v, values[v], values[v]);
            fill_column(&c, ONE_TAKES_ALL, -FLT_MAX, -1e30f);
            c.block.scores[top * c.block.stride + ONE_TAKES_ALL] = 1e3f;
            fill_column(&c, NOT_A_NUMBER, 1, 2);
            c.block.scores[top * c.block.stride + NOT_A_NUMBER] = nan_with(n * 0x9E3779B9);
            run_softmax(tested_kernels(s), &c, block);
            for (size_t j = 0; j < n; j++) {
                const double *row = c.weights + j * c.block.stride;
                for (size_t v = 0; v < N_VALUES; v++)
                    assert_true(row[v] == 1 && fabs(c.sum[v] - (double)n) <= 1e-12);
                double taken = row[ONE_TAKES_ALL];
                assert_true(j == top ? taken == 1 : taken >= 0 && taken <= 2e-38);
            }
            assert_true(c.sum[ONE_TAKES_ALL] == 1 && isnan(c.sum[NOT_A_NUMBER]));
            free_softmax(&c);
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
        free(weights);
    }
    free(out);
}

static void mix_of(const struct kernels *kernels, size_t n_keys, size_t n_queries, size_t width,
                   struct largest *largest)
{
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
    free(sum);
    free(factor);
    free(context);
    free(values);
    free(weights);
}

TEST(mix)
{
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        struct largest largest = {0};
        for (size_t n_queries = 1; n_queries <= 40; n_queries++)
            for (size_t width = 1; width <= 70; width += width < 34 ? 1 : 7)
                mix_of(tested_kernels(s), (n_queries + width) % 7, n_queries, width, &largest);
        mix_of(tested_kernels(s), 300, 96, 96, &largest);
        assert_bound(&largest, 1, "%s mix, share of the bound", tested_kernels(s)->isa);
    }
}

/* One rounding of a sum whose own error is n·2^-53 of its magnitude. */
static void mix_exactly_of(const struct kernels *kernels, size_t n_keys, size_t n_queries,
                           size_t width, struct largest *largest)
{
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
        free(of_query);
    }
    free(values);
    free(share);
    free(weights);
    free(out);
    free(v);
    free(narrow);
}

TEST(mix_exactly)
{
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        struct largest largest = {0};
        for (size_t n = 1; n <= EXACT_KEYS; n++)
            for (size_t width = 1; width <= 70; width += width < 34 ? 1 : 7)
                mix_exactly_of(tested_kernels(s), n, 1 + (n + width) % EXACT_KEYS, width, &largest);
        mix_exactly_of(tested_kernels(s), 32, 32, 96, &largest);
        mix_exactly_of(tested_kernels(s), 0, 3, 5, &largest);
        assert_bound(&largest, 1, "%s mix_exactly, share of the bound", tested_kernels(s)->isa);
    }
}
