/* int8_layers.c - which layers of an encoder bear int8.
 *
 * Some trained models have a few columns of the residual stream that are far larger than the
 * others, and whoever rounds a token's row to int8 by its largest number loses the others.
 * feed_forward.out makes these columns, and the weights show it: such a column is a row of that
 * matrix whose numbers are many times as large as the other rows'.
 *
 *     outlier = max over rows of m / median over rows of m, m = the row's largest magnitude
 *
 * Such layers are kept in f16. In others, factors even out what is rounded (int8_factors.c), and
 * rows of activations have 7 bits where that costs little: before attention.output and
 * feed_forward.in. Measured on 300 English sentences, least cosine of tokens and of their means to
 * f32 (layers in f16: MiniLM 0 to 3, TinyBERT 0 and 2, BERT-tiny none):
 *
 *                                 all-MiniLM-L6-v2     TinyBERT, 4 layers   BERT-tiny
 *     as it is                    0.9977, 0.9990       0.9992, 0.9994       0.9993, 0.9997
 *     all rows but those of
 *     feed_forward.out 7 bits     0.9974, 0.9979       0.9991, 0.9994       0.9992, 0.9996
 *     no layer in f16             0.9958, 0.9967       0.9961, 0.9969       the same
 *     symmetric rows of 8 bits, no factors, f16 also for every feed_forward.out
 *                                 0.9904, 0.9907       0.9994, 0.9995       0.9994, 0.9998
 *
 * Random matrices have no such rows: their outliers stay below 2.
 */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"
#include "tools/import/files/tensor_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double LARGEST_OUTLIER = 16;

void int8_layers_open(struct int8_layers *layers, size_t n)
{
    *layers = (struct int8_layers){.n = n, .in_f16 = alloc_zeros(n, sizeof *layers->in_f16)};
}

/* largest [rows] = the largest magnitude of each row. */
static void largest_of_rows(const struct tensor_set *set, const struct stored_tensor *tensor,
                            size_t rows, size_t cols, float *largest)
{
    struct tensor_rows chunk;
    tensor_rows_open(&chunk, rows, cols, false);
    for (size_t done = 0, n; (n = tensor_rows_next(&chunk, set, tensor, rows, &done)) > 0;)
        for (size_t i = 0; i < n * cols; i++) {
            float *of_row = &largest[done - n + i / cols];
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
    float *largest = alloc_zeros(rows, sizeof *largest);
    largest_of_rows(set, out, rows, cols, largest);
    qsort(largest, rows, sizeof *largest, by_size);
    /* Where most rows are zeros, any other is an outlier without bounds. */
    double top = (double)largest[rows - 1], outlier = top > 0 ? top / (double)largest[rows / 2] : 1;
    layers->worst = fmax(layers->worst, outlier);
    layers->in_f16[layer] = !(outlier <= LARGEST_OUTLIER);
    layers->n_f16 += layers->in_f16[layer];
    free(largest);
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
    char why[80] = "feed_forward.out, most rows of which are zeros, has larger ones";
    if (isfinite(layers->worst))
        snprintf(why, sizeof why, "feed_forward.out has rows up to %.0f times as large as most",
                 layers->worst);
    snprintf(
        note, INT8_NOTE, "in f16 instead of int8: layer%s %s%s, whose %s (int8 bears %.0f times)",
        layers->n_f16 > 1 ? "s" : "", list, layers->n_f16 > n ? ", ..." : "", why, LARGEST_OUTLIER);
}
