/* tensor_rows.c - see tensor_rows.h. */
#include "tools/import/files/tensor_rows.h"

#include "tools/common/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_NUMBERS = 1 << 16 };

void tensor_rows_open(struct tensor_rows *chunk, size_t rows, size_t cols, bool is_whole)
{
    size_t most = cols < CHUNK_NUMBERS ? CHUNK_NUMBERS / cols : 1;
    most = is_whole || most > rows ? rows : most;
    *chunk = (struct tensor_rows){
        .values = alloc_zeros(most * cols, sizeof *chunk->values),
        .scratch = alloc_zeros(most * cols, sizeof *chunk->scratch),
        .most = most,
        .cols = cols,
    };
}

void tensor_rows_free(struct tensor_rows *chunk)
{
    alloc_free(chunk->values);
    alloc_free(chunk->scratch);
}

/* The same part of every column, one behind the other in the file. */
static void read_columns(const struct tensor_rows *chunk, const struct tensor_set *set,
                         const struct stored_tensor *tensor, uint64_t first, size_t n, uint8_t *out)
{
    size_t element = tensor->element_bytes, cols = chunk->cols;
    uint8_t *part = alloc_zeros(n, element);
    for (size_t k = 0; k < cols; k++) {
        tensor_read(set, tensor, (k * tensor->shape[0] + first) * element, part, n * element);
        for (size_t i = 0; i < n; i++)
            memcpy(out + (i * cols + k) * element, part + i * element, element);
    }
    alloc_free(part);
}

void tensor_rows_read(struct tensor_rows *chunk, const struct tensor_set *set,
                      const struct stored_tensor *tensor, uint64_t first, size_t n)
{
    size_t element = tensor->element_bytes, cols = chunk->cols, count = n * cols;
    bool is_f32 = tensor->type == TENSOR_F32;
    float *values = chunk->values;
    void *stored = is_f32 ? (void *)values : chunk->scratch;
    if (tensor->is_transposed)
        read_columns(chunk, set, tensor, first, n, stored);
    else
        tensor_read(set, tensor, first * cols * element, stored, count * element);
    for (size_t i = 0; !is_f32 && i < count; i++)
        values[i] = tensor->type == TENSOR_BF16 ? bf16_to_f32(chunk->scratch[i])
                                                : f16_to_f32(chunk->scratch[i]);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            tensor_die(set, tensor,
                       ", row %" PRIu64 ", column %zu: %g is not a number that a model can have",
                       first + i / cols, i % cols, (double)values[i]);
}

size_t tensor_rows_next(struct tensor_rows *chunk, const struct tensor_set *set,
                        const struct stored_tensor *tensor, size_t rows, size_t *row)
{
    size_t n = rows - *row < chunk->most ? rows - *row : chunk->most;
    if (n > 0)
        tensor_rows_read(chunk, set, tensor, *row, n);
    *row += n;
    return n;
}
