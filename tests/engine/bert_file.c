/* The tensors of BERT-like checkpoints under the names of weights/FORMAT.md: query, key and value
 * become one matrix, everything else is copied. Post-norm layers, learned positions, a norm after
 * the embedding. */
#include "tests/engine/bert_file.h"

#include "tests/safetensors.h"
#include "tests/support.h"
#include "tools/writer/weight_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
    const char *prefix, *layer; /* before everything; before the number of a layer */
    const char *query, *key, *value, *output, *attention_norm, *in, *out, *feed_forward_norm;
};

static const struct names BERT_NAMES = {"",
                                        "encoder.layer",
                                        "attention.self.query",
                                        "attention.self.key",
                                        "attention.self.value",
                                        "attention.output.dense",
                                        "attention.output.LayerNorm",
                                        "intermediate.dense",
                                        "output.dense",
                                        "output.LayerNorm"};
static const struct names DISTILBERT_NAMES = {"",
                                              "transformer.layer",
                                              "attention.q_lin",
                                              "attention.k_lin",
                                              "attention.v_lin",
                                              "attention.out_lin",
                                              "sa_layer_norm",
                                              "ffn.lin1",
                                              "ffn.lin2",
                                              "output_layer_norm"};

struct source {
    struct safetensors tensors;
    struct names names;
    struct model_config config;
    struct weight_writer *writer;
    enum tensor_layout layout;
    engine_error error;
};

static size_t number(const json_t *json, const char *key, const char *other)
{
    const json_t *value = json_object_get(json, key);
    if (!value)
        value = json_object_get(json, other);
    if (!json_is_integer(value))
        fail_msg("config.json: no %s", key);
    return (size_t)json_integer_value(value);
}

static enum activation activation_of(const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "hidden_act"));
    if (!name)
        name = json_string_value(json_object_get(json, "activation"));
    assert_non_null(name);
    if (strcmp(name, "gelu_new") == 0)
        return ACTIVATION_GELU_TANH;
    assert_string_equal(name, "gelu");
    return ACTIVATION_GELU;
}

static void read_config(struct source *source, const char *directory)
{
    char path[SUPPORT_PATH];
    struct model_config *config = &source->config;
    support_path(path, directory, "config.json");
    json_t *json = json_load_file(path, 0, NULL);
    const char *kind = json_string_value(json_object_get(json, "model_type"));
    assert_non_null(kind);
    bool roberta = strcmp(kind, "roberta") == 0, distilbert = strcmp(kind, "distilbert") == 0;
    source->names = distilbert ? DISTILBERT_NAMES : BERT_NAMES;
    config_defaults(config);
    config->layers = number(json, "num_hidden_layers", "n_layers");
    config->width = number(json, "hidden_size", "dim");
    config->heads = number(json, "num_attention_heads", "n_heads");
    config->feed_forward = number(json, "intermediate_size", "hidden_dim");
    config->vocabulary = number(json, "vocab_size", "");
    config->token_types = distilbert ? 0 : number(json, "type_vocab_size", "");
    config->position = POSITION_LEARNED;
    config->position_offset = roberta ? number(json, "pad_token_id", "") + 1 : 0;
    config->max_tokens = number(json, "max_position_embeddings", "") - config->position_offset;
    config->embedding_norm = NORM_LAYER;
    config->norm_eps =
        distilbert ? 1e-12 : json_number_value(json_object_get(json, "layer_norm_eps"));
    config->activation = activation_of(json);
    config->pooling = POOLING_MEAN;
    config->normalize = 1;
    json_decref(json);
}

/* Published files have the model's name before every tensor, or not. */
static void find_prefix(struct source *source)
{
    static const char *const prefixes[] = {"", "bert.", "roberta.", "distilbert."};
    char name[96];
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        snprintf(name, sizeof name, "%sembeddings.word_embeddings.weight", prefixes[i]);
        source->names.prefix = prefixes[i];
        if (safetensors_count(&source->tensors, name, NULL) > 0)
            return;
    }
    fail_msg("there is no word table");
}

static void check(const struct source *source, engine_status status, const char *name)
{
    if (status != ENGINE_OK)
        fail_msg("writing %s: %s", name, source->error.message);
}

static enum tensor_type type_of(const struct source *source, const char *name)
{
    const char *dtype;
    safetensors_count(&source->tensors, name, &dtype);
    return strcmp(dtype, "F16") == 0    ? TENSOR_F16
           : strcmp(dtype, "BF16") == 0 ? TENSOR_BF16
                                        : TENSOR_F32;
}

