/* norm.c - chooses the norm of a row (formulas: norm.h); the arithmetic is in kernels/norm.h. */
#include "model/layers/norm.h"

#include <string.h>

void norm_row(const struct kernels *kernels, const struct norm *norm, float eps, size_t width,
              const float *x, float *out)
{
    switch (norm->kind) {
    case NORM_NONE:
        if (out != x)
            memcpy(out, x, width * sizeof *out);
        return;
    case NORM_LAYER: kernels->layer_norm(x, norm->weight, norm->bias, eps, width, out); return;
    case NORM_RMS: kernels->rms_norm(x, norm->weight, eps, width, out); return;
    }
}
