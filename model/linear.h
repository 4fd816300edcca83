/* linear.h - the linear layer: y = x·Wᵀ + b, for any weight type and layout. */
#ifndef MODEL_LINEAR_H
#define MODEL_LINEAR_H

#include "model/encoder.h"

static inline size_t linear_panels(const struct linear *linear)
{
    return (linear->weight.rows + PANEL - 1) / PANEL;
}

/* Floats of scratch for weights that are not f32 panels; 0 for those that are. */
size_t linear_scratch(const struct linear *linear);

/* Columns 16·panel_begin .. 16·panel_end - 1 of y [n_rows, out] = x [n_rows, in]·Wᵀ + b (+ residual, of y's
 * shape and stride; may be y). Columns of y beyond `out` become zeros. */
void linear(const struct kernels *kernels, const struct linear *linear, const float *x,
            size_t x_stride, size_t n_rows, size_t panel_begin, size_t panel_end,
            const float *residual, float *y, size_t y_stride, float *scratch);

#endif
