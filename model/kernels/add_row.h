/* add_row.h - a row of an embedding table, of any element type, added to a row of floats. */
#ifndef MODEL_KERNELS_ADD_ROW_H
#define MODEL_KERNELS_ADD_ROW_H

#include "model/kernels/kernels.h"
#include "model/kernels/product.h"
#include "model/kernels/vector.h"

INLINE void add_row_of(const enum tensor_type type, const void *row, float scale, size_t n,
                       float *out)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        store(out + i,
              load(out + i) + (type == TENSOR_INT8 ? load_int8((const int8_t *)row + i) * scale
                                                   : load_weights(type, row, i)));
    for (; i < n; i++)
        switch (type) {
        case TENSOR_F32: out[i] += ((const float *)row)[i]; break;
        case TENSOR_F16: out[i] += f16_to_f32(((const uint16_t *)row)[i]); break;
        case TENSOR_BF16: out[i] += bf16_to_f32(((const uint16_t *)row)[i]); break;
        default: out[i] += (float)((const int8_t *)row)[i] * scale; break;
        }
}

static void add_row(const struct matrix *table, size_t index, float *out)
{
    size_t n = table->cols, at = index * n;
    switch (table->type) { /* one loop each, with the type decided */
    case TENSOR_F32: add_row_of(TENSOR_F32, (const float *)table->data + at, 1, n, out); return;
    case TENSOR_F16: add_row_of(TENSOR_F16, (const uint16_t *)table->data + at, 1, n, out); return;
    case TENSOR_BF16:
        add_row_of(TENSOR_BF16, (const uint16_t *)table->data + at, 1, n, out);
        return;
    default:
        add_row_of(TENSOR_INT8, (const int8_t *)table->data + at, table->scales[index], n, out);
        return;
    }
}

#endif
