/* tile_pairs.h - a register tile of product_int8 for I8MM, whose instruction multiplies two rows by
 * two columns, eight k at a time: twice the products of SDOT. A vector of sums holds row 0's two
 * columns, then row 1's; the eight k of a column come from two groups of its panel.
 */
#ifndef MODEL_KERNELS_TILE_PAIRS_H
#define MODEL_KERNELS_TILE_PAIRS_H

#include "model/kernels/scale_sum.h"
#include "model/kernels/tile.h"

enum { ROW_PAIRS = TILE_ROWS / 2, COLUMN_PAIRS = PANEL_WIDTH / 2 };

INLINE void add_square(ivec *acc, ivec x, ivec weights)
{
    __asm__("smmla %0.4s, %1.16b, %2.16b" : "+w"(*acc) : "w"(x), "w"(weights));
}

/* Adds groups g and g + 1 of k; if last, group g alone (the last of an odd number). */
INLINE void add_two_groups(ivec acc[ROW_PAIRS][COLUMN_PAIRS], const struct product *p,
                           const int8_t *x, const char *w, size_t g, const int rows,
                           const bool last)
{
    const char *group = w + g * GROUP_BYTES;
    ivec values[ROW_PAIRS];
    UNROLL (i, (rows + 1) / 2) {
        const int8_t *row = x + (size_t)(2 * i) * p->x_stride + g * GROUP;
        values[i] =
            (ivec)vcombine_s8(vld1_s8(row), vld1_s8(2 * i + 1 < rows ? row + p->x_stride : row));
    }
    UNROLL (v, VECTORS) {
        ivec a = load_integers(group + v * LANES * GROUP);
        ivec b = last ? (ivec){0} : load_integers(group + GROUP_BYTES + v * LANES * GROUP);
        ivec left = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        ivec right = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        UNROLL (i, (rows + 1) / 2) {
            add_square(&acc[i][2 * v], values[i], left);
            add_square(&acc[i][2 * v + 1], values[i], right);
        }
    }
}

INLINE void tile_of_pairs(const struct product *p, size_t row, size_t panel, struct fetch fetch,
                          struct tile_target target, const int rows)
{
    ivec acc[ROW_PAIRS][COLUMN_PAIRS];
    const int8_t *x = (const int8_t *)p->x + row * p->x_stride;
    const char *w = (const char *)p->panels + panel * p->panel_stride;
    const size_t n_groups = (p->k + GROUP - 1) / GROUP;
    UNROLL (i, (rows + 1) / 2)
        UNROLL (v, COLUMN_PAIRS)
            acc[i][v] = (ivec){0};

    size_t g = 0;
    for (; g + 4 <= n_groups; g += 4) {
        fetch_ahead(&fetch);
        add_two_groups(acc, p, x, w, g, rows, false);
        add_two_groups(acc, p, x, w, g + 2, rows, false);
    }
    for (; g + 2 <= n_groups; g += 2)
        add_two_groups(acc, p, x, w, g, rows, false);
    if (g < n_groups)
        add_two_groups(acc, p, x, w, g, rows, true);

    /* A copy: stores to `target` could alias *p, and every field would be read again. */
    const struct product last = *p;
    UNROLL (v, VECTORS) {
        const size_t column = panel * PANEL_WIDTH + (size_t)v * LANES;
        const struct column_terms terms = column_terms(&last, column);
        UNROLL (r, rows) {
            ivec a = acc[r / 2][2 * v], b = acc[r / 2][2 * v + 1];
            ivec sum = r % 2 == 0 ? __builtin_shufflevector(a, b, 0, 1, 4, 5)
                                  : __builtin_shufflevector(a, b, 2, 3, 6, 7);
            scale_sum(&last, &terms, row + (size_t)r, column, sum,
                      target.to + (size_t)r * target.stride + (size_t)v * LANES);
        }
    }
}

#endif
