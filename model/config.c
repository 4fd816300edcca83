/* config.c - one table of keys serves reading, writing and checking the settings of a model.
 * Source of keys, values and defaults: section CONF of weights/FORMAT.md.
 */
#include "model/config.h"

#include "model/tokenizer/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char CONFIG_UNKNOWN_KEY[] = "a key that this version knows";

enum value_kind { VALUE_COUNT, VALUE_NUMBER, VALUE_NAME, VALUE_LIST };

struct config_key {
    enum since since;
    enum value_kind kind;
    const char *name;
    size_t offset, bytes;     /* of its field in struct model_config, which has the same name */
    const char *const *names; /* of a name or a list: the texts of the values 0, 1 ..., NULL */
    int64_t least;            /* the smallest of these values */
    const char *expected;
};

// clang-format off
#define FIELD(field) \
    #field, offsetof(struct model_config, field), sizeof((struct model_config *)0)->field
#define NAME_AT(constant, name) [constant] = name,
#define TEXTS_OF(NAMES) (const char *const[]){NAMES(NAME_AT, NAME_AT) NULL}
#define COUNT_KEY(since, field, value) \
    {since, VALUE_COUNT, FIELD(field), NULL, 0, "a whole number from 0 to 2147483647"},
#define NUMBER_KEY(since, field, value) \
    {since, VALUE_NUMBER, FIELD(field), NULL, 0, "a finite number, 0 or more"},
#define YES_KEY(since, type, field, value) \
    {since, VALUE_NAME, FIELD(field), (const char *const[]){"no", "yes", NULL}, 0, \
     "one of yes, no"},
#define NAME_KEY(since, type, field, NAMES, SHOWN, value) \
    {since, VALUE_NAME, FIELD(field), TEXTS_OF(NAMES), 0, "one of " NAMES_OF(SHOWN)},
#define LIST_KEY(since, field, NAMES, shown, value) \
    {since, VALUE_LIST, FIELD(field), TEXTS_OF(NAMES), 1, \
     "at most 8 of " shown ", separated by commas"},
static const struct config_key KEYS[] = {
    SETTINGS(COUNT_KEY, NUMBER_KEY, YES_KEY, NAME_KEY, LIST_KEY)
};

#define VALUE(since, field, value)                          .field = value,
#define YES_VALUE(since, type, field, value)                .field = value,
#define NAME_VALUE(since, type, field, NAMES, SHOWN, value) .field = value,
#define LIST_VALUE(since, field, NAMES, shown, value)       .field = value,
const struct model_config CONFIG_DEFAULTS = {
    SETTINGS(VALUE, VALUE, YES_VALUE, NAME_VALUE, LIST_VALUE)
};
// clang-format on

enum { N_KEYS = sizeof KEYS / sizeof KEYS[0] };

static const struct config_key *find_key(const char *name)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (strcmp(KEYS[i].name, name) == 0)
            return &KEYS[i];
    return NULL;
}

/* Returns the value of a count or a name: -1 if it is absent. Of a field of less than 64 bits these
 * are the low bytes, which come first; -1 has all bits set in a field of any width. */
static int64_t whole(const struct model_config *config, const struct config_key *key)
{
    uint64_t value = 0;
    size_t n_unused = 8 * (sizeof value - key->bytes);
    memcpy(&value, (const char *)config + key->offset, key->bytes);
    return (int64_t)(value << n_unused) >> n_unused;
}

static double number(const struct model_config *config, const struct config_key *key)
{
    return *(const double *)(const void *)((const char *)config + key->offset);
}

/* ---- Numbers ---- printf and strtod write and read the decimal point of the host's locale, which
 * is what they have between digits; files have a '.'. */

#define DIGITS "0123456789"
enum { NUMBER_BYTES = 128 };

