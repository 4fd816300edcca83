/* tags: numbers aarch64 */
/* Heads and scores of single rows against their formulas in double; dense layers after the pooling
 * are those of engine/test_heads.c. */
#include "tests/model/plain.h"

#include "model/layers/head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An encoder with nothing but the head after it, and the numbers of the head's matrices. */
struct sample {
    struct encoder encoder;
    struct stored stored[2];
    float *weights[2], *biases[2];
    size_t n;
    float *norm_weight, *norm_bias;
};

static struct linear new_linear(struct sample *sample, size_t out, size_t in, enum tensor_type type,
                                enum tensor_layout layout, uint64_t *state)
{
    size_t i = sample->n++;
    struct linear linear;
    sample->weights[i] = random_floats(state, out * in, 0.5);
    sample->biases[i] = random_floats(state, row_stride(out), 0.5);
    sample->stored[i] = store_matrix(type, layout, sample->weights[i], out, in);
    linear.weight = sample->stored[i].matrix;
    linear.bias = sample->biases[i];
    return linear;
}

/* out [n_out] = x·Wᵀ + b, or its tanh, of the i-th linear layer of the sample */
static void plain_layer(const struct sample *sample, size_t i, bool has_tanh, const float *x,
                        size_t n_in, size_t n_out, float *out)
{
    for (size_t o = 0; o < n_out; o++) {
        double sum = (double)sample->biases[i][o] +
                     plain_product(x, sample->weights[i] + o * n_in, 1, n_in).sum;
        out[o] = (float)(has_tanh ? tanh(sum) : sum);
    }
}

static void new_work(struct head_work *work, const struct encoder *encoder)
{
    struct arena arena = {0};
    do
        head_work_carve(work, encoder, &arena);
    while (arena_allocate(&arena));
    owned(arena.base, free);
}

/* dense, norm and output layer, each there or not */
static void check_head(bool has_dense, bool has_norm, size_t labels, uint64_t *state)
{
    enum { WIDTH = 26 };
    struct sample sample = {.encoder = {.kernels = tested_kernels(0)}};
    struct encoder *encoder = &sample.encoder;
    struct largest largest = {0};
    float *x = random_floats(state, WIDTH, 1), *logits = new_floats(row_stride(labels));
    float hidden[WIDTH], z[WIDTH];
    encoder->config.width = WIDTH;
    encoder->config.norm_eps = 1e-12;
    memcpy(hidden, x, sizeof hidden);
    if (has_dense) {
        encoder->head.dense = (struct dense){
            .linear = new_linear(&sample, WIDTH, WIDTH, TENSOR_F32, LAYOUT_PANELS, state),
            .activation = DENSE_TANH};
        plain_layer(&sample, 0, true, x, WIDTH, WIDTH, hidden);
    }
    if (has_norm) {
        double normed[WIDTH];
        sample.norm_weight = random_floats(state, WIDTH, 1);
        sample.norm_bias = random_floats(state, WIDTH, 1);
        encoder->head.norm = (struct norm){NORM_LAYER, sample.norm_weight, sample.norm_bias};
        plain_norm(NORM_LAYER, hidden, sample.norm_weight, sample.norm_bias, 1e-12, WIDTH, normed);
        for (size_t i = 0; i < WIDTH; i++)
            hidden[i] = (float)normed[i];
    }
    encoder->head.output = new_linear(&sample, labels, WIDTH, TENSOR_F32, LAYOUT_ROWS, state);
    struct head_work work;
    new_work(&work, encoder);
    float *expected = new_floats(labels);
    plain_layer(&sample, sample.n - 1, false, hidden, WIDTH, labels, expected);
    head_hidden(encoder, x, z, &work);
    head_logits(encoder, x, logits, &work);
    for (size_t i = 0; i < WIDTH; i++)
        note_error(&largest, fabs((double)z[i] - (double)hidden[i]), (double)z[i],
                   (double)hidden[i], (double)i);
    for (size_t i = 0; i < labels; i++)
        note_error(&largest, fabs((double)logits[i] - (double)expected[i]), (double)logits[i],
                   (double)expected[i], (double)i);
    assert_bound(&largest, 1e-5, "head: dense %d, norm %d, %zu labels", has_dense, has_norm,
                 labels);
}

TEST(heads)
{
    static const size_t label_counts[] = {1, 2, 9, 16, 50};
    uint64_t state = 4;
    for (size_t i = 0; i < 5; i++)
        for (int parts = 0; parts < 4; parts++)
            check_head(parts & 1, parts & 2, label_counts[i], &state);
}

TEST(scores)
{
    float soft[] = {1, 2, 3, -1000}, sigmoid[] = {0, 100, -100, 1}, none[] = {5, -5};
    head_scores(SCORES_SOFTMAX, soft, 4);
    assert_true(fabs((double)soft[0] - exp(-2) / (1 + exp(-1) + exp(-2))) < 1e-7);
    assert_true(fabs((double)soft[0] + (double)soft[1] + (double)soft[2] - 1) < 2e-7);
    assert_true(soft[3] == 0);
    head_scores(SCORES_SIGMOID, sigmoid, 4);
    assert_true(sigmoid[0] == 0.5f && sigmoid[1] == 1 && sigmoid[2] >= 0 && sigmoid[2] < 1e-40f);
    assert_true(fabs((double)sigmoid[3] - 1 / (1 + exp(-1))) < 1e-7);
    head_scores(SCORES_NONE, none, 2);
    assert_true(none[0] == 5 && none[1] == -5);
    for (int at = 0; at < 3; at++) { /* what is not finite stays so, wherever it is */
        float low[] = {1, 2, 3}, high[] = {1, 2, 3};
        low[at] = -INFINITY;
        high[at] = INFINITY;
        head_scores(SCORES_SOFTMAX, low, 3);
        head_scores(SCORES_SIGMOID, high, 3);
        assert_false(floats_are_finite(low, 3) || floats_are_finite(high, 3));
    }
    head_scores(SCORES_SOFTMAX, none, 0); /* no labels: nothing is touched */
}
