/* scale_sum.h - scales the sums of product_int8, exact in int32, of rows x ≈ (q - zero)·sx
 * and columns W = w·sw; the few columns kept in f32 are added one by one:
 *
 *     out[r, c] = (Σ_k q·w - zero[r] · Σ_k w) · sx[r] · sw[c] (+ Σ_i kept[r, i] · W[c, i])
 *                 (+ bias[c]) (+ residual[r, c])
 *
 * It is rounded step by step, never fused, so that every instruction set gives the same bits.
 */
#ifndef MODEL_KERNELS_SCALE_SUM_H
#define MODEL_KERNELS_SCALE_SUM_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#define HAS_VNNI 1
#else
#define HAS_VNNI 0
#endif

/* Without VNNI, x86 multiplies bytes of 8 bits as words (tile_words.h). */
#if defined(__AVX2__) && !HAS_VNNI
#define HAS_WORDS 1
#else
#define HAS_WORDS 0
#endif

/* A panel holds k in groups of four, [⌈K/4⌉, 16, 4]: the 64 bytes of VNNI's dot product. */
enum { GROUP = 4, GROUP_BYTES = GROUP * PANEL_WIDTH };

INLINE ivec load_integers(const void *at)
{
    ivec v;
    memcpy(&v, at, sizeof v);
    return v;
}

INLINE ivec splat_integer(int32_t value)
{
    return value - (ivec){0};
}

/* Scales Σ q·w of one row and one vector of columns, and stores it. The subtraction is unsigned: it
 * may wrap around, but the difference fits. */
INLINE void scale_sum(const struct product *p, size_t row, size_t column, ivec sum, float *to)
{
    if (p->column_sums != NULL) {
        uvec of_columns = (uvec)load_integers(p->column_sums + column);
        sum = (ivec)((uvec)sum - of_columns * (uint32_t)p->x_quantization[row].zero);
    }
    vec y = __builtin_convertvector(sum, vec) * p->x_quantization[row].scale;
    y = y * load(p->scales + column);
    if (p->kept_panels != NULL)
        UNROLL (i, (size_t)KEPT)
            y += load(p->kept_panels + (column / PANEL_WIDTH * KEPT + i) * PANEL_WIDTH +
                      column % PANEL_WIDTH) *
                 p->x_quantization[row].kept[i];
    if (p->bias != NULL)
        y += load(p->bias + column);
    if (p->residual != NULL)
        y += load(p->residual + row * p->out_stride + column);
    store(to, y);
}

/* The same for 16 columns whose sums are in memory. */
INLINE void scale_sums(const struct product *p, size_t row, size_t panel, const int32_t *sums,
                       float *to)
{
    for (size_t lane = 0; lane < PANEL_WIDTH; lane += LANES)
        scale_sum(p, row, panel * PANEL_WIDTH + lane, load_integers(sums + lane), to + lane);
}

#endif
