/* product.h - a linear layer's product: a register tile of TILE_ROWS rows by TILE_PANELS panels of 16 columns; per step of k
 * one load per vector of weights and one broadcast per row. Each element is one chain acc += x·w over ascending k.
 */
#ifndef MODEL_KERNELS_PRODUCT_H
#define MODEL_KERNELS_PRODUCT_H

#include "model/kernels.h"
#include "model/kernels/vector.h"

/* ROWS and PANELS are constants at every call, so that the accumulators stay in registers. */
INLINE void tile(const struct product *p, size_t row, size_t panel, const int rows, const int panels)
{
    vec acc[TILE_ROWS][TILE_PANELS * VECTORS];
    const float *x = p->x + row * p->x_stride;
    const float *w = p->panels + panel * p->panel_stride;
    const size_t panel_stride = p->panel_stride, x_stride = p->x_stride;

    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < panels * VECTORS; v++)
            acc[r][v] = (vec){0};

    for (size_t k = 0; k < p->k; k++) {
        vec weights[TILE_PANELS * VECTORS];
        UNROLL for (int v = 0; v < panels * VECTORS; v++)
            weights[v] = load(w + (size_t)(v / VECTORS) * panel_stride + k * PANEL_WIDTH +
                              (size_t)(v % VECTORS) * LANES);
        UNROLL for (int r = 0; r < rows; r++) {
            vec value = splat(x[(size_t)r * x_stride + k]);
            UNROLL for (int v = 0; v < panels * VECTORS; v++)
                acc[r][v] += value * weights[v];
        }
    }

    size_t column = panel * PANEL_WIDTH;
    UNROLL for (int r = 0; r < rows; r++) {
        size_t at = (row + (size_t)r) * p->out_stride + column;
        UNROLL for (int v = 0; v < panels * VECTORS; v++) {
            size_t lane = (size_t)v * LANES;
            vec sum = acc[r][v];
            if (p->bias != NULL)
                sum += load(p->bias + column + lane);
            if (p->residual != NULL)
                sum += load(p->residual + at + lane);
            store(p->out + at + lane, sum);
        }
    }
}

/* The rest of fewer than TILE_ROWS rows: one switch, so that each case has constant bounds. */
INLINE void last_rows(const struct product *p, size_t row, size_t panel, const int panels)
{
    switch (p->n_rows - row) {
#if defined(__AVX512F__)
    case 11: tile(p, row, panel, 11, panels); break;
    case 10: tile(p, row, panel, 10, panels); break;
    case 9: tile(p, row, panel, 9, panels); break;
    case 8: tile(p, row, panel, 8, panels); break;
    case 7: tile(p, row, panel, 7, panels); break;
    case 6: tile(p, row, panel, 6, panels); break;
#endif
#if defined(__AVX2__)
    case 5: tile(p, row, panel, 5, panels); break;
    case 4: tile(p, row, panel, 4, panels); break;
    case 3: tile(p, row, panel, 3, panels); break;
    case 2: tile(p, row, panel, 2, panels); break;
#endif
    case 1: tile(p, row, panel, 1, panels); break;
    default: break;
    }
}

INLINE void column_of_tiles(const struct product *p, size_t panel, const int panels)
{
    size_t row = 0;
    for (; row + TILE_ROWS <= p->n_rows; row += TILE_ROWS)
        tile(p, row, panel, TILE_ROWS, panels);
    last_rows(p, row, panel, panels);
}

static void product(const struct product *p)
{
    size_t panel = 0;
    for (; panel + TILE_PANELS <= p->n_panels; panel += TILE_PANELS)
        column_of_tiles(p, panel, TILE_PANELS);
    for (; panel < p->n_panels; panel++)
        column_of_tiles(p, panel, 1);
}

#endif
