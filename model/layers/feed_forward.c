/* feed_forward.c - activation and gate of one row, by the formula of feed_forward.h. */
#include "model/layers/feed_forward.h"

void feed_forward_middle(const struct kernels *kernels, const struct model_config *config,
                         float *row)
{
    enum activation activation = config->activation;
    size_t n = config->feed_forward;
    float *first = row, *second = row + n;
    kernels->activate(activation, config->gate == GATE_SECOND ? second : first, n);
    if (config->gate != GATE_NONE)
        kernels->multiply(first, second, n);
}
