/* tile.h - shared by the products and the mix: the switch that makes the number of a tile's rows a
 * constant for the compiler, so that the sums stay in registers; activation and gate of a tile
 * while it is in the nearest cache; and prefetching of the next weights.
 */
#ifndef MODEL_KERNELS_TILE_H
#define MODEL_KERNELS_TILE_H

#include "model/kernels/kernels.h"
#include "model/kernels/row.h"
#include "model/kernels/vector.h"

/* Expands TILE(n) for n = `rows`, 1 .. most: one copy of the tile per n, as n is a constant. */
#define CASE_ROWS(n, most, TILE)                                                                   \
    case n:                                                                                        \
        if (n <= (most))                                                                           \
            TILE(n);                                                                               \
        break;
#define SWITCH_ROWS(rows, most, TILE)                                                              \
    switch (rows) {                                                                                \
        CASE_ROWS(1, most, TILE)                                                                   \
        CASE_ROWS(2, most, TILE)                                                                   \
        CASE_ROWS(3, most, TILE)                                                                   \
        CASE_ROWS(4, most, TILE)                                                                   \
        CASE_ROWS(5, most, TILE)                                                                   \
        CASE_ROWS(6, most, TILE)                                                                   \
        CASE_ROWS(7, most, TILE)                                                                   \
        CASE_ROWS(8, most, TILE)                                                                   \
        CASE_ROWS(9, most, TILE)                                                                   \
        CASE_ROWS(10, most, TILE)                                                                  \
        CASE_ROWS(11, most, TILE)                                                                  \
        CASE_ROWS(12, most, TILE)                                                                  \
    }

/* Hides a pointer or a stride, so that no address is computed in advance: a dozen addresses, one
 * per row of a tile, do not fit the registers, while a third of them with an index do. */
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))
enum { ROWS_PER_BASE = 3 };
#define BASES(rows) (((rows) + ROWS_PER_BASE - 1) / ROWS_PER_BASE)

/* Destination of a tile's rows: `out` itself, or a buffer that activate_tile copies from. */
struct tile_target {
    float *to; /* [rows, stride] */
    size_t stride;
};

/* Returns whether the stored sums are processed further, by an activation or a gate. */
INLINE bool has_activation(const struct product *p)
{
    return p->activated || p->gate != NULL;
}

INLINE struct tile_target tile_target(const struct product *p, size_t row, size_t column,
                                      size_t n_columns, float *buffer)
{
    if (has_activation(p))
        return (struct tile_target){buffer, n_columns};
    return (struct tile_target){p->out + row * p->out_stride + column, p->out_stride};
}

/* Applies activation and gate to a tile just computed, [n_rows, n_columns], while it is in the
 * nearest cache. */
INLINE void activate_tile(const struct product *p, size_t row, size_t n_rows, size_t column,
                          size_t n_columns, float *tile)
{
    if (p->activated)
        (p->scales != NULL ? activate_near : activate)(p->activation, tile, n_rows * n_columns);
    for (size_t r = 0; r < n_rows; r++, tile += n_columns) {
        size_t at = (row + r) * p->out_stride + column;
        if (p->gate != NULL)
            multiply(tile, p->gate + at, n_columns);
        for (size_t c = 0; c < n_columns; c += LANES)
            store(p->out + at + c, load(tile + c));
    }
}

/* The panels after those of a tile are prefetched while the tiles of the current panels are
 * computed: each tile fetches an even share, which spreads the memory traffic. */
struct fetch {
    const char *at;
    size_t step_bytes; /* fetched at each step of a tile */
};

enum { CACHE_LINE = 64 };

/* Returns the share of tile `index` of n_tiles in fetching the next n_bytes, over n_steps steps. */
INLINE struct fetch fetch_share(const char *next, size_t n_bytes, size_t n_steps, size_t index,
                                size_t n_tiles)
{
    size_t n_lines = n_bytes / CACHE_LINE, steps = n_steps > 0 ? n_steps : 1;
    size_t lines = (n_lines + n_tiles * steps - 1) / (n_tiles * steps),
           begin = index * steps * lines;
    if (begin >= n_lines)
        return (struct fetch){next, 0};
    return (struct fetch){next + begin * CACHE_LINE, lines * CACHE_LINE};
}

/* One line a step without a branch, as most steps fetch one line. */
INLINE void fetch_ahead(struct fetch *fetch)
{
    __builtin_prefetch(fetch->at, 0, 2);
    for (size_t i = CACHE_LINE; __builtin_expect(i < fetch->step_bytes, 0); i += CACHE_LINE)
        __builtin_prefetch(fetch->at + i, 0, 2);
    fetch->at += fetch->step_bytes;
}

#endif
