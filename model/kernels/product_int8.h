/* product_int8.h - a linear layer's product in int8: x[r, k] ≈ q·sx[r], W[c, k] = w·sw[c],
 *
 *     out[r, c] = (Σ_k q·w) · sx[r] · sw[c] + …      with the sum in int32, exact;
 *
 * rows with a zero point, x ≈ (q - zero)·sx, need zero·Σ_k w, of column sums that the file has,
 * subtracted from it.
 *
 * A panel holds k in groups of four, [⌈K/4⌉, 16, 4]: the 64 bytes that VNNI's dot product takes.
 * It takes one operand without sign: w + 128, and 128·Σq is subtracted again. AVX2 widens to 16
 * bits and multiplies in pairs, which cannot saturate. Without either, plain loops.
 *
 * What follows the sum is rounded step by step, never fused, so that every instruction set gives
 * the same bits. Plain twin: the loops in tests/model/kernels/test_product_int8.c.
 */
#ifndef MODEL_KERNELS_PRODUCT_INT8_H
#define MODEL_KERNELS_PRODUCT_INT8_H

#include "model/kernels/kernels.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

enum { GROUP = 4, GROUP_BYTES = GROUP * PANEL_WIDTH };

/* Σ q·w of one row and the columns of one vector, to where it goes. Subtracted without sign: what
 * is lost on the way comes back, as the difference fits. */
INLINE void scale_sum(const struct product *p, size_t row, size_t column, ivec sum, float *to)
{
    if (p->column_sums != NULL) {
        uvec of_columns;
        memcpy(&of_columns, p->column_sums + column, sizeof of_columns);
        sum = (ivec)((uvec)sum - of_columns * (uint32_t)p->x_quantization[row].zero);
    }
    vec y = rounded(__builtin_convertvector(sum, vec) * p->x_quantization[row].scale);
    y = rounded(y * load(p->scales + column));
    if (p->bias != NULL)
        y += load(p->bias + column);
    if (p->residual != NULL)
        y += load(p->residual + row * p->out_stride + column);
    store(to, y);
}

/* The same of 16 columns whose sums are in memory. */
INLINE void scale_sums(const struct product *p, size_t row, size_t panel, const int32_t *sums,
                       float *to)
{
    for (size_t lane = 0; lane < PANEL_WIDTH; lane += LANES) {
        ivec sum;
        memcpy(&sum, sums + lane, sizeof sum);
        scale_sum(p, row, panel * PANEL_WIDTH + lane, sum, to + lane);
    }
}

#if defined(__AVX512VNNI__)

enum { INT8_ROWS = 12, INT8_PANELS = 2 };

/* acc[c] += Σ_i weights[c, i] · x[c, i], i < 4. With the intrinsic, gcc 12 copies the accumulators
 * of a large tile about and spills them: 310 against 440 GOP/s. */
INLINE void add_dot_products(__m512i *acc, __m512i weights, __m512i x)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(*acc) : "v"(weights), "v"(x));
}

INLINE void tile_int8(const struct product *p, size_t row, size_t panel, const int rows,
                      const int panels, struct tile_target target, struct fetch fetch)
{
    __m512i acc[INT8_ROWS][INT8_PANELS];
    const int8_t *x = (const int8_t *)p->x + row * p->x_stride, *base[BASES(INT8_ROWS)];
    const uint8_t *w = (const uint8_t *)p->panels + panel * p->panel_stride;
    const size_t x_stride = p->x_stride, panel_stride = p->panel_stride,
                 n_groups = (p->k + GROUP - 1) / GROUP;
    const __m512i offset = _mm512_set1_epi8(-128);

    UNROLL (r, rows)
        UNROLL (v, panels)
            acc[r][v] = _mm512_set1_epi32(-128 * p->x_quantization[row + (size_t)r].sum);

    UNROLL (b, BASES(rows))
        base[b] = x + (size_t)(b * ROWS_PER_BASE) * x_stride;

    for (size_t g = 0; g < n_groups; g++) {
        __m512i weights[INT8_PANELS];
        fetch_ahead(&fetch);
        UNROLL (v, panels) {
            const uint8_t *at = w + (size_t)v * panel_stride + g * GROUP_BYTES;
            weights[v] = _mm512_xor_si512(_mm512_loadu_si512(at), offset);
        }
        UNROLL (r, rows) {
            int32_t four;
            memcpy(&four, base[r / ROWS_PER_BASE] + (size_t)(r % ROWS_PER_BASE) * x_stride,
                   sizeof four);
            __m512i value = _mm512_set1_epi32(four);
            UNROLL (v, panels)
                add_dot_products(&acc[r][v], weights[v], value);
        }
        UNROLL (b, BASES(rows)) {
            base[b] += GROUP;
            OPAQUE(base[b]);
        }
    }

    UNROLL (r, rows)
        UNROLL (v, panels)
            scale_sum(p, row + (size_t)r, (panel + (size_t)v) * PANEL_WIDTH, (ivec)acc[r][v],
                      target.to + (size_t)r * target.stride + (size_t)v * PANEL_WIDTH);
}

