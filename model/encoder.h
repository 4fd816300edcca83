/* encoder.h - a model as the functions of this floor see it: its config and views of its weights.
 *
 * All weights are read-only and borrowed from the map of the weight file; the caller that opens the
 * file allocates the array `layers`.
 */
#ifndef MODEL_ENCODER_H
#define MODEL_ENCODER_H

#include "model/config.h"
#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"
#include "model/tensor.h"

/* y = x·Wᵀ + b; weight [out, in], bias [out], readable to a multiple of 16, or NULL. */
struct linear {
    struct matrix weight;
    const float *bias;
};

/* What a layer takes from the embedding itself, [P] a token. rows 0: nothing */
struct layer_input {
    struct linear in;  /* [P, D], of the embedding */
    struct norm norm;  /* [P], of that */
    struct linear by;  /* [P, D], of the layer's rows: its activation multiplies that */
    struct linear out; /* [D, P] */
    struct norm norm_after;
    float scale; /* of the layer's rows, after all */
};

/* Norms that norm_place or first_norm exclude are of kind NORM_NONE. Layers may share their tensors
 * (layer_groups). */
struct layer {
    struct norm attention_norm; /* before attention; with norm_place post, after its residual sum */
    size_t head_width, key_value_heads;
    struct linear qkv;                            /* [(H + 2·key_value_heads)·K, D] */
    struct norm query_norm, key_norm, value_norm; /* [K], of each head; or of all of q and of k */
    const float *position_key, *position_query;   /* disentangled: [H, P/16, K, 16], or NULL */
    struct linear output;                         /* [D, H·K] */
    struct norm attention_norm_after;             /* sandwich, twice: before the last sum */
    struct norm feed_forward_norm;
    struct linear feed_forward_in;  /* [F, D], gated: [2F, D] */
    struct linear feed_forward_out; /* [D, F] */
    /* With experts: [N·F, D] and [N·D, F] without biases, one expert after another; logits of the
     * experts, in f32 and panels; and a bias [D] of their sum, or NULL. rows 0: without */
    struct linear router;
    const float *experts_bias;
    struct norm feed_forward_norm_after;
    struct layer_input input;
    size_t window; /* a query sees keys at most `window` tokens away; 0: all */
};

/* y = act(x·Wᵀ + b), for the few rows that reach a head or a projection; or y = norm(x), of a
 * projection with the "activation" DENSE_LAYER_NORM. */
struct dense {
    struct linear linear;
    enum dense_activation activation;
    struct norm norm;
};

/* z = norm(dense(x)), without the absent ones; logits = output(z). */
struct head {
    struct dense dense;
    struct norm norm;
    struct linear output; /* [labels or V, D]; rows 0: absent */
};

struct encoder {
    struct model_config config;
    const struct kernels *kernels;
    bool bf16;                    /* products are in bfloat16, except those of layers in int8 */
    const struct blas *blas;      /* computes products; or NULL (blas.h) */
    size_t blas_rows;             /* most rows of linear layers per product; 0: unused */
    struct matrix token_table;    /* [V, E] */
    struct matrix type_table;     /* [token_types, E]; rows 0: absent */
    struct matrix position_table; /* [P, E]; rows 0: absent */
    const float *frequencies;     /* [position_frequencies] of fourier, or NULL: harmonics */
    struct norm embedding_norm;   /* [E] */
    struct linear embedding_projection; /* [D, E]; rows 0: absent, E is D */
    const float *distance_bias;         /* [H, 2·distances + 1], or NULL */
    struct layer *layers;               /* [L] */
    struct norm final_norm;
    struct dense projections[MAX_PROJECTIONS];
    struct head head;
    struct linear token_vector; /* [token_vectors, D]; rows 0: absent */
    struct linear token_weight; /* [1, D], with sparse linear */
    const float *query_weights; /* [V], or NULL: queries have weights as texts have */
    size_t output_width;        /* of vectors by the model's own pooling */
};

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Returns the floats from one row of a [T, n] activation to the next: rows start at multiples of 64
 * bytes, and the columns from n on are zeros. */
static inline size_t row_stride(size_t n)
{
    return round_up(n, PANEL);
}

#endif
