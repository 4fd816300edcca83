/* config.c - every key of CONF with its default, and the tensors that the settings ask for, as
 * weights/FORMAT.md lists them. */
#include "engine/plain/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool plain_is(const char *value, const char *name)
{
    return strcmp(value, name) == 0;
}

/* ---- Settings ---- */

struct key {
    const char *name;
    enum { COUNT, NUMBER, NAME, YES } kind;
    size_t offset;         /* of its field in struct plain_model */
    const char *if_absent; /* NULL: it must be there */
    const char *names;     /* that the value is one of; NULL: what computes by it refuses others */
};

/* clang-format off */
#define AT(field) offsetof(struct plain_model, field)
static const struct key KEYS[] = {
    {"layers", COUNT, AT(n_layers), NULL, NULL},
    {"width", COUNT, AT(width), NULL, NULL},
    {"heads", COUNT, AT(n_heads), "0", NULL},
    {"feed_forward", COUNT, AT(feed_forward), "0", NULL},
    {"vocabulary", COUNT, AT(vocabulary), NULL, NULL},
    {"max_tokens", COUNT, AT(max_tokens), NULL, NULL},
    {"token_types", COUNT, AT(n_types), "0", NULL},
    {"embedding_scale", NUMBER, AT(embedding_scale), "1", NULL},
    {"embedding_norm", NAME, AT(embedding_norm), "none", " none layer rms "},
    {"embedding_width", COUNT, AT(embedding_width), "0", NULL},
    {"position", NAME, AT(position), "none",
     " none sinusoidal learned index binary fourier exponential "},
    {"position_offset", COUNT, AT(position_offset), "0", NULL},
    {"position_skips_padding", YES, AT(skips_padding), "no", NULL},
    {"position_base", NUMBER, AT(position_base), "10000", NULL},
    {"position_scale", NUMBER, AT(position_scale), "1", NULL},
    {"position_frequencies", COUNT, AT(n_frequencies), "0", NULL},
    {"norm", NAME, AT(norm), "layer", " layer rms "},
    {"norm_eps", NUMBER, AT(norm_eps), "0", NULL},
    {"norm_place", NAME, AT(norm_place), "post", " post pre sandwich twice "},
    {"first_norm", YES, AT(first_norm), "yes", NULL},
    {"final_norm", YES, AT(final_norm), "no", NULL},
    {"activation", NAME, AT(activation), "gelu", " relu gelu gelu_tanh silu "},
    {"gate", NAME, AT(gate), "none", " none first second "},
    {"mask", NAME, AT(mask), "full", " full causal "},
    {"layer_groups", COUNT, AT(n_groups), "0", NULL},
    {"head_width", COUNT, AT(head_width), "0", NULL},
    {"key_value_heads", COUNT, AT(n_key_heads), "0", NULL},
    {"global_head_width", COUNT, AT(global_head_width), "0", NULL},
    {"global_key_value_heads", COUNT, AT(global_key_heads), "0", NULL},
    {"query_key_norm", NAME, AT(query_key_norm), "no", " no yes all "},
    {"value_norm", YES, AT(value_norm), "no", NULL},
    {"score_scale", NUMBER, AT(score_scale), "0", NULL},
    {"layer_input_width", COUNT, AT(layer_input_width), "0", NULL},
    {"window", COUNT, AT(window), "0", NULL},
    {"global_every", COUNT, AT(global_every), "0", NULL},
    {"global_first", COUNT, AT(global_first), "0", NULL},
    {"attention_position", NAME, AT(attention_position), "none",
     " none rotary alibi distance disentangled "},
    {"rotary_base", NUMBER, AT(rotary_base), "10000", NULL},
    {"rotary_local_base", NUMBER, AT(rotary_local_base), "0", NULL},
    {"rotary_width", COUNT, AT(rotary_width), "0", NULL},
    {"rotary_pairs", NAME, AT(rotary_pairs), "half", " half interleaved "},
    {"rotary_factor", NUMBER, AT(rotary_factor), "1", NULL},
    {"rotary_trained", COUNT, AT(rotary_trained), "0", NULL},
    {"distances", COUNT, AT(distances), "0", NULL},
    {"position_buckets", COUNT, AT(position_buckets), "0", NULL},
    {"position_terms", NAME, AT(position_terms), "both", " both c2p p2c "},
    {"experts", COUNT, AT(experts), "0", NULL},
    {"experts_used", COUNT, AT(experts_used), "0", NULL},
    {"experts_every", COUNT, AT(experts_every), "0", NULL},
    {"pooling", NAME, AT(pooling), "none", NULL},
    {"joined_poolings", NAME, AT(joined_poolings), "", NULL},
    {"pools_prompt", YES, AT(pools_prompt), "yes", NULL},
    {"normalize", YES, AT(normalize), "no", NULL},
    {"projections", COUNT, AT(n_projections), "0", NULL},
    {"projection_activation", NAME, AT(projection_activation), "identity", NULL},
    {"head", NAME, AT(head), "none", " none pooler sequence token mask "},
    {"head_pooling", NAME, AT(head_pooling), "cls",
     " cls mean max mean_sqrt weighted_mean last "},
    {"head_late", YES, AT(head_late), "no", NULL},
    {"head_dense", NAME, AT(head_dense), "none", NULL},
    {"head_norm", YES, AT(head_norm), "no", NULL},
    {"head_tied", YES, AT(head_tied), "no", NULL},
    {"labels", COUNT, AT(n_labels), "0", NULL},
    {"scores", NAME, AT(scores), "none", " none softmax sigmoid "},
    {"token_vectors", COUNT, AT(token_vectors), "0", NULL},
    {"sparse", NAME, AT(sparse), "none", " none linear mask "},
    {"sparse_pooling", NAME, AT(sparse_pooling), "max", " max sum "},
    {"sparse_activation", NAME, AT(sparse_activation), "log", " log log_log "},
};
/* clang-format on */
static const double MOST = 1 << 24; /* no model has more of anything */
enum { N_KEYS = sizeof KEYS / sizeof *KEYS };

