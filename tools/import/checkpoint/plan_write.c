/* plan_write.c - carries out a plan: rows of the checkpoint's tensors, a chunk at a time, through
 * the writer of weight files.
 */
#include "tools/import/checkpoint/plan.h"

#include "tools/import/files/tensor_rows.h"

#include <stdlib.h>

/* The rows of one part. */
static bool copy_part(const struct planned_tensor *tensor, const struct stored_tensor *part,
                      struct weight_writer *writer, struct progress *progress)
{
    size_t rows = tensor->rows / tensor->n_parts;
    struct tensor_rows chunk;
    bool ok = tensor_rows_open(&chunk, rows, tensor->cols, false, tensor->set->problem);
    for (size_t done = 0; ok && done < rows; done += chunk.most) {
        size_t n = rows - done < chunk.most ? rows - done : chunk.most;
        ok = tensor_rows_read(&chunk, tensor->set, part, done, n) &&
             weight_writer_rows(writer, chunk.values, n) == ENGINE_OK;
        progress_add(progress, part->n_bytes / rows * n);
    }
    tensor_rows_free(&chunk);
    return ok;
}

/* A part that is stored [cols, rows]: all of it at once, for it is that of a few labels. */
static bool copy_transposed(const struct planned_tensor *tensor, struct weight_writer *writer,
                            struct progress *progress)
{
    size_t rows = tensor->rows, cols = tensor->cols;
    struct tensor_rows stored;
    float *row = calloc(cols, sizeof *row);
    bool ok = tensor_rows_open(&stored, cols, rows, true, tensor->set->problem) &&
              (row != NULL || problem_memory(tensor->set->problem)) &&
              tensor_rows_read(&stored, tensor->set, tensor->parts[0], 0, cols);
    for (size_t i = 0; ok && i < rows; i++) {
        for (size_t k = 0; k < cols; k++)
            row[k] = stored.values[k * rows + i];
        ok = weight_writer_rows(writer, row, 1) == ENGINE_OK;
    }
    progress_add(progress, tensor->parts[0]->n_bytes);
    tensor_rows_free(&stored);
    free(row);
    return ok;
}

bool plan_write(const struct plan *plan, struct weight_writer *writer, struct progress *progress)
{
    bool ok = true;
    for (size_t i = 0; ok && i < plan->n; i++) {
        const struct planned_tensor *tensor = &plan->tensors[i];
        weight_writer_begin_tensor(writer, tensor->name, tensor->type, tensor->layout,
                                   tensor->n_dims, tensor->rows, tensor->cols);
        if (tensor->is_transposed)
            ok = copy_transposed(tensor, writer, progress);
        for (size_t k = 0; ok && !tensor->is_transposed && k < tensor->n_parts; k++)
            ok = copy_part(tensor, tensor->parts[k], writer, progress);
    }
    return ok;
}
