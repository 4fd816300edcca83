/* plan_write.c - carries out a plan: rows of the checkpoint's tensors, a chunk at a time, through
 * the writer of weight files.
 */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"
#include "tools/import/checkpoint/int8_factors.h"
#include "tools/import/checkpoint/static_embedding.h"
#include "tools/import/families/distances.h"
#include "tools/import/files/tensor_rows.h"
#include "tools/import/progress.h"

#include <stdlib.h>

/* The rows of one part. */
static void copy_part(const struct planned_tensor *tensor, size_t index,
                      struct weight_writer *writer)
{
    const struct stored_tensor *part = tensor->parts[index];
    size_t rows = planned_rows(tensor, index);
    struct tensor_rows chunk;
    tensor_rows_open(&chunk, rows, tensor->cols, false);
    for (size_t n, done = 0; (n = tensor_rows_next(&chunk, tensor->set, part, rows, &done)) > 0;) {
        for (size_t i = 0; tensor->added != 0 && i < n * tensor->cols; i++)
            chunk.values[i] = (float)(chunk.values[i] + tensor->added);
        if (weight_writer_rows(writer, chunk.values, n) != ENGINE_OK)
            break;
        progress_add(part->n_bytes / rows * n);
    }
    tensor_rows_free(&chunk);
}

/* A part that is stored [cols, rows]: all of it at once, for it is that of a few labels. */
static void copy_transposed(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    size_t rows = tensor->rows, cols = tensor->cols;
    struct tensor_rows stored;
    float *row = alloc_zeros(cols, sizeof *row);
    tensor_rows_open(&stored, cols, rows, true);
    tensor_rows_read(&stored, tensor->set, tensor->parts[0], 0, cols);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < cols; k++)
            row[k] = stored.values[k * rows + i];
        weight_writer_rows(writer, row, 1);
    }
    progress_add(tensor->parts[0]->n_bytes);
    tensor_rows_free(&stored);
    free(row);
}

/* A column for each distance from -R to R, from the row of its bucket: [buckets, heads] becomes
 * [heads, 2R + 1]. */
static void copy_distances(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    size_t heads = tensor->rows, cols = tensor->cols;
    struct tensor_rows buckets;
    float *row = alloc_zeros(cols, sizeof *row);
    tensor_rows_open(&buckets, DISTANCE_BUCKETS, heads, true);
    tensor_rows_read(&buckets, tensor->set, tensor->parts[0], 0, DISTANCE_BUCKETS);
    for (size_t head = 0; head < heads; head++) {
        for (size_t i = 0; i < cols; i++) {
            int bucket = distance_bucket((int64_t)i - (int64_t)(cols / 2));
            row[i] = buckets.values[(size_t)bucket * heads + head];
        }
        weight_writer_rows(writer, row, 1);
    }
    progress_add(tensor->parts[0]->n_bytes);
    tensor_rows_free(&buckets);
    free(row);
}

static void copy_parts(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    if (tensor->is_transposed)
        copy_transposed(tensor, writer);
    else if (tensor->kind == PART_DISTANCES)
        copy_distances(tensor, writer);
    else if (tensor->row_numbers != NULL || tensor->row_weights != NULL)
        static_embedding_write(tensor, writer);
    else
        for (size_t k = 0; k < tensor->n_parts; k++)
            copy_part(tensor, k, writer);
}

static void give_factors(const struct plan *plan, size_t index, struct residual_stream *stream,
                         struct weight_writer *writer)
{
    float *factors = alloc_zeros(plan->tensors[index].cols, sizeof *factors);
    int8_factors(stream, plan, index, factors);
    weight_writer_factors(writer, factors);
    free(factors);
}

/* What follows a write that failed does nothing. The residual stream is followed for factors. */
void plan_write(const struct plan *plan, struct weight_writer *writer)
{
    struct residual_stream stream;
    bool has_factors = false;
    for (size_t i = 0; i < plan->n; i++)
        has_factors = has_factors || tensor_has_factors(plan->tensors[i].type);
    residual_stream_open(&stream, plan);
    for (size_t i = 0; i < plan->n; i++) {
        const struct planned_tensor *tensor = &plan->tensors[i];
        weight_writer_begin_tensor(writer, tensor->name, tensor->type, tensor->layout,
                                   tensor->n_dims, tensor->rows, tensor->cols);
        if (tensor_has_factors(tensor->type))
            give_factors(plan, i, &stream, writer);
        copy_parts(tensor, writer);
        if (has_factors)
            residual_stream_pass(&stream, plan, i);
    }
    residual_stream_free(&stream);
}
