/* config.h - what kind of encoder a model is: sizes and kinds, with their names in weight files.
 *
 * Legend of shapes, true everywhere: B sequences, T tokens, D width, H heads, K head width, F
 * feed-forward width, V vocabulary, L layers. Matrices are row-major; weights of linear layers are
 * [out, in] and y = x·Wᵀ + b.
 */
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum position_scheme {
    POSITION_NONE,
    POSITION_SINUSOIDAL,
    POSITION_LEARNED,
    POSITION_INDEX,
    POSITION_BINARY,
    POSITION_FOURIER,
    POSITION_EXPONENTIAL
};
/* Positions that act inside attention, in addition to the row that the embedding step adds. */
enum attention_position {
    ATTENTION_POSITION_NONE,
    ATTENTION_POSITION_ROTARY,
    ATTENTION_POSITION_ALIBI,
    ATTENTION_POSITION_DISTANCE
};
/* Which columns of a head are rotated together: i and i + width/2, or 2i and 2i + 1. */
enum rotary_pairs { ROTARY_HALF, ROTARY_INTERLEAVED };
enum norm_kind { NORM_NONE, NORM_LAYER, NORM_RMS };
enum norm_place { NORM_POST, NORM_PRE, NORM_SANDWICH };
enum activation { ACTIVATION_RELU, ACTIVATION_GELU, ACTIVATION_GELU_TANH, ACTIVATION_SILU };
enum gate { GATE_NONE, GATE_FIRST, GATE_SECOND }; /* the half that the activation is applied to */
enum mask_kind { MASK_FULL, MASK_CAUSAL };
enum pooling {
    POOLING_NONE,
    POOLING_MEAN,
    POOLING_CLS,
    POOLING_MAX,
    POOLING_MEAN_SQRT,
    POOLING_WEIGHTED_MEAN,
    POOLING_LAST,
    POOLING_POOLER
};
enum { MAX_PROJECTIONS = 8 };
enum head_kind { HEAD_NONE, HEAD_POOLER, HEAD_SEQUENCE, HEAD_TOKEN, HEAD_MASK };
enum sparse { SPARSE_NONE, SPARSE_LINEAR, SPARSE_MASK }; /* source of the weights of token ids */
enum sparse_pooling { SPARSE_MAX, SPARSE_SUM };          /* over tokens */
enum sparse_activation { SPARSE_LOG, SPARSE_LOG_LOG };   /* log(1 + relu), or log(1 + that) */
enum scores { SCORES_NONE, SCORES_SOFTMAX, SCORES_SIGMOID };
/* Activation of a dense layer of a head or a projection; DENSE_NONE: the layer is absent. */
enum dense_activation {
    DENSE_NONE,
    DENSE_IDENTITY,
    DENSE_RELU,
    DENSE_TANH,
    DENSE_GELU,
    DENSE_GELU_TANH,
    DENSE_SILU
};

/* Bounds 'max_tokens', so that a damaged file cannot ask for terabytes of positions, and 'layers'
 * that share tensors, so that a small file cannot ask for endless work. */
enum { MOST_TOKENS = 1 << 20, MOST_SHARED_LAYERS = 1024 };

/* Bounds of a base and of frequencies, far beyond use: within them, every position is a number. */
#define POSITION_BASE_LEAST     1e-100
#define POSITION_BASE_MOST      1e100
#define POSITION_FREQUENCY_MOST 1e38

