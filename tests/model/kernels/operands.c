#include "tests/model/kernels/operands.h"

struct operands new_operands(const struct kernels *kernels, uint64_t *state, enum tensor_type type,
                             size_t n_rows, size_t n_panels, size_t k, size_t out_stride)
{
    struct operands o = {.n_rows = n_rows, .n_panels = n_panels, .k = k, .out_stride = out_stride};
    o.x_stride = k + 3;
    o.values = random_floats(state, n_panels * PANEL * k, 2);
    o.x = random_floats(state, n_rows * o.x_stride, 2);
    o.bias = random_floats(state, n_panels * PANEL, 1);
    o.residual = random_floats(state, n_rows * out_stride, 2);
    o.gate = random_floats(state, n_rows * out_stride, 2);
    o.weight = store_matrix(type, LAYOUT_PANELS, o.values, n_panels * PANEL, k);
    if (type != TENSOR_INT8)
        return o;
    o.q_stride = round_up(k, QUANTIZED_STEP);
    o.q = new_bytes(n_rows * o.q_stride);
    o.quantization = new_bytes(n_rows * sizeof *o.quantization);
    for (size_t row = 0; row < n_rows; row++)
        o.quantization[row] = kernels->quantize(o.x + row * o.x_stride, k, ROUND_SYMMETRIC, NULL,
                                                o.q + row * o.q_stride);
    return o;
}

struct product product_of(const struct operands *o, size_t row, size_t n_rows, size_t n_panels,
                          float *out)
{
    const bool is_int8 = o->weight.matrix.type == TENSOR_INT8;
    return (struct product){
        .x = is_int8 ? (const void *)(o->q + row * o->q_stride) : o->x + row * o->x_stride,
        .x_stride = is_int8 ? o->q_stride : o->x_stride,
        .x_quantization = is_int8 ? o->quantization + row : NULL,
        .type = o->weight.matrix.type,
        .panels = o->weight.bytes,
        .panel_stride = PANEL * (is_int8 ? round_up(o->k, 4) : o->k),
        .k = o->k,
        .scales = o->weight.matrix.scales,
        .out = out,
        .out_stride = o->out_stride,
        .n_rows = n_rows,
        .n_panels = n_panels,
    };
}