static bool parse_number(const char *text, double *parsed)
{
    char half[NUMBER_BYTES], local[NUMBER_BYTES], *end;
    const int before = (int)strcspn(text, "."), has_point = text[before] == '.';
    if (text[0] < '0' || text[0] > '9' || text[strspn(text, DIGITS ".eE+-")] != '\0')
        return false;
    const int point_len = snprintf(half, sizeof half, "%.1f", 0.5) - 2;
    int len = snprintf(local, sizeof local, "%.*s%.*s%s", before, text, has_point * point_len,
                       half + 1, text + before + has_point);
    *parsed = strtod(local, &end);
    return len < NUMBER_BYTES && *end == '\0' && isfinite(*parsed);
}

/* Writes the shortest text that reads back as the same number. */
static void print_number(double value, char *text, size_t cap)
{
    char local[NUMBER_BYTES];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(local, sizeof local, "%.*g", digits, value);
        if (strtod(local, NULL) == value)
            break;
    }
    if (value == floor(value) && fabs(value) < 1e9)
        snprintf(local, sizeof local, "%.0f", value); /* not 1e+04 */
    const size_t before = strspn(local, DIGITS), point_len = strcspn(local + before, DIGITS "e");
    snprintf(text, cap, "%.*s%s%s", (int)before, local, point_len > 0 ? "." : "",
             local + before + point_len);
}

/* ---- Names ---- */

const char *config_value_name(const char *name, int64_t value)
{
    const struct config_key *key = find_key(name);
    if (key == NULL || key->names == NULL || value < key->least)
        return NULL;
    for (int64_t i = 0; i < value; i++)
        if (key->names[i] == NULL)
            return NULL;
    return key->names[value];
}

int64_t config_value(const char *name, const char *value)
{
    const struct config_key *key = find_key(name);
    if (key == NULL || key->names == NULL)
        return -1;
    for (int64_t i = key->least; key->names[i] != NULL; i++)
        if (strcmp(key->names[i], value) == 0)
            return i;
    return -1;
}

/* Returns a list of names that commas separate, or -1 if it is none. */
static int64_t parse_list(const char *name, const char *text)
{
    config_list list = 0;
    char one[32];
    for (size_t i = 0, len; i < LIST_MOST; i++, text += len + 1) {
        len = strcspn(text, ",");
        snprintf(one, sizeof one, "%.*s", (int)(len < sizeof one ? len : sizeof one), text);
        int64_t value = config_value(name, one);
        if (value < 0)
            return -1;
        list = list_with(list, i, (unsigned)value);
        if (text[len] == '\0')
            return (int64_t)list;
    }
    return -1;
}

/* ---- Settings ---- */

const char *config_set(struct model_config *config, const char *name, const char *value)
{
    const struct config_key *key = find_key(name);
    if (key == NULL)
        return CONFIG_UNKNOWN_KEY;
    int64_t count = -1;
    double parsed;
    switch (key->kind) {
    case VALUE_NUMBER:
        if (!parse_number(value, &parsed))
            return key->expected;
        memcpy((char *)config + key->offset, &parsed, sizeof parsed);
        return NULL;
    case VALUE_NAME: count = config_value(name, value); break;
    case VALUE_LIST: count = parse_list(name, value); break;
    case VALUE_COUNT: count = list_number((struct text_view){value, strlen(value)}); break;
    }
    if (count < 0)
        return key->expected;
    memcpy((char *)config + key->offset, &count, key->bytes);
    return NULL;
}

const char *config_get(const struct model_config *config, size_t index, char *text, size_t cap)
{
    if (index >= N_KEYS)
        return NULL;
    const struct config_key *key = &KEYS[index];
    const int64_t value = whole(config, key);
    if (cap > 0)
        *text = '\0';
    switch (key->kind) {
    case VALUE_NUMBER: print_number(number(config, key), text, cap); break;
    case VALUE_NAME: snprintf(text, cap, "%s", value >= 0 ? key->names[value] : ""); break;
    case VALUE_LIST:
        for (size_t i = 0, used = 0; list_item((config_list)value, i) > 0 && used < cap; i++)
            used += (size_t)snprintf(text + used, cap - used, i > 0 ? ",%s" : "%s",
                                     key->names[list_item((config_list)value, i)]);
        break;
    case VALUE_COUNT: snprintf(text, cap, "%lld", (long long)value); break;
    }
    return key->name;
}

