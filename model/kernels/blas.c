/* blas.c - calls OpenBLAS, and measures whether the rows of its products depend on each other. */
#include "model/kernels/blas.h"

#include "model/tensor.h"

#include <string.h>

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 }; /* as in cblas.h */

void blas_product_transposed(const struct blas *blas, size_t m, size_t n, size_t k, float scale,
                             const float *a, size_t a_stride, const float *b, size_t b_stride,
                             float *out, size_t out_stride)
{
    blas->sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, (int)m, (int)n, (int)k, scale, a, (int)a_stride, b,
                (int)b_stride, 0, out, (int)out_stride);
}

void blas_transposed_product(const struct blas *blas, size_t m, size_t n, size_t k, const float *a,
                             size_t a_stride, const float *b, size_t b_stride, bool add, float *out,
                             size_t out_stride)
{
    blas->sgemm(ROW_MAJOR, TRANSPOSED, PLAIN, (int)m, (int)n, (int)k, 1, a, (int)a_stride, b,
                (int)b_stride, add, out, (int)out_stride);
}

void blas_transposed_products(const struct blas *blas, size_t m, size_t n, size_t k, const float *a,
                              size_t a_stride, const float *b, size_t b_stride, float *out,
                              size_t out_stride)
{
    blas->sgemm(ROW_MAJOR, TRANSPOSED, TRANSPOSED, (int)m, (int)n, (int)k, 1, a, (int)a_stride, b,
                (int)b_stride, 0, out, (int)out_stride);
}

static float *cut(float *scratch, size_t *n_taken, size_t n)
{
    float *part = scratch != NULL ? scratch + *n_taken : NULL;
    *n_taken += round_up(n, PANEL);
    return part;
}

size_t blas_carve(struct blas_work *work, float *scratch, size_t k)
{
    const size_t n = BLAS_PANELS * PANEL, h = BLAS_MOST_ROWS;
    size_t n_taken = 0;
    work->weights = cut(scratch, &n_taken, k * n);
    work->rows = cut(scratch, &n_taken, h * k);
    work->tile = cut(scratch, &n_taken, n * h);
    work->sums = cut(scratch, &n_taken, n * h);
    work->exact = (int32_t *)(void *)cut(scratch, &n_taken, n * h);
    return n_taken;
}

/* Fills x with numbers within ±1 whose sum depends on the order of summing. */
static void fill_random(float *x, size_t n)
{
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's, for MMIX */
        x[i] = (float)(int32_t)(state >> 32) * 0x1p-31f;
    }
}

/* All rows of the first operand [h, k] are equal: so must be all columns of a tile [n, h]. */
size_t blas_rows_alike(const struct blas *blas, size_t n_panels, size_t k, float *scratch)
{
    struct blas_work work;
    size_t n = n_panels * PANEL, alike = 0;
    blas_carve(&work, scratch, k);
    fill_random(work.weights, n * k);
    fill_random(work.rows, k);
    for (size_t r = 1; r < BLAS_MOST_ROWS; r++)
        memcpy(work.rows + r * k, work.rows, k * sizeof *work.rows);
    for (size_t h = BLAS_ROWS; h <= BLAS_MOST_ROWS; h *= 2) {
        blas_transposed_products(blas, n, h, k, work.weights, n, work.rows, k, work.tile, h);
        for (size_t i = 0; i < n; i++) {
            if (h == BLAS_ROWS)
                work.sums[i] = work.tile[i * h];
            for (size_t r = 0; r < h; r++)
                if (work.tile[i * h + r] != work.sums[i])
                    return alike;
        }
        alike = h;
    }
    return alike;
}
