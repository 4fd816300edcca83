/* int8_layers.c - which layers of an encoder can be int8.
 *
 * Some trained models have a few columns of the residual stream that are far larger than the
 * others. feed_forward.out makes them, by a few rows with a few weights that are many times as
 * large as the others. Its KEPT columns with the largest weights stay in f32 (int8_factors.c); what
 * remains is judged by
 *
 *     outlier = max over rows of m / median over rows of m, m = the row's largest magnitude
 *
 * Layers with a larger one than LARGEST_OUTLIER are kept in f16. Seen: all-MiniLM-L6-v2 up to 5.8,
 * all-mpnet-base-v2 10.3, BERT-tiny 2, TinyBERT (4 layers) 18.1 and 14.2 in layers 0 and 2, and
 * with these in int8 a least cosine of 0.996 to f32. Random matrices stay below 2.
 */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"
#include "tools/import/files/tensor_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LARGEST_OUTLIER = 12;

void int8_layers_open(struct int8_layers *layers, size_t n)
{
    *layers = (struct int8_layers){.n = n, .in_f16 = alloc_zeros(n, sizeof *layers->in_f16)};
}

/* The largest magnitudes of the rows and of the columns, without columns whose own is above `most`.
 */
static void largest_of(const struct tensor_set *set, const struct stored_tensor *tensor, float most,
                       size_t rows, size_t cols, float *of_rows, float *of_columns)
{
    struct tensor_rows chunk;
    tensor_rows_open(&chunk, rows, cols, false);
    for (size_t done = 0, n; (n = tensor_rows_next(&chunk, set, tensor, rows, &done)) > 0;)
        for (size_t i = 0; i < n * cols; i++) {
            float *of_row = &of_rows[done - n + i / cols], *of_column = &of_columns[i % cols];
            *of_column = fmaxf(*of_column, fabsf(chunk.values[i]));
            if (*of_column <= most)
                *of_row = fmaxf(*of_row, fabsf(chunk.values[i]));
        }
    tensor_rows_free(&chunk);
}

static int by_size(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void int8_layers_judge(struct int8_layers *layers, size_t layer, const struct tensor_set *set,
                       const struct stored_tensor *out, size_t rows, size_t cols)
{
    float *largest = alloc_zeros(rows, sizeof *largest),
          *scratch = alloc_zeros(rows, sizeof *scratch);
    float *columns = alloc_zeros(cols, sizeof *columns),
          *sorted = alloc_zeros(cols, sizeof *sorted);
    largest_of(set, out, INFINITY, rows, cols, scratch, columns);
    memcpy(sorted, columns, cols * sizeof *sorted);
    qsort(sorted, cols, sizeof *sorted, by_size);
    float most = cols > KEPT ? sorted[cols - KEPT - 1] : INFINITY;
    largest_of(set, out, most, rows, cols, largest, columns);
    qsort(largest, rows, sizeof *largest, by_size);
    /* Where most rows are zeros, any other is an outlier without bounds. */
    double top = (double)largest[rows - 1], outlier = top > 0 ? top / (double)largest[rows / 2] : 1;
    layers->worst = fmax(layers->worst, outlier);
    layers->in_f16[layer] = !(outlier <= LARGEST_OUTLIER);
    layers->n_f16 += layers->in_f16[layer];
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