/* Returns whether the config would differ if the file did not have this key. */
bool config_is_written(const struct model_config *config, size_t index)
{
    const struct config_key *key = &KEYS[index];
    struct model_config without = *config;
    if (key->since == FIRST)
        return true;
    memcpy((char *)&without + key->offset, (const char *)&CONFIG_DEFAULTS + key->offset,
           key->bytes);
    config_resolve(&without);
    if (key->kind == VALUE_NUMBER)
        return number(config, key) != number(&without, key);
    return whole(config, key) != whole(&without, key);
}

/* ---- Settings together ---- absent ones are resolved from others, and contradictions refused. A
 * setting that nothing uses is a mistake in the file, unless it has its default. */

void config_resolve(struct model_config *config)
{
    if (config->norm_bias < 0)
        config->norm_bias = config->norm == NORM_LAYER;
    if (config->embedding_width == CONFIG_ABSENT || config->embedding_width == 0)
        config->embedding_width = config->width;
    if (config->max_text_tokens == CONFIG_ABSENT)
        config->max_text_tokens = config->max_tokens;
    if (config->layers == 0 && config->heads == CONFIG_ABSENT)
        config->heads = 0;
    if (config->layers == 0 && config->feed_forward == CONFIG_ABSENT)
        config->feed_forward = 0;
    if (config->layer_groups == CONFIG_ABSENT)
        config->layer_groups = config->layers;
    if (config->feed_forward_in_bias < 0)
        config->feed_forward_in_bias = config->feed_forward_bias;
    if (config->key_value_heads == CONFIG_ABSENT)
        config->key_value_heads = config->heads;
    if (config->head_width == CONFIG_ABSENT && is_count(config->heads) && is_count(config->width) &&
        config->width % config->heads == 0)
        config->head_width = config->width / config->heads;
    if (config->global_head_width == CONFIG_ABSENT)
        config->global_head_width = config->head_width;
    if (config->global_key_value_heads == CONFIG_ABSENT)
        config->global_key_value_heads = config->key_value_heads;
    if (config->score_scale < 0 && is_count(config->head_width))
        config->score_scale = 1 / sqrt((double)config->head_width);
    if (config->rotary_width == CONFIG_ABSENT)
        config->rotary_width = config->head_width;
    if (config->rotary_local_base < 0)
        config->rotary_local_base = config->rotary_base;
}

/* Checks the row that the embedding adds, and rotary positions. */
static const char *check_positions(const struct model_config *config)
{
    const bool is_rotary = config->attention_position == ATTENTION_POSITION_ROTARY;
    if (config->position_offset > 0 && config->position != POSITION_LEARNED)
        return "'position_offset' needs position learned";
    if (config->position_skips_padding && config->position_offset == 0)
        return "'position_skips_padding' needs a 'position_offset' of 1 or more";
    if (config->position_skips_padding && is_rotary)
        return "'position_skips_padding' cannot be combined with rotary positions";
    if (config->position_base != 10000 && !position_has_base(config->position))
        return "'position_base' needs position " ENGINE_POSITIONS_WITH_BASE;
    if (!position_is_base(config->position_base))
        return "'position_base' is not from 1e-100 to 1e100";
    if (config->position_frequencies > 0 && config->position != POSITION_FOURIER)
        return "'position_frequencies' needs position fourier";
    if (config->position_frequencies > (config->embedding_width + 1) / 2)
        return "'position_frequencies' is more than half of the columns: each takes two";
    if (config->embedding_scale > (double)FLT_MAX || config->position_scale > (double)FLT_MAX)
        return "'embedding_scale' or 'position_scale' is more than f32 holds";
    if (!is_rotary && config->layers > 0 &&
        (config->rotary_base != 10000 || config->rotary_local_base != config->rotary_base ||
         config->rotary_width != config->head_width || config->rotary_pairs != ROTARY_HALF ||
         config->rotary_factor != 1 || config->rotary_trained != 0))
        return "keys that begin with 'rotary' need attention_position rotary";
    if (!is_rotary)
        return NULL;
    if (!position_is_base(config->rotary_base) || !position_is_base(config->rotary_local_base))
        return "'rotary_base' or 'rotary_local_base' is not from 1e-100 to 1e100";
    if (config->rotary_local_base != config->rotary_base && config->window == 0)
        return "'rotary_local_base' needs a 'window'";
    if (config->rotary_width < 2 || config->rotary_width % 2 != 0 ||
        config->rotary_width > config->head_width)
        return "'rotary_width' is not an even number from 2 to the width of a head";
    if (config->global_head_width != config->head_width &&
        (config->rotary_width != config->head_width || config->global_head_width % 2 != 0))
        return "'global_head_width' needs heads that are rotated whole, and even widths";
    return config->rotary_factor > 0 && config->rotary_factor <= ENGINE_POSITION_BASE_MOST
               ? NULL
               : "'rotary_factor' is 0 or more than 1e100";
}

