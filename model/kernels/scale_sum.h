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
#include "model/kernels/tile.h"
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

/* Numbers of one vector of columns; those that the product lacks are not read. */
struct column_terms {
    uvec sums;
    vec scale, kept[KEPT], bias;
};

INLINE struct column_terms column_terms(const struct product *p, size_t column)
{
    struct column_terms terms = {.scale = load(p->scales + column)};
    if (p->column_sums != NULL)
        terms.sums = (uvec)load_integers(p->column_sums + column);
    if (p->kept_panels != NULL)
        UNROLL (i, (size_t)KEPT)
            terms.kept[i] = load(p->kept_panels + (column / PANEL_WIDTH * KEPT + i) * PANEL_WIDTH +
                                 column % PANEL_WIDTH);
    if (p->bias != NULL)
        terms.bias = load(p->bias + column);
    return terms;
}

/* Scales Σ q·w of one row and the columns of the terms, and stores it. The subtraction is unsigned:
 * it may wrap around, but the difference fits. */
INLINE void scale_sum(const struct product *p, const struct column_terms *terms, size_t row,
                      size_t column, ivec sum, float *to)
{
    const struct quantization *x = &p->x_quantization[row];
    if (p->column_sums != NULL)
        sum = (ivec)((uvec)sum - terms->sums * (uint32_t)x->zero);
    vec y = __builtin_convertvector(sum, vec) * x->scale;
    y = y * terms->scale;
    if (p->kept_panels != NULL)
        UNROLL (i, (size_t)KEPT)
            y += terms->kept[i] * x->kept[i];
    if (p->bias != NULL)
        y += terms->bias;
    if (p->residual != NULL)
        y += load(p->residual + row * p->out_stride + column);
    store(to, y);
}

/* The same for n_rows rows of 16 columns whose sums are in memory, [n_rows, 16]. A copy: stores
 * could alias *p, and every field would be read again. */
INLINE void scale_sums(const struct product *all, size_t row, size_t n_rows, size_t panel,
                       const int32_t *sums, struct tile_target target)
{
    const struct product p = *all;
    for (size_t lane = 0; lane < PANEL_WIDTH; lane += LANES) {
        const size_t column = panel * PANEL_WIDTH + lane;
        const struct column_terms terms = column_terms(&p, column);
        for (size_t r = 0; r < n_rows; r++)
            scale_sum(&p, &terms, row + r, column, load_integers(sums + r * PANEL_WIDTH + lane),
                      target.to + r * target.stride + lane);
    }
}

#endif
