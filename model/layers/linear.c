/* linear.c - the linear layer y = act(x·Wᵀ + b), panels by panels. Plain twin: plain_product in
 * tests/model/plain.c.
 *
 * Weights in panels are read in place; weights in rows, and int8 panels for f32 rows, are decoded a
 * few panels at a time. Blocks of rows stay in the second-level cache while the panels stream by.
 */
#include "model/layers/linear.h"

#include <stdbool.h>

enum { DECODED_PANELS = 2, BLOCK_BYTES = 384 * 1024, BLOCK_STEP = 96 };

size_t linear_scratch(const struct linear *linear)
{
    const struct matrix *weight = &linear->weight;
    bool in_place = weight->layout == LAYOUT_PANELS && weight->type != TENSOR_INT8;
    return in_place ? 0 : DECODED_PANELS * weight->cols * PANEL;
}

/* Returns the kernel for panels as stored; NULL if they must be decoded. */
static void (*product_for(const struct kernels *kernels, const struct matrix *weight,
                          const struct linear_input *in))(const struct product *)
{
    if (weight->layout != LAYOUT_PANELS)
        return NULL;
    switch (weight->type) {
    case TENSOR_F32: return kernels->product;
    case TENSOR_F16: return kernels->product_f16;
    case TENSOR_BF16: return kernels->product_bf16;
    default: return in->q != NULL ? kernels->product_int8 : NULL;
    }
}

/* Multiplies all rows, block by block, by panels that need no decoding. */
static void multiply_rows(void (*kernel)(const struct product *), const struct product *all,
                          size_t x_bytes)
{
    size_t fitting = BLOCK_BYTES / (all->k * x_bytes);
    size_t block = larger(fitting / BLOCK_STEP, 1) * BLOCK_STEP; /* full tiles of any height */
    for (size_t row = 0; row < all->n_rows; row += block) {
        size_t n_rows = all->n_rows - row < block ? all->n_rows - row : block;
        struct product product = product_rows(all, row, n_rows, x_bytes);
        kernel(&product);
    }
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
            const struct linear_epilogue *epilogue, float *y, size_t y_stride, float *scratch)
{
    const struct matrix *weight = &linear->weight;
    void (*kernel)(const struct product *) = product_for(kernels, weight, in);
    bool decoded = kernel == NULL, quantized = !decoded && weight->type == TENSOR_INT8;
    bool by_blas = !decoded && in->blas_rows > 0;
    size_t panel_elements = PANEL * (quantized ? (weight->cols + 3) / 4 * 4 : weight->cols);
    size_t element_bytes = quantized ? 1 : decoded || weight->type == TENSOR_F32 ? 4 : 2;
    size_t step = decoded ? DECODED_PANELS : panel_end - panel_begin;

    for (size_t panel = panel_begin; panel < panel_end; panel += step) {
        size_t n_panels = panel_end - panel < step ? panel_end - panel : step;
        size_t column = panel * PANEL, at = (panel - panel_begin) * PANEL;
        if (decoded)
            for (size_t i = 0; i < n_panels; i++)
                matrix_panel(weight, panel + i, scratch + i * panel_elements);
        struct product product = {
            .x = quantized ? (const void *)in->q : (const void *)in->x,
            .x_stride = quantized ? in->q_stride : in->x_stride,
            .x_quantization = quantized ? in->quantization : NULL,
            .panels = decoded ? (const void *)scratch
                              : (const char *)weight->data + panel * panel_elements * element_bytes,
            .panel_stride = panel_elements,
            .k = weight->cols,
            .scales = quantized ? weight->scales + column : NULL,
            .column_sums =
                quantized && weight->column_sums != NULL ? weight->column_sums + column : NULL,
            .kept_panels = quantized && weight->kept_panels != NULL
                               ? weight->kept_panels + panel * KEPT * PANEL
                               : NULL,
            .seven_bits = weight->rounding == ROUND_7_BITS,
            .bias = linear->bias != NULL ? linear->bias + column : NULL,
            .residual = epilogue->residual != NULL ? epilogue->residual + at : NULL,
            .activated = epilogue->activated,
            .activation = epilogue->activation,
            .gate = epilogue->gate != NULL ? epilogue->gate + at : NULL,
            .out = y + at,
            .out_stride = y_stride,
            .n_rows = in->n_rows,
            .n_panels = n_panels,
        };
        if (by_blas)
            kernels->product_blas(in->blas, in->blas_rows, weight->type, &product, scratch);
        else
            multiply_rows(decoded ? kernels->product : kernel, &product,
                          quantized ? sizeof(int8_t) : sizeof(float));
    }
}
