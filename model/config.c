/* config.c - one table of keys serves reading, writing and checking the settings of a model.
 *
 * Source of keys, values and defaults: section CONF of weights/FORMAT.md.
 */
#include "model/config.h"

#include "model/layers/position.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char CONFIG_UNKNOWN_KEY[] = "a key that this version knows";

enum value_kind { VALUE_COUNT, VALUE_NUMBER, VALUE_NAME };

static const char *const NORMS[] = {"none", "layer", "rms", NULL};
static const char *const YES_NO[] = {"no", "yes", NULL};
static const char *const POSITIONS[] = {"none",   "sinusoidal", "learned",     "index",
                                        "binary", "fourier",    "exponential", NULL};
static const char *const PLACES[] = {"post", "pre", NULL};
static const char *const ACTIVATIONS[] = {"relu", "gelu", "gelu_tanh", "silu", NULL};
static const char *const GATES[] = {"none", "first", "second", NULL};
static const char *const MASKS[] = {"full", "causal", NULL};
static const char *const POOLINGS[] = {"none",          "mean", "cls",    "max", "mean_sqrt",
                                       "weighted_mean", "last", "pooler", NULL};
static const char *const DENSE[] = {"identity", "relu", "tanh", "gelu", "gelu_tanh", "silu", NULL};
static const char *const HEAD_DENSE[] = {"none", "identity",  "relu", "tanh",
                                         "gelu", "gelu_tanh", "silu", NULL};
static const char *const HEADS[] = {"none", "pooler", "sequence", "token", "mask", NULL};
static const char *const SCORES[] = {"none", "softmax", "sigmoid", NULL};

struct config_key {
    const char *name;
    size_t offset;
    enum value_kind kind;
    const char *const *names; /* VALUE_NAME: the text of 0, 1, 2 ... */
    const char *expected;
};

#define COUNT(field, name)                                                                         \
    {                                                                                              \
        name, offsetof(struct model_config, field), VALUE_COUNT, NULL,                             \
            "a whole number from 0 to 2147483647"                                                  \
    }
#define NUMBER(field, name)                                                                        \
    {                                                                                              \
        name, offsetof(struct model_config, field), VALUE_NUMBER, NULL,                            \
            "a finite number, 0 or more"                                                           \
    }
#define NAME(field, name, names, expected)                                                         \
    {                                                                                              \
        name, offsetof(struct model_config, field), VALUE_NAME, names, "one of " expected          \
    }

static const struct config_key KEYS[] = {
    COUNT(layers, "layers"),
    COUNT(width, "width"),
    COUNT(heads, "heads"),
    COUNT(feed_forward, "feed_forward"),
    COUNT(vocabulary, "vocabulary"),
    COUNT(max_tokens, "max_tokens"),
    COUNT(token_types, "token_types"),
    NUMBER(embedding_scale, "embedding_scale"),
    NAME(embedding_norm, "embedding_norm", NORMS, "none, layer, rms"),
    NAME(position, "position", POSITIONS,
         "none, sinusoidal, learned, index, binary, fourier, exponential"),
    COUNT(position_offset, "position_offset"),
    NUMBER(position_base, "position_base"),
    NUMBER(position_scale, "position_scale"),
    COUNT(position_frequencies, "position_frequencies"),
    NAME(norm, "norm", NORMS, "layer, rms"),
    NUMBER(norm_eps, "norm_eps"),
    NAME(norm_bias, "norm_bias", YES_NO, "yes, no"),
    NAME(norm_place, "norm_place", PLACES, "post, pre"),
    NAME(final_norm, "final_norm", YES_NO, "yes, no"),
    NAME(attention_bias, "attention_bias", YES_NO, "yes, no"),
    NAME(feed_forward_bias, "feed_forward_bias", YES_NO, "yes, no"),
    NAME(activation, "activation", ACTIVATIONS, "relu, gelu, gelu_tanh, silu"),
    NAME(gate, "gate", GATES, "none, first, second"),
    NAME(mask, "mask", MASKS, "full, causal"),
    NAME(pooling, "pooling", POOLINGS,
         "none, mean, cls, max, mean_sqrt, weighted_mean, last, pooler"),
    NAME(normalize, "normalize", YES_NO, "yes, no"),
    COUNT(embedding_width, "embedding_width"),
    COUNT(projections, "projections"),
    NAME(projection_activation, "projection_activation", DENSE,
         "identity, relu, tanh, gelu, gelu_tanh, silu"),
    NAME(projection_bias, "projection_bias", YES_NO, "yes, no"),
    NAME(head, "head", HEADS, "none, pooler, sequence, token, mask"),
    NAME(head_pooling, "head_pooling", POOLINGS, "mean, cls, max, mean_sqrt, weighted_mean, last"),
    NAME(head_dense, "head_dense", HEAD_DENSE, "none, identity, relu, tanh, gelu, gelu_tanh, silu"),
    NAME(head_norm, "head_norm", YES_NO, "yes, no"),
    NAME(head_tied, "head_tied", YES_NO, "yes, no"),
    NAME(head_bias, "head_bias", YES_NO, "yes, no"),
    COUNT(labels, "labels"),
    NAME(scores, "scores", SCORES, "none, softmax, sigmoid"),
    COUNT(max_text_tokens, "max_text_tokens"),
};

