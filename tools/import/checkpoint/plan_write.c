/* plan_write.c - writes the tensors of a plan: rows of the checkpoint's tensors, a chunk at a time,
 * through the writer of weight files. */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"
#include "tools/import/checkpoint/static_embedding.h"
#include "tools/import/progress.h"

#include <stdlib.h>

/* Writes a part that is stored with a row for each column, and small: the kernel of a few labels,
 * [cols, rows]; or [buckets, rows], whose column k is for distance k - R, from -R to R. */
static void copy_by_columns(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    size_t rows = tensor->rows, cols = tensor->cols;
    size_t n_stored = tensor->is_transposed ? cols : DISTANCE_BUCKETS;
    struct tensor_rows stored;
    float *row = alloc_zeros(cols, sizeof *row);
    tensor_rows_open(&stored, n_stored, rows, true);
    tensor_rows_read(&stored, tensor->set, tensor->parts[0], 0, n_stored);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < cols; k++) {
            size_t from = tensor->is_transposed
                              ? k
                              : (size_t)distance_bucket((int64_t)k - (int64_t)(cols / 2));
            row[k] = stored.values[from * rows + i];
        }
        weight_writer_rows(writer, row, 1);
    }
    progress_add(tensor->parts[0]->n_bytes);
    tensor_rows_free(&stored);
}

static void copy_tensor(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    if (tensor->values != NULL) {
        weight_writer_rows(writer, tensor->values, tensor->rows);
        return;
    }
    if (tensor->is_transposed || tensor->kind == PART_DISTANCES) {
        copy_by_columns(tensor, writer);
        return;
    }
    if (tensor->row_numbers != NULL || tensor->row_weights != NULL) {
        static_embedding_write(tensor, writer);
        return;
    }
    for (size_t k = 0; k < tensor->n_parts; k++) {
        const struct stored_tensor *part = tensor->parts[k];
        const size_t rows = planned_rows(tensor, k);
        struct tensor_rows chunk;
        tensor_rows_open(&chunk, rows, tensor->cols, false);
        for (size_t n, row = 0;
             (n = tensor_rows_next(&chunk, tensor->set, part, rows, &row)) > 0;) {
            for (size_t i = 0; tensor->added != 0 && i < n * tensor->cols; i++)
                chunk.values[i] = (float)(chunk.values[i] + tensor->added);
            if (weight_writer_rows(writer, chunk.values, n) != ENGINE_OK)
                break;
            progress_add(part->n_bytes / rows * n);
        }
        tensor_rows_free(&chunk);
    }
}

/* After a write that failed, the others do nothing. The residual stream is followed for factors. */
void plan_write(const struct plan *plan, struct weight_writer *writer)
{
    struct residual_stream stream;
    bool has_factors = false;
    for (size_t i = 0; i < plan->n; i++)
        has_factors = has_factors || tensor_has_factors(plan->tensors[i].type);
    if (has_factors)
        residual_stream_open(&stream, plan);
    for (size_t i = 0; i < plan->n; i++) {
        const struct planned_tensor *tensor = &plan->tensors[i];
        weight_writer_begin_tensor(writer, tensor->name, tensor->type, tensor->layout,
                                   tensor->n_dims, tensor->rows, tensor->cols);
        if (tensor_has_factors(tensor->type)) {
            float *factors = alloc_zeros(tensor->cols, sizeof *factors);
            int8_factors(&stream, plan, i, factors);
            weight_writer_factors(writer, factors);
            alloc_free(factors);
        }
        copy_tensor(tensor, writer);
        if (has_factors)
            residual_stream_pass(&stream, plan, i);
    }
}
