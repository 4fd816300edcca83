/* new_shape.c - the model's shape on the command line of encode-new; see new_shape.h. Keys, their
 * values and their order are those of model/config.c; ranges and what they mean those of section
 * CONF in weights/FORMAT.md.
 */
#include "tools/new/new_shape.h"

#include "tools/common/display.h"
#include "tools/common/options.h"
#include "tools/common/position_options.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 64, EXPECTED_BYTES = 96, HELP_COLUMNS = 80, HELP_INDENT = 27 };

/* A count has an offset and its bounds; every option has a few words on what it is. */
struct shape_key {
    const char *key, *about;
    size_t offset;
    int64_t least, most; /* most 0: not a count */
    bool is_of_layers;   /* says nothing where there are none */
};

#define COUNT(field, least, most, about)                                                           \
    {                                                                                              \
#field, about, offsetof(struct model_config, field), least, most, false                    \
    }
#define OF_LAYERS(field, about)                                                                    \
    {                                                                                              \
#field, about, offsetof(struct model_config, field), 1, INT32_MAX, true                    \
    }
#define OTHER(field, about)                                                                        \
    {                                                                                              \
#field, about, 0, 0, 0, false                                                              \
    }

static const struct shape_key KEYS[] = {
    COUNT(layers, 0, INT32_MAX, "encoder layers"),
    COUNT(width, 1, INT32_MAX, "numbers per token"),
    OF_LAYERS(heads, "attention heads; divides the width"),
    OF_LAYERS(feed_forward, "width of the feed-forward layer's middle"),
    COUNT(vocabulary, 1, INT32_MAX, "rows of the embedding table"),
    COUNT(max_tokens, 1, MOST_TOKENS, "longest text, special tokens included"),
    COUNT(token_types, 0, INT32_MAX, "rows of the token-type table; 0: none"),
    OTHER(embedding_scale, "factor on embeddings"),
    OTHER(embedding_norm, "norm after embeddings and positions are added"),
    OTHER(position, "what is added for a token's place"),
    COUNT(position_offset, 0, INT32_MAX, "learned: place p reads row p + offset"),
    OTHER(position_base, "sinusoidal, exponential: longest wave / 2π, time"),
    OTHER(position_scale, "factor on positions"),
    OTHER(position_frequencies, "fourier: cycles per token (default: harmonics)"),
    OTHER(norm, "layer norm or RMS norm in the layers"),
    OTHER(norm_eps, "added to the variance before the root"),
    OTHER(norm_bias, "of layer norms (default yes with layer norm)"),
    OTHER(norm_place, "behind each residual sum, or before each sublayer"),
    OTHER(final_norm, "one more norm after the last layer"),
    OTHER(attention_bias, "of the four projections"),
    OTHER(feed_forward_bias, "of the feed-forward layer"),
    OTHER(activation, "act(), in the feed-forward layer"),
    OTHER(gate, "none: act(a); first: act(a)·b; second: a·act(b)"),
    OTHER(mask, "a token sees all, or itself and those before it"),
    OTHER(pooling, "the model's own way to one vector per text"),
    OTHER(normalize, "pooled vectors get length 1"),
    COUNT(embedding_width, 1, INT32_MAX, "of the tables (default: the width)"),
    COUNT(projections, 0, MAX_PROJECTIONS, "dense layers behind the pooling"),
    OTHER(projection_activation, "behind each"),
    OTHER(projection_bias, "of each"),
    OTHER(head, "pooler, labels, or words for a mask"),
    OTHER(head_pooling, "sequence: what the head reads"),
    OTHER(head_dense, "the head's dense layer: its activation"),
    OTHER(head_norm, "layer norm behind it"),
    OTHER(head_tied, "mask: the embedding table gives the logits"),
    OTHER(head_bias, "of the head's last layer"),
    COUNT(labels, 0, INT32_MAX, "how many, or their names: pos,neg"),
    OTHER(scores, "of labels"),
    COUNT(max_text_tokens, 1, MOST_TOKENS, "limit of texts (default: max-tokens)"),
};

