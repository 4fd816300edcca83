/* config.c - one table of keys serves reading, writing and checking the settings of a model.
 *
 * Source of keys, values and defaults: section CONF of weights/FORMAT.md. config_check.c checks
 * which values are allowed together.
 */
#include "model/config.h"

#include "model/tokenizer/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char CONFIG_UNKNOWN_KEY[] = "a key that this version knows";

/* The names of each kind's values, in the order of its enum. */
static const char *const NORMS[] = {"none", "layer", "rms", NULL};
static const char *const YES_NO[] = {"no", "yes", NULL};
static const char *const POSITIONS[] = {"none",   "sinusoidal", "learned",     "index",
                                        "binary", "fourier",    "exponential", NULL};
static const char *const PLACES[] = {"post", "pre", "sandwich", NULL};
static const char *const ACTIVATIONS[] = {"relu", "gelu", "gelu_tanh", "silu", NULL};
static const char *const GATES[] = {"none", "first", "second", NULL};
static const char *const MASKS[] = {"full", "causal", NULL};
static const char *const POOLINGS[] = {"none",          "mean", "cls",    "max", "mean_sqrt",
                                       "weighted_mean", "last", "pooler", NULL};
static const char *const DENSE[] = {"none", "identity",  "relu", "tanh",
                                    "gelu", "gelu_tanh", "silu", NULL};
static const char *const HEADS[] = {"none", "pooler", "sequence", "token", "mask", NULL};
static const char *const ATTENTION_POSITIONS[] = {"none", "rotary", "alibi", "distance", NULL};
static const char *const PAIRS[] = {"half", "interleaved", NULL};
static const char *const SPARSE[] = {"none", "linear", "mask", NULL};
static const char *const SPARSE_POOLINGS[] = {"max", "sum", NULL};
static const char *const SPARSE_ACTIVATIONS[] = {"log", "log_log", NULL};
static const char *const SCORES[] = {"none", "softmax", "sigmoid", NULL};

enum value_kind { VALUE_COUNT, VALUE_NUMBER, VALUE_NAME };

/* A setting of the first library version is always written to a file. A later one is written only
 * if it differs from its default, so that older libraries read every file that does not use it. */
enum since { FIRST, LATER };

struct config_key {
    enum since since;
    enum value_kind kind;
    const char *name;
    size_t offset;            /* of its field in struct model_config, which has the same name */
    const char *const *names; /* VALUE_NAME: the texts of the values 0, 1 ..., NULL */
    int64_t least;            /* the smallest of these values */
    const char *expected;
};

#define FIELD(field)                 #field, offsetof(struct model_config, field)
#define COUNT(field)                 VALUE_COUNT, FIELD(field), NULL, 0, "a whole number from 0 to 2147483647"
#define NUMBER(field)                VALUE_NUMBER, FIELD(field), NULL, 0, "a finite number, 0 or more"
#define NAME(field, names, expected) VALUE_NAME, FIELD(field), names, 0, "one of " expected
#define YES_OR_NO(field)             NAME(field, YES_NO, "yes, no")

