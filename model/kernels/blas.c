/* blas.c - calls into OpenBLAS. */
#include "model/kernels/blas.h"

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 }; /* of cblas.h */

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
