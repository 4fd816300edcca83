/* operands.h - a product's operands: random rows, weights of a type, and what is added and
 * multiplied. */
#ifndef TESTS_MODEL_KERNELS_OPERANDS_H
#define TESTS_MODEL_KERNELS_OPERANDS_H

#include "tests/model/plain.h"

/* Rows of x are apart. Rows in int8 (q, quantization) where the weights are; residual and gate as
 * long as out. */
struct operands {
    size_t n_rows, n_panels, k, x_stride, out_stride, q_stride;
    float *x, *values, *bias, *residual, *gate; /* values: of the weights, [n_panels * PANEL, k] */
    int8_t *q;
    struct quantization *quantization;
    struct stored weight;
};
struct operands new_operands(const struct kernels *kernels, uint64_t *state, enum tensor_type type,
                             size_t n_rows, size_t n_panels, size_t k, size_t out_stride);

/* The sums alone, of n_rows rows from `row` on, and the first n_panels. */
struct product product_of(const struct operands *o, size_t row, size_t n_rows, size_t n_panels,
                          float *out);

#endif
