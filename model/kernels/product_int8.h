/* product_int8.h - a linear layer's product in int8: x[r, k] ≈ q·sx[r], W[c, k] = w·sw[c],
 *
 *     out[r, c] = (Σ_k q·w) · sx[r] · sw[c] + …      with the sum in int32, exact.
 *
 * A panel holds k in groups of four, [⌈K/4⌉, 16, 4]: the 64 bytes that VNNI's dot product takes.
 * That wants one operand without sign: w + 128, and 128·Σq is taken off again. AVX2 widens to 16
 * bits and multiplies in pairs, which cannot saturate. Without either, plain loops.
 *
 * What follows the sum is rounded step by step, never fused, so that every instruction set gives
 * the same bits.
 */
#ifndef MODEL_KERNELS_PRODUCT_INT8_H
#define MODEL_KERNELS_PRODUCT_INT8_H

#include "model/kernels/kernels.h"
#include "model/kernels/product.h"
#include "model/kernels/vector.h"

enum { GROUP = 4, GROUP_BYTES = GROUP * PANEL_WIDTH };

/* Keeps the compiler from fusing the product that v is with a following sum. */
INLINE vec rounded(vec v)
{
#if defined(__x86_64__)
    __asm__("" : "+v"(v));
#else
    __asm__("" : "+m"(v));
#endif
    return v;
}

/* Σ q·w of one row and the columns of one vector, to where it goes. */
INLINE void scale_sum(const struct product *p, size_t row, size_t column, ivec sum, float *to)
{
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

    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < panels; v++) acc[r][v] =
        _mm512_set1_epi32(-128 * p->x_quantization[row + (size_t)r].sum);

    UNROLL for (int b = 0; b < BASES(rows); b++) base[b] =
        x + (size_t)(b * ROWS_PER_BASE) * x_stride;

    for (size_t g = 0; g < n_groups; g++) {
        __m512i weights[INT8_PANELS];
        fetch_ahead(&fetch);
        UNROLL for (int v = 0; v < panels; v++)
        {
            const uint8_t *at = w + (size_t)v * panel_stride + g * GROUP_BYTES;
            weights[v] = _mm512_xor_si512(_mm512_loadu_si512(at), offset);
        }
        UNROLL for (int r = 0; r < rows; r++)
        {
            int32_t four;
            memcpy(&four, base[r / ROWS_PER_BASE] + (size_t)(r % ROWS_PER_BASE) * x_stride,
                   sizeof four);
            __m512i value = _mm512_set1_epi32(four);
            UNROLL for (int v = 0; v < panels; v++) add_dot_products(&acc[r][v], weights[v], value);
        }
        UNROLL for (int b = 0; b < BASES(rows); b++)
        {
            base[b] += GROUP;
            OPAQUE(base[b]);
        }
    }

    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < panels; v++)
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

    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < QUARTERS; v++) acc[r][v] =
        _mm256_setzero_si256();

    for (size_t g = 0; g < n_groups; g++) {
        __m256i values[INT8_ROWS];
        UNROLL for (int r = 0; r < rows; r++)
        {
            int32_t four;
            memcpy(&four, x + (size_t)r * x_stride + g * GROUP, sizeof four);
            values[r] = _mm256_broadcastq_epi64(_mm_cvtepi8_epi16(_mm_cvtsi32_si128(four)));
        }
        fetch_ahead(&fetch);
        UNROLL for (int v = 0; v < QUARTERS; v++)
        {
            __m256i weights = _mm256_cvtepi8_epi16(
                _mm_loadu_si128((const __m128i *)(const void *)(w + g * GROUP_BYTES + v * 16)));
            UNROLL for (int r = 0; r < rows; r++) acc[r][v] =
                _mm256_add_epi32(acc[r][v], _mm256_madd_epi16(weights, values[r]));
        }
    }

    UNROLL for (int r = 0; r < rows; r++)
    {
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

INLINE void tile_int8_of(const struct product *p, size_t row, size_t panel, size_t rows,
                         const int panels, struct tile_target target, struct fetch fetch)
{
    switch (rows) {
#if defined(__AVX512VNNI__)
    case 12: tile_int8(p, row, panel, 12, panels, target, fetch); break;
    case 11: tile_int8(p, row, panel, 11, panels, target, fetch); break;
    case 10: tile_int8(p, row, panel, 10, panels, target, fetch); break;
    case 9: tile_int8(p, row, panel, 9, panels, target, fetch); break;
    case 8: tile_int8(p, row, panel, 8, panels, target, fetch); break;
    case 7: tile_int8(p, row, panel, 7, panels, target, fetch); break;
    case 6: tile_int8(p, row, panel, 6, panels, target, fetch); break;
    case 5: tile_int8(p, row, panel, 5, panels, target, fetch); break;
    case 4: tile_int8(p, row, panel, 4, panels, target, fetch); break;
#endif
#if defined(__AVX2__)
    case 3: tile_int8(p, row, panel, 3, panels, target, fetch); break;
    case 2: tile_int8(p, row, panel, 2, panels, target, fetch); break;
#endif
    case 1: tile_int8(p, row, panel, 1, panels, target, fetch); break;
    default: break;
    }
}

INLINE void column_of_tiles_int8(const struct product *p, size_t panel, const int panels)
{
    float buffer[INT8_ROWS * INT8_PANELS * PANEL_WIDTH];
    const size_t column = panel * PANEL_WIDTH, n_columns = (size_t)(panels * PANEL_WIDTH);
    size_t n_tiles = (p->n_rows + INT8_ROWS - 1) / INT8_ROWS, row = 0,
           n_bytes = (size_t)panels * p->panel_stride;
    const char *next = (const char *)p->panels + panel * p->panel_stride + n_bytes;
    for (size_t i = 0; i < n_tiles; i++) {
        size_t end = p->n_rows * (i + 1) / n_tiles;
        tile_int8_of(p, row, panel, end - row, panels,
                     tile_target(p, row, column, n_columns, buffer),
                     fetch_share(next, n_bytes, (p->k + GROUP - 1) / GROUP, i, n_tiles));
        if (has_finish(p))
            finish_tile(p, row, end - row, column, n_columns, buffer);
        row = end;
    }
}

static void product_int8(const struct product *p)
{
    size_t panel = 0;
    for (; panel + INT8_PANELS <= p->n_panels; panel += INT8_PANELS)
        column_of_tiles_int8(p, panel, INT8_PANELS);
    for (; panel < p->n_panels; panel++)
        column_of_tiles_int8(p, panel, 1);
}

/* ---- quantize ---- */

INLINE vec load_some(const float *x, size_t n)
{
    return n >= (size_t)LANES ? load(x) : load_tail(x, n, 0);
}

/* max |x|; NaN if any x is NaN or infinite, which then makes the whole row NaN. Several at a time,
 * so that the comparisons do not wait for each other. */
INLINE float largest_magnitude(const float *x, size_t n)
{
    enum { AT_ONCE = 4 };
    vec largest[AT_ONCE] = {{0}}, poison[AT_ONCE] = {{0}};
    size_t i = 0;
    for (; i + AT_ONCE * LANES <= n; i += AT_ONCE * LANES)
        UNROLL for (size_t j = 0; j < AT_ONCE; j++)
        {
            vec v = magnitude(load(x + i + j * LANES));
            largest[j] = larger(v, largest[j]);
            poison[j] += v * 0.0f;
        }
    for (; i < n; i += LANES) {
        vec v = magnitude(load_some(x + i, n - i));
        largest[0] = larger(v, largest[0]);
        poison[0] += v * 0.0f;
    }
    vec most = larger(larger(largest[0], largest[1]), larger(largest[2], largest[3]));
    return largest_lane(most) + sum_of_lanes((poison[0] + poison[1]) + (poison[2] + poison[3]));
}

/* LANES whole numbers of -127 .. 127. */
INLINE void store_bytes(int8_t *q, ivec v)
{
#if defined(__AVX512F__)
    _mm_storeu_si128((__m128i *)(void *)q, _mm512_cvtepi32_epi8((__m512i)v));
#elif defined(__AVX2__)
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)v),
                                    _mm256_extracti128_si256((__m256i)v, 1));
    _mm_storel_epi64((__m128i *)(void *)q, _mm_packs_epi16(words, words));
