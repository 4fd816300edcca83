/* tags: numbers aarch64 long */
/* Softmax over blocks of keys and at once, of every instruction set, against exp and sums in
 * double. A row of scores and weights is a key, a column a query. */
#include "tests/model/plain.h"

#include "model/encoder.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Scores of n_keys by n_queries, and their results by one of the two ways: weights [n_keys,
 * stride] before the division, and what they are divided by. */
struct softmax_case {
    struct score_block block;
    double *weights, *sum;
};

enum { EVERY_KEY = 5000 };

static struct softmax_case new_softmax(size_t n_keys, size_t n_queries, ptrdiff_t first,
                                       ptrdiff_t last)
{
    size_t stride = row_stride(n_queries);
    return (struct softmax_case){
        .block = {.scores = new_floats(n_keys * stride),
                  .stride = stride,
                  .n_keys = n_keys,
                  .n_queries = n_queries,
                  .first = first,
                  .last = last},
        .weights = new_doubles(n_keys * stride),
        .sum = new_doubles(stride),
    };
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
        part.first -= (ptrdiff_t)key;
        part.last -= (ptrdiff_t)key;
        part.bias = part.bias != NULL ? part.bias - key : NULL;
        kernels->softmax_block(&part, max, sum, factor);
        for (size_t j = 0; j < key + part.n_keys; j++)
            for (size_t i = 0; i < c->block.n_queries; i++)
                c->weights[j * stride + i] = j < key
                                                 ? c->weights[j * stride + i] * (double)factor[i]
                                                 : (double)c->block.scores[j * stride + i];
    }
    for (size_t i = 0; i < c->block.n_queries; i++)
        c->sum[i] = (double)sum[i];
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
    size_t n_keys = c->block.n_keys, stride = c->block.stride, n = 0;
    double *values = new_doubles(n_keys), *expected = new_doubles(n_keys);
    double max = -INFINITY, mean = 0, sum = 0;
    double n_blocks = block == 0 ? 1 : (double)(n_keys + block - 1) / (double)block;
    for (size_t j = 0; j < n_keys; j++) {
        ptrdiff_t ahead = (ptrdiff_t)j - (ptrdiff_t)query;
        bool is_seen = ahead >= c->block.first && ahead <= c->block.last;
        float bias = c->block.bias != NULL ? c->block.bias[-ahead] : 0;
        values[j] = is_seen ? (double)(scores[j * stride + query] + bias) : -INFINITY;
        max = fmax(max, values[j]);
        n += is_seen;
    }
    double additions = block == 0 ? 1 : (double)n / 2 + 16;
    if (n > 0)
        plain_softmax(values, n_keys, expected);
    for (size_t j = 0; j < n_keys; j++)
        mean += expected[j] > 0 ? expected[j] * (max - values[j]) : 0;
    for (size_t j = 0; j < n_keys; j++) {
        double weight = c->weights[j * stride + query], got = weight / c->sum[query];
        if (isinf(values[j])) {
            assert_true(weight == 0);
            continue;
        }
        sum += got;
        double units = max - values[j] + mean + additions + 8 * n_blocks;
        note_error(largest,
                   fabs(got - expected[j]) / (expected[j] * FLOAT_ROUNDING * units + 2e-38), got,
                   expected[j], (double)n);
    }
    if (n > 0)
        note_error(largest, fabs(sum - 1) / (FLOAT_ROUNDING * (additions + 3 * n_blocks)), sum, 1,
                   (double)n);
}

static void check_softmax(const struct kernels *kernels, const struct score_block *shape,
                          size_t block, double range, struct largest *largest)
{
    const size_t mark = owned_mark();
    uint64_t state = shape->n_keys;
    struct softmax_case c = new_softmax(shape->n_keys, shape->n_queries, shape->first, shape->last);
    float *scores = random_floats(&state, shape->n_keys * c.block.stride, range);
    memcpy(c.block.scores, scores, shape->n_keys * c.block.stride * sizeof *scores);
    c.block.bias = shape->bias;
    run_softmax(kernels, &c, block);
    for (size_t i = 0; i < shape->n_queries; i++)
        check_column(&c, scores, i, block, largest);
    owned_release(mark);
}

static const size_t blocks[] = {0, 1, 5, 24, 4099};
enum { N_BLOCKS = sizeof blocks / sizeof *blocks };

TEST(softmax)
{
    static const double ranges[] = {0, 1e-6, 0.3, 3, 20, 100, 1e5, 3e38};
    static const size_t large[] = {127, 128, 140, 511, 1000, 4099};
    const size_t step = support_slow() ? 3 : 1;
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t b = 0; b < N_BLOCKS; b++) {
            struct largest largest = {0};
            for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
                for (size_t i = 1; i <= 70 + sizeof large / sizeof *large; i += step) {
                    size_t n = i <= 70 ? i : large[i - 71];
                    if (blocks[b] > 0 && n > 200 * blocks[b])
                        continue;
                    const struct score_block shape = {.n_keys = n,
                                                      .n_queries = 1 + n % 19,
                                                      .first = -EVERY_KEY,
                                                      .last = EVERY_KEY};
                    check_softmax(float_kernels(s), &shape, blocks[b], ranges[r], &largest);
                }
            }
            assert_bound(&largest, 1, "%s softmax in blocks of %zu, share of the bound",
                         float_kernels(s)->isa, blocks[b]);
        }
    }
}

