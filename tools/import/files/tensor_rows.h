/* tensor_rows.h - the numbers of a checkpoint's tensors as f32, a chunk of rows at a time, so that
 * memory is one chunk, whatever the model's size.
 */
#ifndef TOOLS_IMPORT_TENSOR_ROWS_H
#define TOOLS_IMPORT_TENSOR_ROWS_H

#include "tools/import/files/tensor_file.h"

struct tensor_rows {
    float *values;     /* [most, cols] */
    uint16_t *scratch; /* the same as they are stored, where that is not f32 */
    size_t most, cols;
};

/* Room for as many of `rows` rows as a chunk has; for all of them with is_whole. */
void tensor_rows_open(struct tensor_rows *chunk, size_t rows, size_t cols, bool is_whole);
void tensor_rows_free(struct tensor_rows *chunk);

/* The next rows of [rows, cols] from *row on, as many as a chunk has; *row moves behind them.
 * Returns how many, 0 at the end. */
size_t tensor_rows_next(struct tensor_rows *chunk, const struct tensor_set *set,
                        const struct stored_tensor *tensor, size_t rows, size_t *row);

/* Rows first .. first+n-1 of [rows, cols], n at most `most`, into `values`; taken as such whatever
 * the tensor's dimensions, unless it is transposed, which those of its shape alone can be. NaN and
 * infinities are refused. */
void tensor_rows_read(struct tensor_rows *chunk, const struct tensor_set *set,
                      const struct stored_tensor *tensor, uint64_t first, size_t n);

#endif
