/* config.h - what kind of encoder a model is: sizes and kinds, with their names in weight files.
 *
 * Legend of shapes, true everywhere: B sequences, T tokens, D width, H heads, K head width, F
 * feed-forward width, V vocabulary, L layers. Matrices are row-major; weights of linear layers are
 * [out, in] and y = x·Wᵀ + b.
 */
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include "engine/engine_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Names ---- Each value of a setting is written once, as a row of its list: (constant, name in
 * weight files). Enums, tables, messages and help are made from these lists. */

#define CONSTANT_AND_COMMA(constant, name) constant,
#define FIRST_NAME(constant, name)         name
#define NEXT_NAME(constant, name)          ", " name
#define CONSTANTS_OF(LIST)                 LIST(CONSTANT_AND_COMMA, CONSTANT_AND_COMMA)
#define NAMES_OF(LIST)                     LIST(FIRST_NAME, NEXT_NAME) /* "none, layer, rms" */

#define POSITION_SCHEMES(FIRST, ROW)                                                               \
    FIRST(POSITION_NONE, "none")                                                                   \
    ROW(POSITION_SINUSOIDAL, "sinusoidal")                                                         \
    ROW(POSITION_LEARNED, "learned")                                                               \
    ROW(POSITION_INDEX, "index")                                                                   \
    ROW(POSITION_BINARY, "binary")                                                                 \
    ROW(POSITION_FOURIER, "fourier")                                                               \
    ROW(POSITION_EXPONENTIAL, "exponential")
enum position_scheme { CONSTANTS_OF(POSITION_SCHEMES) };

static inline bool position_has_base(enum position_scheme scheme)
{
    return scheme == POSITION_SINUSOIDAL || scheme == POSITION_EXPONENTIAL;
}

/* Returns whether the scheme's rows are computed, the same in every text: they can be cached. */
static inline bool position_has_rows(enum position_scheme scheme)
{
    return scheme != POSITION_NONE && scheme != POSITION_LEARNED && scheme != POSITION_INDEX;
}

/* Returns whether wavelengths, those of rotary positions too, may have this base. */
static inline bool position_is_base(double base)
{
    return base >= ENGINE_POSITION_BASE_LEAST && base <= ENGINE_POSITION_BASE_MOST;
}

/* Positions that act inside attention, in addition to the row that the embedding step adds. */
#define ATTENTION_POSITIONS(FIRST, ROW)                                                            \
    FIRST(ATTENTION_POSITION_NONE, "none")                                                         \
    ROW(ATTENTION_POSITION_ROTARY, "rotary")                                                       \
    ROW(ATTENTION_POSITION_ALIBI, "alibi")                                                         \
    ROW(ATTENTION_POSITION_DISTANCE, "distance")                                                   \
    ROW(ATTENTION_POSITION_DISENTANGLED, "disentangled")
enum attention_position { CONSTANTS_OF(ATTENTION_POSITIONS) };

/* The products of a disentangled score: content by position, position by content. */
#define POSITION_TERMS(FIRST, ROW)                                                                 \
    FIRST(TERMS_BOTH, "both") ROW(TERMS_C2P, "c2p") ROW(TERMS_P2C, "p2c")
enum position_terms { CONSTANTS_OF(POSITION_TERMS) };

/* Which columns of a head are rotated together: i and i + width/2, or 2i and 2i + 1. */
#define ROTARY_PAIRS(FIRST, ROW) FIRST(ROTARY_HALF, "half") ROW(ROTARY_INTERLEAVED, "interleaved")
enum rotary_pairs { CONSTANTS_OF(ROTARY_PAIRS) };

#define LAYER_NORMS(FIRST, ROW) FIRST(NORM_LAYER, "layer") ROW(NORM_RMS, "rms")
#define NORMS(FIRST, ROW)       FIRST(NORM_NONE, "none") LAYER_NORMS(ROW, ROW)
enum norm_kind { CONSTANTS_OF(NORMS) };

#define NORM_PLACES(FIRST, ROW)                                                                    \
    FIRST(NORM_POST, "post")                                                                       \
    ROW(NORM_PRE, "pre") ROW(NORM_SANDWICH, "sandwich") ROW(NORM_TWICE, "twice")
enum norm_place { CONSTANTS_OF(NORM_PLACES) };

/* Norms of queries and keys: of each head, or of the columns of all heads. */
#define QUERY_KEY_NORMS(FIRST, ROW)                                                                \
    FIRST(QUERY_KEY_NONE, "no") ROW(QUERY_KEY_HEADS, "yes") ROW(QUERY_KEY_ALL, "all")
