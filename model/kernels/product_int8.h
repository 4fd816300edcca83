/* product_int8.h - a linear layer's product in int8: the exact sums of tile_int8.h, scaled.
 *
 * Plain twin: the loops in tests/model/kernels/test_product_int8.c.
 */
#ifndef MODEL_KERNELS_PRODUCT_INT8_H
#define MODEL_KERNELS_PRODUCT_INT8_H

#include "model/kernels/tile_int8.h"

#if defined(__AVX2__) || defined(KERNELS_NEON)
INLINE void tile_int8(const struct product *p, size_t row, size_t panel, const ivec *squares,
                      struct fetch fetch, struct tile_target target, const int rows,
                      const int panels, const bool words)
{
#if HAS_WORDS
    if (words) {
        tile_of_words(p, row, panel, fetch, target, rows);
        return;
    }
#endif
    (void)words;
#if defined(__ARM_FEATURE_MATMUL_INT8)
    if (rows > 1) { /* a single row would leave half of each product unused */
        if (squares != NULL)
            tile_of_pairs(p, row, panel, squares, fetch, target, rows, true);
        else
            tile_of_pairs(p, row, panel, NULL, fetch, target, rows, false);
        return;
    }
#endif
    (void)squares;
    tile_of_bytes(p, row, panel, fetch, target, rows, panels);
}

INLINE void column_of_tiles_int8(const struct product *p, size_t panel, const int panels,
                                 const bool words)
{
    float buffer[TILE_ROWS * TILE_PANELS * PANEL_WIDTH];
    const size_t column = panel * PANEL_WIDTH, n_columns = (size_t)(panels * PANEL_WIDTH);
    size_t most = words ? TILE_ROWS : ROWS_OF_BYTES, n_tiles = (p->n_rows + most - 1) / most,
           row = 0, n_bytes = (size_t)panels * p->panel_stride;
    size_t n_steps = words ? (p->k + GROUP - 1) / GROUP * VECTORS : p->k / (GROUP * GROUP_STEP);
    const char *next = (const char *)p->panels + panel * p->panel_stride + n_bytes;
    const ivec *squares = NULL;
#if defined(__ARM_FEATURE_MATMUL_INT8)
    ivec all_squares[MOST_SQUARES];
    if (n_tiles > 1 && make_panel_squares(p, panel, all_squares))
        squares = all_squares;
#endif
    for (size_t i = 0; i < n_tiles; i++) {
        size_t end = p->n_rows * (i + 1) / n_tiles;
        struct tile_target target = tile_target(p, row, column, n_columns, buffer);
        struct fetch fetch = fetch_share(next, n_bytes, n_steps, i, n_tiles);
#define TILE(rows) tile_int8(p, row, panel, squares, fetch, target, rows, panels, words)
        SWITCH_ROWS(end - row, words ? TILE_ROWS : ROWS_OF_BYTES, TILE)
#undef TILE
        if (has_activation(p))
            activate_tile(p, row, end - row, column, n_columns, buffer);
        row = end;
    }
}

INLINE void product_of_bytes(const struct product *p)
{
    size_t panel = 0;
    for (; panel + TILE_PANELS <= p->n_panels; panel += TILE_PANELS)
        column_of_tiles_int8(p, panel, TILE_PANELS, false);
    for (; panel < p->n_panels; panel++)
        column_of_tiles_int8(p, panel, 1, false);
}

#endif