/* Nothing here depends on these: the file has the biases, words.c a limit, callers the queries. */
static const char OTHERS[] =
    " max_text_tokens norm_bias attention_bias feed_forward_bias feed_forward_in_bias "
    "projection_bias head_bias head_dense_bias token_vector_bias token_vector_first "
    "query_weights query_tokens query_filler query_filler_seen ";

bool plain_is_among(const char *value, const char *names)
{
    char framed[64];
    snprintf(framed, sizeof framed, " %s ", value);
    return strstr(names, framed) != NULL;
}

static void read_key(struct plain_model *model, const struct key *key)
{
    const char *text = plain_setting(&model->weights->conf, key->name, key->if_absent);
    void *field = (char *)model + key->offset;
    char *end = NULL;
    if (text == NULL) {
        plain_complain(model->error, "CONF has no %s", key->name);
        return;
    }
    const char *names = key->kind == YES ? " yes no " : key->names;
    if (names != NULL && !plain_is_among(text, names))
        plain_complain(model->error, "%s is '%s'; expected one of%.*s", key->name, text,
                       (int)strlen(names) - 1, names);
    const double number = strtod(text, &end);
    const bool is_number = end != text && *end == '\0' && isfinite(number);
    const bool is_count = number >= 0 && number <= MOST && floor(number) == number;
    switch (key->kind) {
    case NAME: *(const char **)field = text; return;
    case YES: *(bool *)field = plain_is(text, "yes"); return;
    case NUMBER: *(double *)field = number; break;
    case COUNT: *(size_t *)field = is_number && is_count ? (size_t)number : 0; break;
    }
    if (!is_number || (key->kind == COUNT && !is_count))
        plain_complain(model->error, "%s is '%s'; expected a %s", key->name, text,
                       key->kind == COUNT ? "count" : "number");
}

static void set_if_absent(size_t *count, size_t value)
{
    *count = *count > 0 ? *count : value;
}

