/* positions.c - what is written of positions: the keys or queries that a layer makes of
 * disentangled ones, in double, scale · (W·norm(table) + b), a row per head and position, those of
 * keys in reverse order. */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"
#include "tools/import/import_output.h"

#include <math.h>
#include <string.h>

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

void positions_write(const struct planned_tensor *tensor, struct weight_writer *writer)
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