#if !HAS_VNNI && !defined(KERNELS_NEON)
/* Plain loops, for any processor and any length. */
static void product_plain(const struct product *p)
{
    float buffer[PANEL_WIDTH];
    for (size_t panel = 0; panel < p->n_panels; panel++)
        for (size_t row = 0; row < p->n_rows; row++) {
            size_t column = panel * PANEL_WIDTH;
            struct tile_target target = tile_target(p, row, column, PANEL_WIDTH, buffer);
            int32_t sums[PANEL_WIDTH] = {0};
            const int8_t *x = (const int8_t *)p->x + row * p->x_stride;
            const int8_t *w = (const int8_t *)p->panels + panel * p->panel_stride;
            for (size_t g = 0; g < (p->k + GROUP - 1) / GROUP; g++, x += GROUP, w += GROUP_BYTES)
                for (int c = 0; c < PANEL_WIDTH; c++)
                    for (int i = 0; i < GROUP; i++)
                        sums[c] += x[i] * w[c * GROUP + i];
            scale_sums(p, row, 1, panel, sums, target);
            if (has_activation(p))
                activate_tile(p, row, 1, column, PANEL_WIDTH, buffer);
        }
}
#endif

#if HAS_WORDS

enum { MOST_WORDS = 32 * 1024 };

static void widen_rows(const struct product *p, int16_t *words)
{
    for (size_t row = 0; row < p->n_rows; row++)
        for (size_t k = 0; k < p->k; k += QUANTIZED_STEP)
            UNROLL (i, (size_t)QUANTIZED_STEP / (2 * LANES)) {
                ivec wide =
                    widen_bytes((const int8_t *)p->x + row * p->x_stride + k + i * 2 * LANES);
                memcpy(words, &wide, sizeof wide);
                words += 2 * LANES;
            }
}

static void product_of_words(const struct product *p)
{
    _Alignas(64) int16_t words[MOST_WORDS];
    size_t stride = (p->k + QUANTIZED_STEP - 1) / QUANTIZED_STEP * QUANTIZED_STEP,
           most = MOST_WORDS / (stride > 0 ? stride : 1);
    if (most == 0) {
        product_plain(p);
        return;
    }
    if (most > TILE_ROWS)
        most = most / TILE_ROWS * TILE_ROWS;
    for (size_t row = 0; row < p->n_rows; row += most) {
        struct product part =
            product_rows(p, row, p->n_rows - row < most ? p->n_rows - row : most, sizeof(int8_t));
        widen_rows(&part, words);
        part.x = words;
        part.x_stride = stride;
        for (size_t panel = 0; panel < p->n_panels; panel++)
            column_of_tiles_int8(&part, panel, 1, true);
    }
}

/* vpmaddubsw adds the products of two neighbours of a column: within 255 · 128 < 2^15 if those add
 * up to -128 .. 128. x and its zero are larger by 128, so that wrong column sums, or weights past
 * the end, would count. */
static bool fits_pairs(const struct matrix *panels)
{
    typedef int16_t words __attribute__((vector_size(LANES * 4)));
    const char *group = panels->data, *end;
    ivec wrong = {0};
    if (panels->cols % GROUP != 0)
        return false;
    for (size_t column = 0; column < panels->rows; column += PANEL_WIDTH) {
        ivec sums[VECTORS] = {{0}};
        for (end = group + panels->cols * PANEL_WIDTH; group < end; group += GROUP_BYTES)
            UNROLL (v, (size_t)VECTORS) {
                words four = (words)load_integers(group + v * sizeof(ivec));
                words pairs = (four << 8 >> 8) + (four >> 8);
                wrong |= (ivec)(pairs > 128) | (ivec)(pairs < -128);
                sums[v] += ((ivec)pairs << 16 >> 16) + ((ivec)pairs >> 16);
            }
        UNROLL (v, (size_t)VECTORS)
            wrong |= sums[v] != load_integers(panels->column_sums + column + v * LANES);
    }
    int32_t any = 0;
    for (int lane = 0; lane < LANES; lane++)
        any |= wrong[lane];
    return any == 0;
}

#endif

static inline void product_int8(const struct product *p)
{
#if HAS_VNNI || defined(KERNELS_NEON)
    product_of_bytes(p);
#elif HAS_WORDS
    if (p->is_unsigned)
        product_of_bytes(p);
    else
        product_of_words(p);
#else
    product_plain(p);
#endif
}

#endif
