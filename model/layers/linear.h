/* linear.h - the linear layer: y = act(x·Wᵀ + b), for any weight type and layout. */
#ifndef MODEL_LINEAR_H
#define MODEL_LINEAR_H

#include "model/encoder.h"

/* Returns the i-th of the linear layers that all rows pass through; NULL past the last one. */
const struct linear *encoder_linear(const struct encoder *encoder, size_t i);

/* Linear layers of a layer: attention's two, feed-forward's two, and three of layer_input. */
enum { MOST_LINEARS = 7 };
static inline size_t linears_of_layer(const struct model_config *config)
{
    return config->layer_input_width > 0 ? MOST_LINEARS : 4;
}

/* Returns how many parts of the i-th are multiplied apart: a gate's halves, a layer's experts. */
size_t encoder_linear_parts(const struct encoder *encoder, size_t i);

static inline size_t linear_panels(const struct linear *linear)
{
    return (linear->weight.rows + PANEL - 1) / PANEL;
}

enum { DECODED_PANELS = 2, DECODED_COLUMNS = DECODED_PANELS * PANEL };

/* One thread's memory for linear layers. */
struct linear_work {
    float *panels;         /* [DECODED_PANELS, K, 16], K the most that linear_decoded returns */
    struct blas_work blas; /* if OpenBLAS is used */
};

/* Returns the columns K of a layer whose panels are decoded for f32 rows; 0 if they are multiplied
 * as stored, as all panels but int8 are. */
static inline size_t linear_decoded(const struct linear *linear)
{
    const struct matrix *weight = &linear->weight;
    return weight->layout == LAYOUT_ROWS || weight->type == TENSOR_INT8 ? weight->cols : 0;
}

/* 127·128 times this is the largest sum that fits int32; with q - zero up to 255, half of it. */
enum { LONGEST_INT8_ROW = 1 << 17 };

/* Returns whether the layer has int8 panels, which multiply rows that the caller rounded to
 * int8. */
static inline bool linear_takes_int8(const struct linear *linear)
{
    const struct matrix *weight = &linear->weight;
    return weight->type == TENSOR_INT8 && weight->layout == LAYOUT_PANELS &&
           weight->cols <= LONGEST_INT8_ROW / (weight->rounding >= ROUND_8_BITS ? 2 : 1);
}

/* Rounds one row [in] for such a layer; q is padded as kernels->quantize() does. */
struct quantization linear_quantize(const struct kernels *kernels, const struct linear *linear,
                                    const float *x, int8_t *q);

/* Rounds a layer's weights to bfloat16, into linear_pairs() elements; scratch: 16 * in floats. */
static inline size_t linear_pairs(const struct linear *linear)
{
    return linear_panels(linear) * PANEL * round_up(linear->weight.cols, BF16_STEP);
}
void linear_to_pairs(const struct kernels *kernels, struct linear *linear, uint16_t *to,
                     float *scratch);

/* Input of a layer: rows [n, in] as f32, or by linear_quantize() for a layer that takes int8. */
struct linear_input {
    const float *x;
    size_t x_stride;
    const int8_t *q; /* or NULL */
    size_t q_stride;
    const struct quantization *quantization; /* [n] */
    const uint16_t *rounded;                 /* for LAYOUT_PAIRS: in tiles */
    size_t n_rows;
    const struct blas *blas; /* if set, the kernels multiply up to blas_rows rows at a time by it */
    size_t blas_rows;        /* 0: OpenBLAS is not used */
};

/* Applied to the sums x·Wᵀ + b; all zeros: nothing. residual and gate have the shape and the stride
 * of y, and may be y. */
struct linear_epilogue {
    const float *residual; /* added */
    bool activated;
    enum activation activation;
    const float *gate; /* multiplied by, last */
};

/* Computes columns 16·panel_begin .. 16·panel_end - 1 of [n_rows, out], into the first elements of
 * each row of y; columns beyond `out` become zeros. y_stride is a multiple of 16. */
void linear(const struct kernels *kernels, const struct linear *linear,
            const struct linear_input *in, size_t panel_begin, size_t panel_end,
            const struct linear_epilogue *epilogue, float *y, size_t y_stride,
            const struct linear_work *work);

/* The same, all columns and nothing else, of n_rows rows: out [n_rows, row_stride(out)]. */
void linear_rows(const struct kernels *kernels, const struct linear *layer, const float *x,
                 size_t stride, size_t n_rows, float *out, const struct linear_work *work);

#endif
