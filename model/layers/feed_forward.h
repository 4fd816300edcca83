/* feed_forward.h - the middle of the feed-forward layer: activation and gate; and which of several
 * such layers, the experts, a token passes through.
 *
 * feed_forward(x) = middle(x·Winᵀ + b)·Woutᵀ + b; the two products are linear layers.
 * middle: gate none: act(y); gate first: act(first)·second; gate second: first·act(second), where
 * first and second are the two halves of y's columns. Sources: Shazeer 2020; of experts, Shazeer et
 * al. 2017.
 */
#ifndef MODEL_FEED_FORWARD_H
#define MODEL_FEED_FORWARD_H

#include "model/encoder.h"

/* Returns the columns needed while the middle is computed: F, or 2F if a gate's halves share a
 * panel and cannot be multiplied as they are produced. */
static inline size_t feed_forward_columns(const struct model_config *config)
{
    return config->feed_forward *
           (config->gate == GATE_NONE || config->feed_forward % PANEL == 0 ? 1 : 2);
}

/* Replaces a row of x·Winᵀ + b [F, gated: 2F] by the middle, in columns 0 .. F-1. */
static inline void feed_forward_middle(const struct kernels *kernels,
                                       const struct model_config *config, float *row)
{
    float *first = row, *second = row + config->feed_forward;
    kernels->activate(config->activation, config->gate == GATE_SECOND ? second : first,
                      config->feed_forward);
    if (config->gate != GATE_NONE)
        kernels->multiply(first, second, config->feed_forward);
}

/* Chooses a token's experts by its logits [n], which it changes: those of the `used` largest, the
 * first of equal ones first. shares [used]: their softmax over all n. */
void experts_choose(float *logits, size_t n, size_t used, int32_t *chosen, float *shares);

/* Replaces the experts of all tokens [n] by the row that each has if rows are grouped by expert, in
 * their order; expert e has rows starts[e] to starts[e + 1]. starts: [n_experts + 1]. What is no
 * expert, in the memory of a call that was interrupted, counts as expert 0. */
void experts_place(int32_t *chosen, size_t n, size_t n_experts, size_t *starts);

#endif
