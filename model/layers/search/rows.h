/* rows.h - vectors as vector files store them, without gaps and at any address: float32, float16,
 * int8 with a scale before each row, or bits.
 */
#ifndef MODEL_ROWS_H
#define MODEL_ROWS_H

#include "model/kernels/kernels.h"

#include <stddef.h>

/* Returns the bytes of a row; 0 if size_t cannot hold them, or for an unknown type. */
size_t row_bytes(engine_element type, size_t width);

/* Writes a row x [width], rounded to nearest, ties to even. int8: scale = max|x| / 127, and NaN if
 * a number is not finite. */
void row_encode(engine_element type, const float *x, size_t width, void *out);

/* Returns column i: for int8 without the scale; for bits 1/2 or -1/2, which needs no offset. */
double row_value(engine_element type, const char *row, size_t i);

#endif
