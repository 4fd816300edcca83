/* experts.h - the routing of a mixture of experts: each token passes through a few of a layer's
 * feed-forward parts. Source: Shazeer et al. 2017. */
#ifndef MODEL_EXPERTS_H
#define MODEL_EXPERTS_H

#include <stddef.h>
#include <stdint.h>

/* Chooses a token's experts by its logits [n], which it changes: those of the `used` largest, the
 * first of equal ones first. shares [used]: their softmax over all n. */
void experts_choose(float *logits, size_t n, size_t used, int32_t *chosen, float *shares);

/* Replaces the experts of all tokens [n] by the row that each has if rows are grouped by expert, in
 * their order; expert e has rows starts[e] to starts[e + 1]. starts: [n_experts + 1]. What is no
 * expert, in the memory of a call that was interrupted, counts as expert 0. */
void experts_place(int32_t *chosen, size_t n, size_t n_experts, size_t *starts);

#endif