enum { N_KEYS = sizeof KEYS / sizeof KEYS[0] };

/* NULL: a key that is newer than the table. */
static const struct shape_key *find_key(const char *key)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (strcmp(KEYS[i].key, key) == 0)
            return &KEYS[i];
    return NULL;
}

static const char *key_at(size_t index)
{
    struct model_config config;
    char value[VALUE_BYTES];
    config_defaults(&config);
    return config_get(&config, index, value, sizeof value);
}

static bool is_key(const char *key, const char *wanted)
{
    return strcmp(key, wanted) == 0;
}

/* The option's name; that of the count of frequencies is that of the frequencies. */
static void with_dashes(const char *key, char name[SHAPE_NAME_BYTES])
{
    snprintf(name, SHAPE_NAME_BYTES, "%s",
             is_key(key, "position_frequencies") ? "frequencies" : key);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
}

/* What it takes, in words that follow "takes". The config says it of the values with names. */
static void describe_values(const char *key, char out[EXPECTED_BYTES])
{
    const struct shape_key *known = find_key(key);
    struct model_config scratch;
    config_defaults(&scratch);
    if (is_key(key, "position_frequencies"))
        snprintf(out, EXPECTED_BYTES, "F,F,...");
    else if (known != NULL && known->most > 0)
        snprintf(out, EXPECTED_BYTES, "a whole number from %" PRId64 " to %" PRId64, known->least,
                 known->most);
    else if (is_key(key, "position_base"))
        snprintf(out, EXPECTED_BYTES, "a number from %g to %g", POSITION_BASE_LEAST,
                 POSITION_BASE_MOST);
    else if (strcmp(key, "norm_eps") == 0)
        snprintf(out, EXPECTED_BYTES, "a number above 0");
    else
        snprintf(out, EXPECTED_BYTES, "%s%s", strcmp(key, "embedding_scale") == 0 ? "sqrt or " : "",
                 config_set(&scratch, key, "?"));
}

/* ---- Options ---- */

/* A table needs no "one of" and no "a whole number from" in every line. */
static const char *shorten(const char *values)
{
    static const char *const openings[] = {"one of ", "a whole number from "};
    for (size_t i = 0; i < 2; i++)
        if (strncmp(values, openings[i], strlen(openings[i])) == 0)
            return values + strlen(openings[i]);
    return values;
}

/* Copies words, with a line end before those that the screen has no room for; returns the column
 * behind the last. */
static size_t copy_wrapped(const char *text, char *out)
{
    size_t column = HELP_INDENT;
    for (bool begins = true; *text != '\0'; begins = false) {
        size_t len = strcspn(text, " "), columns = display_width(text, len, HELP_COLUMNS);
        bool wraps = !begins && column + 1 + columns > HELP_COLUMNS;
        if (!begins)
            *out++ = wraps ? '\n' : ' ';
        column = (wraps ? HELP_INDENT : column + !begins) + columns;
        memcpy(out, text, len);
        out += len;
        text += len + (text[len] == ' ');
    }
    *out = '\0';
    return column;
}

/* "1 to 1048576 (default 512): longest text, special tokens included" */
static void describe(const char *key, const char *value, char help[SHAPE_HELP_BYTES])
{
    const struct shape_key *known = find_key(key);
    bool has_default = value[0] != '\0' && value[0] != '-' && !is_key(key, "position_frequencies");
    char values[EXPECTED_BYTES], takes[2 * EXPECTED_BYTES];
    describe_values(key, values);
    snprintf(takes, sizeof takes, "%s%s%s%s", shorten(values), has_default ? " (default " : "",
             has_default ? value : "", has_default ? ")" : "");
    size_t column = copy_wrapped(takes, help);
    if (known == NULL)
        return;
    column += 2 + display_width(known->about, strlen(known->about), HELP_COLUMNS);
    size_t len = strlen(help);
    snprintf(help + len, SHAPE_HELP_BYTES - len, "%s%s", column <= HELP_COLUMNS ? ": " : ":\n",
             known->about);
}

