/* tensor.h - matrices as they lie in the weight file: element types, layouts, reading them as f32.
 *
 * rows:   element (n, k) of [N, K] is at n·K + k.
 * panels: 16 rows of the matrix (16 output columns of a linear layer) lie together as [K, 16], the
 * order in which the linear kernel reads them; int8 has k in groups of four, [⌈K/4⌉, 16, 4]. Full
 * definition: weights/FORMAT.md.
 */
#ifndef MODEL_TENSOR_H
#define MODEL_TENSOR_H

#include <stddef.h>
#include <stdint.h>

enum tensor_type { TENSOR_F32 = 1, TENSOR_F16 = 2, TENSOR_BF16 = 3, TENSOR_INT8 = 4 };
enum tensor_layout { LAYOUT_ROWS = 0, LAYOUT_PANELS = 1 };
enum { PANEL = 16, TENSOR_ALIGN = 64 };

/* A matrix [rows, cols] in the read-only map. */
struct matrix {
    const void *data;
    const float *scales; /* int8: [rows], panels: padded to a multiple of 16; else NULL */
    size_t rows, cols;
    enum tensor_type type;
    enum tensor_layout layout;
};

/* Bytes of the elements, padding between and scales; 0 if that overflows or the layout does not
 * exist for the type. */
size_t tensor_bytes(enum tensor_type type, enum tensor_layout layout, size_t rows, size_t cols);

/* int8: where the scales start, from the tensor's start. */
size_t tensor_scales_offset(enum tensor_layout layout, size_t rows, size_t cols);

/* Elements k .. k+count-1 of row n of a matrix in rows layout, as f32. */
void matrix_piece(const struct matrix *matrix, size_t n, size_t k, size_t count, float *out);

/* Panel j (rows 16j .. 16j+15) of a matrix of any type and layout as f32, [cols, 16]. */
void matrix_panel(const struct matrix *matrix, size_t j, float *out);

/* Encodes rows n .. n+count-1 (count ≤ 16; n a multiple of 16) given as f32 [count, cols] into
 * `out`: rows: count rows; panels: one whole panel, missing rows zero. scales (int8 only) receives
 * count numbers. Rounds to nearest, ties to even. Returns the bytes written. */
size_t matrix_encode(enum tensor_type type, enum tensor_layout layout, const float *values,
                     size_t count, size_t cols, void *out, float *scales);

float f16_to_f32(uint16_t half);
uint16_t f32_to_f16(float value);
float bf16_to_f32(uint16_t half);
uint16_t f32_to_bf16(float value);

#endif
