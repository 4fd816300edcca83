/* tensor.h - matrices as stored in the weight file: element types, layouts, reading them as f32.
 *
 * rows:   element (n, k) of [N, K] is at n·K + k. panels: 16 rows of the matrix (16 output columns
 * of a linear layer) are stored together as [K, 16], the order in which the linear kernel reads
 * them; int8 has k in groups of four, [⌈K/4⌉, 16, 4]. Full definition: weights/FORMAT.md. pairs,
 * in memory alone: bfloat16 panels [⌈K/32⌉·16, 16, 2] (kernels/product_bf16.h).
 */
#ifndef MODEL_TENSOR_H
#define MODEL_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types above INT8 occur in files only: INT8A8 and INT8A7 are int8 panels for rows that are rounded
 * to 8 and 7 bits with a zero point; INT8K is INT8A8 with KEPT of its columns in f32. INT8 is for
 * rows rounded symmetrically. */
enum tensor_type {
    TENSOR_F32 = 1,
    TENSOR_F16 = 2,
    TENSOR_BF16 = 3,
    TENSOR_INT8 = 4,
    TENSOR_INT8A8 = 5,
    TENSOR_INT8A7 = 6,
    TENSOR_INT8K = 7
};
enum tensor_layout { LAYOUT_ROWS = 0, LAYOUT_PANELS = 1, LAYOUT_PAIRS = 2 };
enum { PANEL = 16, TENSOR_ALIGN = 64, KEPT = 4 };

/* How an activation's row is rounded to q in int8. symmetric: -127 .. 127; the others map the least
 * and the largest number of the row, and 0, into 0 .. 127, or -128 .. 127. unsigned, in memory
 * alone: 8 bits + 128, for kernels that multiply unsigned bytes (fits_pairs). */
enum rounding { ROUND_SYMMETRIC, ROUND_7_BITS, ROUND_8_BITS, ROUND_UNSIGNED };

/* A matrix [rows, cols] in the read-only map. */
struct matrix {
    const void *data;
    const float *scales; /* int8: [rows], panels: padded to a multiple of 16; else NULL */
    size_t rows, cols;
    enum tensor_type type;
    enum tensor_layout layout;
    enum rounding rounding;     /* int8: of the rows that it multiplies; if not symmetric: */
    const int32_t *column_sums; /* Σ_k of each row's integers, as many as scales; else NULL */
    const float *factors;       /* of those rows' columns, [cols rounded up to 16]; else NULL */
    /* In real models a few columns are so large that rounding a row by them would lose the others.
     * Their integers and factors are 0, and their weights are f32 panels [rows/16, KEPT, 16]. */
    const float *kept_panels; /* or NULL */
    uint32_t kept[KEPT];      /* indexes of these columns, ascending */
};

static inline size_t round_up(size_t n, size_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

/* By type: "f32", "int8k". */
extern const char *const TENSOR_TYPES[];

static inline bool tensor_is_int8(enum tensor_type type)
{
    return type >= TENSOR_INT8;
}

/* Returns whether the type has column sums and factors. */
static inline bool tensor_has_factors(enum tensor_type type)
{
    return type > TENSOR_INT8;
}

/* Returns whether the type stores some columns in f32. */
static inline bool tensor_has_kept(enum tensor_type type)
{
    return type == TENSOR_INT8K;
}

/* Returns the bytes of the elements, their padding, and the data after them in int8; 0 if that
 * overflows or the type does not have the layout. */
size_t tensor_bytes(enum tensor_type type, enum tensor_layout layout, size_t rows, size_t cols);

/* int8: returns the offset of the scales in a tensor that has tensor_bytes. After them come column
 * sums, factors, KEPT column numbers as u32, padded to 64 bytes, and these columns' panels. */
static inline size_t tensor_scales_offset(enum tensor_layout layout, size_t rows, size_t cols)
{
    size_t elements =
        layout == LAYOUT_PANELS ? round_up(rows, PANEL) * round_up(cols, 4) : rows * cols;
    return round_up(elements, TENSOR_ALIGN);
}

/* Returns the matrix whose bytes start at `data`. */
struct matrix tensor_matrix(enum tensor_type type, enum tensor_layout layout, size_t rows,
                            size_t cols, const void *data);

/* Decodes elements k .. k+count-1 of row n of a matrix in rows layout, as f32. */
void matrix_piece(const struct matrix *matrix, size_t n, size_t k, size_t count, float *out);

/* Decodes panel j (rows 16j .. 16j+15) of a matrix of any type and layout as f32, [cols, 16]. */
void matrix_panel(const struct matrix *matrix, size_t j, float *out);

/* Encodes rows n .. n+count-1 (count ≤ 16; n a multiple of 16) given as f32 [count, cols] into
 * `out`: rows: count rows; panels: one complete panel, missing rows zero. scales (int8 only)
 * receives count numbers. Rounds to nearest, ties to even. in_pairs: the integers of columns 2i and
 * 2i + 1 add up to -128 .. 128, for which AVX2 is faster; less exact, so that the writer asks for
 * it in int8k alone, which keeps the largest columns. Returns the bytes written. */
size_t matrix_encode(enum tensor_type type, enum tensor_layout layout, const float *values,
                     size_t count, size_t cols, bool in_pairs, void *out, float *scales);

/* sums[n] = Σ_k of column n of an int8 panel [⌈cols/4⌉, 16, 4], modulo 2^32. */
void panel_sums(const int8_t *panel, size_t cols, int32_t sums[PANEL]);

/* Returns whether no number of x [n] is NaN or infinite. */
bool floats_are_finite(const float *x, size_t n);

float f16_to_f32(uint16_t half);
uint16_t f32_to_f16(float value);
float bf16_to_f32(uint16_t half);
uint16_t f32_to_bf16(float value);

#endif