static bool set_option(void *options, const struct option_use *use);

/* Whether "one of mean, cls" has the name "cls". */
static bool is_listed(const char *values, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = values; (at = strstr(at, name)) != NULL; at++)
        if (at > values && at[-1] == ' ' && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

/* The names that the key takes; its kind of values may have more. */
static void list_choices(const char *key, struct option_choice choices[SHAPE_VALUES_MOST])
{
    char values[EXPECTED_BYTES];
    size_t n = 0;
    describe_values(key, values);
    for (int i = 0; i < SHAPE_VALUES_MOST && n < SHAPE_VALUES_MOST - 1; i++) {
        const char *name = config_value_name(key, i);
        if (name != NULL && is_listed(values, name))
            choices[n++] = (struct option_choice){name, i};
    }
}

size_t shape_rows(const struct model_config *defaults, struct shape_row rows[SHAPE_OPTIONS_MOST],
                  struct option_row table[SHAPE_OPTIONS_MOST])
{
    char value[VALUE_BYTES];
    const char *key;
    size_t n = 0;
    for (; n < SHAPE_OPTIONS_MOST; n++) {
        struct shape_row *row = &rows[n];
        if ((key = config_get(defaults, n, value, sizeof value)) == NULL)
            break;
        with_dashes(key, row->name);
        describe(key, value, row->help);
        list_choices(key, row->choices);
        table[n] = (struct option_row){
            row->name,      0, "", row->help, SET_BY(set_option), .choices = row->choices,
            .value = (int)n};
    }
    return n;
}

/* ---- Setting ---- */

static bool set_frequencies(struct shape *shape, const char *text)
{
    size_t n;
    free(shape->frequencies);
    shape->frequencies = position_frequencies_read("--frequencies", text, &n);
    shape->config.position_frequencies = (int64_t)n;
    return shape->frequencies != NULL;
}

/* Names between commas, unless it is a number alone. */
static bool set_labels(struct shape *shape, const char *text)
{
    int64_t n = 1;
    for (const char *c = text; *c != '\0'; c++) {
        n += *c == ',';
        if (*c == ',' && (c == text || c[1] == ',' || c[1] == '\0')) {
            program_note("--labels: a name in '%s' is empty", text);
            return false;
        }
    }
    shape->label_names = text;
    shape->config.labels = n;
    return true;
}

void shape_free(struct shape *shape)
{
    free(shape->frequencies);
    shape->frequencies = NULL;
}

const char *shape_label_name(const struct shape *shape, size_t label, size_t *len)
{
    const char *name = shape->label_names;
    for (size_t i = 0; i < label; i++)
        name += strcspn(name, ",") + 1;
    *len = strcspn(name, ",");
    return name;
}

static bool set_option(void *options, const struct option_use *use)
{
    struct shape *shape = options;
    const char *key = key_at((size_t)use->row->value), *text = use->text;
    char values[EXPECTED_BYTES];
    bool is_sqrt = is_key(key, "embedding_scale") && is_key(text, "sqrt");
    bool is_number = text[0] == '\0' || text[strspn(text, "0123456789")] == '\0';
    if (is_key(key, "position_frequencies"))
        return set_frequencies(shape, text);
    if (is_key(key, "labels") && !is_number && text[0] != '-' && text[0] != '+')
        return set_labels(shape, text);
    if (is_key(key, "labels"))
        shape->label_names = NULL;
    shape->has_head = shape->has_head || is_key(key, "head");
    shape->has_scores = shape->has_scores || is_key(key, "scores");
    shape->has_head_pooling = shape->has_head_pooling || is_key(key, "head_pooling");
    if (is_key(key, "embedding_scale"))
        shape->scale_is_sqrt = is_sqrt;
    if (is_sqrt || config_set(&shape->config, key, text) == NULL)
        return true;
    describe_values(key, values);
    program_note("%s takes %s, not '%s'", use->option, values, text);
    return false;
}

/* ---- Checking ---- */

static int64_t count_of(const struct model_config *config, const struct shape_key *key)
{
    return *(const int64_t *)(const void *)((const char *)config + key->offset);
}

static int check_counts(const struct model_config *config)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        const struct shape_key *key = &KEYS[i];
        if (key->most == 0 || (key->is_of_layers && config->layers == 0))
            continue;
        int64_t count = count_of(config, key);
        char name[SHAPE_NAME_BYTES];
        with_dashes(key->key, name);
        if (count < key->least || count > key->most)
            return program_misuse("--%s %" PRId64 ": expected %" PRId64 " to %" PRId64, name, count,
                                  key->least, key->most);
    }
    return PROGRAM_DONE;
}

