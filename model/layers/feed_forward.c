/* feed_forward.c - activation and gate of one row, by the formula of feed_forward.h. */
#include "model/layers/feed_forward.h"

void feed_forward_middle(const struct kernels *kernels, const struct model_config *config,
                         float *row)
{
    enum activation activation = (enum activation)config->activation;
    size_t n = (size_t)config->feed_forward;
    float *first = row, *second = row + n;
    switch ((enum gate)config->gate) {
    case GATE_NONE: kernels->activate(activation, row, n); return;
    case GATE_FIRST: kernels->activate(activation, first, n); break;
    case GATE_SECOND: kernels->activate(activation, second, n); break;
    }
    kernels->multiply(first, second, n);
}
