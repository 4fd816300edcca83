/* position.h - positional encoding.
 *
 * sinusoidal: PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i+1) = cos(p / 10000^(2i/D)); an odd D ends with a sine.
 * Source: Vaswani et al. 2017, section 3.5.
 */
#ifndef MODEL_POSITION_H
#define MODEL_POSITION_H

#include <stddef.h>

/* Rows 0 .. n-1 of the sinusoidal encoding, out [n, stride] with width columns, computed in double. */
void position_sinusoidal(size_t n, size_t width, size_t stride, float *out);

/* The same, rows begin .. end-1 of out alone. */
void position_sinusoidal_rows(size_t begin, size_t end, size_t width, size_t stride, float *out);

#endif
