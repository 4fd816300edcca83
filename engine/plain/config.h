/* config.h - the settings of a weight file as numbers, and its tensors by name and shape. */
#ifndef PLAIN_CONFIG_H
#define PLAIN_CONFIG_H

#include "engine/plain/encoder.h"

struct plain_model {
    const struct plain_weights *weights;
    size_t n_layers, n_groups, width, embedding_width, n_heads;
    size_t n_key_heads, head_width, global_key_heads, global_head_width, layer_input_width;
    size_t rotary_width, rotary_trained, distances, position_buckets, window;
    size_t global_every, global_first, experts, experts_used, experts_every;
    size_t feed_forward, vocabulary, max_tokens, n_types, position_offset;
    double embedding_scale, norm_eps, position_base, position_scale, score_scale;
    double rotary_base, rotary_local_base, rotary_factor;
    const double *distance_bias; /* [H, 2 · distances + 1] */
    const double *frequencies;   /* [n_frequencies] */
    const double *learned;       /* rows of a table of positions */
    size_t n_frequencies, n_labels, n_projections, token_vectors;
    bool skips_padding, final_norm, first_norm, value_norm, int8_rows;
    bool head_norm, head_late, head_tied, normalize, pools_prompt;
    const char *norm_place, *query_key_norm, *attention_position, *position_terms, *rotary_pairs;
    const char *embedding_norm, *position, *norm, *activation, *gate, *mask, *pooling, *scores;
    const char *head, *head_pooling, *head_dense, *sparse, *sparse_pooling, *sparse_activation;
    const char *joined_poolings, *projection_activation; /* lists */
    plain_step *trace;
    size_t layer;    /* that is computed ... */
    char prefix[32]; /* ... and "layers.g.", of the tensors that it uses; else "" */
    char *error;     /* the first thing that is wrong, or "" */
};

/* Reads CONF; what is wrong goes to error, which the model keeps. */
struct plain_model plain_model_open(const struct plain_weights *weights,
                                    const struct plain_options *options, char error[256]);

bool plain_is(const char *value, const char *name);

/* Whether a value is one of names, which are framed by blanks. */
bool plain_is_among(const char *value, const char *names);

/* The tensor NAMESUFFIX, in a layer "layers.g.NAMESUFFIX"; NULL if there is none. */
const struct plain_tensor *plain_find(const struct plain_model *model, const char *name,
                                      const char *suffix);

/* The values of such a tensor of this shape, with cols 0 a vector; or NULL, with a complaint. */
const double *plain_values(struct plain_model *model, const char *name, const char *suffix,
                           size_t rows, size_t cols);

#endif
