/* int8.c - which layers can be int8, and factors that make both sides of a product easier to round,
 * both from the weights alone.
 *
 * Factors are those of SmoothQuant (Xiao et al. 2023):
 *
 *     x·Wᵀ = (x / s)·(W s)ᵀ,   s_k = g_k^A / c_k^(1 - A), scaled to a geometric mean of 1
 *
 * c_k is the largest |W[n, k]|, and g_k how large x_k is. Trained models have some columns in their
 * residual stream that are many times as large as the others, because a few rows of the matrices
 * that add to it are. So the stream is followed through the model as if its columns were
 * independent: it begins with the mean squares of the embedding tables, a matrix adds the sum of
 * squares of each row times the mean square of its input, and a norm turns the sizes into
 *
 *     g_k = sqrt((weight_k · size_k / rms(size))² + bias_k²)
 *
 * which is the stream itself with norms after the sums (post), and with norms before the sublayers
 * only the input of the next matrix. Inputs other than the stream have g_k = 1, and s then evens
 * out the columns of W.
 *
 * The columns that are still far larger than the others are stored in f32, KEPT of a matrix: after
 * a norm those with the largest g_k times the square root of the largest magnitude in row k of the
 * matrix before the norm, since large numbers of a row often add up; before feed_forward.out, whose
 * rows with the largest weights make the large columns of the stream, those with the largest |W|.
 * The rest of feed_forward.out is judged by
 *
 *     outlier = max over rows of m / median over rows of m, m = the row's largest magnitude
 *
 * Layers with a larger one than LARGEST_OUTLIER are stored in f16. Seen: all-MiniLM-L6-v2 up to
 * 5.8, all-mpnet-base-v2 10.3, BERT-tiny 2, TinyBERT (4 layers) 18.1 and 14.2 in layers 0 and 2,
 * and with these in int8 a least cosine of 0.996 to f32. Random matrices stay below 2.
 *
 * A table of embeddings is rounded with one scale a row. It is stored in f16 if the largest number
 * of a row is more than LARGEST_IN_TABLE times the root mean square of the others, on average.
 * Seen: tokens 3.3 and 4.2, positions 3.8 and 15.4, types 22.9 (all-MiniLM-L6-v2, where rounding
 * these two rows made three quarters of the error of the sum). */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double A = 0.7;             /* not 0.5: two thirds of the error are of activations */
static const double INPUT_SQUARE = 0.05; /* of contexts, and after GELU, about */
static const double LARGEST_OUTLIER = 12;
static const double LARGEST_IN_TABLE = 8;

static double square(double x)
{
    return x * x;
}

/* ---- Rows of a planned tensor ---- */

/* The numbers that rows change: the stream, or the largest magnitudes of columns and rows. */
struct visit {
    const struct planned_tensor *tensor;
    double *sizes; /* of the stream's columns */
    float *columns, *rows;
    float most;      /* of the rows without columns whose own magnitude is above this */
    double outliers; /* the sum over rows of largest magnitude / root mean square of the others */
};
typedef void row_visitor(struct visit *visit, size_t row, const float *values);

static void visit_rows(struct visit *visit, row_visitor *visit_row)
{
    const struct planned_tensor *tensor = visit->tensor;
    size_t row = 0, cols = tensor->cols;
    for (size_t part = 0; part < tensor->n_parts; part++) {
        size_t rows = planned_rows(tensor, part);
        struct tensor_rows chunk;
        tensor_rows_open(&chunk, rows, cols, false);
        for (size_t n, done = 0;
             (n = tensor_rows_next(&chunk, tensor->set, tensor->parts[part], rows, &done)) > 0;)
            for (size_t i = 0; i < n; i++)
                visit_row(visit, row++, chunk.values + i * cols);
        tensor_rows_free(&chunk);
    }
}

/* A table's rows are equally likely. */
static void add_table_row(struct visit *visit, size_t row, const float *values)
{
    (void)row;
    for (size_t k = 0; k < visit->tensor->cols; k++)
        visit->sizes[k] =
            sqrt(square(visit->sizes[k]) + square((double)values[k]) / (double)visit->tensor->rows);
}

static void add_product(struct visit *visit, size_t row, const float *values)
{
    double sum = 0;
    visit->rows[row] = 0;
    for (size_t k = 0; k < visit->tensor->cols; k++) {
        sum += square((double)values[k]);
        visit->rows[row] = fmaxf(visit->rows[row], fabsf(values[k]));
    }
    visit->sizes[row] = sqrt(square(visit->sizes[row]) + INPUT_SQUARE * sum);
}

static void find_largest_of_columns(struct visit *visit, size_t row, const float *values)
{
    (void)row;
    for (size_t k = 0; k < visit->tensor->cols; k++)
        visit->columns[k] = fmaxf(visit->columns[k], fabsf(values[k]));
}

