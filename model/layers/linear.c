/* linear.c - the linear layer y = act(x·Wᵀ + b), panels by panels. Plain twin: plain_product in
 * tests/model/plain.c.
 *
 * Weights in panels are multiplied as they are stored; weights in rows, and int8 panels for f32
 * rows, are decoded a few panels at a time. Blocks of rows stay in the second-level cache while the
 * panels stream by.
 */
#include "model/layers/linear.h"

#include <stdbool.h>

enum { BLOCK_BYTES = 384 * 1024, BLOCK_STEP = 96 /* full tiles of any height */ };

const struct linear *encoder_linear(const struct encoder *encoder, size_t i)
{
    if (i == 0)
        return &encoder->embedding_projection;
    size_t n = linears_of_layer(&encoder->config);
    if ((i - 1) / n >= encoder->config.layers)
        return NULL;
    const struct layer *layer = &encoder->layers[(i - 1) / n];
    const struct linear *linears[MOST_LINEARS] = {
        &layer->qkv,      &layer->output,   &layer->feed_forward_in, &layer->feed_forward_out,
        &layer->input.in, &layer->input.by, &layer->input.out};
    return linears[(i - 1) % n];
}

size_t encoder_linear_parts(const struct encoder *encoder, size_t i)
{
    const struct model_config *config = &encoder->config;
    size_t n = linears_of_layer(config), kind = i > 0 ? (i - 1) % n : 0;
    bool is_gated = config->gate != GATE_NONE && config->feed_forward % PANEL == 0;
    if (i > 0 && (kind == 2 || kind == 3) && config_has_experts(config, (i - 1) / n))
        return config->experts;
    return i > 0 && kind == 2 && is_gated ? 2 : 1;
}

/* Multiplies all rows, block by block, by panels that need no decoding. */
static void multiply_rows(void (*kernel)(const struct product *), const struct product *p,
                          size_t x_bytes)
{
    size_t bytes = x_bytes == sizeof(uint16_t) ? 3 * BLOCK_BYTES : BLOCK_BYTES; /* bf16: faster */
    size_t block = larger(bytes / (p->k * x_bytes) / BLOCK_STEP, 1) * BLOCK_STEP;
    if (p->n_rows <= block) {
        kernel(p);
        return;
    }
    for (size_t row = 0; row < p->n_rows; row += block) {
        struct product part = product_rows(p, row, smaller(p->n_rows - row, block), x_bytes);
        kernel(&part);
    }
}

/* Multiplies by stored panels, from number `begin` on, all columns in one call. */
static void multiply_stored(const struct kernels *kernels, const struct matrix *weight,
                            const struct linear_input *in, size_t begin, struct product *p,
                            const struct linear_work *work)
{
    void (*kernel)(const struct product *) = kernels->product;
    size_t weight_bytes = sizeof(float), x_bytes = sizeof(float);
    if (weight->type == TENSOR_INT8) {
        size_t column = begin * PANEL;
        kernel = kernels->product_int8;
        weight_bytes = x_bytes = sizeof(int8_t);
        p->x = in->q;
        p->x_stride = in->q_stride;
        p->x_quantization = in->quantization;
        p->panel_stride = PANEL * round_up(weight->cols, 4);
        p->scales = weight->scales + column;
        p->column_sums = weight->column_sums != NULL ? weight->column_sums + column : NULL;
        p->kept_panels = weight->kept_panels != NULL ? weight->kept_panels + column * KEPT : NULL;
        p->is_unsigned = weight->rounding == ROUND_7_BITS || weight->rounding == ROUND_UNSIGNED;
    } else if (weight->layout == LAYOUT_PAIRS) {
        kernel = kernels->pairs->product;
        weight_bytes = x_bytes = sizeof(uint16_t);
        p->x = in->rounded;
        p->x_stride = round_up(weight->cols, BF16_STEP);
        p->panel_stride = PANEL * round_up(weight->cols, BF16_STEP);
    } else if (weight->type != TENSOR_F32) {
        weight_bytes = sizeof(uint16_t);
    }
    p->type = weight->type;
    p->panels = (const char *)weight->data + begin * p->panel_stride * weight_bytes;
    if (in->blas_rows > 0)
        kernels->product_blas(in->blas, in->blas_rows, p, &work->blas);
    else
        multiply_rows(kernel, p, x_bytes);
}