#elif defined(__AVX2__)

enum { INT8_ROWS = 3, INT8_PANELS = 1, QUARTERS = GROUP_BYTES / 16 };

/* One quarter holds four columns: each of its eight lanes sums two of their four k. */
INLINE void tile_int8(const struct product *p, size_t row, size_t panel, const int rows,
                      const int panels, struct tile_target target, struct fetch fetch)
{
    (void)panels;
    __m256i acc[INT8_ROWS][QUARTERS];
    const int8_t *x = (const int8_t *)p->x + row * p->x_stride;
    const uint8_t *w = (const uint8_t *)p->panels + panel * p->panel_stride;
    const size_t x_stride = p->x_stride, n_groups = (p->k + GROUP - 1) / GROUP;

    UNROLL (r, rows)
        UNROLL (v, QUARTERS)
            acc[r][v] = _mm256_setzero_si256();

    for (size_t g = 0; g < n_groups; g++) {
        __m256i values[INT8_ROWS];
        UNROLL (r, rows) {
            int32_t four;
            memcpy(&four, x + (size_t)r * x_stride + g * GROUP, sizeof four);
            values[r] = _mm256_broadcastq_epi64(_mm_cvtepi8_epi16(_mm_cvtsi32_si128(four)));
        }
        fetch_ahead(&fetch);
        UNROLL (v, QUARTERS) {
            __m256i weights = _mm256_cvtepi8_epi16(
                _mm_loadu_si128((const __m128i *)(const void *)(w + g * GROUP_BYTES + v * 16)));
            UNROLL (r, rows)
                acc[r][v] = _mm256_add_epi32(acc[r][v], _mm256_madd_epi16(weights, values[r]));
        }
    }

    UNROLL (r, rows) {
        int32_t pairs[2 * PANEL_WIDTH], sums[PANEL_WIDTH];
        memcpy(pairs, acc[r], sizeof pairs);
        for (int c = 0; c < PANEL_WIDTH; c++)
            sums[c] = pairs[2 * c] + pairs[2 * c + 1];
        scale_sums(p, row + (size_t)r, panel, sums, target.to + (size_t)r * target.stride);
    }
}

#else

enum { INT8_ROWS = 1, INT8_PANELS = 1 };

INLINE void tile_int8(const struct product *p, size_t row, size_t panel, const int rows,
                      const int panels, struct tile_target target, struct fetch fetch)
{
    (void)rows, (void)panels, (void)fetch;
    int32_t sums[PANEL_WIDTH] = {0};
    const int8_t *x = (const int8_t *)p->x + row * p->x_stride;
    const int8_t *w = (const int8_t *)p->panels + panel * p->panel_stride;
    for (size_t g = 0; g < (p->k + GROUP - 1) / GROUP; g++, x += GROUP, w += GROUP_BYTES)
        for (int c = 0; c < PANEL_WIDTH; c++)
            for (int i = 0; i < GROUP; i++)
                sums[c] += x[i] * w[c * GROUP + i];
    scale_sums(p, row, panel, sums, target.to);
}

#endif

INLINE void column_of_tiles_int8(const struct product *p, size_t panel, const int panels)
{
    float buffer[INT8_ROWS * INT8_PANELS * PANEL_WIDTH];
    const size_t column = panel * PANEL_WIDTH, n_columns = (size_t)(panels * PANEL_WIDTH);
    size_t n_tiles = (p->n_rows + INT8_ROWS - 1) / INT8_ROWS, row = 0,
           n_bytes = (size_t)panels * p->panel_stride;
    const char *next = (const char *)p->panels + panel * p->panel_stride + n_bytes;
    for (size_t i = 0; i < n_tiles; i++) {
        size_t end = p->n_rows * (i + 1) / n_tiles;
        struct tile_target target = tile_target(p, row, column, n_columns, buffer);
        struct fetch fetch = fetch_share(next, n_bytes, (p->k + GROUP - 1) / GROUP, i, n_tiles);
#define TILE(rows) tile_int8(p, row, panel, rows, panels, target, fetch)
        SWITCH_ROWS(end - row, INT8_ROWS, TILE)
#undef TILE
        if (has_activation(p))
            activate_tile(p, row, end - row, column, n_columns, buffer);
        row = end;
    }
}

static inline void product_int8(const struct product *p)
{
    size_t panel = 0;
    for (; panel + INT8_PANELS <= p->n_panels; panel += INT8_PANELS)
        column_of_tiles_int8(p, panel, INT8_PANELS);
    for (; panel < p->n_panels; panel++)
        column_of_tiles_int8(p, panel, 1);
}

#endif