#else
    typedef int8_t bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
    *(bytes *)q = __builtin_convertvector(v, bytes);
#endif
}

/* Rounds to nearest, ties to even: adding 1.5 · 2^23 leaves the whole number in the low bits. */
INLINE ivec round_to_integer(vec x)
{
    const float to_integer = 12582912.0f;
    return (ivec)(x + to_integer) - (ivec)splat(to_integer);
}

static struct quantization quantize(const float *x, size_t n, int8_t *q)
{
    float max = largest_magnitude(x, n), scale = max / 127;
    if (!(max >= 1e-35f)) { /* 127 / max may be infinite: as good as zeros; or NaN, and then so is
                               the scale */
        memset(q, 0, (n + QUANTIZED_STEP - 1) / QUANTIZED_STEP * QUANTIZED_STEP);
        return (struct quantization){scale, 0};
    }
    const float inverse = 127 / max;
    ivec sums = {0};
    size_t i = 0;
    for (; i < n; i += LANES) {
        ivec rounded_value = round_to_integer(rounded(load_some(x + i, n - i) * inverse));
        sums += rounded_value;
        store_bytes(q + i, rounded_value);
    }
    memset(q + i, 0, (QUANTIZED_STEP - i % QUANTIZED_STEP) % QUANTIZED_STEP);
    int32_t sum = 0;
    for (int lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    return (struct quantization){scale, sum};
}

#endif
