/* head.c - projections, head and scores of single rows, by the formulas of head.h.
 * Plain twins: dense() and plain_scores in engine/plain/answers.c. */
#include "model/layers/head.h"

#include "model/layers/pooling.h"

#include <math.h>
#include <string.h>

#define PROJECTION_NORM_EPS 1e-5f /* torch's, which the module LayerNorm has */

void head_work_carve(struct head_work *work, const struct encoder *encoder, struct arena *arena)
{
    const struct head *head = &encoder->head;
    size_t widest = config_pooled_width(&encoder->config);
    size_t decoded = larger(linear_decoded(&head->dense.linear), linear_decoded(&head->output));
    for (size_t i = 0; i < encoder->config.projections; i++) {
        const struct linear *linear = &encoder->projections[i].linear;
        widest = larger(widest, linear->weight.rows);
        decoded = larger(decoded, linear_decoded(linear));
    }
    work->row = arena_floats(arena, 1, row_stride(widest));
    work->next = arena_floats(arena, 1, row_stride(widest));
    work->linear.panels = arena_floats(arena, decoded, DECODED_COLUMNS);
}

static void apply(const struct kernels *kernels, enum dense_activation activation, float *x,
                  size_t n)
{
    switch (activation) {
    case DENSE_NONE:
    case DENSE_LAYER_NORM:
    case DENSE_IDENTITY: return;
    case DENSE_RELU: kernels->activate(ACTIVATION_RELU, x, n); return;
    case DENSE_GELU: kernels->activate(ACTIVATION_GELU, x, n); return;
    case DENSE_GELU_TANH: kernels->activate(ACTIVATION_GELU_TANH, x, n); return;
    case DENSE_SILU: kernels->activate(ACTIVATION_SILU, x, n); return;
    case DENSE_TANH:
        for (size_t i = 0; i < n; i++)
            x[i] = (float)tanh((double)x[i]);
        return;
    case DENSE_SIGMOID:
        for (size_t i = 0; i < n; i++)
            x[i] = (float)(1 / (1 + exp(-(double)x[i])));
    }
}

static void dense_row(const struct kernels *kernels, const struct dense *dense, const float *x,
                      float *out, const struct linear_work *work)
{
    const size_t n = dense->linear.weight.rows;
    linear_rows(kernels, &dense->linear, x, 0, 1, out, work);
    if (!floats_are_finite(out, n))
        out[0] = NAN; /* activations could turn an infinity into a finite number */
    apply(kernels, dense->activation, out, n);
}

void project_row(const struct encoder *encoder, const float *x, float *out,
                 const struct head_work *work)
{
    float *in = work->row, *result = work->next;
    size_t width = config_pooled_width(&encoder->config);
    memcpy(in, x, width * sizeof *in);
    for (size_t i = 0; i < encoder->config.projections; i++) {
        const struct dense *dense = &encoder->projections[i];
        if (dense->activation == DENSE_LAYER_NORM) {
            encoder->kernels->norm_row(&dense->norm, PROJECTION_NORM_EPS, width, in, in);
            continue;
        }
        dense_row(encoder->kernels, dense, in, result, &work->linear);
        width = dense->linear.weight.rows;
        float *swap = in;
        in = result;
        result = swap;
    }
    memcpy(out, in, width * sizeof *out);
}

/* Stores z in work->row. */
static void store_hidden(const struct encoder *encoder, const float *x,
                         const struct head_work *work)
{
    size_t columns = config_head_columns(&encoder->config);
    const struct head *head = &encoder->head;
    if (head->dense.activation != DENSE_NONE)
        dense_row(encoder->kernels, &head->dense, x, work->row, &work->linear);
    else
        memcpy(work->row, x, columns * sizeof *x);
    encoder->kernels->norm_row(&head->norm, (float)encoder->config.norm_eps, columns, work->row,
                               work->row);
}

void head_hidden(const struct encoder *encoder, const float *x, float *out,
                 const struct head_work *work)
{
    const size_t width = encoder->config.width, columns = config_head_columns(&encoder->config);
    store_hidden(encoder, x, work);
    memcpy(out, work->row, columns * sizeof *out);
    memset(out + columns, 0, (width - columns) * sizeof *out);
}

