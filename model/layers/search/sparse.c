/* sparse.c - see sparse.h. Plain twin: reference_sparse in tests/reference/answers.c. */
#include "model/layers/search/sparse.h"

#include "model/layers/linear.h"

#include <math.h>
#include <string.h>

/* A block of logits, [BLOCK_ROWS, BLOCK_PANELS * PANEL], is 96 KB and stays in the cache. Many
 * rows, because a table that is in rows is made panels of for each block. */
enum { BLOCK_ROWS = 192, BLOCK_PANELS = 8, BLOCK_COLUMNS = BLOCK_PANELS * PANEL };

size_t sparse_scratch(const struct encoder *encoder)
{
    switch ((enum sparse)encoder->config.sparse) {
    case SPARSE_NONE: break;
    case SPARSE_LINEAR: return PANEL + linear_scratch(&encoder->token_weight);
    case SPARSE_MASK: return BLOCK_ROWS * BLOCK_COLUMNS + linear_scratch(&encoder->head.output);
    }
    return 0;
}

bool sparse_of_tokens(const struct encoder *encoder, const float *x, size_t stride,
                      const int32_t *ids, size_t n_rows, const int32_t *skipped, size_t n_skipped,
                      float *weights, float *scratch)
{
    const struct linear_epilogue plain = {0};
    bool is_finite = true;
    memset(weights, 0, (size_t)encoder->config.vocabulary * sizeof *weights);
    for (size_t t = 0; t < n_rows; t++) {
        const struct linear_input row = {.x = x + t * stride, .n_rows = 1};
        float *weight = &weights[ids[t]];
        linear(encoder->kernels, &encoder->token_weight, &row, 0, 1, &plain, scratch, PANEL,
               scratch + PANEL);
        is_finite &= isfinite(scratch[0]) != 0;
        if (scratch[0] > *weight)
            *weight = scratch[0];
    }
    for (size_t i = 0; i < n_skipped; i++)
        if (skipped[i] < encoder->config.vocabulary)
            weights[skipped[i]] = 0;
    return is_finite;
}

/* ---- From the logits of the mask head ---- */

/* log(1 + relu(x)), once or twice; rising, so that of the largest it is the largest. */
static double squash(const struct model_config *config, double logit)
{
    double once = logit > 0 ? log1p(logit) : 0;
    return config->sparse_activation == SPARSE_LOG ? once : log1p(once);
}

/* Takes the logits of a block of tokens into n ids: the largest as it is, or the sum of squash. */
static void take_logits(const struct model_config *config, const float *logits, size_t n_rows,
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

/* All tokens of a text and some panels, BLOCK_PANELS at most. */
static bool take_panels(const struct encoder *encoder, const float *z, size_t stride, size_t n_rows,
                        size_t panel_begin, size_t panel_end, float *weights, float *scratch)
{
    const struct linear *output = &encoder->head.output;
    const struct linear_epilogue plain = {0};
    size_t first = panel_begin * PANEL, end = panel_end * PANEL, all = output->weight.rows;
    size_t n = (end < all ? end : all) - first;
    double taken[BLOCK_COLUMNS] = {0};
    bool is_finite = true;
    for (size_t t = 0; t < n_rows; t += BLOCK_ROWS) {
        size_t n_taken = n_rows - t < BLOCK_ROWS ? n_rows - t : BLOCK_ROWS;
        const struct linear_input rows = {
            .x = z + t * stride, .x_stride = stride, .n_rows = n_taken};
        linear(encoder->kernels, output, &rows, panel_begin, panel_end, &plain, scratch,
               BLOCK_COLUMNS, scratch + BLOCK_ROWS * BLOCK_COLUMNS);
        for (size_t i = 0; i < n_taken; i++)
            is_finite &= floats_are_finite(scratch + i * BLOCK_COLUMNS, n);
        take_logits(&encoder->config, scratch, n_taken, n, taken);
    }
    bool is_sum = encoder->config.sparse_pooling == SPARSE_SUM;
    for (size_t i = 0; i < n; i++)
        weights[first + i] = (float)(is_sum ? taken[i] : squash(&encoder->config, taken[i]));
    return is_finite;
}

bool sparse_of_logits(const struct encoder *encoder, const float *z, size_t stride, size_t n_rows,
                      size_t panel_begin, size_t panel_end, float *weights, float *scratch)
{
    bool is_finite = true;
    for (size_t panel = panel_begin; panel < panel_end; panel += BLOCK_PANELS) {
        size_t end = panel_end - panel < BLOCK_PANELS ? panel_end : panel + BLOCK_PANELS;
        is_finite &= take_panels(encoder, z, stride, n_rows, panel, end, weights, scratch);
    }
    return is_finite;
}

double sparse_product(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}