/* Sets what is absent and has the value of other settings. */
static void read_others(struct plain_model *model)
{
    const size_t n_layers = model->n_layers, n_heads = model->n_heads;
    const bool divides = n_heads > 0 && model->width % n_heads == 0;
    set_if_absent(&model->embedding_width, model->width);
    set_if_absent(&model->head_width, divides ? model->width / n_heads : 0);
    set_if_absent(&model->n_key_heads, n_heads);
    set_if_absent(&model->global_head_width, model->head_width);
    set_if_absent(&model->global_key_heads, model->n_key_heads);
    set_if_absent(&model->n_groups, model->n_layers);
    set_if_absent(&model->rotary_width, model->head_width);
    if (model->rotary_local_base == 0)
        model->rotary_local_base = model->rotary_base;
    if (model->score_scale == 0)
        model->score_scale = 1 / sqrt((double)model->head_width);
    snprintf(model->prefix, sizeof model->prefix, "layers.%zu.", model->n_groups - 1);
    const struct plain_tensor *last = plain_find(model, "attention.qkv", ".weight");
    model->prefix[0] = '\0';
    const bool fits = last != NULL && last->rows >= n_heads && model->n_groups <= n_layers &&
                      (model->n_groups == n_layers || n_layers <= 1024) && n_heads > 0 &&
                      n_heads % model->n_key_heads == 0 && model->head_width > 0 &&
                      n_heads % model->global_key_heads == 0 &&
                      model->rotary_width <= model->head_width;
    if (n_layers > 0 && !fits)
        plain_complain(model->error, "%zu layers in %zu groups, %zu and %zu heads in width %zu",
                       n_layers, model->n_groups, n_heads, model->n_key_heads, model->width);
    if (model->width == 0 || model->experts_used > model->experts)
        plain_complain(model->error, "width must be 1 or more, experts_used at most experts");
    if (model->n_frequencies > 0 && model->frequencies == NULL)
        model->frequencies =
            plain_values(model, "position.frequencies", "", model->n_frequencies, 0);
    const struct plain_tensor *table = plain_find(model, "embedding.position", ".weight");
    if (plain_is(model->position, "learned"))
        model->learned = plain_values(model, "embedding.position", ".weight",
                                      table ? table->rows : 0, model->embedding_width);
    if (model->learned && table->rows < model->max_tokens + model->position_offset)
        plain_complain(model->error, "embedding.position has %zu rows, for %zu tokens from %zu on",
                       table->rows, model->max_tokens, model->position_offset);
    if (plain_is(model->attention_position, "distance"))
        model->distance_bias = plain_values(model, "attention.distance", ".bias", model->n_heads,
                                            2 * model->distances + 1);
}

/* Applies the options that differ from the file. */
static void override(struct plain_model *model, const struct plain_options *options)
{
    model->position = options->position ? options->position : model->position;
    model->mask = options->mask ? options->mask : model->mask;
    if (options->position_base > 0)
        model->position_base = options->position_base;
    if (options->embedding_scale)
        model->embedding_scale = *options->embedding_scale;
    if (options->position_scale)
        model->position_scale = *options->position_scale;
    if (options->frequencies) {
        model->frequencies = options->frequencies;
        model->n_frequencies = options->n_frequencies;
    }
    model->int8_rows = options->int8_rows;
    model->trace = options->trace;
}

struct plain_model plain_model_open(const struct plain_weights *weights,
                                    const struct plain_options *options, char error[256])
{
    struct plain_model model = {.weights = weights, .error = error};
    error[0] = '\0';
    for (size_t i = 0; i < N_KEYS; i++)
        read_key(&model, &KEYS[i]);
    for (size_t i = 0, k; i < weights->conf.n; i++) {
        const char *name = weights->conf.pairs[i].key;
        for (k = 0; k < N_KEYS && !plain_is(name, KEYS[k].name);)
            k++;
        if (k == N_KEYS && !plain_is_among(name, OTHERS))
            plain_complain(error, "CONF: %s is not known", name);
    }
    if (options)
        override(&model, options);
    if (error[0] == '\0')
        read_others(&model);
    return model;
}

/* ---- Tensors ---- */

const struct plain_tensor *plain_find(const struct plain_model *model, const char *name,
                                      const char *suffix)
{
    char full[96];
    snprintf(full, sizeof full, "%s%s%s", model->prefix, name, suffix);
    return plain_tensor(model->weights, full);
}

const double *plain_values(struct plain_model *model, const char *name, const char *suffix,
                           size_t rows, size_t cols)
{
    const struct plain_tensor *tensor = plain_find(model, name, suffix);
    const bool is_vector = cols == 0;
    if (!tensor)
        plain_complain(model->error, "there is no %s%s%s", model->prefix, name, suffix);
    else if (tensor->n_dims != (is_vector ? 1 : 2) || tensor->rows != rows ||
             (is_vector ? tensor->type != PLAIN_F32 : tensor->cols != cols))
        plain_complain(model->error, "%s is not [%zu, %zu], or a vector that is not f32",
                       tensor->name, rows, cols);
    else
        return tensor->values;
    return NULL;
}
