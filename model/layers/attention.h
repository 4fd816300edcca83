/* attention.h - scaled dot-product attention of one head over one sequence, the task of one thread;
 * and masks.
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

/* ---- Masks ---- every kind of mask is an answer to the question which keys a query may see.
 *
 * The full mask, the look-ahead (causal) mask and windows are bands: a query sees itself, a number
 * of tokens before it and a number after it. Padding mask: padded tokens are removed from the
 * sequence before anything is computed, so no query can see them; it combines with any band at no
 * cost. */

/* More than the tokens of any sequence; twice that still fits into 32 bits. */
enum { ALL_TOKENS = 2 * MOST_TOKENS };

/* Query i sees the keys i - before .. i + after that exist. */
struct band {
    size_t before, after;
};

/* window: a query sees keys at most `window` tokens away; 0: all. */
static inline struct band mask_band(enum mask_kind mask, size_t window)
{
    size_t reach = window > 0 && window < ALL_TOKENS ? window : ALL_TOKENS;
    return (struct band){.before = reach, .after = mask == MASK_CAUSAL ? 0 : reach};
}

struct key_range {
    size_t begin, end; /* keys begin .. end - 1 */
};

static inline struct key_range mask_visible(struct band band, size_t query, size_t n_keys)
{
    size_t begin = query > band.before ? query - band.before : 0, end = query + band.after + 1;
    return (struct key_range){begin < n_keys ? begin : n_keys, end < n_keys ? end : n_keys};
}

/* The unpadded tokens of a row with a padding mask [n] (NULL: all ones): n_kept tokens, all within
 * first .. first + span - 1. Positions count from `first`. */
struct kept_tokens {
    size_t n_kept, first, span;
};

static inline bool mask_keeps(const uint8_t *mask, size_t i)
{
    return mask == NULL || mask[i] != 0;
}

struct kept_tokens mask_kept(const uint8_t *mask, size_t n);

/* ---- Heads ---- */

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
    size_t n_unseen; /* the last tokens, which no query sees */
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
