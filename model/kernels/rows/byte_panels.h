/* byte_panels.h - rows of int8 or bits as the panels of product_int8, which finds candidates by
 * them: [K/4, 16, 4], K the width rounded up to 16. A bit is a byte, 1 or -1.
 *
 * Four columns of a row are a lane, so that rows are transposed as floats are (pack.h). Twin: the
 * searches for few queries in tests/engine/search/test_candidates.c.
 */
#ifndef MODEL_KERNELS_ROWS_BYTE_PANELS_H
#define MODEL_KERNELS_ROWS_BYTE_PANELS_H

#include "model/kernels/kernels.h"
#include "model/kernels/pack.h"
#include "model/kernels/rows/columns.h"
#include "model/kernels/vector.h"

#include <float.h>

/* Columns of a lane, and of a vector. */
enum { LANE_COLUMNS = 4, VECTOR_COLUMNS = LANE_COLUMNS * LANES };

/* Returns the columns whose bits are at `bits`, the lowest of each byte first, as 1 and -1. */
INLINE vec widen_bits(const char *bits)
{
    typedef int8_t signs __attribute__((vector_size(VECTOR_COLUMNS)));
#if defined(__AVX512F__)
    uint64_t mask;
    memcpy(&mask, bits, sizeof mask);
    return (vec)(~(signs)_mm512_movm_epi8(mask) | 1);
#else
    typedef uint64_t eights __attribute__((vector_size(VECTOR_COLUMNS)));
    eights bytes;
    for (size_t i = 0; i < VECTOR_COLUMNS / 8; i++)
        bytes[i] = (unsigned char)bits[i] * UINT64_C(0x0101010101010101);
    return (vec)((signs)((signs)(bytes & UINT64_C(0x8040201008040201)) == 0) | 1);
#endif
}

INLINE vec load_bytes(const engine_element type, const char *columns)
{
    vec bytes;
    if (type == ENGINE_BINARY)
        return widen_bits(columns);
    memcpy(&bytes, columns, sizeof bytes);
    return bytes;
}

/* Packs the columns from k on of LANES rows; rows end after `width` columns. */
INLINE void pack_bytes(const engine_element type, const char *const rows[LANES], size_t k,
                       size_t width, int8_t *panel)
{
    char tails[LANES][VECTOR_COLUMNS] = {{0}};
    const size_t n = width - k, n_bytes = columns_bytes(type, n);
    vec r[LANES];
    if (n >= VECTOR_COLUMNS)
        UNROLL (i, LANES)
            r[i] = load_bytes(type, rows[i] + columns_bytes(type, k));
    else
        UNROLL (i, LANES) {
            memcpy(tails[i], rows[i] + columns_bytes(type, k), n_bytes);
            r[i] = load_bytes(type, tails[i]);
        }
    transpose(r);
    for (size_t i = 0; i < LANES && LANE_COLUMNS * i < n; i++)
        memcpy(panel + (k / LANE_COLUMNS + i) * PANEL_WIDTH * LANE_COLUMNS, &r[i], sizeof r[i]);
}

INLINE void pack_byte_panels_of(const engine_element type, const struct row_products *p,
                                int8_t *panels)
{
    const char *rows[LANES];
    const size_t last = p->n_rows - 1, panel_bytes = chain_steps(p->width) * STEP * PANEL_WIDTH;
    const size_t width = type == ENGINE_BINARY ? round_up(p->width, 8) : p->width;
    for (size_t row = 0; row < round_up(p->n_rows, PANEL_WIDTH); row += LANES) {
        int8_t *panel = panels + row / PANEL_WIDTH * panel_bytes + row % PANEL_WIDTH * LANE_COLUMNS;
        for (size_t i = 0; i < LANES; i++) {
            size_t at = row + i < last ? row + i : last;
            rows[i] = columns_of(type, (const char *)p->rows + at * p->row_bytes);
        }
        for (size_t k = 0; k < width; k += VECTOR_COLUMNS)
            pack_bytes(type, rows, k, width, panel);
    }
}

static void pack_byte_panels(const struct row_products *p, int8_t *panels)
{
    if (p->type == ENGINE_BINARY)
        pack_byte_panels_of(ENGINE_BINARY, p, panels);
    else
        pack_byte_panels_of(ENGINE_INT8, p, panels);
}

/* ---- Candidates ---- */

/* Returns a bit for each lane that is set. */
INLINE unsigned bits_of(ivec mask)
{
#if defined(__AVX512F__)
    return _mm512_movepi32_mask((__m512i)mask);
#elif defined(__AVX2__)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#else
    unsigned bits = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        bits |= mask[lane] != 0 ? 1U << lane : 0;
    return bits;
#endif
}

static size_t find_candidates(const float *scores, const float *lengths, size_t n, float error,
                              float threshold, uint16_t *found)
{
    const vec least = splat(-FLT_MAX);
    size_t n_found = 0, i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec most = multiply_add(load(lengths + i), splat(error), larger(load(scores + i), least));
        for (unsigned bits = bits_of(most >= threshold); bits != 0; bits &= bits - 1)
            found[n_found++] = (uint16_t)(i + (size_t)__builtin_ctz(bits));
    }
    for (; i < n; i++)
        if (fmaxf(scores[i], -FLT_MAX) + error * lengths[i] >= threshold)
            found[n_found++] = (uint16_t)i;
    return n_found;
}

#endif
