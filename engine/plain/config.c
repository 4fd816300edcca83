/* config.c - every key of CONF with its default, and the tensors that the settings ask for, as
 * weights/FORMAT.md lists them. */
#include "engine/plain/config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plain_complain(struct plain_model *model, const char *format, ...)
{
    if (model->error[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(model->error, 256, format, arguments);
    va_end(arguments);
}

/* ---- Settings ---- */

static const char *setting(struct plain_model *model, const char *key, const char *if_absent)
{
    const char *value = plain_setting(&model->weights->conf, key, if_absent);
    if (!value)
        plain_complain(model, "CONF has no %s", key);
    return value ? value : "";
}

static double number(struct plain_model *model, const char *key, const char *if_absent)
{
    const char *text = setting(model, key, if_absent);
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value))
        plain_complain(model, "%s is no number: %s", key, text);
    return value;
}

static size_t count(struct plain_model *model, const char *key, const char *if_absent)
{
    double value = number(model, key, if_absent);
    if (!(value >= 0 && value <= 4294967296.0 && floor(value) == value)) {
        plain_complain(model, "%s is no count", key);
        return 0;
    }
    return (size_t)value;
}

/* A value that must be one of the names, which are separated by blanks; names NULL: what computes
 * by the value refuses one that it does not know. */
static const char *one_of(struct plain_model *model, const char *key, const char *if_absent,
                          const char *names)
{
    const char *value = setting(model, key, if_absent);
    char framed[64];
    snprintf(framed, sizeof framed, " %s ", value);
    if (names && !strstr(names, framed))
        plain_complain(model, "%s is none of%s: %s", key, names, value);
    return value;
}

static bool yes(struct plain_model *model, const char *key, const char *if_absent)
{
    return strcmp(one_of(model, key, if_absent, " yes no "), "yes") == 0;
}

bool plain_is(const char *value, const char *name)
{
    return strcmp(value, name) == 0;
}

static bool known_key(const char *key)
{
    static const char keys[] =
        " layers width heads feed_forward vocabulary max_tokens token_types embedding_scale "
        "embedding_norm position position_offset position_skips_padding position_base "
        "position_scale position_frequencies "
        "norm norm_eps norm_bias norm_place final_norm attention_bias feed_forward_bias activation "
        "gate mask pooling normalize joined_poolings pools_prompt head head_pooling head_late "
        "labels scores "
        "embedding_width "
        "attention_position rotary_base rotary_local_base rotary_width rotary_pairs rotary_factor "
        "rotary_trained distances window global_every global_first first_norm layer_groups "
        "feed_forward_in_bias head_width key_value_heads global_head_width "
        "global_key_value_heads query_key_norm value_norm layer_input_width score_scale "
        "position_buckets position_terms experts experts_used experts_every "
        /* read in answers.c: */
        "head_dense head_norm head_tied head_bias token_vectors token_vector_bias "
        "token_vector_first sparse query_weights query_tokens query_filler query_filler_seen "
        "sparse_pooling sparse_activation head_dense "
        "head_dense_bias "
        "head_norm head_bias projections projection_bias projection_activation ";
    char framed[64];
    snprintf(framed, sizeof framed, " %s ", key);
    return strstr(keys, framed) != NULL;
}

/* Applies the options that differ from the file. */
static void override_positions(struct plain_model *model, const struct plain_options *options)
{
    if (options->position)
        model->position = options->position;
    if (options->position_base > 0)
        model->position_base = options->position_base;
    if (options->embedding_scale)
        model->embedding_scale = *options->embedding_scale;
    if (options->position_scale)
        model->position_scale = *options->position_scale;
    if (options->frequencies) {
        model->given_frequencies = options->frequencies;
        model->n_frequencies = options->n_frequencies;
    }
}

/* A count whose default is another setting's. */
static size_t count_or(struct plain_model *model, const char *key, size_t if_absent)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", if_absent);
    return count(model, key, text);
}

static double number_or(struct plain_model *model, const char *key, double if_absent)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", if_absent);
    return number(model, key, text);
}