enum query_key_norm { CONSTANTS_OF(QUERY_KEY_NORMS) };

#define ACTIVATIONS(FIRST, ROW)                                                                    \
    FIRST(ACTIVATION_RELU, "relu")                                                                 \
    ROW(ACTIVATION_GELU, "gelu")                                                                   \
    ROW(ACTIVATION_GELU_TANH, "gelu_tanh")                                                         \
    ROW(ACTIVATION_SILU, "silu")
enum activation { CONSTANTS_OF(ACTIVATIONS) };

/* The half that the activation is applied to. */
#define GATES(FIRST, ROW)                                                                          \
    FIRST(GATE_NONE, "none") ROW(GATE_FIRST, "first") ROW(GATE_SECOND, "second")
enum gate { CONSTANTS_OF(GATES) };

#define MASKS(FIRST, ROW) FIRST(MASK_FULL, "full") ROW(MASK_CAUSAL, "causal")
enum mask_kind { CONSTANTS_OF(MASKS) };

#define TOKEN_POOLINGS(FIRST, ROW)                                                                 \
    FIRST(POOLING_MEAN, "mean")                                                                    \
    ROW(POOLING_CLS, "cls")                                                                        \
    ROW(POOLING_MAX, "max")                                                                        \
    ROW(POOLING_MEAN_SQRT, "mean_sqrt")                                                            \
    ROW(POOLING_WEIGHTED_MEAN, "weighted_mean")                                                    \
    ROW(POOLING_LAST, "last")
#define POOLINGS(FIRST, ROW)                                                                       \
    FIRST(POOLING_NONE, "none") TOKEN_POOLINGS(ROW, ROW) ROW(POOLING_POOLER, "pooler")
enum pooling { CONSTANTS_OF(POOLINGS) };

#define HEADS(FIRST, ROW)                                                                          \
    FIRST(HEAD_NONE, "none")                                                                       \
    ROW(HEAD_POOLER, "pooler")                                                                     \
    ROW(HEAD_SEQUENCE, "sequence")                                                                 \
    ROW(HEAD_TOKEN, "token")                                                                       \
    ROW(HEAD_MASK, "mask")
enum head_kind { CONSTANTS_OF(HEADS) };

/* Source of the weights of token ids; how they are pooled over tokens; log(1 + relu), or log(1 +
 * that). */
#define SPARSE_KINDS(FIRST, ROW)                                                                   \
    FIRST(SPARSE_NONE, "none") ROW(SPARSE_LINEAR, "linear") ROW(SPARSE_MASK, "mask")
#define SPARSE_POOLINGS(FIRST, ROW)    FIRST(SPARSE_MAX, "max") ROW(SPARSE_SUM, "sum")
#define SPARSE_ACTIVATIONS(FIRST, ROW) FIRST(SPARSE_LOG, "log") ROW(SPARSE_LOG_LOG, "log_log")
enum sparse { CONSTANTS_OF(SPARSE_KINDS) };
enum sparse_pooling { CONSTANTS_OF(SPARSE_POOLINGS) };
enum sparse_activation { CONSTANTS_OF(SPARSE_ACTIVATIONS) };

#define SCORES(FIRST, ROW)                                                                         \
    FIRST(SCORES_NONE, "none") ROW(SCORES_SOFTMAX, "softmax") ROW(SCORES_SIGMOID, "sigmoid")
enum scores { CONSTANTS_OF(SCORES) };

/* Activation of a dense layer of a head or a projection; DENSE_NONE: the layer is absent. */
#define DENSE_ACTIVATIONS(FIRST, ROW)                                                              \
    FIRST(DENSE_IDENTITY, "identity")                                                              \
    ROW(DENSE_RELU, "relu")                                                                        \
    ROW(DENSE_TANH, "tanh")                                                                        \
    ROW(DENSE_GELU, "gelu")                                                                        \
    ROW(DENSE_GELU_TANH, "gelu_tanh")                                                              \
    ROW(DENSE_SILU, "silu")                                                                        \
    ROW(DENSE_SIGMOID, "sigmoid")
#define DENSE_LAYERS(FIRST, ROW) FIRST(DENSE_NONE, "none") DENSE_ACTIVATIONS(ROW, ROW)
/* What a projection is: a dense layer with its activation, or a layer norm. */
#define PROJECTIONS(FIRST, ROW) DENSE_LAYERS(FIRST, ROW) ROW(DENSE_LAYER_NORM, "layer_norm")
enum dense_activation { CONSTANTS_OF(PROJECTIONS) };

