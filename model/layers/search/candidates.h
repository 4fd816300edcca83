/* candidates.h - upper bounds of scores by products of int8, for rows of int8 and of bits: rows
 * whose bound is below the k-th best score need no exact score. int8 is multiplied several times as
 * fast as float32.
 *
 * A row has integers w [W] and a factor f; bits are w = ±1, f = 1/2. A query q of floats is rounded
 * to q̂ = scale · (integers - zero), with the error e = q - q̂, so that q·w = q̂·w + e·w and
 *
 *     q·w · f ≤ q̂·w · f + |e| · L,    L = |w| · |f|,    by Cauchy and Schwarz.
 *
 * The score S of scan.h is q·w · f, rounded; A is q̂·w · f, rounded. With u = 2^-24 and m =
 * ⌈W/16⌉ + 8, which is at least the number of roundings of each product of the sum:
 *
 *     S ≤ q·w · f + 2.1 (m + 2) u |q| L    half of it for int8: bits are summed as 0 and 1
 *     |A - q̂·w · f| ≤ 3.1 u |q̂| L          the integers' sum is exact; three roundings follow
 *     |L' - L| ≤ (m + 3) u L               L as computed, from a float32 sum of squares
 *     |B - (A + E·L')| ≤ 2.1 u (|A| + E·L')
 *
 * So S ≤ B = A + E·L', as computed, for E = |e| + 4 (m + 8) u (|q| + |e|), which has a third to
 * spare. E or L' is infinite, and so is B, as L' is never 0, where a scale or f is so small that
 * products are rounded as subnormal numbers, or the scale so large that they overflow. If only A
 * overflows, it is above all finite thresholds or, raised to the least float, not below A exactly.
 */
#ifndef MODEL_CANDIDATES_H
#define MODEL_CANDIDATES_H

#include "model/arena.h"
#include "model/layers/search/rows.h"

/* Queries whose bounds are computed at a time. */
enum { CANDIDATE_QUERIES = 96 };

/* Returns whether bounds are faster than scores, for many queries. */
bool candidates_are_fast(const struct kernels *kernels, engine_element type, size_t width);

struct rounded_queries {
    int8_t *values;                 /* [n, width rounded up to QUANTIZED_STEP] */
    struct quantization *roundings; /* [n]; for bits, with f in the scale */
    float *errors;                  /* E, [n] */
};

/* Rounds n queries, [n, width rounded up to 16]. */
void candidates_round(const struct kernels *kernels, engine_element type, const float *queries,
                      size_t n, size_t width, const struct rounded_queries *rounded);

/* A block of rows; its arrays have as many elements as the block has rows. */
struct rounded_rows {
    const float *factors; /* those of scan.h: f, of bits 1, NaN for rows without scores */
    float *lengths;       /* L'; NaN for rows without scores */
    int32_t *sums;        /* Σ_k w */
    uint16_t *found;      /* room for the indexes of candidates */
    int8_t *panels;       /* as pack_byte_panels writes them */
};

void rounded_queries_carve(struct rounded_queries *queries, size_t n, size_t width,
                           struct arena *arena);
void rounded_rows_carve(struct rounded_rows *rows, size_t n_rows, size_t width,
                        struct arena *arena);

/* Packs the rows of a block. block->squares: Σ_k w², not read for bits. */
void candidates_pack(const struct kernels *kernels, const struct row_products *block,
                     const struct rounded_rows *rows);

/* Computes L' of each row, by its factor, which may replace block->squares after the packing. */
void candidates_measure(const struct row_products *block, const struct rounded_rows *rows);

/* Computes A of the block's rows for n queries from query `first` on: block->scores [n,
 * scores_stride]. */
void candidates_multiply(const struct kernels *kernels, const struct row_products *block,
                         const struct rounded_rows *rows, const struct rounded_queries *queries,
                         size_t first, size_t n);

#endif
