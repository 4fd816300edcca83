/* blas.c - calls into OpenBLAS. */
#include "model/kernels/blas.h"

#include <cblas.h>

bool blas_is_usable(void)
{
    enum { SEQUENTIAL = 0, PTHREADS = 1, OPENMP = 2 }; /* answers of openblas_get_parallel */
    return openblas_get_parallel() == PTHREADS;
}

void blas_product_transposed(size_t m, size_t n, size_t k, float scale, const float *a,
                             size_t a_stride, const float *b, size_t b_stride, float *out,
                             size_t out_stride)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)m, (blasint)n, (blasint)k, scale,
                a, (blasint)a_stride, b, (blasint)b_stride, 0, out, (blasint)out_stride);
}

void blas_transposed_product(size_t m, size_t n, size_t k, const float *a, size_t a_stride,
                             const float *b, size_t b_stride, bool add, float *out,
                             size_t out_stride)
{
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, 1, a,
                (blasint)a_stride, b, (blasint)b_stride, add, out, (blasint)out_stride);
}