/* Checks the vectors and the weights of token ids that a text has, and queries. */
static const char *check_vectors(const struct model_config *config)
{
    const bool is_text = config->pooling != POOLING_NONE && config->pooling != POOLING_POOLER;
    const bool is_filled = config->query_filler != CONFIG_ABSENT;
    const size_t n = list_len(config->projection_activation);
    if (config->projections > MAX_PROJECTIONS)
        return "'projections' is more than 8";
    if (n > 1 && n != config->projections)
        return "'projection_activation' has several names, but not as many as 'projections'";
    for (size_t i = 0; i < LIST_MOST; i++)
        if (list_item(config->joined_poolings, i) == POOLING_POOLER)
            return "'joined_poolings' has pooler; expected " NAMES_OF(TOKEN_POOLINGS);
    if ((config->joined_poolings != 0 || !config->pools_prompt) && !is_text)
        return "'joined_poolings' and 'pools_prompt' no need another 'pooling' than none and "
               "pooler";
    if (config->joined_poolings != 0 && config->width > INT32_MAX / (LIST_MOST + 1))
        return "'width' is too large for 'joined_poolings'";
    if (!config->token_vector_bias && config->token_vectors == 0)
        return "'token_vector_bias' no needs 'token_vectors'";
    if (!config->token_vector_first && config->token_vectors == 0)
        return "'token_vector_first' no needs 'token_vectors'";
    if (config->query_weights && config->sparse == SPARSE_NONE)
        return "'query_weights' needs 'sparse' linear or mask";
    if (config->query_tokens > config->max_tokens)
        return "'query_tokens' is more than 'max_tokens'";
    if (is_filled && (config->query_tokens == 0 || config->query_filler >= config->vocabulary))
        return "'query_filler' needs 'query_tokens', and is an id below 'vocabulary'";
    if (!config->query_filler_seen && !is_filled)
        return "'query_filler_seen' no needs a 'query_filler'";
    if (!config->query_filler_seen && config->window > 0 &&
        config->query_tokens > config->window + 1)
        return "'query_filler_seen' no needs a 'window' that spans all 'query_tokens'";
    return NULL;
}