/* Multiplies by panels decoded to memory, from number `begin` on, DECODED_PANELS at a time. */
static void multiply_decoded(const struct kernels *kernels, const struct matrix *weight,
                             size_t begin, struct product *p, float *panels)
{
    size_t left = p->n_panels;
    for (p->panels = panels; left > 0; left -= p->n_panels, begin += p->n_panels) {
        p->n_panels = left < DECODED_PANELS ? left : DECODED_PANELS;
        for (size_t i = 0; i < p->n_panels; i++)
            matrix_panel(weight, begin + i, panels + i * p->panel_stride);
        multiply_rows(kernels->product, p, sizeof(float));
        size_t n_columns = p->n_panels * PANEL;
        p->bias = p->bias != NULL ? p->bias + n_columns : NULL;
        p->residual = p->residual != NULL ? p->residual + n_columns : NULL;
        p->gate = p->gate != NULL ? p->gate + n_columns : NULL;
        p->out += n_columns;
    }
}

void linear_to_pairs(const struct kernels *kernels, struct linear *linear, uint16_t *to,
                     float *scratch)
{
    struct matrix *weight = &linear->weight;
    size_t panel = PANEL * round_up(weight->cols, BF16_STEP);
    for (size_t i = 0; i < linear_panels(linear); i++) {
        matrix_panel(weight, i, scratch);
        kernels->pairs->pair_rows(scratch, PANEL, weight->cols, to + i * panel);
    }
    weight->data = to;
    weight->type = TENSOR_BF16;
    weight->layout = LAYOUT_PAIRS;
}

struct quantization linear_quantize(const struct kernels *kernels, const struct linear *linear,
                                    const float *x, int8_t *q)
{
    const struct matrix *weight = &linear->weight;
    struct quantization row =
        kernels->quantize(x, weight->cols, weight->rounding, weight->factors, q);
    for (size_t i = 0; weight->kept_panels != NULL && i < KEPT; i++)
        row.kept[i] = x[weight->kept[i]];
    return row;
}

void linear(const struct kernels *kernels, const struct linear *linear,
            const struct linear_input *in, size_t panel_begin, size_t panel_end,
            const struct linear_epilogue *epilogue, float *y, size_t y_stride,
            const struct linear_work *work)
{
    const struct matrix *weight = &linear->weight;
    struct product product = {
        .x = in->x,
        .x_stride = in->x_stride,
        .panel_stride = PANEL * weight->cols,
        .k = weight->cols,
        .bias = linear->bias != NULL ? linear->bias + panel_begin * PANEL : NULL,
        .residual = epilogue->residual,
        .activated = epilogue->activated,
        .activation = epilogue->activation,
        .gate = epilogue->gate,
        .out = y,
        .out_stride = y_stride,
        .n_rows = in->n_rows,
        .n_panels = panel_end - panel_begin,
    };
    if (weight->layout != LAYOUT_ROWS && (weight->type != TENSOR_INT8 || in->q != NULL))
        multiply_stored(kernels, weight, in, panel_begin, &product, work);
    else
        multiply_decoded(kernels, weight, panel_begin, &product, work->panels);
}

void linear_rows(const struct kernels *kernels, const struct linear *layer, const float *x,
                 size_t stride, size_t n_rows, float *out, const struct linear_work *work)
{
    const struct linear_input rows = {.x = x, .x_stride = stride, .n_rows = n_rows};
    const struct linear_epilogue none = {0};
    linear(kernels, layer, &rows, 0, linear_panels(layer), &none, out,
           row_stride(layer->weight.rows), work);
}