/* Bands of every width, and all keys up to the band's last, at every position before, among and
 * after the keys, so that some queries see no key; every second time with biases, which grow with
 * the distance i - j. */
TEST(softmax_of_bands)
{
    float biases[128];
    for (size_t i = 0; i < 128; i++)
        biases[i] = 0.03f * (float)i;
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t b = 0; b < N_BLOCKS; b++) {
            struct largest largest = {0};
            for (size_t n_keys = 1; n_keys <= 50; n_keys += support_slow() ? 9 : 1 + n_keys % 3) {
                for (ptrdiff_t first = -60; first <= 50; first += 1 + (ptrdiff_t)n_keys % 5) {
                    struct score_block shape = {.n_keys = n_keys,
                                                .n_queries = 1 + n_keys % 37,
                                                .first = first,
                                                .last = first + (ptrdiff_t)(n_keys * 7 % 45),
                                                .bias = first % 2 == 0 ? biases + 64 : NULL};
                    check_softmax(float_kernels(s), &shape, blocks[b], 3, &largest);
                    shape.first = -EVERY_KEY;
                    shape.bias = NULL;
                    check_softmax(float_kernels(s), &shape, blocks[b], 3, &largest);
                }
            }
            assert_bound(&largest, 1, "%s softmax of bands in blocks of %zu, share of the bound",
                         float_kernels(s)->isa, blocks[b]);
        }
    }
}

/* Scores (0, d): the second weight is e^d; where d comes near -87.3, exp ends at 1e-38. */
TEST(exp_by_softmax)
{
    enum { QUERIES = 61 };
    const double step = support_slow() ? 1.0 / 256 : 1.0 / 4096;
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t block = 0; block <= 2; block += 2) {
            struct largest largest = {0}, beyond = {0};
            struct softmax_case c = new_softmax(2, QUERIES, -EVERY_KEY, EVERY_KEY);
            for (double first = -110; first <= 0; first += QUERIES * step) {
                for (size_t i = 0; i < c.block.stride; i++) {
                    c.block.scores[i] = 0;
                    c.block.scores[c.block.stride + i] = (float)fmin(first + (double)i * step, 0);
                }
                run_softmax(float_kernels(s), &c, block);
                for (size_t i = 0; i < QUERIES; i++) {
                    double d = fmin(first + (double)i * step, 0);
                    double got = c.weights[c.block.stride + i], expected = exp(d);
                    if (d >= -87.25)
                        note_error(&largest, in_steps(got, expected), got, expected, d);
                    else
                        note_error(&beyond, got < 0 ? NAN : got, got, expected, d);
                }
            }
            assert_bound(&largest, 2, "%s softmax, exp in steps", float_kernels(s)->isa);
            assert_bound(&beyond, 2e-38, "%s softmax, exp below its end", float_kernels(s)->isa);
        }
    }
}

static void fill_column(struct softmax_case *c, size_t query, float first, float second)
{
    for (size_t j = 0; j < c->block.n_keys; j++)
        c->block.scores[j * c->block.stride + query] = j % 2 == 0 ? first : second;
}

/* Equal scores of any size share equally; one far above the others gets everything; NaN gives NaN,
 * in its own query only, and so do scores that have all overflowed. */
TEST(softmax_extremes)
{
    static const float values[] = {0,     -0.0f,  1,       -1,     88,          -88,
                                   1e30f, -1e30f, FLT_MAX, -3e38f, FLT_TRUE_MIN};
    enum { N_VALUES = 11, ONE_TAKES_ALL = N_VALUES, NOT_A_NUMBER, OVERFLOWED, N_QUERIES };
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (size_t n = 1; n <= 140; n++) {
            size_t block = blocks[n % N_BLOCKS], top = n / 3;
            struct softmax_case c = new_softmax(n, N_QUERIES, -EVERY_KEY, EVERY_KEY);
            fill_untouched(c.block.scores, n * c.block.stride);
            for (size_t v = 0; v < N_VALUES; v++)
                fill_column(&c, v, values[v], values[v]);
            fill_column(&c, ONE_TAKES_ALL, -3e38f, -1e30f);
            c.block.scores[top * c.block.stride + ONE_TAKES_ALL] = 1e3f;
            fill_column(&c, NOT_A_NUMBER, 1, 2);
            c.block.scores[top * c.block.stride + NOT_A_NUMBER] = nan_with(n * 0x9E3779B9);
            fill_column(&c, OVERFLOWED, -INFINITY, -INFINITY);
            run_softmax(float_kernels(s), &c, block);
            for (size_t j = 0; j < n; j++) {
                const double *row = c.weights + j * c.block.stride;
                for (size_t v = 0; v < N_VALUES; v++)
                    assert_true(row[v] == 1 && fabs(c.sum[v] - (double)n) <= 1e-12);
                double taken = row[ONE_TAKES_ALL];
                assert_true(j == top ? taken == 1 : taken >= 0 && taken <= 2e-38);
            }
            assert_true(c.sum[ONE_TAKES_ALL] == 1 && isnan(c.sum[NOT_A_NUMBER]) &&
                        isnan(c.sum[OVERFLOWED]));
        }
    }
}
