/* pack.h - rows of activations as panels of 16, the layout in which the product reads weights:
 * transposed in registers, LANES x LANES at a time.
 *
 * Two unpack steps transpose the 4 x 4 squares in the 128-bit quarters; then the quarters are
 * swapped. Plain twin: the loop in tests/model/kernels/test_attention_kernels.c.
 */
#ifndef MODEL_KERNELS_PACK_H
#define MODEL_KERNELS_PACK_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

/* In every quarter of 4 lanes: elements i, j, k, l of a (0 .. 3) and b (LANES .. LANES + 3). */
#if defined(__AVX512F__)
#define QUARTERS(a, b, i, j, k, l)                                                                 \
    __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4, i + 8, j + 8, k + 8,     \
                            l + 8, i + 12, j + 12, k + 12, l + 12)
/* The even quarters of a, then those of b; and the odd quarters. */
#define EVEN(a, b)                                                                                 \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define ODD(a, b)                                                                                  \
    __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#elif defined(__AVX2__)
#define QUARTERS(a, b, i, j, k, l)                                                                 \
    __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4)
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define ODD(a, b)  __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define QUARTERS(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#endif

/* Transposes the 4 x 4 square in each quarter of r[0 .. 3]. */
INLINE void transpose_squares(vec *r)
{
    vec a = QUARTERS(r[0], r[1], 0, LANES, 1, LANES + 1);
    vec b = QUARTERS(r[0], r[1], 2, LANES + 2, 3, LANES + 3);
    vec c = QUARTERS(r[2], r[3], 0, LANES, 1, LANES + 1);
    vec d = QUARTERS(r[2], r[3], 2, LANES + 2, 3, LANES + 3);
    r[0] = QUARTERS(a, c, 0, 1, LANES, LANES + 1);
    r[1] = QUARTERS(a, c, 2, 3, LANES + 2, LANES + 3);
    r[2] = QUARTERS(b, d, 0, 1, LANES, LANES + 1);
    r[3] = QUARTERS(b, d, 2, 3, LANES + 2, LANES + 3);
}

/* Swaps quarter m of r[4·n + c] and quarter n of r[4·m + c]. */
INLINE void transpose_quarters(vec *r)
{
#if defined(__AVX512F__)
    UNROLL (c, 4) {
        vec even_low = EVEN(r[c], r[4 + c]), odd_low = ODD(r[c], r[4 + c]);
        vec even_high = EVEN(r[8 + c], r[12 + c]), odd_high = ODD(r[8 + c], r[12 + c]);
        r[c] = EVEN(even_low, even_high);
        r[4 + c] = EVEN(odd_low, odd_high);
        r[8 + c] = ODD(even_low, even_high);
        r[12 + c] = ODD(odd_low, odd_high);
    }
#elif defined(__AVX2__)
    UNROLL (c, 4) {
        vec low = EVEN(r[c], r[4 + c]);
        r[4 + c] = ODD(r[c], r[4 + c]);
        r[c] = low;
    }
#else
    (void)r;
#endif
}

/* Transposes LANES vectors: lane i of vector k becomes lane k of vector i. */
INLINE void transpose(vec r[LANES])
{
    UNROLLED for (int i = 0; i < LANES; i += 4) transpose_squares(r + i);
    transpose_quarters(r);
}

/* Columns i .. i + LANES - 1 of LANES rows become LANES rows of a panel; the last row is repeated
 * for missing rows. */
INLINE void pack_square(const float *x, size_t x_stride, size_t n_rows, float scale, float *panel)
{
    vec r[LANES];
    UNROLL (i, (size_t)LANES)
        r[i] = load(x + (i < n_rows ? i : n_rows - 1) * x_stride);
    transpose(r);
    UNROLL (i, (size_t)LANES)
        store(panel + i * PANEL_WIDTH, r[i] * scale);
}

/* Packs the last columns, fewer than LANES. */
static void pack_columns(const float *x, size_t x_stride, size_t n_rows, size_t n_columns,
                         float scale, float *panel)
{
    for (size_t c = 0; c < n_columns; c++)
        for (size_t i = 0; i < LANES; i++)
            panel[c * PANEL_WIDTH + i] = x[(i < n_rows ? i : n_rows - 1) * x_stride + c] * scale;
}

static void pack_rows(const float *x, size_t x_stride, size_t n_rows, size_t k, float scale,
                      float *panels)
{
    size_t n_padded = (n_rows + PANEL_WIDTH - 1) / PANEL_WIDTH * PANEL_WIDTH;
    for (size_t row = 0; row < n_padded; row += LANES) {
        size_t from = row < n_rows ? row : n_rows - 1, rows = n_rows - from, i = 0;
        float *panel = panels + row / PANEL_WIDTH * k * PANEL_WIDTH + row % PANEL_WIDTH;
        for (; i + LANES <= k; i += LANES)
            pack_square(x + from * x_stride + i, x_stride, rows, scale, panel + i * PANEL_WIDTH);
        pack_columns(x + from * x_stride + i, x_stride, rows, k - i, scale,
                     panel + i * PANEL_WIDTH);
    }
}

#endif