/* One tensor of the weight file, [rows, cols], from n parts that follow each other. */
static void copy(struct source *source, const char *to, enum tensor_layout layout, size_t n_dims,
                 size_t rows, size_t cols, const char *const *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s", source->names.prefix, from[i]);
        float *values = safetensors_floats(&source->tensors, name);
        if (!values || safetensors_count(&source->tensors, name, NULL) != rows / n * cols)
            fail_msg("%s is not there or has another shape", name);
        enum tensor_type type = n_dims == 1 ? TENSOR_F32 : type_of(source, name);
        if (i == 0)
            check(source,
                  weight_writer_begin_tensor(source->writer, to, type, layout, n_dims, rows, cols),
                  to);
        check(source, weight_writer_rows(source->writer, values, rows / n), to);
        free(values);
    }
}

static void copy_table(struct source *source, const char *to, size_t rows, const char *from)
{
    copy(source, to, LAYOUT_ROWS, 2, rows, source->config.width, &from, 1);
}

static void copy_vector(struct source *source, const char *to, size_t n, const char *from)
{
    copy(source, to, LAYOUT_ROWS, 1, n, 1, &from, 1);
}

static void copy_norm(struct source *source, const char *to, const char *from)
{
    static const char *const parts[] = {"weight", "bias"};
    for (size_t i = 0; i < 2; i++) {
        char target[96], name[160];
        snprintf(target, sizeof target, "%s.%s", to, parts[i]);
        snprintf(name, sizeof name, "%s.%s", from, parts[i]);
        copy_vector(source, target, source->config.width, name);
    }
}

/* Weight [rows, cols] and bias [rows] of a linear layer, from n parts. */
static void copy_linear(struct source *source, const char *to, size_t rows, size_t cols,
                        const char *layer, const char *const *from, size_t n)
{
    static const char *const parts[] = {"weight", "bias"};
    for (size_t part = 0; part < 2; part++) {
        char target[96], names[3][160];
        const char *pointers[3];
        snprintf(target, sizeof target, "%s.%s", to, parts[part]);
        for (size_t i = 0; i < n; i++) {
            snprintf(names[i], sizeof names[i], "%s%s.%s", layer, from[i], parts[part]);
            pointers[i] = names[i];
        }
        if (part == 0)
            copy(source, target, source->layout, 2, rows, cols, pointers, n);
        else
            copy(source, target, LAYOUT_ROWS, 1, rows, 1, pointers, n);
    }
}

static void copy_layer(struct source *source, size_t l)
{
    const struct names *names = &source->names;
    size_t width = source->config.width, middle = source->config.feed_forward;
    const struct {
        const char *to, *from[3];
        size_t n, rows, cols; /* cols 0: a norm */
    } parts[] = {
        {"attention.qkv", {names->query, names->key, names->value}, 3, 3 * width, width},
        {"attention.output", {names->output}, 1, width, width},
        {"attention.norm", {names->attention_norm}, 1, width, 0},
        {"feed_forward.in", {names->in}, 1, middle, width},
        {"feed_forward.out", {names->out}, 1, width, middle},
        {"feed_forward.norm", {names->feed_forward_norm}, 1, width, 0},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char from[64], to[64], norm[128];
        snprintf(to, sizeof to, "layers.%zu.%s", l, parts[i].to);
        snprintf(from, sizeof from, "%s.%zu.", names->layer, l);
        snprintf(norm, sizeof norm, "%s%s", from, parts[i].from[0]);
        if (parts[i].cols == 0)
            copy_norm(source, to, norm);
        else
            copy_linear(source, to, parts[i].rows, parts[i].cols, from, parts[i].from, parts[i].n);
    }
}

static void copy_all(struct source *source)
{
    const struct model_config *config = &source->config;
    copy_table(source, "embedding.token.weight", config->vocabulary,
               "embeddings.word_embeddings.weight");
    copy_table(source, "embedding.position.weight",
               (size_t)(config->max_tokens + config->position_offset),
               "embeddings.position_embeddings.weight");
    if (config->token_types > 0)
        copy_table(source, "embedding.type.weight", config->token_types,
                   "embeddings.token_type_embeddings.weight");
    copy_norm(source, "embedding.norm", "embeddings.LayerNorm");
    for (size_t l = 0; l < config->layers; l++)
        copy_layer(source, l);
}

void bert_file_write(const char *directory, const char *path, enum tensor_layout layout)
{
    struct source source = {.layout = layout};
    char tensors[SUPPORT_PATH];
    static const char *const texts[] = {"a"};
    static const size_t lens[] = {1};
    support_path(tensors, directory, "model.safetensors");
    if (!safetensors_read(&source.tensors, tensors))
        fail_msg("%s cannot be read", tensors);
    read_config(&source, directory);
    find_prefix(&source);
    check(&source, weight_writer_open(path, &source.writer, &source.error), path);
    check(&source, weight_writer_config(source.writer, &source.config), "the config");
    check(&source,
          weight_writer_setting(source.writer, ENGINE_SETTINGS_TOKENIZER, "kind", "blanks", 6),
          "the tokenizer");
    check(&source, weight_writer_vocabulary(source.writer, texts, lens, 1), "the vocabulary");
    copy_all(&source);
    check(&source, weight_writer_finish(source.writer), path);
    safetensors_free(&source.tensors);
}
