/* decode.c - numbers and matrices of the weight file, one element at a time, by the formulas of
 * weights/FORMAT.md: little-endian integers, f32, f16, bf16, int8 with scales; rows and panels. */
#include "engine/plain/decode.h"

#include <math.h>
#include <string.h>

uint64_t plain_number(const uint8_t *bytes, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = n; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

uint32_t plain_u32(const uint8_t *bytes)
{
    return (uint32_t)plain_number(bytes, 4);
}

double plain_f32(const uint8_t *bytes)
{
    const uint32_t bits = plain_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

double plain_f16(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023), sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction > 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25));
}

static uint64_t element_bytes(enum plain_type type)
{
    return type == PLAIN_F32 ? 4 : type >= PLAIN_INT8 ? 1 : 2;
}

/* Returns the offset of element (n, k) of the matrix [N, K], in elements. */
static uint64_t element_index(const struct plain_tensor *tensor, uint64_t n, uint64_t k)
{
    uint64_t cols = tensor->cols;
    if (tensor->layout == PLAIN_ROWS)
        return n * cols + k;
    if (tensor->type >= PLAIN_INT8)
        return ((n / 16 * ((cols + 3) / 4) + k / 4) * 16 + n % 16) * 4 + k % 4;
    return (n / 16 * cols + k) * 16 + n % 16;
}

static double element_value(const struct plain_tensor *tensor, const uint8_t *bytes,
                            uint64_t scales, uint64_t n, uint64_t k)
{
    const uint8_t *at = bytes + element_bytes(tensor->type) * element_index(tensor, n, k);
    switch (tensor->type) {
    case PLAIN_F32: return plain_f32(at);
    case PLAIN_F16: return plain_f16((uint32_t)plain_number(at, 2));
    case PLAIN_BF16: return plain_f32((const uint8_t[]){0, 0, at[0], at[1]}); /* the upper half */
    default: break;
    }
    int integer = *at < 128 ? *at : *at - 256;
    return integer * plain_f32(bytes + scales + 4 * n);
}

/* Stored rows and columns, padding of panels included. */
static void stored_shape(const struct plain_tensor *tensor, uint64_t *rows, uint64_t *cols)
{
    bool panels = tensor->layout == PLAIN_PANELS;
    *rows = panels ? ((uint64_t)tensor->rows + 15) / 16 * 16 : tensor->rows;
    *cols =
        panels && tensor->type >= PLAIN_INT8 ? ((uint64_t)tensor->cols + 3) / 4 * 4 : tensor->cols;
}

/* int8: the scales start at the next multiple of 64 after the elements. */
static uint64_t scales_offset(uint64_t n_elements)
{
    return (n_elements + 63) / 64 * 64;
}

bool plain_stored_bytes(const struct plain_tensor *tensor, uint64_t *n_bytes)
{
    uint64_t rows, cols, n_elements;
    stored_shape(tensor, &rows, &cols);
    if (__builtin_mul_overflow(rows, cols, &n_elements) || n_elements > UINT64_MAX / 8 ||
        rows > UINT64_MAX / 16)
        return false;
    *n_bytes = n_elements * element_bytes(tensor->type);
    if (tensor->type >= PLAIN_INT8)
        *n_bytes = scales_offset(n_elements) + 4 * rows;
    if (tensor->type > PLAIN_INT8) /* column sums; factors */
        *n_bytes += 4 * rows + ((uint64_t)tensor->cols + 15) / 16 * 16 * 4;
    if (tensor->type == PLAIN_INT8K) /* numbers of four columns; these columns in f32 */
        *n_bytes += 64 + 4 * 4 * rows;
    return true;
}

/* Finds the columns' factors after the sums of the rows' integers; false if a sum is wrong or a
 * factor after the last is not zero. */
static bool read_factors(const struct plain_tensor *tensor, const uint8_t *bytes, uint64_t rows,
                         uint64_t cols, uint64_t scales)
{
    const uint8_t *sums = bytes + scales + 4 * rows, *factors = sums + 4 * rows;
    for (uint64_t n = 0; n < rows; n++) {
        int64_t sum = 0;
        for (uint64_t k = 0; k < cols; k++)
            sum += (int8_t)bytes[element_index(tensor, n, k)];
        if ((int32_t)plain_u32(sums + 4 * n) != sum)
            return false;
    }
    for (uint64_t k = 0; k < (tensor->cols + 15) / 16 * 16; k++) {
        double factor = plain_f32(factors + 4 * k);
        if (k < tensor->cols)
            tensor->factors[k] = factor;
        else if (factor != 0)
            return false;
    }
    return true;
}

/* The columns in f32, whose numbers follow the factors at `bytes`; false: they do not ascend, or
 * what fills up is not zero. */
static bool read_kept(const struct plain_tensor *tensor, const uint8_t *bytes, uint64_t rows)
{
    for (uint64_t i = 0; i < 16; i++) {
        uint64_t column = plain_number(bytes + 4 * i, 4);
        if (i >= 4 && column != 0)
            return false;
        if (i >= 4)
            continue;
        if (column >= tensor->cols || tensor->factors[column] != 0 ||
            (i > 0 && column <= plain_number(bytes + 4 * i - 4, 4)))
            return false;
        for (uint64_t n = 0; n < rows; n++) {
            const uint8_t *at = bytes + 64 + 4 * ((n / 16 * 4 + i) * 16 + n % 16);
            double value = plain_f32(at);
            if (n < tensor->rows)
                tensor->values[n * tensor->cols + column] = value;
            else if (value != 0)
                return false;
        }
    }
    return true;
}

bool plain_decode(const struct plain_tensor *tensor, const uint8_t *bytes)
{
    uint64_t rows, cols;
    stored_shape(tensor, &rows, &cols);
    uint64_t scales = scales_offset(rows * cols);
    if (tensor->factors != NULL && !read_factors(tensor, bytes, rows, cols, scales))
        return false;
    for (uint64_t n = 0; n < rows; n++) {
        for (uint64_t k = 0; k < cols; k++) {
            double value = element_value(tensor, bytes, scales, n, k);
            if (n >= tensor->rows || k >= tensor->cols) {
                if (value != 0.0)
                    return false;
                continue;
            }
            double factor = tensor->factors != NULL ? tensor->factors[k] : 1;
            tensor->values[n * tensor->cols + k] = value * factor;
        }
    }
    const uint8_t *after_factors = bytes + scales + 8 * rows + (tensor->cols + 15) / 16 * 64;
    return tensor->type != PLAIN_INT8K || read_kept(tensor, after_factors, rows);
}
