/* tile_bytes.h - a register tile of product_int8: a lane is a column and takes the four k of a
 * group at once.
 *
 * VNNI multiplies one unsigned operand: the weights + 128, and 128·Σq is subtracted again. Without
 * VNNI x is the unsigned operand: the sum of two products must fit the 16 bits of vpmaddubsw's
 * results, as with 7 bits, at most 2·127·128, or by fits_pairs(). NEON multiplies signed bytes.
 */
#ifndef MODEL_KERNELS_TILE_BYTES_H
#define MODEL_KERNELS_TILE_BYTES_H

#include "model/kernels/scale_sum.h"
#include "model/kernels/tile.h"

/* With 5 rows instead of 6, AVX2 has a register for the ones of add_dots: 15 % faster. */
enum { GROUP_STEP = 4, ROWS_OF_BYTES = LANES == 8 && !HAS_VNNI ? 5 : TILE_ROWS };

/* Four bytes of a row: in every lane, except for SDOT, which takes them from one lane. */
#if defined(__ARM_FEATURE_DOTPROD)
typedef int32_t quad;
#else
typedef ivec quad;
#endif

INLINE quad quad_of(const int8_t *x)
{
    int32_t four;
    memcpy(&four, x, sizeof four);
#if defined(__ARM_FEATURE_DOTPROD)
    return four;
#else
    return splat_integer(four);
#endif
}

/* acc[c] += Σ_i weights[c, i] · x[i], i < 4; ones are words. With intrinsics, gcc 12 copies the
 * accumulators of a large tile about and spills them: 310 against 440 GOP/s with VNNI, 400 against
 * 480 without. */
INLINE void add_dots(ivec *acc, ivec weights, quad x, ivec ones)
{
    (void)ones;
#if defined(__AVX512VNNI__)
    __asm__("vpdpbusd %2, %1, %0" : "+v"(*acc) : "v"(weights), "v"(x));
#elif defined(__AVXVNNI__)
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(*acc) : "x"(weights), "x"(x));
#elif defined(__ARM_FEATURE_DOTPROD)
    __asm__("sdot %0.4s, %1.16b, %2.4b[0]" : "+w"(*acc) : "w"(weights), "w"(x));
#elif defined(KERNELS_NEON)
    int16x8_t low = vmull_s8(vget_low_s8((int8x16_t)weights), vget_low_s8((int8x16_t)x));
    int16x8_t high = vmull_high_s8((int8x16_t)weights, (int8x16_t)x);
    *acc += (ivec)vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high));
#else
    ivec pairs;
    __asm__("vpmaddubsw %2, %3, %1\n\t"
            "vpmaddwd %4, %1, %1\n\t"
            "vpaddd %1, %0, %0"
            : "+v"(*acc), "=&v"(pairs)
            : "v"(weights), "v"(x), "v"(ones));
#endif
}

INLINE ivec weights_of_group(const char *group)
{
    ivec weights = load_integers(group);
    return HAS_VNNI ? weights ^ INT32_C(-0x7F7F7F80) /* bytes of 0x80 */ : weights;
}

/* Adds some groups of k: x are the bases of the rows, w the panels. */
INLINE void add_groups(ivec acc[TILE_ROWS][TILE_PANELS * VECTORS],
                       const int8_t *x[BASES(TILE_ROWS)], size_t *x_stride, const char **w,
                       size_t *panel_stride, const int groups, const int rows, const int panels,
                       ivec ones)
{
    UNROLL (g, groups) {
        ivec weights[TILE_PANELS * VECTORS];
        OPAQUE(*x_stride);
        OPAQUE(*panel_stride);
        UNROLL (v, panels * VECTORS)
            weights[v] = weights_of_group(*w + (size_t)(v / VECTORS) * *panel_stride +
                                          (size_t)(g * GROUP_BYTES + v % VECTORS * LANES * GROUP));
        UNROLL (r, rows) {
            quad value =
                quad_of(x[r / ROWS_PER_BASE] + (size_t)(r % ROWS_PER_BASE) * *x_stride + g * GROUP);
            UNROLL (v, panels * VECTORS)
                add_dots(&acc[r][v], weights[v], value, ones);
        }
        if (HAS_VNNI || LANES == 16) /* AVX2's pairs need the register */
            UNROLL (v, panels * VECTORS)
                KEEP(weights[v]);
    }
    UNROLL (b, BASES(rows)) {
        x[b] += groups * GROUP;
        OPAQUE(x[b]);
    }
    *w += groups * GROUP_BYTES;
}

/* Scales the sums of a tile's panels. Not inlined: of 16 registers its code would take some from
 * the sums; with 32 they are scaled where they are. */
__attribute__((noinline)) static void scale_panels(const struct product *p, size_t row,
                                                   size_t n_rows, size_t panel, size_t n_panels,
                                                   const int32_t *sums, struct tile_target target)
{
    for (size_t i = 0; i < n_panels; i++, target.to += PANEL_WIDTH)
        scale_sums(p, row, n_rows, panel + i, sums + i * TILE_ROWS * PANEL_WIDTH, target);
}

INLINE void tile_of_bytes(const struct product *p, size_t row, size_t panel, struct fetch fetch,
                          struct tile_target target, const int rows, const int panels)
{
    ivec acc[TILE_ROWS][TILE_PANELS * VECTORS];
    const int8_t *x[BASES(TILE_ROWS)];
    const char *w = (const char *)p->panels + panel * p->panel_stride;
    size_t x_stride = p->x_stride, panel_stride = p->panel_stride;
    const size_t n_groups = (p->k + GROUP - 1) / GROUP;
    UNROLL (b, BASES(rows))
        x[b] = (const int8_t *)p->x + (row + (size_t)(b * ROWS_PER_BASE)) * p->x_stride;
    UNROLL (r, rows) {
        uint32_t sum = (uint32_t)p->x_quantization[row + (size_t)r].sum; /* may wrap around */
        int32_t offset = HAS_VNNI ? (int32_t)(-128u * sum) : 0;
        UNROLL (v, panels * VECTORS)
            acc[r][v] = splat_integer(offset);
    }

    ivec ones = splat_integer(0x10001);
    size_t g = 0;
    for (; g + GROUP_STEP <= n_groups; g += GROUP_STEP) {
        fetch_ahead(&fetch);
        add_groups(acc, x, &x_stride, &w, &panel_stride, GROUP_STEP, rows, panels, ones);
    }
    for (; g < n_groups; g++)
        add_groups(acc, x, &x_stride, &w, &panel_stride, 1, rows, panels, ones);

    if (LANES == 8) {
        int32_t sums[TILE_PANELS][TILE_ROWS * PANEL_WIDTH];
        UNROLL (r, rows)
            UNROLL (v, panels * VECTORS)
                memcpy(sums[v / VECTORS] + r * PANEL_WIDTH + v % VECTORS * LANES, &acc[r][v],
                       sizeof acc[r][v]);
        scale_panels(p, row, (size_t)rows, panel, (size_t)panels, sums[0], target);
        return;
    }
    /* A copy: stores to `target` could alias *p, and every field would be read again. */
    const struct product last = *p;
    UNROLL (v, panels * VECTORS) {
        const size_t column = panel * PANEL_WIDTH + (size_t)v * LANES;
        const struct column_terms terms = column_terms(&last, column);
        UNROLL (r, rows)
            scale_sum(&last, &terms, row + (size_t)r, column, acc[r][v],
                      target.to + (size_t)r * target.stride + (size_t)v * LANES);
    }
}

#endif