enum { N_KEYS = sizeof KEYS / sizeof KEYS[0] };

static int64_t *whole(struct model_config *config, const struct config_key *key)
{
    return (int64_t *)(void *)((char *)config + key->offset);
}

static double *number(struct model_config *config, const struct config_key *key)
{
    return (double *)(void *)((char *)config + key->offset);
}

static const struct config_key *find_key(const char *name)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (strcmp(KEYS[i].name, name) == 0)
            return &KEYS[i];
    return NULL;
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
        .projection_bias = true,
        .head_pooling = POOLING_CLS,
        .head_bias = true,
        .max_text_tokens = -1,
    };
}

/* strtod in the C locale, whatever the host has set. */
static double parse_number(const char *text, char **end)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return strtod(text, end);
    double parsed = strtod_l(text, end, c_locale);
    freelocale(c_locale);
    return parsed;
}

/* The shortest text that reads back as the same number, in the C locale. */
static void print_number(double value, char *text, size_t cap)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c_locale); /* of this thread alone */
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, cap, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    if (value == floor(value) && fabs(value) < 1e9)
        snprintf(text, cap, "%.0f", value); /* not 1e+04 */
    uselocale(before);
    if (c_locale != (locale_t)0)
        freelocale(c_locale);
}

const char *config_set(struct model_config *config, const char *name, const char *value)
{
    const struct config_key *key = find_key(name);
    if (key == NULL)
        return CONFIG_UNKNOWN_KEY;
    if (key->kind == VALUE_NAME) {
        for (int64_t i = 0; key->names[i] != NULL; i++)
            if (strcmp(key->names[i], value) == 0) {
                *whole(config, key) = i;
                return NULL;
            }
        return key->expected;
    }
    char *end;
    errno = 0;
    if (value[0] < '0' || value[0] > '9')
        return key->expected;
    if (key->kind == VALUE_COUNT) {
        long long count = strtoll(value, &end, 10);
        if (*end != '\0' || errno != 0 || count > INT32_MAX)
            return key->expected;
        *whole(config, key) = count;
    } else {
        double parsed = parse_number(value, &end);
        if (*end != '\0' || !isfinite(parsed) || strpbrk(value, "xX") != NULL) /* 0x10 */
            return key->expected;
        *number(config, key) = parsed;
    }
    return NULL;
}

const char *config_get(const struct model_config *config, size_t index, char *text, size_t cap)
{
    if (index >= N_KEYS)
        return NULL;
    const struct config_key *key = &KEYS[index];
    struct model_config copy = *config;
    if (key->kind == VALUE_NUMBER) {
        print_number(*number(&copy, key), text, cap);
    } else if (key->kind == VALUE_NAME) {
        snprintf(text, cap, "%s", config_name(config, key->name));
    } else {
        snprintf(text, cap, "%lld", (long long)*whole(&copy, key));
    }
    return key->name;
}

bool config_is_unused(const struct model_config *config, size_t index)
{
    struct model_config unused;
    config_defaults(&unused);
    unused.embedding_width = config->width;
    unused.max_text_tokens = config->max_tokens;
    const struct config_key *key = &KEYS[index];
    bool of_position = key->offset >= offsetof(struct model_config, position_base) &&
                       key->offset <= offsetof(struct model_config, position_frequencies);
    bool later = of_position || key->offset >= offsetof(struct model_config, embedding_width);
    return later && memcmp((const char *)config + key->offset, (const char *)&unused + key->offset,
                           sizeof(int64_t)) == 0;
}

const char *config_name(const struct model_config *config, const char *name)
{
    const struct config_key *key = find_key(name);
    struct model_config copy = *config;
    if (key == NULL || key->kind != VALUE_NAME || *whole(&copy, key) < 0)
        return "";
    return key->names[*whole(&copy, key)];
}