/* A list of at most 8 names: the i-th value, 1 to 15, is in bits 4i to 4i + 3; 0 after the last. */
typedef uint64_t config_list;
enum { LIST_MOST = 8 };

static inline unsigned list_item(config_list list, size_t i)
{
    return i < LIST_MOST ? (unsigned)(list >> 4 * i & 15) : 0;
}

static inline size_t list_len(config_list list)
{
    return list == 0 ? 0 : (size_t)(67 - __builtin_clzll(list)) / 4;
}

static inline config_list list_with(config_list list, size_t i, unsigned value)
{
    return list | (config_list)value << 4 * i;
}

/* ---- Settings ---- */

/* Bounds 'max_tokens', so that a damaged file cannot ask for terabytes of positions, and 'layers'
 * that share tensors, so that a small file cannot ask for endless work. */
enum { MOST_TOKENS = 1 << 20, MOST_SHARED_LAYERS = 1024, MAX_PROJECTIONS = 8, MOST_EXPERTS = 1024 };

/* A count that is absent from the file, until config_check. */
#define CONFIG_ABSENT ((size_t)-1)

/* Returns whether a count is there, and not 0. */
static inline bool is_count(size_t count)
{
    return count != 0 && count != CONFIG_ABSENT;
}

/* A setting of the first library version is always written to a file. A later one is written only
 * if it differs from its default, so that older libraries read every file that does not use it. */
enum since { FIRST, LATER };

/* A row for each setting, in the order of weights/FORMAT.md: its name, its type or values, and its
 * value if it is absent. NAME: its enum, names, and the names that messages show. Counts are at
 * most INT32_MAX, or CONFIG_ABSENT. The struct, the table of keys and the defaults are made of
 * these rows. */
