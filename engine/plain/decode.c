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

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

static uint64_t element_bytes(enum plain_type type)
{
    return type == PLAIN_F32 ? 4 : type >= PLAIN_INT8 ? 1 : 2;
}

/* Where what follows the elements is, in bytes from the tensor's start: int8's scales of rows; sums
 * of rows, which nothing here needs, and factors of columns; numbers of the columns in f32, and
 * these columns; the end. Panels are filled up to 16 rows, int8 to 4 columns. */
struct parts {
    uint64_t scales, factors, kept, end;
};

static struct parts parts_of(const struct plain_tensor *tensor)
{
    const bool is_int8 = tensor->type >= PLAIN_INT8, has_factors = tensor->type > PLAIN_INT8;
    const bool is_panels = tensor->layout == PLAIN_PANELS;
    const uint64_t rows = round_up(tensor->rows, is_panels ? 16 : 1);
    const uint64_t n = rows * round_up(tensor->cols, is_panels && is_int8 ? 4 : 1);
    struct parts parts;
    parts.scales = is_int8 ? round_up(n, 64) : n * element_bytes(tensor->type);
    parts.factors = parts.scales + (has_factors ? 8 : is_int8 ? 4 : 0) * rows;
    parts.kept = parts.factors + (has_factors ? 4 * round_up(tensor->cols, 16) : 0);
    parts.end = parts.kept + (tensor->type == PLAIN_INT8K ? 64 + 4 * 4 * rows : 0);
    return parts;
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

static double element_value(const struct plain_tensor *tensor, const uint8_t *bytes, uint64_t n,
                            uint64_t k)
{
    const uint8_t *at = bytes + element_bytes(tensor->type) * element_index(tensor, n, k);
    switch (tensor->type) {
    case PLAIN_F32: return plain_f32(at);
    case PLAIN_F16: return plain_f16((uint32_t)plain_number(at, 2));
    case PLAIN_BF16: return plain_f32((const uint8_t[]){0, 0, at[0], at[1]}); /* the upper half */
    default: break;
    }
    const double factor = tensor->factors != NULL ? tensor->factors[k] : 1;
    return (int8_t)*at * plain_f32(bytes + parts_of(tensor).scales + 4 * n) * factor;
}

bool plain_decode(const struct plain_tensor *tensor, const uint8_t *bytes)
{
    const struct parts parts = parts_of(tensor);
    const size_t rows = tensor->rows, cols = tensor->cols;
    if (parts.end != tensor->n_bytes)
        return false;
    for (size_t k = 0; tensor->factors != NULL && k < cols; k++)
        tensor->factors[k] = plain_f32(bytes + parts.factors + 4 * k);
    for (size_t n = 0; n < rows; n++)
        for (size_t k = 0; k < cols; k++)
            tensor->values[n * cols + k] = element_value(tensor, bytes, n, k);
    for (size_t i = 0; tensor->type == PLAIN_INT8K && i < 4; i++) {
        const size_t column = plain_u32(bytes + parts.kept + 4 * i);
        if (column >= cols)
            return false;
        for (size_t n = 0; n < rows; n++)
            tensor->values[n * cols + column] =
                plain_f32(bytes + parts.kept + 64 + 4 * ((n / 16 * 4 + i) * 16 + n % 16));
    }
    return true;
}
