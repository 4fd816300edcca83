/* position.c - the sinusoidal encoding. */
#include "model/position.h"

#include <math.h>

void position_sinusoidal(size_t n, size_t width, size_t stride, float *out)
{
    position_sinusoidal_rows(0, n, width, stride, out);
}

void position_sinusoidal_rows(size_t begin, size_t end, size_t width, size_t stride, float *out)
{
    for (size_t i = 0; i < width; i += 2) {
        double frequency = pow(10000.0, -(double)i / (double)width);
        for (size_t p = begin; p < end; p++) {
            double angle = (double)p * frequency;
            out[p * stride + i] = (float)sin(angle);
            if (i + 1 < width)
                out[p * stride + i + 1] = (float)cos(angle);
        }
    }
}