static const struct config_key KEYS[] = {
    {FIRST, COUNT(layers)},
    {FIRST, COUNT(width)},
    {FIRST, COUNT(heads)},
    {FIRST, COUNT(feed_forward)},
    {FIRST, COUNT(vocabulary)},
    {FIRST, COUNT(max_tokens)},
    {FIRST, COUNT(token_types)},
    {FIRST, NUMBER(embedding_scale)},
    {FIRST, NAME(embedding_norm, NORMS, "none, layer, rms")},
    {FIRST,
     NAME(position, POSITIONS, "none, sinusoidal, learned, index, binary, fourier, exponential")},
    {FIRST, COUNT(position_offset)},
    {LATER, YES_OR_NO(position_skips_padding)},
    {LATER, NUMBER(position_base)},
    {LATER, NUMBER(position_scale)},
    {LATER, COUNT(position_frequencies)},
    {FIRST, NAME(norm, NORMS, "layer, rms")},
    {FIRST, NUMBER(norm_eps)},
    {FIRST, YES_OR_NO(norm_bias)},
    {FIRST, NAME(norm_place, PLACES, "post, pre, sandwich")},
    {FIRST, YES_OR_NO(final_norm)},
    {FIRST, YES_OR_NO(attention_bias)},
    {FIRST, YES_OR_NO(feed_forward_bias)},
    {FIRST, NAME(activation, ACTIVATIONS, "relu, gelu, gelu_tanh, silu")},
    {FIRST, NAME(gate, GATES, "none, first, second")},
    {FIRST, NAME(mask, MASKS, "full, causal")},
    {FIRST,
     NAME(pooling, POOLINGS, "none, mean, cls, max, mean_sqrt, weighted_mean, last, pooler")},
    {FIRST, YES_OR_NO(normalize)},
    {LATER, COUNT(embedding_width)},
    {LATER, COUNT(projections)},
    {LATER, VALUE_NAME, FIELD(projection_activation), DENSE, DENSE_IDENTITY,
     "one of identity, relu, tanh, gelu, gelu_tanh, silu"},
    {LATER, YES_OR_NO(projection_bias)},
    {LATER, NAME(head, HEADS, "none, pooler, sequence, token, mask")},
    {LATER, NAME(head_pooling, POOLINGS, "mean, cls, max, mean_sqrt, weighted_mean, last")},
    {LATER, NAME(head_dense, DENSE, "none, identity, relu, tanh, gelu, gelu_tanh, silu")},
    {LATER, YES_OR_NO(head_norm)},
    {LATER, YES_OR_NO(head_tied)},
    {LATER, YES_OR_NO(head_bias)},
    {LATER, COUNT(labels)},
    {LATER, NAME(scores, SCORES, "none, softmax, sigmoid")},
    {LATER, COUNT(max_text_tokens)},
    {LATER, NAME(attention_position, ATTENTION_POSITIONS, "none, rotary, alibi, distance")},
    {LATER, NUMBER(rotary_base)},
    {LATER, NUMBER(rotary_local_base)},
    {LATER, COUNT(rotary_width)},
    {LATER, NAME(rotary_pairs, PAIRS, "half, interleaved")},
    {LATER, NUMBER(rotary_factor)},
    {LATER, COUNT(rotary_trained)},
    {LATER, COUNT(distances)},
    {LATER, COUNT(window)},
    {LATER, COUNT(global_every)},
    {LATER, COUNT(global_first)},
    {LATER, YES_OR_NO(first_norm)},
    {LATER, COUNT(layer_groups)},
    {LATER, YES_OR_NO(feed_forward_in_bias)},
    {LATER, COUNT(head_width)},
    {LATER, COUNT(key_value_heads)},
    {LATER, YES_OR_NO(query_key_norm)},
    {LATER, NUMBER(score_scale)},
    {LATER, YES_OR_NO(head_dense_bias)},
    {LATER, COUNT(token_vectors)},
    {LATER, YES_OR_NO(token_vector_bias)},
    {LATER, NAME(sparse, SPARSE, "none, linear, mask")},
    {LATER, YES_OR_NO(token_vector_first)},
    {LATER, NAME(sparse_pooling, SPARSE_POOLINGS, "max, sum")},
    {LATER, NAME(sparse_activation, SPARSE_ACTIVATIONS, "log, log_log")},
};

enum { N_KEYS = sizeof KEYS / sizeof KEYS[0] };

static const struct config_key *find_key(const char *name)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (strcmp(KEYS[i].name, name) == 0)
            return &KEYS[i];
    return NULL;
}

static int64_t whole(const struct model_config *config, const struct config_key *key)
{
    return *(const int64_t *)(const void *)((const char *)config + key->offset);
}

static double number(const struct model_config *config, const struct config_key *key)
{
    return *(const double *)(const void *)((const char *)config + key->offset);
}

void config_defaults(struct model_config *config)
{
    *config = (struct model_config){
        .layers = -1,
        .width = -1,
        .heads = -1,
        .feed_forward = -1,
        .vocabulary = -1,
        .max_tokens = -1,
        .embedding_scale = 1,
        .position_base = 10000,
        .position_scale = 1,
        .norm = NORM_LAYER,
        .norm_bias = -1,
        .norm_place = NORM_POST,
        .attention_bias = true,
        .feed_forward_bias = true,
        .activation = ACTIVATION_GELU,
        .embedding_width = -1,
        .projection_activation = DENSE_IDENTITY,
        .projection_bias = true,
        .head_pooling = POOLING_CLS,
        .head_bias = true,
        .max_text_tokens = -1,
        .rotary_base = 10000,
        .rotary_local_base = -1,
        .rotary_width = -1,
        .rotary_factor = 1,
        .first_norm = true,
        .layer_groups = -1,
        .feed_forward_in_bias = -1,
        .head_width = -1,
        .key_value_heads = -1,
        .score_scale = -1,
        .head_dense_bias = true,
        .token_vector_bias = true,
        .token_vector_first = true,
    };
}

