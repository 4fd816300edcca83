/* decode.h - numbers and matrices as a weight file stores them. */
#ifndef TESTS_REFERENCE_DECODE_H
#define TESTS_REFERENCE_DECODE_H

#include "tests/reference/weights.h"

/* The little-endian number of n bytes. */
uint64_t reference_number(const uint8_t *bytes, unsigned n);

/* The value of a binary16 number. */
double reference_f16(uint32_t bits);

/* The bytes that a tensor of this type, layout and shape takes; false if there is no such number.
 */
bool reference_stored_bytes(const struct reference_tensor *tensor, uint64_t *n_bytes);

/* Fills tensor->values [rows, cols], and factors where it has them, from the stored bytes; false if
 * what fills up panels is not zero, or a column sum is wrong. */
bool reference_decode(const struct reference_tensor *tensor, const uint8_t *bytes);

#endif
