/* rows.h - vectors as files of them hold them, one behind the other without gaps and at any
 * address: float32, float16, int8 with a scale before each row, or bits.
 */
#ifndef MODEL_ROWS_H
#define MODEL_ROWS_H

#include "model/kernels/kernels.h"

#include <stddef.h>

/* Bytes of a row; 0 where they are more than a size_t holds, and for no type. */
size_t row_bytes(enum row_type type, size_t width);

/* Writes a row x [width], rounded to nearest, ties to even. int8: scale = max|x| / 127, and NaN if
 * a number is not finite. */
void row_encode(enum row_type type, const float *x, size_t width, void *out);

#endif