static void read_attention(struct plain_model *model)
{
    size_t n_heads = model->n_heads;
    bool divides = n_heads > 0 && model->width % n_heads == 0;
    model->head_width = count_or(model, "head_width", divides ? model->width / n_heads : 0);
    model->n_key_heads = count_or(model, "key_value_heads", n_heads);
    model->global_head_width = count_or(model, "global_head_width", model->head_width);
    model->global_key_heads = count_or(model, "global_key_value_heads", model->n_key_heads);
    model->n_groups = count_or(model, "layer_groups", model->n_layers);
    if (model->head_width == 0 || model->n_key_heads == 0 || n_heads % model->n_key_heads != 0 ||
        model->global_key_heads == 0 || n_heads % model->global_key_heads != 0)
        plain_complain(model, "%zu and %zu heads in width %zu", n_heads, model->n_key_heads,
                       model->width);
    model->score_scale = number_or(model, "score_scale", 1 / sqrt((double)model->head_width));
    model->query_key_norm = one_of(model, "query_key_norm", "no", " no yes all ");
    model->value_norm = yes(model, "value_norm", "no");
    model->layer_input_width = count(model, "layer_input_width", "0");
    model->attention_position =
        one_of(model, "attention_position", "none", " none rotary alibi distance disentangled ");
    model->rotary_base = number(model, "rotary_base", "10000");
    model->rotary_local_base = number_or(model, "rotary_local_base", model->rotary_base);
    model->rotary_width = count_or(model, "rotary_width", model->head_width);
    model->rotary_pairs = one_of(model, "rotary_pairs", "half", " half interleaved ");
    model->rotary_factor = number(model, "rotary_factor", "1");
    model->rotary_trained = count(model, "rotary_trained", "0");
    model->distances = count(model, "distances", "0");
    model->position_buckets = count(model, "position_buckets", "0");
    model->position_terms = one_of(model, "position_terms", "both", " both c2p p2c ");
    model->window = count(model, "window", "0");
    model->global_every = count(model, "global_every", "0");
    model->global_first = count(model, "global_first", "0");
    model->experts = count(model, "experts", "0");
    model->experts_used = count(model, "experts_used", "0");
    model->experts_every = count(model, "experts_every", "0");
}

