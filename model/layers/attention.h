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
#include "model/layers/disentangled.h"
#include "model/layers/mask.h"
#include "model/layers/position.h"

/* One thread's memory for heads of at most T tokens. */
struct attention_work {
    float *bias;         /* [2T + a panel, which is read past its end] */
    struct {             /* T: at most EXACT_KEYS */
        float *queries;  /* [⌈T/16⌉, K, 16] */
        float *scores;   /* [T, row_stride(T)] */
        double *weights; /* [T, row_stride(T)] */
        double *values;  /* [T, row_stride(K)] */
        double *share;   /* [row_stride(T)] */
    } few;
    struct {
        float *keys;               /* [T, K] */
        float *values;             /* [T, row_stride(K)] */
        float *queries;            /* [QUERY_BLOCK / 16, K, 16] */
        float *scores;             /* [KEY_BLOCK, QUERY_BLOCK] */
        float *context;            /* [QUERY_BLOCK, row_stride(K)] */
        float *max, *sum, *factor; /* [QUERY_BLOCK] */
    } many;
    struct { /* of struct pair_attention */
        uint16_t *keys, *values;
        float *scratch;
    } pairs;
    struct disentangled_work positions; /* carved by itself */
};
void attention_work_carve(struct attention_work *work, size_t n_tokens, size_t head_width,
                          bool has_bias, bool bf16, struct arena *arena);

/* q, k, v: rows [T, K] of one head, `stride` floats apart; out likewise, out_stride apart. bias: by
 * distance, or NULL. positions: disentangled ones, or NULL; scores are then in f32. map: receives
 * the weights [T, T], or NULL. blas: for the products, or NULL. */
struct attention_head {
    const float *q, *k, *v;
    size_t stride;
    size_t n_tokens, head_width;
    float scale;
    struct band band;
    const struct distance_bias *bias;
    const struct disentangled *positions;
    const struct blas *blas;
    bool bf16; /* the products are in bfloat16 (kernels/attend_bf16.h) */
    float *out;
    size_t out_stride;
    float *map;
};

void attention_head(const struct kernels *kernels, const struct attention_head *head,
                    const struct attention_work *work);

#endif
