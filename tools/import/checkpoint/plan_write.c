/* plan_write.c - carries out a plan: rows of the checkpoint's tensors, a chunk at a time, through
 * the writer of weight files. Memory is one chunk, whatever the model's size.
 */
#include "tools/import/checkpoint/plan_write.h"

#include <stdlib.h>

enum { CHUNK_NUMBERS = 1 << 16 };

/* Room for the numbers of n rows, as they are stored and as f32. */
struct chunk {
    float *values;
    uint16_t *scratch;
};

static bool chunk_open(struct chunk *chunk, size_t n_rows, size_t cols, struct problem *problem)
{
    chunk->values = calloc(n_rows * cols, sizeof *chunk->values);
    chunk->scratch = calloc(n_rows * cols, sizeof *chunk->scratch);
    return (chunk->values != NULL && chunk->scratch != NULL) || problem_memory(problem);
}

static void chunk_free(struct chunk *chunk)
{
    free(chunk->values);
    free(chunk->scratch);
}

/* The rows of one part, as many at a time as fit a chunk. */
static bool copy_part(const struct planned_tensor *tensor, const struct stored_tensor *part,
                      struct weight_writer *writer, struct progress *progress)
{
    size_t rows = tensor->rows / tensor->n_parts, cols = tensor->cols;
    size_t most = cols < CHUNK_NUMBERS ? CHUNK_NUMBERS / cols : 1;
    struct chunk chunk;
    most = most < rows ? most : rows;
    bool ok = chunk_open(&chunk, most, cols, tensor->set->problem);
    for (size_t done = 0; ok && done < rows;) {
        size_t n = rows - done < most ? rows - done : most;
        ok = tensor_rows(tensor->set, part, done, n, cols, chunk.scratch, chunk.values) &&
             weight_writer_rows(writer, chunk.values, n) == ENGINE_OK;
        done += n;
        progress_add(progress, part->n_bytes / rows * n);
    }
    chunk_free(&chunk);
    return ok;
}

/* A part that is stored [cols, rows]: all of it at once, for it is that of a few labels. */
static bool copy_transposed(const struct planned_tensor *tensor, struct weight_writer *writer,
                            struct progress *progress)
{
    const struct stored_tensor *part = tensor->parts[0];
    size_t rows = tensor->rows, cols = tensor->cols;
    struct chunk chunk;
    float *row = calloc(cols, sizeof *row);
    bool ok = chunk_open(&chunk, rows, cols, tensor->set->problem) &&
              (row != NULL || problem_memory(tensor->set->problem)) &&
              tensor_rows(tensor->set, part, 0, cols, rows, chunk.scratch, chunk.values);
    for (size_t i = 0; ok && i < rows; i++) {
        for (size_t k = 0; k < cols; k++)
            row[k] = chunk.values[k * rows + i];
        ok = weight_writer_rows(writer, row, 1) == ENGINE_OK;
    }
    progress_add(progress, part->n_bytes);
    chunk_free(&chunk);
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
