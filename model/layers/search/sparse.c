/* sparse.c - see sparse.h. Plain twin: plain_sparse in engine/plain/answers.c. */
#include "model/layers/search/sparse.h"

#include <math.h>
#include <string.h>

/* Logits, [BLOCK_ROWS, BLOCK_COLUMNS], are 96 KB and stay in the cache. */
enum { BLOCK_ROWS = 192, BLOCK_COLUMNS = SPARSE_PANELS * PANEL };

void sparse_work_carve(struct sparse_work *work, const struct encoder *encoder, struct arena *arena)
{
    *work = (struct sparse_work){.logits = NULL};
    if (encoder->config.sparse == SPARSE_LINEAR) {
        work->logits = arena_floats(arena, 1, PANEL);
        work->linear.panels =
            arena_floats(arena, linear_decoded(&encoder->token_weight), DECODED_COLUMNS);
    } else if (encoder->config.sparse == SPARSE_MASK) {
        work->logits = arena_floats(arena, BLOCK_ROWS, BLOCK_COLUMNS);
        work->panels = arena_floats(arena, linear_decoded(&encoder->head.output), BLOCK_COLUMNS);
    }
}

void sparse_of_ids(const struct encoder *encoder, const int32_t *ids, size_t n, float *weights)
{
    memset(weights, 0, encoder->config.vocabulary * sizeof *weights);
    for (size_t i = 0; i < n; i++)
        if (ids[i] >= 0)
            weights[ids[i]] = encoder->query_weights[ids[i]];
}

bool sparse_of_tokens(const struct encoder *encoder, const float *x, size_t stride,
                      const int32_t *ids, size_t n_rows, const int32_t *skipped, size_t n_skipped,
                      float *weights, const struct sparse_work *work)
{
    const float *logit = work->logits;
    bool is_finite = true;
    memset(weights, 0, encoder->config.vocabulary * sizeof *weights);
    for (size_t t = 0; t < n_rows; t++) {
        float *weight = &weights[ids[t]];
        linear_rows(encoder->kernels, &encoder->token_weight, x + t * stride, 0, 1, work->logits,
                    &work->linear);
        is_finite &= isfinite(*logit) != 0;
        if (*logit > *weight)
            *weight = *logit;
    }
    for (size_t i = 0; i < n_skipped; i++)
        if ((size_t)skipped[i] < encoder->config.vocabulary)
            weights[skipped[i]] = 0;
    return is_finite;
}

/* ---- From the logits of the mask head ---- */

/* log(1 + relu(x)), once or twice; monotonic, so it may be applied after the maximum. */
static double squash(const struct model_config *config, double logit)
{
    double once = logit > 0 ? log1p(logit) : 0;
    return config->sparse_activation == SPARSE_LOG ? once : log1p(once);
}

/* Merges the logits of a block of tokens into n ids: the largest as is, or the sum of squash. */
static void merge_logits(const struct model_config *config, const float *logits, size_t n_rows,
                         size_t n, double *taken)
{
    for (size_t t = 0; t < n_rows; t++) {
        const float *row = logits + t * BLOCK_COLUMNS;
        if (config->sparse_pooling == SPARSE_SUM)
            for (size_t i = 0; i < n; i++)
                taken[i] += squash(config, (double)row[i]);
        else
            for (size_t i = 0; i < n; i++)
                taken[i] = (double)row[i] > taken[i] ? (double)row[i] : taken[i];
    }
}

struct sparse_block sparse_block(const struct encoder *encoder, size_t panel_begin,
                                 size_t panel_end, const struct sparse_work *work)
{
    const struct linear *output = &encoder->head.output;
    size_t first = panel_begin * PANEL, end = panel_end * PANEL, all = output->weight.rows;
    struct sparse_block block = {*output, panel_begin, panel_end, first,
                                 (end < all ? end : all) - first};
    if (linear_decoded(output) == 0)
        return block;
    float *panels = work->panels;
    for (size_t i = panel_begin; i < panel_end; i++)
        matrix_panel(&output->weight, i, panels + (i - panel_begin) * PANEL * output->weight.cols);
    block.panel_begin = 0;
    block.panel_end = panel_end - panel_begin;
    block.linear.weight = (struct matrix){.data = panels,
                                          .rows = block.n,
                                          .cols = output->weight.cols,
                                          .type = TENSOR_F32,
                                          .layout = LAYOUT_PANELS};
    if (output->bias != NULL)
        block.linear.bias = output->bias + first;
    return block;
}

bool sparse_of_logits(const struct encoder *encoder, const struct sparse_block *block,
                      const float *z, size_t stride, size_t n_rows, float *weights,
                      const struct sparse_work *work)
{
    const struct linear_epilogue plain = {0};
    double taken[BLOCK_COLUMNS] = {0};
    bool is_finite = true, is_sum = encoder->config.sparse_pooling == SPARSE_SUM;
    for (size_t t = 0; t < n_rows; t += BLOCK_ROWS) {
        size_t n_taken = n_rows - t < BLOCK_ROWS ? n_rows - t : BLOCK_ROWS;
        const struct linear_input rows = {
            .x = z + t * stride, .x_stride = stride, .n_rows = n_taken};
        linear(encoder->kernels, &block->linear, &rows, block->panel_begin, block->panel_end,
               &plain, work->logits, BLOCK_COLUMNS, NULL);
        for (size_t i = 0; i < n_taken; i++)
            is_finite &= floats_are_finite(work->logits + i * BLOCK_COLUMNS, block->n);
        merge_logits(&encoder->config, work->logits, n_taken, block->n, taken);
    }
    for (size_t i = 0; i < block->n; i++)
        weights[block->first + i] = (float)(is_sum ? taken[i] : squash(&encoder->config, taken[i]));
    return is_finite;
}