/* Checks the head, and what reads its logits or its vectors. */
static const char *check_head(const struct model_config *config)
{
    bool has_labels = config->head == HEAD_SEQUENCE || config->head == HEAD_TOKEN;
    if (has_labels != (config->labels > 0))
        return "'labels' must be 1 or more with head sequence or token, and 0 without";
    if (config->head == HEAD_POOLER && config->head_dense == DENSE_NONE)
        return "head pooler needs a 'head_dense'";
    if (config->head_tied && config->head != HEAD_MASK)
        return "'head_tied' needs head mask";
    if (config->embedding_width > config->width)
        return "'embedding_width' is more than 'width'";
    if (config_head_columns(config) != config->width && config->head_dense == DENSE_NONE)
        return "'head_tied' needs embedding tables of the model's width, or a 'head_dense'";
    if (config->head == HEAD_NONE && (config->head_dense != DENSE_NONE || config->head_norm))
        return "'head_dense' and 'head_norm' need a 'head'";
    if (!config->head_dense_bias && config->head_dense == DENSE_NONE)
        return "'head_dense_bias' no needs a 'head_dense'";
    if (config->head_pooling == POOLING_NONE || config->head_pooling == POOLING_POOLER)
        return "'head_pooling' is none or pooler; expected " NAMES_OF(TOKEN_POOLINGS);
    if (config->head_pooling != POOLING_CLS && config->head != HEAD_SEQUENCE)
        return "'head_pooling' needs head sequence";
    if (config->head_late && config->head_pooling != POOLING_MEAN)
        return "'head_late' needs 'head_pooling' mean";
    if (config->pooling == POOLING_POOLER && config->head_pooling != POOLING_CLS)
        return "pooling pooler reads the first token, but 'head_pooling' is not cls";
    if (config->pooling == POOLING_POOLER &&
        (config->head_dense == DENSE_NONE ||
         (config->head != HEAD_POOLER && config->head != HEAD_SEQUENCE)))
        return "pooling pooler needs head pooler or sequence with a 'head_dense'";
    if (config->sparse == SPARSE_MASK && config->head != HEAD_MASK)
        return "sparse mask needs head mask";
    if ((config->sparse_pooling != SPARSE_MAX || config->sparse_activation != SPARSE_LOG) &&
        config->sparse != SPARSE_MASK)
        return "'sparse_pooling' sum and 'sparse_activation' log_log need sparse mask";
    return NULL;
}

/* Checks heads, and which keys a query sees. q, k and v side by side are
 * countable in 32 bits. The logarithm by which bucket_of() in layers/attention_position.c
 * divides must be above 0. */
static const char *check_attention(const struct model_config *config)
{
    enum { MOST_COLUMNS = INT32_MAX / 3 };
    bool is_disentangled = config->attention_position == ATTENTION_POSITION_DISENTANGLED;
    bool has_distances =
        is_disentangled || config->attention_position == ATTENTION_POSITION_DISTANCE;
    if (config->head_width == CONFIG_ABSENT)
        return "'heads' does not divide 'width'";
    if (config->head_width == 0 || config->head_width > MOST_COLUMNS / config->heads)
        return "'head_width' is 0, or 'heads' times as wide is more than 715827882";
    if (config->key_value_heads < 1 || config->heads % config->key_value_heads != 0)
        return "'key_value_heads' does not divide 'heads'";
    if (config->global_head_width < 1 || config->global_head_width > MOST_COLUMNS / config->heads)
        return "'global_head_width' is 0, or 'heads' times as wide is more than 715827882";
    if (config->global_key_value_heads < 1 || config->heads % config->global_key_value_heads != 0)
        return "'global_key_value_heads' does not divide 'heads'";
    if ((config->global_head_width != config->head_width ||
         config->global_key_value_heads != config->key_value_heads) &&
        (config->window == 0 || config->layer_groups < config->layers))
        return "'global_head_width' and 'global_key_value_heads' need a 'window', and as many "
               "'layer_groups' as 'layers'";
    if (!((float)config->score_scale > 0 && config->score_scale <= (double)FLT_MAX))
        return "'score_scale' is 0 or more than f32 holds";
    if (has_distances != (config->distances > 0) || config->distances > MOST_TOKENS)
        return "'distances' must be 1 to 1048576 with attention_position distance or disentangled, "
               "and 0 without";
    if (!is_disentangled && (config->position_buckets > 0 || config->position_terms != TERMS_BOTH))
        return "'position_buckets' and 'position_terms' need attention_position disentangled";
    if (config->position_buckets == 1 ||
        (config->position_buckets > 0 && config->distances < config->position_buckets / 2 + 2))
        return "'position_buckets' is 1, or half of it is more than 'distances' less 2";
    if (config->global_every > 0 && config->window == 0)
        return "'global_every' needs a 'window'";
    if (config->global_first > 0 && config->global_first >= config->global_every)
        return "'global_first' is not less than 'global_every'";
    return NULL;
}