/* clang-format off */
#define SETTINGS(COUNT, NUMBER, YES, NAME, LIST) \
    COUNT(FIRST, layers, CONFIG_ABSENT) \
    COUNT(FIRST, width, CONFIG_ABSENT) \
    COUNT(FIRST, heads, CONFIG_ABSENT) \
    COUNT(FIRST, feed_forward, CONFIG_ABSENT) \
    COUNT(FIRST, vocabulary, CONFIG_ABSENT) \
    COUNT(FIRST, max_tokens, CONFIG_ABSENT) \
    COUNT(FIRST, token_types, 0) \
    NUMBER(FIRST, embedding_scale, 1) \
    NAME(FIRST, norm_kind, embedding_norm, NORMS, NORMS, NORM_NONE) \
    NAME(FIRST, position_scheme, position, POSITION_SCHEMES, POSITION_SCHEMES, POSITION_NONE) \
    COUNT(FIRST, position_offset, 0) \
    YES(LATER, bool, position_skips_padding, false) \
    NUMBER(LATER, position_base, 10000) \
    NUMBER(LATER, position_scale, 1) \
    COUNT(LATER, position_frequencies, 0) /* 0: harmonics */ \
    NAME(FIRST, norm_kind, norm, NORMS, LAYER_NORMS, NORM_LAYER) /* never none */ \
    NUMBER(FIRST, norm_eps, 0) \
    YES(FIRST, int8_t, norm_bias, -1) /* -1: absent */ \
    NAME(FIRST, norm_place, norm_place, NORM_PLACES, NORM_PLACES, NORM_POST) \
    YES(FIRST, bool, final_norm, false) \
    YES(FIRST, bool, attention_bias, true) \
    YES(FIRST, bool, feed_forward_bias, true) \
    NAME(FIRST, activation, activation, ACTIVATIONS, ACTIVATIONS, ACTIVATION_GELU) \
    NAME(FIRST, gate, gate, GATES, GATES, GATE_NONE) \
    NAME(FIRST, mask_kind, mask, MASKS, MASKS, MASK_FULL) \
    NAME(FIRST, pooling, pooling, POOLINGS, POOLINGS, POOLING_NONE) \
    YES(FIRST, bool, normalize, false) \
    LIST(LATER, joined_poolings, POOLINGS, NAMES_OF(TOKEN_POOLINGS), 0) /* more vectors */ \
    YES(LATER, bool, pools_prompt, true) \
    COUNT(LATER, embedding_width, CONFIG_ABSENT) /* E; config_check: D if absent */ \
    COUNT(LATER, projections, 0) \
    LIST(LATER, projection_activation, PROJECTIONS, NAMES_OF(DENSE_ACTIVATIONS) ", layer_norm", \
         DENSE_IDENTITY) /* of each, or of all */ \
    YES(LATER, bool, projection_bias, true) \
    NAME(LATER, head_kind, head, HEADS, HEADS, HEAD_NONE) \
    NAME(LATER, pooling, head_pooling, POOLINGS, TOKEN_POOLINGS, POOLING_CLS) /* of these */ \
    YES(LATER, bool, head_late, false) \
    NAME(LATER, dense_activation, head_dense, DENSE_LAYERS, DENSE_LAYERS, DENSE_NONE) \
    YES(LATER, bool, head_norm, false) \
    YES(LATER, bool, head_tied, false) \
    YES(LATER, bool, head_bias, true) \
    COUNT(LATER, labels, 0) \
    NAME(LATER, scores, scores, SCORES, SCORES, SCORES_NONE) \
    COUNT(LATER, max_text_tokens, CONFIG_ABSENT) /* config_check: max_tokens if absent */ \
    NAME(LATER, attention_position, attention_position, ATTENTION_POSITIONS, ATTENTION_POSITIONS, \
         ATTENTION_POSITION_NONE) \
    NUMBER(LATER, rotary_base, 10000) \
    NUMBER(LATER, rotary_local_base, -1) \
    COUNT(LATER, rotary_width, CONFIG_ABSENT) /* columns of a head that are rotated */ \
    NAME(LATER, rotary_pairs, rotary_pairs, ROTARY_PAIRS, ROTARY_PAIRS, ROTARY_HALF) \
    NUMBER(LATER, rotary_factor, 1) \
    COUNT(LATER, rotary_trained, 0) /* tokens; beyond, the base grows; 0: never */ \
    COUNT(LATER, distances, 0) /* R: biases from -R to R; or the last bucket's */ \
    COUNT(LATER, window, 0) /* a query sees keys at most `window` away; 0: all */ \
    COUNT(LATER, global_every, 0) \
    COUNT(LATER, global_first, 0) \
    YES(LATER, bool, first_norm, true) \
    COUNT(LATER, layer_groups, CONFIG_ABSENT) /* G: layer l uses the tensors of l·G/L */ \
    YES(LATER, int8_t, feed_forward_in_bias, -1) /* -1: absent */ \
    COUNT(LATER, head_width, CONFIG_ABSENT) /* K */ \
    COUNT(LATER, key_value_heads, CONFIG_ABSENT) /* of keys and values, a divisor of H */ \
    COUNT(LATER, global_head_width, CONFIG_ABSENT) /* the same of layers that see all tokens */ \
    COUNT(LATER, global_key_value_heads, CONFIG_ABSENT) \
    NAME(LATER, query_key_norm, query_key_norm, QUERY_KEY_NORMS, QUERY_KEY_NORMS, QUERY_KEY_NONE) \
    YES(LATER, bool, value_norm, false) \
    COUNT(LATER, layer_input_width, 0) /* P; 0: layers take nothing from the embedding itself */ \
    NUMBER(LATER, score_scale, -1) /* factor on q·k */ \
    YES(LATER, bool, head_dense_bias, true) \
    COUNT(LATER, token_vectors, 0) /* W: width of a vector for each token */ \
    YES(LATER, bool, token_vector_bias, true) \
    NAME(LATER, sparse, sparse, SPARSE_KINDS, SPARSE_KINDS, SPARSE_NONE) \
    YES(LATER, bool, token_vector_first, true) \
    NAME(LATER, sparse_pooling, sparse_pooling, SPARSE_POOLINGS, SPARSE_POOLINGS, SPARSE_MAX) \
    NAME(LATER, sparse_activation, sparse_activation, SPARSE_ACTIVATIONS, SPARSE_ACTIVATIONS, \
         SPARSE_LOG) \
    YES(LATER, bool, query_weights, false) /* sparse, of token ids alone */ \
    COUNT(LATER, query_tokens, 0) /* most tokens of a query; 0: as of a text */ \
    COUNT(LATER, query_filler, CONFIG_ABSENT) /* id that fills queries up to query_tokens */ \
    YES(LATER, bool, query_filler_seen, true) /* by the attention of other tokens */ \
    COUNT(LATER, position_buckets, 0) /* disentangled: of a side; 0: one a distance */ \
    NAME(LATER, position_terms, position_terms, POSITION_TERMS, POSITION_TERMS, TERMS_BOTH) \
    COUNT(LATER, experts, 0) /* of a layer with experts */ \
    COUNT(LATER, experts_used, 0) /* of each token there */ \
    COUNT(LATER, experts_every, 0) /* layers l with l mod experts_every = 1 have them */
/* clang-format on */