/* ---- Numbers ---- printf and strtod write and read the decimal point of the host's locale; files
 * have a '.'. */

enum { NUMBER_BYTES = 128 };

/* Stores the host's decimal point: the bytes that it prints between the digits of 0.5. */
static size_t decimal_point(char point[NUMBER_BYTES])
{
    snprintf(point, NUMBER_BYTES, "%.1f", 0.5);
    size_t len = strlen(point) - 2;
    memmove(point, point + 1, len);
    point[len] = '\0';
    return len;
}

static bool parse_number(const char *text, double *parsed)
{
    char point[NUMBER_BYTES], local[NUMBER_BYTES], *end;
    size_t before = strcspn(text, ".");
    bool has_point = text[before] == '.';
    if (text[0] < '0' || text[0] > '9' || text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    decimal_point(point);
    int len = snprintf(local, sizeof local, "%.*s%s%s", (int)before, text, has_point ? point : "",
                       text + before + has_point);
    *parsed = strtod(local, &end);
    return len < NUMBER_BYTES && *end == '\0' && isfinite(*parsed);
}

/* Writes the shortest text that reads back as the same number. */
static void print_number(double value, char *text, size_t cap)
{
    char point[NUMBER_BYTES], local[NUMBER_BYTES];
    size_t point_len = decimal_point(point);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(local, sizeof local, "%.*g", digits, value);
        if (strtod(local, NULL) == value)
            break;
    }
    if (value == floor(value) && fabs(value) < 1e9)
        snprintf(local, sizeof local, "%.0f", value); /* not 1e+04 */
    char *at = strstr(local, point);
    if (at == NULL)
        snprintf(text, cap, "%s", local);
    else
        snprintf(text, cap, "%.*s.%s", (int)(at - local), local, at + point_len);
}

/* ---- Names ---- */

const char *config_value_name(const char *name, int64_t value)
{
    const struct config_key *key = find_key(name);
    if (key == NULL || key->kind != VALUE_NAME || value < key->least)
        return NULL;
    for (int64_t i = 0; i < value; i++)
        if (key->names[i] == NULL)
            return NULL;
    return key->names[value];
}

int64_t config_value(const char *name, const char *value)
{
    const struct config_key *key = find_key(name);
    if (key == NULL || key->kind != VALUE_NAME)
        return -1;
    for (int64_t i = key->least; key->names[i] != NULL; i++)
        if (strcmp(key->names[i], value) == 0)
            return i;
    return -1;
}

const char *config_name(const struct model_config *config, const char *name)
{
    const struct config_key *key = find_key(name);
    const char *text = key != NULL ? config_value_name(name, whole(config, key)) : NULL;
    return text != NULL ? text : "";
}

/* ---- Settings ---- */

const char *config_set(struct model_config *config, const char *name, const char *value)
{
    const struct config_key *key = find_key(name);
    if (key == NULL)
        return CONFIG_UNKNOWN_KEY;
    void *field = (char *)config + key->offset;
    int64_t count = -1;
    double parsed;
    switch (key->kind) {
    case VALUE_NUMBER:
        if (!parse_number(value, &parsed))
            return key->expected;
        *(double *)field = parsed;
        return NULL;
    case VALUE_NAME: count = config_value(name, value); break;
    case VALUE_COUNT: count = list_number((struct text_view){value, strlen(value)}); break;
    }
    if (count < 0)
        return key->expected;
    *(int64_t *)field = count;
    return NULL;
}

const char *config_get(const struct model_config *config, size_t index, char *text, size_t cap)
{
    if (index >= N_KEYS)
        return NULL;
    const struct config_key *key = &KEYS[index];
    switch (key->kind) {
    case VALUE_NUMBER: print_number(number(config, key), text, cap); break;
    case VALUE_NAME: snprintf(text, cap, "%s", config_name(config, key->name)); break;
    case VALUE_COUNT: snprintf(text, cap, "%lld", (long long)whole(config, key)); break;
    }
    return key->name;
}

/* Returns whether the config would differ if the file did not have this key. */
bool config_is_written(const struct model_config *config, size_t index)
{
    const struct config_key *key = &KEYS[index];
    struct model_config without = *config, defaults;
    if (key->since == FIRST)
        return true;
    config_defaults(&defaults);
    memcpy((char *)&without + key->offset, (char *)&defaults + key->offset, sizeof(int64_t));
    config_resolve(&without);
    if (key->kind == VALUE_NUMBER)
        return number(config, key) != number(&without, key);
    return whole(config, key) != whole(&without, key);
}