/* Fields in the order of weights/FORMAT.md, each 64 bits wide so that one table serves all. */
struct model_config {
    int64_t layers, width, heads, feed_forward, vocabulary, max_tokens, token_types;
    double embedding_scale;
    int64_t embedding_norm;                          /* enum norm_kind */
    int64_t position;                                /* enum position_scheme */
    int64_t position_offset, position_skips_padding; /* count; bool */
    double position_base, position_scale;
    int64_t position_frequencies; /* count; 0: harmonics */
    int64_t norm;                 /* enum norm_kind, never NORM_NONE */
    double norm_eps;
    int64_t norm_bias;                                     /* bool */
    int64_t norm_place;                                    /* enum norm_place */
    int64_t final_norm, attention_bias, feed_forward_bias; /* bool */
    int64_t activation, gate, mask, pooling;               /* enums of these names */
    int64_t normalize;                                     /* bool */
    int64_t embedding_width;                               /* E; config_check: D if absent */
    int64_t projections;
    int64_t projection_activation; /* enum dense_activation, never DENSE_NONE */
    int64_t projection_bias;       /* bool */
    int64_t head;                  /* enum head_kind */
    int64_t head_pooling;          /* enum pooling, never POOLING_NONE or POOLING_POOLER */
    int64_t head_dense;            /* enum dense_activation */
    int64_t head_norm, head_tied, head_bias; /* bool */
    int64_t labels, scores;                  /* count; enum scores */
    int64_t max_text_tokens;                 /* config_check replaces "absent" by max_tokens */
    int64_t attention_position;              /* enum attention_position */
    double rotary_base, rotary_local_base;
    int64_t rotary_width; /* columns of a head that are rotated */
    int64_t rotary_pairs; /* enum rotary_pairs */
    double rotary_factor;
    int64_t rotary_trained; /* tokens; for longer texts the base grows; 0: never */
    int64_t distances;      /* R: a bias for each distance from -R to R */
    int64_t window;         /* a query sees keys at most `window` away; 0: all */
    int64_t global_every, global_first;
    int64_t first_norm;                       /* bool */
    int64_t layer_groups;                     /* G: layer l uses the tensors of l·G/L */
    int64_t feed_forward_in_bias;             /* bool */
    int64_t head_width, key_value_heads;      /* K; heads of keys and values, a divisor of H */
    int64_t query_key_norm;                   /* bool */
    double score_scale;                       /* factor on q·k */
    int64_t head_dense_bias;                  /* bool */
    int64_t token_vectors, token_vector_bias; /* W: width of a vector for each token; bool */
    int64_t sparse;                           /* enum sparse */
    int64_t token_vector_first;               /* bool */
    int64_t sparse_pooling;                   /* enum sparse_pooling */
    int64_t sparse_activation;                /* enum sparse_activation */
};

/* Sets the defaults of weights/FORMAT.md. Sizes without a default become -1, norm_eps 0; keys whose
 * default is the value of other keys stay -1 until config_check resolves them. */
void config_defaults(struct model_config *config);

/* Replaces each -1 that other keys determine by its value; others stay -1. */
void config_resolve(struct model_config *config);

/* Returns whether layer `layer` sees all tokens in spite of a window. */
static inline bool config_is_global(const struct model_config *config, int64_t layer)
{
    return config->window == 0 ||
           (config->global_every > 0 && layer % config->global_every == config->global_first);
}

/* Returns whether the scheme's rows are computed, the same in every text: they can be cached. */
bool position_has_rows(enum position_scheme scheme);

/* Returns whether the scheme uses a base. */
bool position_has_base(enum position_scheme scheme);

/* Returns the columns of the row that a head's output layer reads: E if it is tied, else D. */
static inline int64_t config_head_columns(const struct model_config *config)
{
    return config->head_tied ? config->embedding_width : config->width;
}

/* Sets one key from its text. Returns NULL on success, else a static string that says what was
 * expected ("a whole number from 0 to 2147483647", "one of none, layer, rms"), or
 * CONFIG_UNKNOWN_KEY. */
const char *config_set(struct model_config *config, const char *key, const char *value);
extern const char CONFIG_UNKNOWN_KEY[];

/* Returns the index-th key, and its value in `text` (at least 32 bytes); NULL past the last. */
const char *config_get(const struct model_config *config, size_t index, char *text, size_t cap);

/* Returns whether a file must have the index-th key: always for keys of the first library version,
 * and for later keys if their value in the checked config is not the default. */
bool config_is_written(const struct model_config *config, size_t index);

/* Names of values, static: config_value_name("pooling", POOLING_MAX) is "max", or NULL if the
 * number is not a value of the key; config_value("pooling", "max") is POOLING_MAX, or -1 if the
 * name is unknown. Numeric keys have no names. */
const char *config_value_name(const char *key, int64_t value);
int64_t config_value(const char *key, const char *name);

/* Returns the name of a key's current value ("gelu"); "" for a numeric key. */
const char *config_name(const struct model_config *config, const char *key);

/* Resolves defaults that depend on other keys, then checks that the settings fit together. Returns
 * NULL on success, else a static string that says what is wrong and what to do. */
const char *config_check(struct model_config *config);

#endif