void pool_text(const struct encoder *encoder, enum pooling pooling, bool is_own, const float *x,
               size_t stride, size_t n_tokens, size_t n_skipped, float *out,
               const struct head_work *work)
{
    const config_list joined = is_own ? encoder->config.joined_poolings : 0;
    const size_t width = encoder->config.width;
    n_skipped = is_own ? n_skipped : 0;
    pool_rows(pooling, x, stride, n_tokens, n_skipped, width, out);
    for (size_t i = 0; list_item(joined, i) > 0; i++)
        pool_rows((enum pooling)list_item(joined, i), x, stride, n_tokens, n_skipped, width,
                  out + (i + 1) * width);
    if (pooling == POOLING_POOLER && n_tokens > 0)
        head_hidden(encoder, out, out, work);
    if (is_own && encoder->config.projections > 0) /* in place: out is as wide as either */
        project_row(encoder, out, out, work);
}

void head_logits(const struct encoder *encoder, const float *x, float *logits,
                 const struct head_work *work)
{
    store_hidden(encoder, x, work);
    linear_rows(encoder->kernels, &encoder->head.output, work->row, 0, 1, logits, &work->linear);
}

void head_text_logits(const struct encoder *encoder, const float *x, size_t stride, size_t n_tokens,
                      float *pooled, float *logits, const struct head_work *work)
{
    const struct model_config *config = &encoder->config;
    const size_t width = config->width;
    if (!config->head_late) {
        pool_rows(config->head_pooling, x, stride, n_tokens, 0, width, pooled);
        head_logits(encoder, pooled, logits, work);
        return;
    }
    float *lost = work->next; /* what sums of floats have lost so far (Kahan) */
    memset(pooled, 0, width * sizeof *pooled);
    memset(lost, 0, width * sizeof *lost);
    for (size_t t = 0; t < n_tokens; t++) {
        store_hidden(encoder, x + t * stride, work);
        for (size_t i = 0; i < width; i++) {
            const float term = work->row[i] - lost[i], next = pooled[i] + term;
            lost[i] = (next - pooled[i]) - term;
            pooled[i] = next;
        }
    }
    for (size_t i = 0; i < width; i++)
        pooled[i] /= (float)n_tokens;
    linear_rows(encoder->kernels, &encoder->head.output, pooled, 0, 1, logits, &work->linear);
}

void head_scores(enum scores scores, float *logits, size_t n)
{
    double sum = 0;
    float max = n > 0 ? logits[0] : 0;
    if (!floats_are_finite(logits, n)) {
        logits[0] = NAN; /* softmax and sigmoid could turn an infinity into a finite number */
        return;
    }
    switch (scores) {
    case SCORES_NONE: return;
    case SCORES_SIGMOID:
        for (size_t i = 0; i < n; i++)
            logits[i] = (float)(1 / (1 + exp(-(double)logits[i])));
        return;
    case SCORES_SOFTMAX:
        for (size_t i = 1; i < n; i++)
            max = logits[i] > max ? logits[i] : max;
        for (size_t i = 0; i < n; i++)
            sum += exp((double)logits[i] - (double)max);
        for (size_t i = 0; i < n; i++)
            logits[i] = (float)(exp((double)logits[i] - (double)max) / sum);
    }
}

/* Insertion into a list of the k best so far: k is small compared with n, and after the first few
 * scores most are below the list's last. Its plain twin, a sort, is in test_top_k.c. */
void top_k(const float *scores, size_t n, size_t k, engine_candidate *out)
{
    size_t count = 0;
    for (size_t id = 0; id < n && k > 0; id++) {
        if (count == k && !(scores[id] > out[k - 1].score))
            continue;
        size_t at = count < k ? count++ : k - 1;
        for (; at > 0 && scores[id] > out[at - 1].score; at--)
            out[at] = out[at - 1];
        out[at] = (engine_candidate){.id = (int32_t)id, .score = scores[id]};
    }
}
