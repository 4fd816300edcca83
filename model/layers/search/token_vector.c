/* token_vector.c - see token_vector.h. Plain twin: plain_token_vectors in
 * engine/plain/answers.c. */
#include "model/layers/search/token_vector.h"

#include "model/layers/pooling.h"

#include <math.h>

void token_vectors(const struct encoder *encoder, const float *x, size_t stride, size_t n_rows,
                   size_t width, float *out, const struct linear_work *work)
{
    const struct linear *layer = &encoder->token_vector;
    linear_rows(encoder->kernels, layer, x, stride, n_rows, out, work);
    for (size_t i = 0; i < n_rows; i++)
        normalize_row(out + i * row_stride(layer->weight.rows), width);
}

/* In double, like engine_cosine(): sums in a fixed order, four at a time. */
static double product(const float *a, const float *b, size_t n)
{
    double sums[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sums[k] += (double)a[i + k] * (double)b[i + k];
    for (; i < n; i++)
        sums[0] += (double)a[i] * (double)b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* A NaN product is kept, so that it reaches the sum. */
void best_products(const float *query, size_t n, size_t width, const float *vector, float *best)
{
    for (size_t i = 0; i < n; i++) {
        float value = (float)product(query + i * width, vector, width);
        best[i] = value > best[i] || isnan(value) ? value : best[i];
    }
}

double sum_of_best(const float *best, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)best[i];
    return sum;
}

double max_sim(const float *query, size_t n_query, const float *text, size_t n_text, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < n_query && n_text > 0; i++) {
        float best = -INFINITY;
        for (size_t k = 0; k < n_text; k++)
            best_products(query + i * width, 1, width, text + k * width, &best);
        sum += (double)best;
    }
    return sum;
}
