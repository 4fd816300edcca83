/* plan_write.c - carries out a plan: rows of the checkpoint's tensors, a chunk at a time, through
 * the writer of weight files. Memory is one chunk, whatever the model's size.
 */
#include "tools/import/checkpoint/plan.h"

#include "tools/import/progress.h"

#include <stdlib.h>

enum { CHUNK_NUMBERS = 1 << 16 };

/* The rows of one part, as many at a time as fit a chunk. */
static bool copy_part(const struct planned_tensor *tensor, const struct stored_tensor *part,
                      struct weight_writer *writer, struct progress *progress,
                      struct problem *problem)
{
    size_t rows = tensor->rows / tensor->n_parts, cols = tensor->cols;
    size_t most = cols < CHUNK_NUMBERS ? CHUNK_NUMBERS / cols : 1;
    most = most < rows ? most : rows;
    float *values = calloc(most * cols, sizeof *values);
    uint16_t *scratch = calloc(most * cols, sizeof *scratch);
    bool ok = values != NULL && scratch != NULL ? true : problem_memory(problem);
    for (size_t done = 0; ok && done < rows;) {
        size_t n = rows - done < most ? rows - done : most;
        ok = tensor_rows(tensor->set, part, done, n, cols, scratch, values, problem);
        if (ok && weight_writer_rows(writer, values, n) != ENGINE_OK)
            ok = problem_say(problem, "%s", ""); /* the writer has the words */
        done += n;
        if (progress != NULL)
            progress_add(progress, part->n_bytes / rows * n);
    }
    free(values);
    free(scratch);
    return ok;
}

/* A part that is stored [cols, rows]: all of it at once, for it is that of a few labels. */
static bool copy_transposed(const struct planned_tensor *tensor, struct weight_writer *writer,
                            struct progress *progress, struct problem *problem)
{
    const struct stored_tensor *part = tensor->parts[0];
    size_t rows = tensor->rows, cols = tensor->cols;
    float *stored = calloc(rows * cols, sizeof *stored), *row = calloc(cols, sizeof *row);
    uint16_t *scratch = calloc(rows * cols, sizeof *scratch);
    bool ok = (stored != NULL && row != NULL && scratch != NULL) || problem_memory(problem);
    ok = ok && tensor_rows(tensor->set, part, 0, cols, rows, scratch, stored, problem);
    for (size_t i = 0; ok && i < rows; i++) {
        for (size_t k = 0; k < cols; k++)
            row[k] = stored[k * rows + i];
        if (weight_writer_rows(writer, row, 1) != ENGINE_OK)
            ok = problem_say(problem, "%s", ""); /* the writer has the words */
    }
    if (progress != NULL)
        progress_add(progress, part->n_bytes);
    free(stored);
    free(row);
    free(scratch);
    return ok;
}

static bool copy_tensor(const struct planned_tensor *tensor, struct weight_writer *writer,
                        struct progress *progress, struct problem *problem)
{
    if (tensor->is_transposed)
        return copy_transposed(tensor, writer, progress, problem);
    for (size_t part = 0; part < tensor->n_parts; part++)
        if (!copy_part(tensor, tensor->parts[part], writer, progress, problem))
            return false;
    return true;
}

bool plan_write(const struct plan *plan, struct weight_writer *writer, struct progress *progress,
                struct problem *problem)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct planned_tensor *tensor = &plan->tensors[i];
        weight_writer_begin_tensor(writer, tensor->name, tensor->type, tensor->layout,
                                   tensor->n_dims, tensor->rows, tensor->cols);
        if (!copy_tensor(tensor, writer, progress, problem))
            return false;
    }
    return true;
}
