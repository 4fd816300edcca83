/* int8_factors.c - factors that make both sides of a product easier to round, as in SmoothQuant
 * (Xiao et al. 2023), but from the weights alone:
 *
 *     x·Wᵀ = (x / s)·(W s)ᵀ,   s_k = g_k^a / c_k^(1 - a), scaled to a geometric mean of 1
 *
 * c_k is the largest |W[n, k]|, and g_k how large x_k is. Trained models have some columns in their
 * residual stream that are many times as large as the others, because a few rows of the matrices
 * that add to it are. So the stream is followed through the model as if its columns were
 * independent: it begins with the mean squares of the embedding tables, a matrix adds the sum of
 * squares of each row times the mean square of what it multiplies, and a norm makes
 *
 *     g_k = sqrt((weight_k · size_k / rms(size))² + bias_k²)
 *
 * of it, which is the stream itself with norms behind the sums (post), and with norms before the
 * sublayers only what the next matrix sees.
 *
 * What is not the stream itself has g_k = 1, and s then evens out the columns of W.
 *
 * The columns that are still far larger than the others are kept in f32, KEPT of a matrix: of what
 * a norm gives those with the largest g_k, and before feed_forward.out, whose
 * rows with the largest weights make the large columns of the stream, those with the largest |W|.
 */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"
#include "tools/import/files/tensor_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double INPUT_SQUARE = 0.1; /* of contexts, and behind GELU, about */

/* ---- Rows and columns of a planned tensor ---- */

typedef void row_visitor(struct residual_stream *stream, const struct planned_tensor *tensor,
                         size_t row, const float *values);

static void visit_rows(struct residual_stream *stream, const struct planned_tensor *tensor,
                       row_visitor *visit)
{
    size_t first = 0, cols = tensor->cols;
    for (size_t part = 0; part < tensor->n_parts; part++) {
        size_t rows = planned_rows(tensor, part);
        struct tensor_rows chunk;
        tensor_rows_open(&chunk, rows, cols, false);
        for (size_t n, done = 0;
             (n = tensor_rows_next(&chunk, tensor->set, tensor->parts[part], rows, &done)) > 0;)
            for (size_t i = 0; i < n; i++)
                visit(stream, tensor, first++, chunk.values + i * cols);
        tensor_rows_free(&chunk);
    }
}

static double square(double x)
{
    return x * x;
}

/* A table's rows are all as likely. */
static void add_table_row(struct residual_stream *stream, const struct planned_tensor *tensor,
                          size_t row, const float *values)
{
    (void)row;
    for (size_t k = 0; k < tensor->cols; k++)
        stream->size[k] =
            sqrt(square(stream->size[k]) + square((double)values[k]) / (double)tensor->rows);
}

static void add_product(struct residual_stream *stream, const struct planned_tensor *tensor,
                        size_t row, const float *values)
{
    double sum = 0;
    for (size_t k = 0; k < tensor->cols; k++)
        sum += square((double)values[k]);
    stream->size[row] = sqrt(square(stream->size[row]) + INPUT_SQUARE * sum);
}

static void keep_largest(struct residual_stream *stream, const struct planned_tensor *tensor,
                         size_t row, const float *values)
{
    (void)row;
    for (size_t k = 0; k < tensor->cols; k++)
        stream->largest[k] = fmaxf(stream->largest[k], fabsf(values[k]));
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
    stream->largest = alloc_zeros(stream->cap, sizeof *stream->largest);
}

/* Norms of the heads' queries and keys are not the stream's. */
static enum part_kind kind_at(const struct plan *plan, size_t index)
{
    const char *name = index < plan->n ? plan->tensors[index].name : "";
    bool is_of_heads = strstr(name, ".query_norm.") != NULL || strstr(name, ".key_norm.") != NULL;
    return index < plan->n && !is_of_heads ? plan->tensors[index].kind : PART_VECTOR;
}

/* Of two tensors of a norm in a row the second is the first one's bias, if they say so. */
static bool is_bias_of_norm(const struct plan *plan, size_t index)
{
    const char *ending = strrchr(plan->tensors[index].name, '.');
    return index > 0 && kind_at(plan, index - 1) == PART_NORM && strcmp(ending, ".bias") == 0;
}

/* Where the next part begins: behind the matrix, and behind its bias if it has one. */
static size_t behind_part(const struct plan *plan, size_t index)
{
    size_t next = index + 1;
    return next < plan->n && plan->tensors[next].n_dims == 1 && kind_at(plan, next) != PART_NORM
               ? next + 1
               : next;
}

