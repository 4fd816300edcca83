/* blas.h - OpenBLAS' matrix product, where it may be called from several threads at once.
 *
 * The engine loads the library when it opens a model whose kernels need it, and passes its function
 * down (engine/runtime/machine.h). Debian has three builds. The POSIX threads build is safe to call
 * from our threads once it is set to one thread; the build without threads is never safe (its
 * buffers are not locked), and setting the OpenMP build's threads changes the host's OpenMP
 * settings. So only the first is used; without it the kernels of kernels.h do all products.
 *
 * It is used where the kernels are the portable ones: attention's blocks directly, linear layers as
 * product_blas.h says. Against AVX2 and AVX-512 kernels it takes 1.3 to 2 times as long for the
 * products of attention; the portable kernels take as long as OpenBLAS on the Core 2's and
 * Nehalem's SSE, 1.2 times on Sandy Bridge's AVX, twice and more on newer processors (OpenBLAS
 * 0.3.21, blocks of 96 x 96 x 32; make bench-kernels).
 */
#ifndef MODEL_BLAS_H
#define MODEL_BLAS_H

#include "model/arena.h"

/* cblas_sgemm of the loaded library, whose integers are int. */
struct blas {
    void (*sgemm)(int order, int a_is, int b_is, int m, int n, int k, float scale, const float *a,
                  int a_stride, const float *b, int b_stride, float add, float *out,
                  int out_stride);
};

/* A matrix in memory, or its transpose. */
struct blas_operand {
    const float *x;
    size_t stride;
    bool transposed;
};

/* out [m, n] = scale · a [m, k] · b [k, n] (+ out if add) */
void blas_multiply(const struct blas *blas, size_t m, size_t n, size_t k, float scale,
                   struct blas_operand a, struct blas_operand b, bool add, float *out,
                   size_t out_stride);

/* Blocks of a linear layer's product (product_blas.h): panels per block; rows per block, 16 ·
 * 2^i. */
enum { BLAS_PANELS = 12, BLAS_ROWS = 16, BLAS_MOST_ROWS = 128 };

/* One thread's memory for such products, for blocks of n columns and h rows. */
struct blas_work {
    float *weights; /* [K, n] */
    float *rows;    /* [h, K] */
    float *tile;    /* [n, h] */
    float *sums;    /* [n / 16, h, 16] */
    int32_t *exact; /* [n / 16, h, 16] */
};

/* k: the most columns of a layer. */
void blas_work_carve(struct blas_work *work, size_t k, struct arena *arena);

/* Returns the most rows of a block of n_panels panels over k up to which a row has the same bits at
 * any index and with any number of rows; 0 if not even BLAS_ROWS rows. */
size_t blas_rows_alike(const struct blas *blas, size_t n_panels, size_t k,
                       const struct blas_work *work);

#endif