static void read_config(struct plain_model *model, const struct plain_options *options)
{
    const struct plain_settings *conf = &model->weights->conf;
    for (size_t i = 0; i < conf->n; i++)
        if (!known_key(conf->keys[i]))
            plain_complain(model, "CONF: %s is not known", conf->keys[i]);
    model->n_layers = count(model, "layers", NULL);
    bool has_layers = model->n_layers > 0;
    model->width = count(model, "width", NULL);
    model->embedding_width = count_or(model, "embedding_width", model->width);
    model->n_heads = count(model, "heads", has_layers ? NULL : "1");
    model->feed_forward = count(model, "feed_forward", has_layers ? NULL : "1");
    model->vocabulary = count(model, "vocabulary", NULL);
    model->max_tokens = count(model, "max_tokens", NULL);
    model->n_types = count(model, "token_types", "0");
    model->embedding_scale = number(model, "embedding_scale", "1");
    model->embedding_norm = one_of(model, "embedding_norm", "none", NULL);
    model->position = one_of(model, "position", "none", NULL);
    model->position_offset = count(model, "position_offset", "0");
    model->skips_padding = yes(model, "position_skips_padding", "no");
    model->position_base = number(model, "position_base", "10000");
    model->position_scale = number(model, "position_scale", "1");
    model->n_frequencies = count(model, "position_frequencies", "0");
    model->head = one_of(model, "head", "none", " none sequence mask ");
    model->head_pooling = one_of(model, "head_pooling", "cls", NULL);
    model->head_dense = one_of(model, "head_dense", "none", NULL);
    model->head_late = yes(model, "head_late", "no");
    model->head_dense_bias = yes(model, "head_dense_bias", "yes");
    model->head_norm = yes(model, "head_norm", "no");
    model->head_bias = yes(model, "head_bias", "yes");
    model->n_labels = count(model, "labels", "0");
    model->scores = one_of(model, "scores", "none", " none softmax sigmoid ");
    model->norm = one_of(model, "norm", "layer", NULL);
    model->norm_bias = yes(model, "norm_bias", plain_is(model->norm, "layer") ? "yes" : "no");
    model->norm_place = one_of(model, "norm_place", "post", " post pre sandwich twice ");
    model->first_norm = yes(model, "first_norm", "yes");
    model->final_norm = yes(model, "final_norm", "no");
    bool any_norm = has_layers || model->final_norm || !plain_is(model->embedding_norm, "none");
    model->norm_eps = number(model, "norm_eps", any_norm ? NULL : "1");
    model->attention_bias = yes(model, "attention_bias", "yes");
    model->feed_forward_bias = yes(model, "feed_forward_bias", "yes");
    model->feed_forward_in_bias =
        yes(model, "feed_forward_in_bias", model->feed_forward_bias ? "yes" : "no");
    model->activation = one_of(model, "activation", "gelu", NULL);
    model->gate = one_of(model, "gate", "none", " none first second ");
    model->causal = plain_is(one_of(model, "mask", "full", " full causal "), "causal");
    model->pooling = one_of(model, "pooling", "none", NULL);
    model->joined_poolings = one_of(model, "joined_poolings", "", NULL);
    model->pools_prompt = yes(model, "pools_prompt", "yes");
    model->n_projections = count(model, "projections", "0");
    model->projection_bias = yes(model, "projection_bias", "yes");
    model->projection_activation = one_of(model, "projection_activation", "identity", NULL);
    model->normalize = yes(model, "normalize", "no");
    if (has_layers)
        read_attention(model);
    if (model->width == 0 || !(model->norm_eps > 0))
        plain_complain(model, "width and norm_eps must be greater than 0");
    if (model->n_frequencies > 0)
        model->frequencies = plain_vector(model, model->n_frequencies, "position.frequencies");
    if (options)
        override_positions(model, options);
    if (options && options->mask)
        model->causal = plain_is(options->mask, "causal");
    model->int8_rows = options && options->int8_rows;
    model->trace = options ? options->trace : NULL;
}

struct plain_model plain_model_open(const struct plain_weights *weights,
                                    const struct plain_options *options, char error[256])
{
    struct plain_model model = {.weights = weights, .error = error};
    error[0] = '\0';
    read_config(&model, options);
    return model;
}

/* ---- Tensors ---- */

const double *plain_matrix(struct plain_model *model, size_t rows, size_t cols, const char *name)
{
    const struct plain_tensor *tensor = plain_tensor(model->weights, name);
    if (!tensor)
        plain_complain(model, "there is no %s", name);
    else if (tensor->n_dims != 2 || tensor->rows != rows || tensor->cols != cols)
        plain_complain(model, "%s is not [%zu, %zu]", name, rows, cols);
    else
        return tensor->values;
    return NULL;
}

const double *plain_vector(struct plain_model *model, size_t n, const char *name)
{
    const struct plain_tensor *tensor = plain_tensor(model->weights, name);
    if (!tensor)
        plain_complain(model, "there is no %s", name);
    else if (tensor->n_dims != 1 || tensor->rows != n || tensor->type != PLAIN_F32)
        plain_complain(model, "%s is not f32 [%zu]", name, n);
    else
        return tensor->values;
    return NULL;
}

const double *plain_table(struct plain_model *model, size_t rows, const char *name)
{
    const struct plain_tensor *tensor = plain_tensor(model->weights, name);
    if (tensor && tensor->layout != PLAIN_ROWS)
        plain_complain(model, "%s is not in rows", name);
    return plain_matrix(model, rows, model->embedding_width, name);
}

const double *plain_position_table(struct plain_model *model, size_t *n_rows)
{
    static const char name[] = "embedding.position.weight";
    const struct plain_tensor *tensor = plain_tensor(model->weights, name);
    *n_rows = tensor ? tensor->rows : 0;
    if (tensor && tensor->rows < model->max_tokens + model->position_offset)
        plain_complain(model, "%s has only %zu rows", name, tensor->rows);
    return plain_table(model, *n_rows, name);
}
