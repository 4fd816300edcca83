/* plan_write.c - writes a plan: rows of the checkpoint's tensors, a chunk at a time, through the
 * writer of weight files. See plan.h. */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"
#include "tools/import/import_output.h"

/* Writes a tensor whose part is stored with a row for each column: the kernel of a few labels,
 * [cols, rows]; the matrices of experts, one after another; or biases [buckets, rows], of which
 * column k is for distance k - R, from -R to R. */
static void write_columns(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    const struct stored_tensor *part = tensor->parts[0];
    const bool has_buckets = tensor->kind == PART_DISTANCES;
    const size_t width = (size_t)part->shape[1], cols = tensor->cols, n = tensor->rows / width;
    const size_t n_stored = has_buckets ? DISTANCE_BUCKETS : cols;
    float *row = alloc_zeros(cols, sizeof *row);
    for (size_t e = 0; e < n; e++) {
        float *stored = tensor_floats(tensor->set, part, e * n_stored, n_stored, width);
        for (size_t i = 0; i < width; i++) {
            for (size_t k = 0; k < cols; k++) {
                int64_t distance = (int64_t)k - (int64_t)(cols / 2);
                size_t from = has_buckets ? (size_t)distance_bucket(distance) : k;
                row[k] = stored[from * width + i];
            }
            weight_writer_rows(writer, row, 1);
        }
        alloc_free(stored);
        progress_add(part->n_bytes / n);
    }
    alloc_free(row);
}

/* Writes row by row, since a mapping may name any row at any time. */
static void copy_chosen_rows(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    const double *numbers = tensor->row_numbers, *weights = tensor->row_weights;
    engine_status status = ENGINE_OK;
    struct tensor_rows row;
    tensor_rows_open(&row, 1, tensor->cols, true);
    for (size_t i = 0; i < tensor->rows && status == ENGINE_OK; i++) {
        tensor_rows_read(&row, tensor->set, tensor->parts[0],
                         numbers != NULL ? (uint64_t)numbers[i] : i, 1);
        for (size_t k = 0; weights != NULL && k < tensor->cols; k++)
            row.values[k] = (float)(row.values[k] * weights[i]);
        status = weight_writer_rows(writer, row.values, 1);
    }
    progress_add(tensor->parts[0]->n_bytes);
    tensor_rows_free(&row);
}

/* Writes the rows of all parts, a chunk at a time. */
static void copy_parts(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    const size_t cols = tensor->cols;
    for (size_t k = 0; k < tensor->n_parts; k++) {
        const struct stored_tensor *part = tensor->parts[k];
        const size_t rows = planned_rows(tensor, k);
        struct tensor_rows chunk;
        tensor_rows_open(&chunk, rows, cols, false);
        for (size_t n, row = 0;
             (n = tensor_rows_next(&chunk, tensor->set, part, rows, &row)) > 0;) {
            for (size_t i = 0; tensor->added != 0 && i < n * cols; i++)
                chunk.values[i] = (float)(chunk.values[i] + tensor->added);
            for (size_t i = 0; tensor->times != 0 && i < n * cols; i++)
                chunk.values[i] = (float)(chunk.values[i] * tensor->times);
            for (size_t i = 0; tensor->added_row != NULL && i < n * cols; i++)
                chunk.values[i] += tensor->added_row[i % cols];
            if (weight_writer_rows(writer, chunk.values, n) != ENGINE_OK)
                break;
            progress_add(part->n_bytes / rows * n);
        }
        tensor_rows_free(&chunk);
    }
}

static void copy_tensor(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    if (tensor->kind == PART_POSITIONS)
        positions_write(tensor, writer);
    else if (tensor->values != NULL)
        weight_writer_rows(writer, tensor->values, tensor->rows);
    else if (tensor->is_transposed || tensor->kind == PART_EXPERTS_OUT ||
             tensor->kind == PART_DISTANCES)
        write_columns(tensor, writer);
    else if (tensor->row_numbers != NULL || tensor->row_weights != NULL)
        copy_chosen_rows(tensor, writer);
    else
        copy_parts(tensor, writer);
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
