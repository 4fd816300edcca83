/* linear.c - the linear layer, tile by tile.
 *
 * Weights that are f32 panels are read where they lie; all others are decoded a few panels at a time.
 * Rows are taken in blocks that stay in the second-level cache while the panels stream by.
 */
#include "model/linear.h"

#include <stdbool.h>

enum { DECODED_PANELS = 2, BLOCK_BYTES = 512 * 1024 };

static bool in_place(const struct matrix *weight)
{
    return weight->type == TENSOR_F32 && weight->layout == LAYOUT_PANELS;
}

size_t linear_scratch(const struct linear *linear)
{
    return in_place(&linear->weight) ? 0 : DECODED_PANELS * linear->weight.cols * PANEL;
}

static size_t rows_per_block(size_t k)
{
    size_t rows = BLOCK_BYTES / (k * sizeof(float));
    return rows < 48 ? 48 : rows / 12 * 12; /* 12 and 6 rows are the tiles' heights */
}

void linear(const struct kernels *kernels, const struct linear *linear, const float *x,
            size_t x_stride, size_t n_rows, size_t panel_begin, size_t panel_end,
            const float *residual, float *y, size_t y_stride, float *scratch)
{
    const struct matrix *weight = &linear->weight;
    size_t panel_floats = weight->cols * PANEL;
    bool mapped = in_place(weight);
    size_t step = mapped ? panel_end - panel_begin : DECODED_PANELS;
    size_t block = rows_per_block(weight->cols);

    for (size_t panel = panel_begin; panel < panel_end; panel += step) {
        size_t n_panels = panel_end - panel < step ? panel_end - panel : step;
        const float *panels = scratch;
        if (mapped)
            panels = (const float *)weight->data + panel * panel_floats;
        else
            for (size_t i = 0; i < n_panels; i++)
                matrix_panel(weight, panel + i, scratch + i * panel_floats);

        for (size_t row = 0; row < n_rows; row += block) {
            size_t at = row * y_stride + panel * PANEL;
            struct product product = {
                .x = x + row * x_stride,
                .x_stride = x_stride,
                .panels = panels,
                .panel_stride = panel_floats,
                .k = weight->cols,
                .bias = linear->bias != NULL ? linear->bias + panel * PANEL : NULL,
                .residual = residual != NULL ? residual + at : NULL,
                .out = y + at,
                .out_stride = y_stride,
                .n_rows = n_rows - row < block ? n_rows - row : block,
                .n_panels = n_panels,
            };
            kernels->product(&product);
        }
    }
}
