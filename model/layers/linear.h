/* linear.h - the linear layer: y = act(x·Wᵀ + b), for any weight type and layout. */
#ifndef MODEL_LINEAR_H
#define MODEL_LINEAR_H

#include "model/encoder.h"

static inline size_t linear_panels(const struct linear *linear)
{
    return (linear->weight.rows + PANEL - 1) / PANEL;
}

/* Floats of scratch for weights that are not panels; 0 for those that are, but for int8 panels that
 * read f32 rows. */
size_t linear_scratch(const struct linear *linear);

/* 127·128 times that is the largest sum that int32 holds; with q - zero up to 255, half of it. */
enum { LONGEST_INT8_ROW = 1 << 17 };

/* True for int8 panels: they multiply rows that are rounded to int8 too, where the caller has made
 * those. */
static inline bool linear_takes_int8(const struct linear *linear)
{
    const struct matrix *weight = &linear->weight;
    return weight->type == TENSOR_INT8 && weight->layout == LAYOUT_PANELS &&
           weight->cols <= LONGEST_INT8_ROW / (weight->rounding == ROUND_8_BITS ? 2 : 1);
}

/* What a linear layer reads: rows [n, in], as f32 or, for one that takes int8, by
 * kernels->quantize() with the weight's rounding and factors. */
struct linear_input {
    const float *x;
    size_t x_stride;
    const int8_t *q; /* or NULL */
    size_t q_stride;
    const struct quantization *quantization; /* [n] */
    size_t n_rows;
    const struct blas *blas; /* with it the kernels multiply up to blas_rows rows at a time */
    size_t blas_rows;        /* 0: they do without */
};

/* What is done to the sums x·Wᵀ + b; all zeros: nothing. residual and gate have the shape and the
 * stride of y, and may be y. */
struct linear_epilogue {
    const float *residual; /* added */
    bool activated;
    enum activation activation;
    const float *gate; /* multiplied by, last */
};

/* Columns 16·panel_begin .. 16·panel_end - 1 of [n_rows, out], to y .. y + 16·(panel_end -
 * panel_begin) - 1 of each row; those beyond `out` become zeros. y_stride is a multiple of 16. */
void linear(const struct kernels *kernels, const struct linear *linear,
            const struct linear_input *in, size_t panel_begin, size_t panel_end,
            const struct linear_epilogue *epilogue, float *y, size_t y_stride, float *scratch);

#endif
