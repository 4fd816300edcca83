/* decode.h - numbers and matrices as a weight file stores them. */
#ifndef PLAIN_DECODE_H
#define PLAIN_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plain_type {
    PLAIN_F32 = 1,
    PLAIN_F16,
    PLAIN_BF16,
    PLAIN_INT8,
    PLAIN_INT8A8,
    PLAIN_INT8A7,
    PLAIN_INT8K
};
enum plain_layout { PLAIN_ROWS = 0, PLAIN_PANELS = 1 };

/* values: [rows, cols], for every type and layout in the file. A vector [N] has cols 1. */
struct plain_tensor {
    const char *name;
    enum plain_type type;
    enum plain_layout layout;
    size_t n_dims, rows, cols;
    uint64_t offset, n_bytes;
    double *values;
    double *factors; /* int8 types but int8: [cols], which the values have in them, 0 of columns in
                        f32; else NULL */
};

/* The little-endian number of n bytes, of 4, and the float of these 4. */
uint64_t plain_number(const uint8_t *bytes, unsigned n);
uint32_t plain_u32(const uint8_t *bytes);
double plain_f32(const uint8_t *bytes);

/* The value of a binary16 number. */
double plain_f16(uint32_t bits);

/* Fills tensor->values [rows, cols], and factors where it has them, from the stored bytes, whose
 * sums and zeros are not read. False if n_bytes is not the length of a tensor of this type, layout
 * and shape, or a column that is kept in f32 is none of the matrix. */
bool plain_decode(const struct plain_tensor *tensor, const uint8_t *bytes);

#endif