#define COUNT_FIELD(since, field, value)                    size_t field;
#define NUMBER_FIELD(since, field, value)                   double field;
#define YES_FIELD(since, type, field, value)                type field;
#define NAME_FIELD(since, type, field, NAMES, SHOWN, value) enum type field;
#define LIST_FIELD(since, field, NAMES, shown, value)       config_list field;
struct model_config {
    SETTINGS(COUNT_FIELD, NUMBER_FIELD, YES_FIELD, NAME_FIELD, LIST_FIELD)
};

/* The defaults of weights/FORMAT.md. Counts without a default are CONFIG_ABSENT, norm_eps is 0;
 * keys whose default is the value of other keys are absent (numbers: -1) until config_check. */
extern const struct model_config CONFIG_DEFAULTS;

/* Gives each absent key that other keys determine its value; others stay absent. */
void config_resolve(struct model_config *config);

/* Returns whether a router gives each token of the layer some of several feed-forward parts. */
static inline bool config_has_experts(const struct model_config *config, size_t layer)
{
    return config->experts_every > 0 && layer % config->experts_every == 1;
}

/* Returns whether layer `layer` sees all tokens in spite of a window. */
static inline bool config_is_global(const struct model_config *config, size_t layer)
{
    return config->window == 0 ||
           (config->global_every > 0 && layer % config->global_every == config->global_first);
}

static inline size_t config_head_width(const struct model_config *config, size_t layer)
{
    return config_is_global(config, layer) ? config->global_head_width : config->head_width;
}

static inline size_t config_key_value_heads(const struct model_config *config, size_t layer)
{
    return config_is_global(config, layer) ? config->global_key_value_heads
                                           : config->key_value_heads;
}

/* Whether norms come after the sums, and not before the halves of a layer. */
static inline bool config_is_post(const struct model_config *config)
{
    return config->norm_place == NORM_POST || config->norm_place == NORM_TWICE;
}

/* Returns whether attention adds a bias by distance to its scores. */
static inline bool config_has_bias(const struct model_config *config)
{
    return config->attention_position == ATTENTION_POSITION_ALIBI ||
           config->attention_position == ATTENTION_POSITION_DISTANCE;
}

/* Disentangled positions: S, so that there are 2S of a head; and the rows of their tables, rounded
 * up to a multiple of 16 for each head; 0 if the model's attention has none. */
static inline size_t config_span(const struct model_config *config)
{
    bool is_used = config->attention_position == ATTENTION_POSITION_DISENTANGLED;
    size_t span = config->position_buckets > 0 ? config->position_buckets : config->distances;
    return is_used ? span : 0;
}

static inline size_t config_position_rows(const struct model_config *config)
{
    return config->heads * ((2 * config_span(config) + 15) / 16 * 16);
}

/* Returns the columns of the row that a head's output layer reads: E if it is tied, else D. */
static inline size_t config_head_columns(const struct model_config *config)
{
    return config->head_tied ? config->embedding_width : config->width;
}

/* Returns the columns of the model's own pooled vector, before its projections. */
static inline size_t config_pooled_width(const struct model_config *config)
{
    return (1 + list_len(config->joined_poolings)) * config->width;
}

static inline enum dense_activation config_projection(const struct model_config *config, size_t i)
{
    const bool is_for_all = list_item(config->projection_activation, 1) == 0;
    return (enum dense_activation)list_item(config->projection_activation, is_for_all ? 0 : i);
}

/* Sets one key from its text. Returns NULL on success, else a static string that says what was
 * expected ("a whole number from 0 to 2147483647", "one of none, layer, rms"), or
 * CONFIG_UNKNOWN_KEY. */
const char *config_set(struct model_config *config, const char *key, const char *value);
extern const char CONFIG_UNKNOWN_KEY[];

/* Returns the index-th key, and its value in `text` (128 bytes hold any); NULL past the last. */
const char *config_get(const struct model_config *config, size_t index, char *text, size_t cap);

/* Returns whether a file must have the index-th key: always for keys of the first library version,
 * and for later keys if their value in the checked config is not the default. */
bool config_is_written(const struct model_config *config, size_t index);

/* Names of values, static: config_value_name("pooling", POOLING_MAX) is "max", or NULL if the
 * number is not a value of the key; config_value("pooling", "max") is POOLING_MAX, or -1 if the
 * name is unknown. Numeric keys have no names. */
const char *config_value_name(const char *key, int64_t value);
int64_t config_value(const char *key, const char *name);

/* Resolves defaults that depend on other keys, then checks that the settings fit together. Returns
 * NULL on success, else a static string that says what is wrong and what to do. */
const char *config_check(struct model_config *config);

#endif