/* A setting that the scheme does not use is a mistake in the file. */
static const char *check_position(const struct model_config *config)
{
    if (config->position_offset > 0 && config->position != POSITION_LEARNED)
        return "'position_offset' needs position learned";
    if (config->position_base != 10000 &&
        !position_has_base((enum position_scheme)config->position))
        return "'position_base' needs position sinusoidal or exponential";
    if (!(config->position_base >= POSITION_BASE_LEAST &&
          config->position_base <= POSITION_BASE_MOST))
        return "'position_base' is not from 1e-100 to 1e100";
    if (config->position_frequencies > 0 && config->position != POSITION_FOURIER)
        return "'position_frequencies' needs position fourier";
    if (config->position_frequencies > (config->embedding_width + 1) / 2)
        return "'position_frequencies' is more than half of the columns: each takes two";
    if (config->embedding_scale > (double)FLT_MAX || config->position_scale > (double)FLT_MAX)
        return "'embedding_scale' or 'position_scale' is more than f32 holds";
    return NULL;
}

static const char *check_head(const struct model_config *config)
{
    bool has_labels = config->head == HEAD_SEQUENCE || config->head == HEAD_TOKEN;
    if (config->projections > MAX_PROJECTIONS)
        return "'projections' is more than 8";
    if (has_labels != (config->labels > 0))
        return "'labels' must be 1 or more with head sequence or token, and 0 without";
    if (config->head == HEAD_POOLER && config->head_dense == 0)
        return "head pooler needs a 'head_dense'";
    if (config->head_tied && config->head != HEAD_MASK)
        return "'head_tied' needs head mask";
    if (config->embedding_width > config->width)
        return "'embedding_width' is more than 'width'";
    if (config->head_tied && config->embedding_width != config->width)
        return "'head_tied' needs embedding tables of the model's width";
    if (config->head == HEAD_NONE && (config->head_dense != 0 || config->head_norm))
        return "'head_dense' and 'head_norm' need a 'head'";
    if (config->head_pooling == POOLING_NONE || config->head_pooling == POOLING_POOLER)
        return "'head_pooling' is none or pooler; expected mean, cls, max, mean_sqrt, "
               "weighted_mean, last";
    if (config->head_pooling != POOLING_CLS && config->head != HEAD_SEQUENCE)
        return "'head_pooling' needs head sequence";
    if (config->pooling == POOLING_POOLER && config->head_pooling != POOLING_CLS)
        return "pooling pooler reads the first token, but 'head_pooling' is not cls";
    if (config->pooling == POOLING_POOLER &&
        (config->head_dense == 0 || (config->head != HEAD_POOLER && config->head != HEAD_SEQUENCE)))
        return "pooling pooler needs head pooler or sequence with a 'head_dense'";
    return NULL;
}

/* A file without a model: all that is left to say is how many ids there are, and how long a text
 * may be. */
static const char *check_tokenizer_alone(struct model_config *config)
{
    config->width = config->layers = config->heads = config->feed_forward = 0;
    config->embedding_width = 0;
    if (config->max_tokens < 1)
        config->max_tokens = MOST_TOKENS;
    config->max_text_tokens = config->max_tokens;
    return config->vocabulary < 1 ? "'vocabulary' is missing or 0" : NULL;
}

const char *config_check(struct model_config *config)
{
    if (config->norm_bias < 0)
        config->norm_bias = config->norm == NORM_LAYER;
    if (config->embedding_width < 1)
        config->embedding_width = config->width;
    if (config->width < 0 && config->layers < 0)
        return check_tokenizer_alone(config);
    if (config->layers == 0) {
        config->heads = config->heads < 0 ? 0 : config->heads;
        config->feed_forward = config->feed_forward < 0 ? 0 : config->feed_forward;
    }
    if (config->layers < 0)
        return "'layers' is missing";
    if (config->width < 1)
        return "'width' is missing or 0";
    if (config->vocabulary < 1)
        return "'vocabulary' is missing or 0";
    if (config->max_tokens < 1)
        return "'max_tokens' is missing or 0";
    if (config->max_tokens > MOST_TOKENS)
        return "'max_tokens' is more than 1048576";
    if (config->max_text_tokens < 0)
        config->max_text_tokens = config->max_tokens;
    if (config->max_text_tokens < 1 || config->max_text_tokens > config->max_tokens)
        return "'max_text_tokens' is 0 or more than 'max_tokens'";
    if (config->layers > 0 && (config->heads < 1 || config->feed_forward < 1))
        return "'heads' or 'feed_forward' is missing or 0";
    if (config->layers > 0 && config->width % config->heads != 0)
        return "'heads' does not divide 'width'";
    if (config->norm == NORM_NONE)
        return "'norm' is none; expected layer or rms";
    if (config->norm == NORM_RMS && config->norm_bias == 1)
        return "'norm_bias' is yes, but rms norm has none";
    bool has_norm = config->layers > 0 || config->embedding_norm != NORM_NONE ||
                    config->final_norm || config->head_norm;
    if (has_norm && !((float)config->norm_eps > 0)) /* norms compute in float */
        return "'norm_eps' is missing or 0";
    const char *wrong = check_position(config);
    return wrong != NULL ? wrong : check_head(config);
}