static void find_largest_of_row(struct visit *visit, size_t row, const float *values)
{
    for (size_t k = 0; k < visit->tensor->cols; k++)
        if (visit->columns[k] <= visit->most)
            visit->rows[row] = fmaxf(visit->rows[row], fabsf(values[k]));
}

/* ---- Tables ---- */

static void add_outlier(struct visit *visit, size_t row, const float *values)
{
    double largest = 0, squares = 0;
    (void)row;
    for (size_t k = 0; k < visit->tensor->cols; k++) {
        largest = fmax(largest, square((double)values[k]));
        squares += square((double)values[k]);
    }
    if (squares > largest)
        visit->outliers += sqrt(largest / (squares - largest) * (double)(visit->tensor->cols - 1));
}

bool int8_bears_table(const struct planned_tensor *table)
{
    struct visit visit = {.tensor = table};
    if (table->values == NULL && table->row_numbers == NULL)
        visit_rows(&visit, add_outlier);
    return visit.outliers <= LARGEST_IN_TABLE * (double)table->rows;
}

/* ---- Layers ---- */

static int by_size(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The KEPT columns with the largest magnitudes do not count. */
void int8_layers_judge(struct int8_layers *layers, size_t layer, const struct planned_tensor *out)
{
    size_t rows = out->rows, cols = out->cols;
    struct visit visit = {.tensor = out,
                          .columns = alloc_zeros(cols, sizeof *visit.columns),
                          .rows = alloc_zeros(rows, sizeof *visit.rows)};
    float *sorted = alloc_zeros(cols, sizeof *sorted);
    visit_rows(&visit, find_largest_of_columns);
    memcpy(sorted, visit.columns, cols * sizeof *sorted);
    qsort(sorted, cols, sizeof *sorted, by_size);
    visit.most = cols > KEPT ? sorted[cols - KEPT - 1] : INFINITY;
    visit_rows(&visit, find_largest_of_row);
    qsort(visit.rows, rows, sizeof *visit.rows, by_size);
    /* If most rows are zeros, any other is an outlier without bounds. */
    double top = (double)visit.rows[rows - 1];
    double outlier = top > 0 ? top / (double)visit.rows[rows / 2] : 1;
    layers->worst = fmax(layers->worst, outlier);
    layers->in_f16[layer] = !(outlier <= LARGEST_OUTLIER);
    layers->n_f16 += layers->in_f16[layer];
    alloc_free(visit.columns);
    alloc_free(visit.rows);
    alloc_free(sorted);
}

void int8_layers_note(const struct int8_layers *layers, char note[INT8_NOTE])
{
    enum { LISTED = 12 };
    char list[LISTED * 24] = "";
    size_t n = 0, used = 0;
    for (size_t i = 0; i < layers->n && n < LISTED; i++)
        if (layers->in_f16[i])
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%zu", n++ > 0 ? ", " : "", i);
    note[0] = '\0';
    if (n == 0)
        return;
    char why[96] = "feed_forward.out, most rows of which are zeros, has larger ones";
    if (isfinite(layers->worst))
        snprintf(why, sizeof why,
                 "feed_forward.out has rows up to %.0f times as large as most beside %d columns",
                 layers->worst, KEPT);
    snprintf(
        note, INT8_NOTE, "in f16 instead of int8: layer%s %s%s, whose %s (int8 bears %.0f times)",
        layers->n_f16 > 1 ? "s" : "", list, layers->n_f16 > n ? ", ..." : "", why, LARGEST_OUTLIER);
}

/* ---- The residual stream ---- */

void residual_stream_open(struct residual_stream *stream, const struct plan *plan)
{
    *stream = (struct residual_stream){.cap = 1};
    for (size_t i = 0; i < plan->n; i++) {
        const struct planned_tensor *tensor = &plan->tensors[i];
        stream->cap = tensor->cols > stream->cap ? tensor->cols : stream->cap;
        if (tensor->kind != PART_TABLE)
            stream->cap = tensor->rows > stream->cap ? tensor->rows : stream->cap;
    }
    stream->size = alloc_zeros(stream->cap, sizeof *stream->size);
    stream->seen = alloc_zeros(stream->cap, sizeof *stream->seen);
    stream->rows = alloc_zeros(stream->cap, sizeof *stream->rows);
    for (size_t k = 0; k < stream->cap; k++)
        stream->rows[k] = 1;
    stream->largest = alloc_zeros(stream->cap, sizeof *stream->largest);
}

/* The kind of a tensor; norms of heads, and of what a layer takes from the embedding, are not norms
 * of the stream. */
static enum part_kind kind_at(const struct plan *plan, size_t index)
{
    const char *name = index < plan->n ? plan->tensors[index].name : "";
    bool is_other = strstr(name, ".query_norm.") != NULL || strstr(name, ".key_norm.") != NULL ||
                    strstr(name, ".layer_input.") != NULL;
    return index < plan->n && !is_other ? plan->tensors[index].kind : PART_VECTOR;
}

/* Returns whether a norm is applied to the result of a sublayer, before it is added (sandwich). */
static bool is_after_sublayer(const struct plan *plan, size_t index)
{
    return kind_at(plan, index) == PART_NORM &&
           strstr(plan->tensors[index].name, ".norm_after.") != NULL;
}

/* Passes the weight or the bias of a norm. The output of a sublayer's own norm has the size of that
 * norm's weight. In every model the norm of the embedding step replaces the stream. */
static void pass_norm(struct residual_stream *stream, const struct plan *plan, size_t index)
{
    const struct planned_tensor *norm = &plan->tensors[index];
    bool is_after = is_after_sublayer(plan, index);
    bool is_bias = index > 0 && kind_at(plan, index - 1) == PART_NORM &&
                   strcmp(strrchr(norm->name, '.'), ".bias") == 0;
    bool is_stream = plan->is_post_norm || strncmp(norm->name, "embedding.", 10) == 0;
    float *vector = tensor_floats(norm->set, norm->parts[0], 0, norm->rows, 1);
    double sum = 0;
    for (size_t k = 0; k < norm->rows; k++)
        sum += square(stream->size[k]);
    double rms = sum > 0 ? sqrt(sum / (double)norm->rows) : 1;
    for (size_t k = 0; k < norm->rows; k++) {
        double value = (double)vector[k];
        if (is_after)
            stream->size[k] = sqrt(square(stream->size[k]) + square(value + norm->added));
        else if (is_bias)
            stream->seen[k] = sqrt(square(stream->seen[k]) + square(value));
        else
            stream->seen[k] = stream->size[k] / rms * fabs(value + norm->added);
    }
    if (!is_after && is_stream)
        memcpy(stream->size, stream->seen, norm->rows * sizeof *stream->size);
    alloc_free(vector);
}

/* A matrix adds to the stream if a norm follows it and its bias. */
void residual_stream_pass(struct residual_stream *stream, const struct plan *plan, size_t index)
{
    struct visit visit = {
        .tensor = &plan->tensors[index], .sizes = stream->size, .rows = stream->rows};
    size_t next = index + 1;
    if (next < plan->n && plan->tensors[next].n_dims == 1 && kind_at(plan, next) != PART_NORM)
        next++;
    switch (kind_at(plan, index)) {
    case PART_TABLE: visit_rows(&visit, add_table_row); break;
    case PART_NORM: pass_norm(stream, plan, index); break;
    case PART_LINEAR:
    case PART_OUT:
        if (visit.tensor->n_dims == 2 && kind_at(plan, next) == PART_NORM &&
            !is_after_sublayer(plan, next))
            visit_rows(&visit, add_product);
        break;
    default: break;
    }
}

/* ---- Factors ---- */

void int8_factors(struct residual_stream *stream, const struct plan *plan, size_t index,
                  float *factors)
{
    const struct planned_tensor *tensor = &plan->tensors[index];
    struct visit visit = {.tensor = tensor, .columns = stream->largest};
    bool reads_stream = index > 0 && kind_at(plan, index - 1) == PART_NORM;
    double largest = 0, mean = 0;
    for (size_t k = 0; k < tensor->cols; k++)
        stream->largest[k] = 0;
    visit_rows(&visit, find_largest_of_columns);
    for (size_t k = 0; k < tensor->cols; k++) /* gcc 12 for aarch64 fails inside itself at fmax */
        largest = (double)stream->largest[k] > largest ? (double)stream->largest[k] : largest;
    /* A column of zeros, or nearly, is rounded like one of small numbers. */
    const double least = largest > 0 ? largest / 1000 : 1;
    for (size_t k = 0; k < tensor->cols; k++) {
        double size = reads_stream ? fmax(stream->seen[k], 1e-3) : 1;
        double s = pow(size, A) / pow(fmax((double)stream->largest[k], least), 1 - A);
        mean += log(s) / (double)tensor->cols;
        factors[k] = (float)s;
    }
    for (size_t k = 0; k < tensor->cols; k++)
        factors[k] = (float)(exp(mean) / (double)factors[k]);
    for (size_t i = 0; tensor_has_kept(tensor->type) && i < KEPT; i++) {
        size_t best = 0;
        double most = -1;
        for (size_t k = 0; k < tensor->cols; k++) {
            double size = reads_stream ? stream->seen[k] * sqrt((double)stream->rows[k])
                                       : (double)stream->largest[k];
            if (factors[k] > 0 && size > most) {
                most = size;
                best = k;
            }
        }
        factors[best] = 0;
    }
}
