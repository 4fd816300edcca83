/* tile_words.h - a register tile of product_int8 for x of 8 bits without VNNI: x was widened to 16
 * bits before, weights are widened when they are loaded, and neighbours are multiplied and added in
 * pairs, which cannot saturate. A column's four k of a group are two such pairs.
 */
#ifndef MODEL_KERNELS_TILE_WORDS_H
#define MODEL_KERNELS_TILE_WORDS_H

#include "model/kernels/scale_sum.h"
#include "model/kernels/tile.h"
#include "model/kernels/tile_bytes.h"

/* Loads half a vector of bytes as words. */
INLINE ivec widen_bytes(const void *bytes)
{
#if defined(__AVX512F__)
    return (ivec)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)bytes));
#else
    return (ivec)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)bytes));
#endif
}

INLINE ivec multiply_pairs(ivec a, ivec b)
{
#if defined(__AVX512F__)
    return (ivec)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#else
    return (ivec)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#endif
}

/* Repeats the four words of a group in all lanes. */
INLINE ivec splat_group(const int16_t *x)
{
    typedef int64_t groups __attribute__((vector_size(LANES * 4)));
    int64_t four;
    memcpy(&four, x, sizeof four);
    return (ivec)(four - (groups){0});
}

/* Returns the sums of a's pairs, then of b's pairs. */
INLINE ivec sums_of_pairs(ivec a, ivec b)
{
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                   30) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#else
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}

/* A tile of one vector of columns: p->x are words. */
INLINE void half_tile_of_words(const struct product *p, size_t row, size_t column,
                               struct fetch *fetch, struct tile_target target, const int rows)
{
    ivec acc[TILE_ROWS][2];
    const int16_t *x[BASES(TILE_ROWS)];
    const char *w = (const char *)p->panels + column / PANEL_WIDTH * p->panel_stride +
                    column % PANEL_WIDTH * GROUP;
    UNROLL (b, BASES(rows))
        x[b] = (const int16_t *)p->x + (row + (size_t)(b * ROWS_PER_BASE)) * p->x_stride;
    UNROLL (r, rows)
        acc[r][0] = acc[r][1] = (ivec){0};

    for (size_t g = 0; g < (p->k + GROUP - 1) / GROUP; g++) {
        ivec left = widen_bytes(w), right = widen_bytes(w + sizeof(ivec) / 2);
        fetch_ahead(fetch);
        UNROLL (r, rows) {
            ivec value =
                splat_group(x[r / ROWS_PER_BASE] + (size_t)(r % ROWS_PER_BASE) * p->x_stride);
            acc[r][0] += multiply_pairs(left, value);
            acc[r][1] += multiply_pairs(right, value);
        }
        UNROLL (b, BASES(rows)) {
            x[b] += GROUP;
            OPAQUE(x[b]);
        }
        w += GROUP_BYTES;
    }

    /* A copy: stores to `target` could alias *p, and every field would be read again. */
    const struct product last = *p;
    const struct column_terms terms = column_terms(&last, column);
    UNROLL (r, rows)
        scale_sum(&last, &terms, row + (size_t)r, column, sums_of_pairs(acc[r][0], acc[r][1]),
                  target.to + (size_t)r * target.stride);
}

INLINE void tile_of_words(const struct product *p, size_t row, size_t panel, struct fetch fetch,
                          struct tile_target target, const int rows)
{
    for (size_t lane = 0; lane < PANEL_WIDTH; lane += LANES) {
        half_tile_of_words(p, row, panel * PANEL_WIDTH + lane, &fetch, target, rows);
        target.to += LANES;
    }
}

#endif
