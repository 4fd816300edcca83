/* blas.h - OpenBLAS' matrix product, where it may be called from several threads at once.
 *
 * Debian has three builds of OpenBLAS. The one with POSIX threads is safe to call from our threads once it is told
 * to use one itself; the one without threads is not safe at all (its buffers are not locked), and the OpenMP one changes the
 * host's OpenMP settings when told. So only the first is used; the kernels of kernels.h do the same
 * products, and do them alone with the other two builds.
 */
#ifndef MODEL_BLAS_H
#define MODEL_BLAS_H

#include <stdbool.h>
#include <stddef.h>

/* Sets OpenBLAS to one thread for the whole process and returns true if its build is usable here. */
bool blas_prepare(void);

/* out [m, n] = scale · a [m, k]·bᵀ, b [n, k] */
void blas_product_transposed(size_t m, size_t n, size_t k, float scale, const float *a, size_t a_stride,
                             const float *b, size_t b_stride, float *out, size_t out_stride);

/* out [m, n] = a [m, k]·b, b [k, n] */
void blas_product(size_t m, size_t n, size_t k, const float *a, size_t a_stride, const float *b,
                  size_t b_stride, float *out, size_t out_stride);

#endif
