/* blas.c - calls OpenBLAS, and measures whether the rows of its products depend on each other. */
#include "model/kernels/blas.h"

#include "model/tensor.h"

#include <string.h>

void blas_multiply(const struct blas *blas, size_t m, size_t n, size_t k, float scale,
                   struct blas_operand a, struct blas_operand b, bool add, float *out,
                   size_t out_stride)
{
    enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 }; /* as in cblas.h */
    blas->sgemm(ROW_MAJOR, a.transposed ? TRANSPOSED : PLAIN, b.transposed ? TRANSPOSED : PLAIN,
                (int)m, (int)n, (int)k, scale, a.x, (int)a.stride, b.x, (int)b.stride, add, out,
                (int)out_stride);
}

void blas_work_carve(struct blas_work *work, size_t k, struct arena *arena)
{
    const size_t n = BLAS_PANELS * PANEL, h = BLAS_MOST_ROWS;
    work->weights = arena_floats(arena, k, n);
    work->rows = arena_floats(arena, h, k);
    work->tile = arena_floats(arena, n, h);
    work->sums = arena_floats(arena, n, h);
    work->exact = arena_matrix(arena, n, h, sizeof *work->exact);
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
size_t blas_rows_alike(const struct blas *blas, size_t n_panels, size_t k,
                       const struct blas_work *work)
{
    size_t n = n_panels * PANEL, alike = 0;
    fill_random(work->weights, n * k);
    fill_random(work->rows, k);
    for (size_t r = 1; r < BLAS_MOST_ROWS; r++)
        memcpy(work->rows + r * k, work->rows, k * sizeof *work->rows);
    for (size_t h = BLAS_ROWS; h <= BLAS_MOST_ROWS; h *= 2) {
        blas_multiply(blas, n, h, k, 1, (struct blas_operand){work->weights, n, true},
                      (struct blas_operand){work->rows, k, true}, false, work->tile, h);
        for (size_t i = 0; i < n; i++) {
            if (h == BLAS_ROWS)
                work->sums[i] = work->tile[i * h];
            for (size_t r = 0; r < h; r++)
                if (work->tile[i * h + r] != work->sums[i])
                    return alike;
        }
        alike = h;
    }
    return alike;
}
