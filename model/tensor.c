/* tensor.c - element types and layouts of the weight file (weights/FORMAT.md): encode and decode.
 *
 * binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. bfloat16: the upper half of a binary32.
 * int8: q = round(x / scale), scale = max|row| / 127, so that x ≈ q · scale.
 */
#include "model/tensor.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

const char *const TENSOR_TYPES[] = {
    [TENSOR_F32] = "f32",    [TENSOR_F16] = "f16",       [TENSOR_BF16] = "bf16",
    [TENSOR_INT8] = "int8",  [TENSOR_INT8A8] = "int8a8", [TENSOR_INT8A7] = "int8a7",
    [TENSOR_INT8K] = "int8k"};

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float bf16_to_f32(uint16_t half)
{
    return float_of((uint32_t)half << 16);
}

uint16_t f32_to_bf16(float value)
{
    uint32_t bits = bits_of(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) /* NaN: rounding could turn it into infinity */
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

float f16_to_f32(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = half >> 10 & 0x1Fu;
    uint32_t fraction = half & 0x3FFu;
    if (exponent == 0x1F)
        return float_of(sign | 0x7F800000u | fraction << 13);
    if (exponent == 0) { /* zero or subnormal: fraction · 2^-24 */
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t f32_to_f16(float value)
{
    uint32_t bits = bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)
        return (uint16_t)(sign | 0x7E00u);
    if (magnitude >= 0x477FF000u) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7C00u);
    if (magnitude < 0x38800000u) { /* below 2^-14: adding a float makes it round at 2^-24 */
        float shifted = float_of(magnitude) + 0.5f;
        return (uint16_t)(sign | (bits_of(shifted) - bits_of(0.5f)));
    }
    uint32_t rounded = magnitude + 0xFFFu + (magnitude >> 13 & 1u);
    return (uint16_t)(sign | (rounded - (112u << 23)) >> 13);
}

static const uint8_t ELEMENT_BYTES[] = {
    [TENSOR_F32] = 4,    [TENSOR_F16] = 2,    [TENSOR_BF16] = 2, [TENSOR_INT8] = 1,
    [TENSOR_INT8A8] = 1, [TENSOR_INT8A7] = 1, [TENSOR_INT8K] = 1};

size_t tensor_bytes(enum tensor_type type, enum tensor_layout layout, size_t rows, size_t cols)
{
    const bool is_panels = layout == LAYOUT_PANELS;
    size_t bytes;
    if ((unsigned)type > TENSOR_INT8K || ELEMENT_BYTES[type] == 0 ||
        (tensor_has_factors(type) && (!is_panels || rows == 0)) ||
        (tensor_has_kept(type) && cols < KEPT) || (layout != LAYOUT_ROWS && !is_panels) ||
        rows > SIZE_MAX / 2 || cols > SIZE_MAX / 2)
        return 0;
    const size_t stored_rows = is_panels ? round_up(rows, PANEL) : rows; /* and scales */
    const size_t stored_cols = is_panels && tensor_is_int8(type) ? round_up(cols, 4) : cols;
    if (__builtin_mul_overflow(stored_rows, stored_cols, &bytes) ||
        __builtin_mul_overflow(bytes, ELEMENT_BYTES[type], &bytes) || bytes > SIZE_MAX / 4)
        return 0;
    if (!tensor_is_int8(type))
        return bytes;
    if (stored_rows > SIZE_MAX / 64)
        return 0;
    bytes = round_up(bytes, TENSOR_ALIGN) + 4 * stored_rows;
    if (tensor_has_factors(type))
        bytes += 4 * stored_rows + 4 * round_up(cols, PANEL);
    return tensor_has_kept(type) ? bytes + TENSOR_ALIGN + 4 * KEPT * stored_rows : bytes;
}

struct matrix tensor_matrix(enum tensor_type type, enum tensor_layout layout, size_t rows,
                            size_t cols, const void *data)
{
    struct matrix matrix = {
        .data = data, .rows = rows, .cols = cols, .type = type, .layout = layout};
    if (!tensor_is_int8(type))
        return matrix;
    matrix.type = TENSOR_INT8;
    matrix.scales = (const float *)((const char *)data + tensor_scales_offset(layout, rows, cols));
    if (tensor_has_factors(type)) {
        matrix.rounding = type == TENSOR_INT8A7 ? ROUND_7_BITS : ROUND_8_BITS;
        matrix.column_sums = (const int32_t *)(const void *)matrix.scales + round_up(rows, PANEL);
        matrix.factors = matrix.scales + 2 * round_up(rows, PANEL);
    }
    if (tensor_has_kept(type)) {
        const float *numbers = matrix.factors + round_up(cols, PANEL);
        memcpy(matrix.kept, numbers, sizeof matrix.kept);
        matrix.kept_panels = numbers + TENSOR_ALIGN / sizeof *numbers;
    }
    return matrix;
}

/* Decodes n elements from index `first` as f32; int8 without its scale. */
static void decode(const struct matrix *matrix, size_t first, size_t n, float *out)
{
    const uint16_t *halves = (const uint16_t *)matrix->data + first;
    switch (matrix->type) {
    case TENSOR_F32: memcpy(out, (const float *)matrix->data + first, n * sizeof *out); return;
    case TENSOR_F16:
        for (size_t i = 0; i < n; i++)
            out[i] = f16_to_f32(halves[i]);
        return;
    case TENSOR_BF16:
        for (size_t i = 0; i < n; i++)
            out[i] = bf16_to_f32(halves[i]);
        return;
    default:
        for (size_t i = 0; i < n; i++)
            out[i] = ((const int8_t *)matrix->data + first)[i];
        return;
    }
}

void matrix_piece(const struct matrix *matrix, size_t n, size_t k, size_t count, float *out)
{
    decode(matrix, n * matrix->cols + k, count, out);
    if (matrix->scales != NULL)
        for (size_t i = 0; i < count; i++)
            out[i] *= matrix->scales[n];
}

/* Decodes an int8 panel with scales; with factors, it multiplies rows before those are applied. The
 * four adjacent values of a column are one word; the compiler shifts vectors of words, as it knows
 * that local arrays do not overlap `out`. */
static void panel_of_int8(const struct matrix *matrix, size_t j, float *out)
{
    size_t groups = (matrix->cols + 3) / 4;
    const int8_t *data = (const int8_t *)matrix->data + j * groups * PANEL * 4;
    float scales[PANEL], row[PANEL];
    memcpy(scales, matrix->scales + j * PANEL, sizeof scales);
    for (size_t k = 0; k < matrix->cols; k++) {
        uint32_t words[PANEL];
        float factor = matrix->factors != NULL ? matrix->factors[k] : 1;
        memcpy(words, data + k / 4 * sizeof words, sizeof words);
        for (size_t n = 0; n < PANEL; n++)
            row[n] = (float)((int32_t)(words[n] << (24 - k % 4 * 8)) >> 24) * scales[n] * factor;
        memcpy(out + k * PANEL, row, sizeof row);
    }
    for (size_t i = 0; matrix->kept_panels != NULL && i < KEPT; i++)
        memcpy(out + matrix->kept[i] * PANEL, matrix->kept_panels + (j * KEPT + i) * PANEL,
               sizeof row);
}

/* Element (n, k) of a matrix is out[k * PANEL + n - first]. */
static void panel_from_rows(const struct matrix *matrix, size_t first, float *out)
{
    size_t rows = matrix->rows - first < PANEL ? matrix->rows - first : PANEL;
    memset(out, 0, matrix->cols * PANEL * sizeof *out);
    for (size_t n = 0; n < rows; n++) {
        for (size_t k = 0; k < matrix->cols; k += 64) { /* a piece at a time: no row-long scratch */
            float piece[64];
            size_t count = matrix->cols - k < 64 ? matrix->cols - k : 64;
            matrix_piece(matrix, first + n, k, count, piece);
            for (size_t i = 0; i < count; i++)
                out[(k + i) * PANEL + n] = piece[i];
        }
    }
}

void matrix_panel(const struct matrix *matrix, size_t j, float *out)
{
    if (matrix->layout == LAYOUT_ROWS) {
        panel_from_rows(matrix, j * PANEL, out);
    } else if (matrix->type == TENSOR_INT8) {
        panel_of_int8(matrix, j, out);
    } else {
        decode(matrix, j * matrix->cols * PANEL, matrix->cols * PANEL, out);
    }
}

static void store(enum tensor_type type, void *out, size_t index, float value)
{
    switch (type) {
    case TENSOR_F32: ((float *)out)[index] = value; return;
    case TENSOR_F16: ((uint16_t *)out)[index] = f32_to_f16(value); return;
    case TENSOR_BF16: ((uint16_t *)out)[index] = f32_to_bf16(value); return;
    default: ((int8_t *)out)[index] = (int8_t)lrintf(value); return;
    }
}

static float int8_scale(const float *row, size_t cols, bool in_pairs)
{
    float largest = 0, largest_pair = 0;
    for (size_t k = 0; k < cols; k++)
        largest = fabsf(row[k]) > largest ? fabsf(row[k]) : largest;
    for (size_t k = 1; k < cols && in_pairs; k += 2) {
        float pair = fabsf(row[k - 1] / 127 + row[k] / 127);
        largest_pair = pair > largest_pair ? pair : largest_pair;
    }
    if (largest_pair > largest / 127)
        return largest_pair;
    float scale = largest / 127;
    /* A subnormal scale may be rounded down so far that the largest value exceeds 127 of it. */
    return largest > 0 && !(largest / scale < 127.5f) ? nextafterf(scale, INFINITY) : scale;
}

size_t matrix_encode(enum tensor_type type, enum tensor_layout layout, const float *values,
                     size_t count, size_t cols, bool in_pairs, void *out, float *scales)
{
    bool quantize = tensor_is_int8(type);
    size_t group = quantize ? 4 : 1;
    size_t elements = layout == LAYOUT_PANELS ? PANEL * round_up(cols, group) : count * cols;
    size_t bytes = elements * ELEMENT_BYTES[type];
    if (layout == LAYOUT_PANELS)
        memset(out, 0, bytes);
    for (size_t n = 0; n < count; n++) {
        const float *row = values + n * cols;
        if (quantize)
            scales[n] = int8_scale(row, cols, in_pairs);
        float scale = quantize ? scales[n] : 1;
        for (size_t k = 0; k < cols; k++) {
            size_t index = layout == LAYOUT_PANELS ? (k / group * PANEL + n) * group + k % group
                                                   : n * cols + k;
            float value = quantize ? (scale > 0 ? row[k] / scale : 0) : row[k];
            store(type, out, index, value);
        }
    }
    return bytes;
}

void panel_sums(const int8_t *panel, size_t cols, int32_t sums[PANEL])
{
    memset(sums, 0, PANEL * sizeof *sums);
    for (const int8_t *end = panel + (cols + 3) / 4 * 4 * PANEL; panel < end; panel += 4 * PANEL)
        for (size_t i = 0; i < PANEL; i++)
            sums[i] =
                (int32_t)((uint32_t)sums[i] + (uint32_t)(panel[4 * i] + panel[4 * i + 1] +
                                                         panel[4 * i + 2] + panel[4 * i + 3]));
}

bool floats_are_finite(const float *x, size_t n)
{
    int others = 0;
    for (size_t i = 0; i < n; i++)
        others |= !(fabsf(x[i]) <= FLT_MAX);
    return others == 0;
}
