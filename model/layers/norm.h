/* norm.h - layer norm and RMS norm of rows.
 *
 * layer: (x - mean) / sqrt(variance + eps) · weight (+ bias); variance divides by D
 * rms:   x / sqrt(mean of squares + eps) · weight
 * Source: Ba et al. 2016; Zhang and Sennrich 2019.
 */
#ifndef MODEL_NORM_H
#define MODEL_NORM_H

#include "model/encoder.h"

/* out [width] = norm(x [width]); in place allowed; NORM_NONE copies. */
void norm_row(const struct kernels *kernels, const struct norm *norm, float eps, size_t width,
              const float *x, float *out);

#endif