static int check_together(const struct model_config *config)
{
    if (config->layers > 0 && config->width % config->heads != 0)
        return program_misuse("--heads %" PRId64 " does not divide --width %" PRId64, config->heads,
                              config->width);
    if (config->norm == NORM_NONE)
        return program_misuse("--norm none: expected layer or rms");
    if (config->norm == NORM_RMS && config->norm_bias == 1)
        return program_misuse("--norm-bias yes does not go with --norm rms, which has no bias");
    if (!((float)config->norm_eps > 0))
        return program_misuse("--norm-eps %g: expected more than 0%s", config->norm_eps,
                              config->norm_eps > 0 ? ", also when it is rounded to float32" : "");
    if (config->position_offset > 0 && config->position != POSITION_LEARNED)
        return program_misuse("--position-offset %" PRId64 " goes with --position learned",
                              config->position_offset);
    if (config->position_base != 10000 && config->position != POSITION_SINUSOIDAL &&
        config->position != POSITION_EXPONENTIAL)
        return program_misuse("--position-base goes with --position sinusoidal or exponential, no "
                              "others have a base; here it is %s",
                              config_name(config, "position"));
    if (config->position_frequencies > 0 && config->position != POSITION_FOURIER)
        return program_misuse("--frequencies goes with --position fourier");
    return PROGRAM_DONE;
}

/* Without layers the first token knows nothing of the others, and a head that reads it alone sees
 * one word of a text. */
static void settle_head_pooling(struct shape *shape)
{
    struct model_config *config = &shape->config;
    if (config->layers == 0 && config->head == HEAD_SEQUENCE && config->pooling != POOLING_POOLER &&
        !shape->has_head_pooling)
        config->head_pooling = POOLING_MEAN;
}

int shape_settle(struct shape *shape)
{
    struct model_config *config = &shape->config;
    if (shape->scale_is_sqrt)
        config->embedding_scale = sqrt((double)config->width);
    if (config->feed_forward < 0)
        config->feed_forward = config->width <= INT32_MAX / 4 ? 4 * config->width : config->width;
    if (config->heads < 0)
        config->heads = config->width % 4 == 0 ? 4 : config->width % 2 == 0 ? 2 : 1;
    if (config->embedding_width < 0)
        config->embedding_width = config->width;
    if (config->max_text_tokens < 0)
        config->max_text_tokens = config->max_tokens;
    if (shape->label_names != NULL && !shape->has_head)
        config->head = HEAD_SEQUENCE;
    if (shape->label_names != NULL && !shape->has_scores)
        config->scores = SCORES_SOFTMAX;
    settle_head_pooling(shape);

    struct model_config whole = *config;
    if (whole.vocabulary < 0)
        whole.vocabulary = 1;
    int code = check_counts(&whole);
    if (code == PROGRAM_DONE)
        code = check_together(&whole);
    if (code != PROGRAM_DONE)
        return code;
    const char *wrong = config_check(&whole); /* what this version of the table does not know */
    return wrong == NULL ? PROGRAM_DONE : program_misuse("the shape: %s", wrong);
}
