/* plan_write.c - writes a plan: rows of the checkpoint's tensors, a chunk at a time, through the
 * writer of weight files; and what a layer makes of disentangled positions. See plan.h. */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"
#include "tools/import/import_output.h"

#include <math.h>
#include <string.h>

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

/* ---- Positions: keys or queries in double, scale · (W·norm(table) + b), a row per head and
 * ---- position, those of keys in reverse order ---- */

static float *read_whole(const struct planned_tensor *tensor, size_t part)
{
    const struct stored_tensor *stored = tensor->parts[part];
    progress_add(stored->n_bytes);
    return tensor_floats(tensor->set, stored, 0, (size_t)stored->shape[0],
                         stored->n_dims == 2 ? (size_t)stored->shape[1] : 1);
}

/* Returns the table's rows [n, width], after the norm if there is one, as the columns of
 * [width, n]; the width is rounded up to FOLD, with zeros. */
enum { FOLD = 4 };
static double *normed_columns(const struct planned_tensor *tensor, size_t n, size_t width)
{
    const bool has_norm = tensor->n_parts > 3;
    float *table = read_whole(tensor, 0), *factor = has_norm ? read_whole(tensor, 3) : NULL;
    float *added = has_norm ? read_whole(tensor, 4) : NULL;
    const float *rows = table;
    double *columns = alloc_zeros(round_up(width, FOLD) * n, sizeof *columns);
    for (size_t r = 0; r < n; r++, rows += width) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < width; i++)
            mean += (double)rows[i] / (double)width;
        for (size_t i = 0; i < width; i++)
            variance += ((double)rows[i] - mean) * ((double)rows[i] - mean) / (double)width;
        double deviation = sqrt(variance + tensor->model->norm_eps);
        for (size_t i = 0; i < width; i++)
            columns[i * n + r] =
                has_norm
                    ? ((double)rows[i] - mean) / deviation * (double)factor[i] + (double)added[i]
                    : (double)rows[i];
    }
    alloc_free(table);
    alloc_free(factor);
    alloc_free(added);
    return columns;
}

/* sums [n] = Σ_i columns[i, n]·row[i] + bias, FOLD of them at a time. */
static void multiply_columns(const double *columns, size_t n, const float *row, size_t width,
                             double bias, double *restrict sums)
{
    for (size_t r = 0; r < n; r++)
        sums[r] = bias;
    for (size_t i = 0; i < width; i += FOLD) {
        double w[FOLD] = {0};
        const double *a = columns + i * n, *b = a + n, *c = b + n, *d = c + n;
        for (size_t f = 0; f < FOLD && i + f < width; f++)
            w[f] = (double)row[i + f];
        for (size_t r = 0; r < n; r++)
            sums[r] += a[r] * w[0] + b[r] * w[1] + c[r] * w[2] + d[r] * w[3];
    }
}

/* Its parts are a table, the weight of a linear layer and, if there is one, its bias; and if the
 * table has a norm, its weight and bias. */
static void write_positions(const struct planned_tensor *tensor, struct weight_writer *writer)
{
    const struct model_config *model = tensor->model;
    size_t n = 2 * config_span(model), width = model->width, head_width = model->head_width;
    size_t rows = tensor->rows / model->heads;
    bool is_key = strstr(tensor->name, ".position_key.") != NULL;
    double *columns = normed_columns(tensor, n, width), *sums = alloc_zeros(n, sizeof *sums);
    float *weight = read_whole(tensor, 1), *w = weight;
    float *bias = tensor->n_parts > 2 ? read_whole(tensor, 2) : NULL, *b = bias;
    float *of_head = alloc_zeros(rows * head_width, sizeof *of_head);
    for (size_t head = 0; head < model->heads; head++) {
        for (size_t k = 0; k < head_width; k++, w += width) {
            multiply_columns(columns, n, w, width, b != NULL ? (double)*b++ : 0, sums);
            for (size_t r = 0; r < n; r++)
                of_head[(is_key ? n - 1 - r : r) * head_width + k] =
                    (float)(model->score_scale * sums[r]);
        }
        weight_writer_rows(writer, of_head, rows);
    }
    alloc_free(of_head);
    alloc_free(sums);
    alloc_free(columns);
    alloc_free(weight);
    alloc_free(bias);
}

/* ---- All tensors ---- */

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
        write_positions(tensor, writer);
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