/* size / rms(size) */
static void normalise(struct residual_stream *stream, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += square(stream->size[k]);
    double rms = sum > 0 ? sqrt(sum / (double)n) : 1;
    for (size_t k = 0; k < n; k++)
        stream->seen[k] = stream->size[k] / rms;
}

/* A norm of what a sublayer gives, before it is added (sandwich). */
static bool is_after_sublayer(const struct plan *plan, size_t index)
{
    return kind_at(plan, index) == PART_NORM &&
           strstr(plan->tensors[index].name, ".norm_after.") != NULL;
}

/* The norm of the embedding step does so in every model. */
static bool makes_stream(const struct plan *plan, const struct planned_tensor *norm)
{
    return plan->is_post_norm || strncmp(norm->name, "embedding.", strlen("embedding.")) == 0;
}

/* The weight or the bias of a norm. What a sublayer adds behind its own norm has the size of that
 * norm's weight. */
static void pass_norm(struct residual_stream *stream, const struct plan *plan, size_t index)
{
    const struct planned_tensor *norm = &plan->tensors[index];
    bool is_bias = is_bias_of_norm(plan, index), is_after = is_after_sublayer(plan, index);
    struct tensor_rows vector;
    tensor_rows_open(&vector, norm->rows, 1, true);
    tensor_rows_read(&vector, norm->set, norm->parts[0], 0, norm->rows);
    if (!is_bias && !is_after)
        normalise(stream, norm->rows);
    for (size_t k = 0; k < norm->rows; k++) {
        double value = (double)vector.values[k], size = stream->size[k], seen = stream->seen[k];
        if (is_after)
            stream->size[k] = sqrt(size * size + (value + norm->added) * (value + norm->added));
        else if (is_bias)
            stream->seen[k] = sqrt(seen * seen + value * value);
        else
            stream->seen[k] *= fabs(value + norm->added);
    }
    if (!is_after && makes_stream(plan, norm))
        memcpy(stream->size, stream->seen, norm->rows * sizeof *stream->size);
    tensor_rows_free(&vector);
}

void residual_stream_pass(struct residual_stream *stream, const struct plan *plan, size_t index)
{
    const struct planned_tensor *tensor = &plan->tensors[index];
    size_t next = behind_part(plan, index);
    switch (kind_at(plan, index)) {
    case PART_TABLE: visit_rows(stream, tensor, add_table_row); break;
    case PART_NORM: pass_norm(stream, plan, index); break;
    case PART_LINEAR:
    case PART_OUT:
        if (tensor->n_dims == 2 && kind_at(plan, next) == PART_NORM &&
            !is_after_sublayer(plan, next))
            visit_rows(stream, tensor, add_product);
        break;
    default: break;
    }
}

/* ---- Factors ---- */

/* factors = 0 of the KEPT columns with the largest sizes. */
static void keep_columns(const struct residual_stream *stream, bool reads_stream, size_t n,
                         float *factors)
{
    for (size_t i = 0; i < KEPT; i++) {
        size_t best = 0;
        double most = -1;
        for (size_t k = 0; k < n; k++) {
            double size = reads_stream ? stream->seen[k] : (double)stream->largest[k];
            if (factors[k] > 0 && size > most) {
                most = size;
                best = k;
            }
        }
        factors[best] = 0;
    }
}

void int8_factors(struct residual_stream *stream, const struct plan *plan, size_t index,
                  float *factors)
{
    const struct planned_tensor *tensor = &plan->tensors[index];
    bool reads_stream = index > 0 && kind_at(plan, index - 1) == PART_NORM;
    double a = reads_stream ? 0.5 : 0.7, largest = 0, mean = 0;
    for (size_t k = 0; k < tensor->cols; k++)
        stream->largest[k] = 0;
    visit_rows(stream, tensor, keep_largest);
    for (size_t k = 0; k < tensor->cols; k++) /* gcc 12 for aarch64 fails inside itself at fmax */
        largest = (double)stream->largest[k] > largest ? (double)stream->largest[k] : largest;
    /* A column that is nothing, or hardly anything, is rounded like one that is little. */
    const double least = largest > 0 ? largest / 1000 : 1;
    for (size_t k = 0; k < tensor->cols; k++) {
        double size = reads_stream ? fmax(stream->seen[k], 1e-3) : 1;
        double s = pow(size, a) / pow(fmax((double)stream->largest[k], least), 1 - a);
        mean += log(s) / (double)tensor->cols;
        factors[k] = (float)s;
    }
    for (size_t k = 0; k < tensor->cols; k++)
        factors[k] = (float)(exp(mean) / (double)factors[k]);
    if (tensor_has_kept(tensor->type))
        keep_columns(stream, reads_stream, tensor->cols, factors);
}
