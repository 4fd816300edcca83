/* add_row.h - adds a row of an embedding table, of any element type, to a row of floats. */
#ifndef MODEL_KERNELS_ADD_ROW_H
#define MODEL_KERNELS_ADD_ROW_H

#include "model/kernels/kernels.h"
#include "model/kernels/product.h"
#include "model/kernels/vector.h"

INLINE void add_row_of(const enum tensor_type type, const struct matrix *table, size_t index,
                       float *out)
{
    const size_t n = table->cols, at = index * n;
    const float scale = type == TENSOR_INT8 ? table->scales[index] : 1;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        store(out + i,
              load(out + i) + (type == TENSOR_INT8
                                   ? load_int8((const int8_t *)table->data + at + i) * scale
                                   : load_weights(type, table->data, at + i)));
    if (i < n) {
        float last[LANES];
        matrix_piece(table, index, i, n - i, last);
        for (size_t k = 0; k < n - i; k++)
            out[i + k] += last[k];
    }
}

static void add_row(const struct matrix *table, size_t index, float *out)
{
    switch (table->type) { /* one loop per element type, specialised at compile time */
    case TENSOR_F32: add_row_of(TENSOR_F32, table, index, out); return;
    case TENSOR_F16: add_row_of(TENSOR_F16, table, index, out); return;
    case TENSOR_BF16: add_row_of(TENSOR_BF16, table, index, out); return;
    default: add_row_of(TENSOR_INT8, table, index, out); return;
    }
}

#endif