/* Checks layers, and experts, which are ranges of panels of the same tensors. */
static const char *check_layers(const struct model_config *config)
{
    const size_t n = config->experts;
    if (config->layer_groups > config->layers || (config->layer_groups == 0 && config->layers > 0))
        return "'layer_groups' is not from 1 to 'layers'";
    if (config->layer_groups < config->layers && config->layers > MOST_SHARED_LAYERS)
        return "'layers' is more than 1024, and there are fewer 'layer_groups'";
    if (!config->first_norm && (config->layers == 0 || config_is_post(config)))
        return "'first_norm' no needs layers and norm_place pre or sandwich";
    if (!config->first_norm && config->layer_groups < config->layers)
        return "'first_norm' no needs as many 'layer_groups' as 'layers'";
    if (config->layers == 0)
        return config->attention_position != ATTENTION_POSITION_NONE || config->window > 0 ||
                       config->query_key_norm || config->value_norm ||
                       config->layer_input_width > 0 || n > 0
                   ? "'attention_position', 'window', 'query_key_norm', 'value_norm', "
                     "'layer_input_width' and 'experts' need 'layers'"
                   : NULL;
    if (n == 0 && (config->experts_used > 0 || config->experts_every > 0))
        return "'experts_used' and 'experts_every' need 'experts'";
    if (n > MOST_EXPERTS || config->experts_used > n ||
        (n > 0 && (config->experts_used == 0 || config->experts_every < 2)))
        return "'experts' is more than 1024, 'experts_used' is not from 1 to 'experts', or "
               "'experts_every' is less than 2";
    if (n > 0 && (config->width % 16 != 0 || config->feed_forward % 16 != 0))
        return "'experts' needs a 'width' and a 'feed_forward' that are multiples of 16";
    if (n > 0 && (config->gate != GATE_NONE || config->norm_place > NORM_PRE ||
                  config->layer_groups < config->layers))
        return "'experts' needs gate none, norm_place post or pre, and as many 'layer_groups' as "
               "'layers'";
    return check_attention(config);
}

/* A file without a model: only the number of ids and the longest text remain to be set. */
static const char *check_tokenizer_alone(struct model_config *config)
{
    config->width = config->layers = config->heads = config->feed_forward = 0;
    config->embedding_width = 0;
    if (!is_count(config->max_tokens))
        config->max_tokens = MOST_TOKENS;
    config->max_text_tokens = config->max_tokens;
    config_resolve(config);
    return !is_count(config->vocabulary) ? "'vocabulary' is missing or 0" : NULL;
}

const char *config_check(struct model_config *config)
{
    if (config->width == CONFIG_ABSENT && config->layers == CONFIG_ABSENT)
        return check_tokenizer_alone(config);
    config_resolve(config);
    if (config->layers == CONFIG_ABSENT)
        return "'layers' is missing";
    if (!is_count(config->width))
        return "'width' is missing or 0";
    if (!is_count(config->vocabulary))
        return "'vocabulary' is missing or 0";
    if (!is_count(config->max_tokens))
        return "'max_tokens' is missing or 0";
    if (config->max_tokens > MOST_TOKENS)
        return "'max_tokens' is more than 1048576";
    if (config->max_text_tokens < 1 || config->max_text_tokens > config->max_tokens)
        return "'max_text_tokens' is 0 or more than 'max_tokens'";
    if (config->layers > 0 && (!is_count(config->heads) || !is_count(config->feed_forward)))
        return "'heads' or 'feed_forward' is missing or 0";
    if (config->norm == NORM_NONE)
        return "'norm' is none; expected " NAMES_OF(LAYER_NORMS);
    if (config->norm != NORM_LAYER && config->norm_bias == 1)
        return "'norm_bias' is yes, but only layer norm has a bias";
    bool has_norm = config->layers > 0 || config->embedding_norm != NORM_NONE ||
                    config->final_norm || config->head_norm;
    if (has_norm && !((float)config->norm_eps > 0)) /* norms compute in float */
        return "'norm_eps' is missing or 0";
    const char *wrong = check_layers(config);
    wrong = wrong != NULL ? wrong : check_positions(config);
    wrong = wrong != NULL ? wrong : check_vectors(config);
    return wrong != NULL ? wrong : check_head(config);
}
