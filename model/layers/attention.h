/* attention.h - scaled dot-product attention of one head over one sequence: the task of one thread.
 *
 *     weights [T, T] = softmax over the visible keys of (scale·q·kᵀ + bias)
 *     out [T, K] = weights·v
 *
 * Weights are stored for one block of queries at a time: memory grows linearly with T, and so does
 * time with a window. With a look-ahead mask, a token's result depends on itself and the tokens
 * before it alone: neither later tokens (while they are finite) nor their number change a bit.
 * Source: Vaswani et al. 2017, 3.2.1.
 */
#ifndef MODEL_ATTENTION_H
#define MODEL_ATTENTION_H

#include "model/encoder.h"
#include "model/layers/attention_position.h"
#include "model/layers/mask.h"

/* Returns the floats of scratch for sequences of at most n_tokens. */
size_t attention_scratch(size_t n_tokens, size_t head_width, bool has_bias, bool bf16);

/* q, k, v: rows [T, K] of one head, `stride` floats apart; out likewise, out_stride apart. bias: by
 * distance, or NULL. map: receives the weights [T, T], or NULL. blas: for the products, or NULL.
 */
struct attention_head {
    const float *q, *k, *v;
    size_t stride;
    size_t n_tokens, head_width;
    float scale;
    struct band band;
    const struct distance_bias *bias;
    const struct blas *blas;
    bool bf16; /* the products are in bfloat16 (kernels/bf16/) */
    float *out;
    size_t out_stride;
    float *map;
};

void attention_head(const struct kernels *kernels, const struct attention_head *head,
                    float *scratch);

#endif
