/* bert_file.c - the config of BERT, and a vocabulary in which the token of id 7 is "7": texts that
 * are read are of unknown words, which take as long as known ones. */
#include "tools/bench/bert_file.h"

#include "engine/file/weight_writer.h"
#include "tools/common/options.h"
#include "tools/common/weights/random_model.h"
#include "tools/common/weights/token_source.h"

#include <stdio.h>
#include <string.h>

bool bert_shape_read(const char *option, const char *text, struct bert_shape *shape)
{
    size_t *const counts[] = {&shape->layers, &shape->width, &shape->heads, &shape->feed_forward,
                              &shape->vocabulary};
    const char *at = text;
    size_t n = 0;
    shape->vocabulary = BERT_VOCABULARY;
    for (bool more = true; more && n < 5; n++) {
        char part[32];
        size_t len = strcspn(at, "/");
        snprintf(part, sizeof part, "%.*s", (int)(len < 31 ? len : 31), at);
        if (!option_count(option, part, n == 4 ? BERT_VOCABULARY_LEAST : 1, 1000000, counts[n]))
            return false;
        more = at[len] == '/';
        at += len + more;
    }
    if (n < 4 || *at != '\0') {
        program_note("%s takes LAYERS/WIDTH/HEADS/FEED-FORWARD[/VOCABULARY], not '%s'", option,
                     text);
        return false;
    }
    if (shape->width % shape->heads != 0) {
        program_note("%s %s: %zu heads do not divide the width", option, text, shape->heads);
        return false;
    }
    return true;
}

static void settle_config(struct model_config *config, const struct bert_shape *shape)
{
    config_defaults(config);
    config->layers = (int64_t)shape->layers;
    config->width = (int64_t)shape->width;
    config->heads = (int64_t)shape->heads;
    config->feed_forward = (int64_t)shape->feed_forward;
    config->vocabulary = (int64_t)shape->vocabulary;
    config->max_tokens = BERT_TOKENS;
    config->token_types = 2;
    config->embedding_norm = NORM_LAYER;
    config->position = POSITION_LEARNED;
    config->norm_eps = 1e-12;
    config->pooling = POOLING_MEAN;
    config->normalize = 1;
}

static enum tensor_type type_named(const char *precision)
{
    if (strcmp(precision, "f16") == 0)
        return TENSOR_F16;
    if (strcmp(precision, "bf16") == 0)
        return TENSOR_BF16;
    return strcmp(precision, "int8") == 0 ? TENSOR_INT8 : TENSOR_F32;
}

double bert_file_bytes(const struct bert_shape *shape, const char *precision)
{
    struct model_config config;
    enum tensor_type type = type_named(precision);
    settle_config(&config, shape);
    return random_model_size(&config) * (type == TENSOR_F32 ? 4 : type == TENSOR_INT8 ? 1 : 2);
}

static int make_words(struct token_source *source, size_t n)
{
    int code = token_source_begin(source, false);
    for (size_t id = 0; code == PROGRAM_DONE && id < n; id++) {
        char text[24];
        snprintf(text, sizeof text, "%zu", id);
        if (!word_list_append(&source->words, text, strlen(text)))
            code = no_memory();
    }
    source->unknown = 0;
    return code;
}

static int write_parts(struct weight_writer *writer, const struct model_config *config,
                       const char *precision, uint64_t seed)
{
    enum tensor_type type = type_named(precision);
    struct random_options options = {
        .seed = seed,
        .linear_type = type,
        .linear_layout = LAYOUT_PANELS,
        .table_type = type == TENSOR_INT8 ? TENSOR_F16 : type,
    };
    struct token_source source;
    uint64_t n_parameters;
    int code = make_words(&source, (size_t)config->vocabulary);
    if (code == PROGRAM_DONE) {
        weight_writer_config(writer, config);
        weight_writer_setting(writer, ENGINE_SETTINGS_METADATA, "name", "random weights", 14);
        token_source_write(&source, writer);
        if (random_model_write(writer, config, &options, &n_parameters) == ENGINE_ERROR_MEMORY)
            code = no_memory();
    }
    token_source_free(&source);
    return code;
}

int bert_file_write(const char *path, const struct bert_shape *shape, const char *precision,
                    uint64_t seed)
{
    engine_error error = {ENGINE_OK, ""};
    struct model_config config;
    struct weight_writer *writer;
    settle_config(&config, shape);
    const char *wrong = config_check(&config);
    if (wrong != NULL)
        return program_fail("the shape: %s", wrong);
    if (weight_writer_open(path, &writer, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    int code = write_parts(writer, &config, precision, seed);
    if (code != PROGRAM_DONE)
        weight_writer_abort(writer);
    else if (weight_writer_finish(writer) != ENGINE_OK)
        code = program_fail("%s", error.message);
    return code;
}
