/* model.c - opens a weight file as a model. */
#include "engine/model.h"

#include "engine/file/bind.h"
#include "engine/file/weight_file.h"
#include "engine/runtime/machine.h"
#include "engine/status.h"
#include "model/layers/linear.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static engine_status refuse_setting(const char *section, const struct setting *setting,
                                    const char *expected, engine_error *error)
{
    if (expected == CONFIG_UNKNOWN_KEY || expected == TOKENIZER_UNKNOWN_KEY)
        return fail(error, ENGINE_ERROR_UNSUPPORTED,
                    "%s asks for '%.40s' = '%.40s', a key that this version does not know: use a "
                    "newer library",
                    section, setting->key, setting->value);
    return damaged(error, "%s: '%.40s' is '%.40s', expected %s", section, setting->key,
                   setting->value, expected);
}

static engine_status read_config(const struct weight_file *file, struct model_config *config,
                                 engine_error *error)
{
    struct setting setting;
    config_defaults(config);
    for (size_t at = 0; weight_file_setting(&file->sections[SECTION_CONF], &at, &setting);) {
        if (strlen(setting.value) != setting.value_len)
            return refuse_setting("config", &setting, "a value without NUL bytes", error);
        const char *expected = config_set(config, setting.key, setting.value);
        if (expected != NULL)
            return refuse_setting("config", &setting, expected, error);
    }
    const char *wrong = config_check(config);
    return wrong != NULL ? damaged(error, "config: %s", wrong) : ENGINE_OK;
}

/* Reads the settings, the vocabulary and the other sections, and builds the tables. */
static engine_status read_tokenizer(engine_model *model, engine_error *error)
{
    struct setting setting;
    const struct weight_file *file = &model->file;
    struct tokenizer *tokenizer = &model->tokenizer;
    size_t n_types = model->encoder.config.token_types;
    size_t n_ids = model->encoder.config.vocabulary;
    const struct section *section = &file->sections[SECTION_VOCB];
    tokenizer_defaults(tokenizer, n_types);
    for (size_t at = 0; weight_file_setting(&file->sections[SECTION_TOKN], &at, &setting);) {
        const char *expected =
            tokenizer_set(tokenizer, setting.key, setting.value, setting.value_len);
        if (expected != NULL)
            return refuse_setting("tokenizer", &setting, expected, error);
    }
    const char *wrong = vocabulary_view(&tokenizer->vocabulary, section->data, section->len);
    if (wrong != NULL)
        return damaged(error, "vocabulary: %s", wrong);
    if (tokenizer->vocabulary.n > n_ids)
        return damaged(error, "the vocabulary has %u tokens, but config 'vocabulary' is %zu",
                       tokenizer->vocabulary.n, n_ids);
    for (int i = FIRST_OPTIONAL_SECTION; i < N_SECTION_TAGS; i++) {
        const struct section *own = &file->sections[i];
        if (own->data != NULL)
            wrong = tokenizer_view(tokenizer, SECTION_NAMES[i], own->data, own->len);
        if (wrong != NULL)
            return damaged(error, "%s: %s", SECTION_NAMES[i], wrong);
    }
    wrong = tokenizer_check(tokenizer, n_types);
    if (wrong != NULL)
        return damaged(error, "tokenizer: %s", wrong);
    size_t n_bytes = tokenizer_table_bytes(tokenizer);
    if (n_bytes > 0 && (model->tokenizer_tables = malloc(n_bytes)) == NULL)
        return fail(error, ENGINE_ERROR_MEMORY,
                    "no memory for the tables of the tokenizer, %zu bytes", n_bytes);
    wrong = tokenizer_build(tokenizer, model->tokenizer_tables);
    return wrong != NULL ? damaged(error, "tokenizer: %s", wrong) : ENGINE_OK;
}

/* Returns the panels of linear layer i that forward.c multiplies at a time: half if gated. */
static size_t panels_at_once(const struct encoder *encoder, size_t i)
{
    const struct model_config *config = &encoder->config;
    const struct linear *linear = encoder_linear(encoder, i);
    bool halves = config->gate != GATE_NONE && config->feed_forward % PANEL == 0 &&
                  encoder_is_feed_forward_in(i);
    return linear_panels(linear) / (halves ? 2 : 1);
}

/* Returns whether the i-th linear layer is multiplied in floats, and is the first such layer of its
 * shape. The types of a layer's linears say nothing about the next layer's. */
static bool has_new_shape(const struct encoder *encoder, size_t i)
{
    const struct linear *linear = encoder_linear(encoder, i);
    if (linear_takes_int8(linear))
        return false;
    for (size_t before = 0; before < i; before++) {
        const struct linear *other = encoder_linear(encoder, before);
        if (!linear_takes_int8(other) && other->weight.cols == linear->weight.cols &&
            panels_at_once(encoder, before) == panels_at_once(encoder, i))
            return false;
    }
    return true;
}

/* Returns the fewest rows alike (blas.h) of the blocks in which linear layers are multiplied. */
static size_t fewest_rows_alike(const struct encoder *encoder, const struct blas_work *work)
{
    const struct linear *linear;
    size_t fewest = BLAS_MOST_ROWS;
    for (size_t i = 0; (linear = encoder_linear(encoder, i)) != NULL; i++) {
        size_t left = has_new_shape(encoder, i) ? panels_at_once(encoder, i) : 0;
        while (left > 0) { /* a full block, and the remainder after the last one */
            size_t n_panels = left < BLAS_PANELS ? left : BLAS_PANELS;
            size_t rows = blas_rows_alike(encoder->blas, n_panels, linear->weight.cols, work);
            fewest = rows < fewest ? rows : fewest;
            left = left > BLAS_PANELS ? left % BLAS_PANELS : 0;
        }
    }
    return fewest;
}

static engine_status prepare_blas(struct encoder *encoder, engine_error *error)
{
    const struct linear *linear;
    struct blas_work work;
    struct arena arena = {0};
    size_t widest = 0;
    encoder->blas = machine_blas();
    if (encoder->blas == NULL)
        return ENGINE_OK;
    for (size_t i = 0; (linear = encoder_linear(encoder, i)) != NULL; i++)
        widest = linear->weight.cols > widest ? linear->weight.cols : widest;
    do
        blas_work_carve(&work, widest, &arena);
    while (arena_allocate(&arena));
    if (arena.base == NULL)
        return fail(error, ENGINE_ERROR_MEMORY, "no memory to try OpenBLAS with");
    encoder->blas_rows = fewest_rows_alike(encoder, &work);
    free(arena.base);
    return ENGINE_OK;
}

static engine_status choose_kernels(struct encoder *encoder, engine_error *error)
{
    const struct linear *linear;
    bool tiles = encoder->bf16;
    for (size_t i = 0; (linear = encoder_linear(encoder, i)) != NULL; i++)
        tiles |= linear_takes_int8(linear);
    encoder->kernels = machine_kernels(tiles, error);
    if (encoder->kernels == NULL)
        return ENGINE_ERROR_ARGUMENT;
    return encoder->kernels == &kernels_portable && !encoder->bf16 ? prepare_blas(encoder, error)
                                                                   : ENGINE_OK;
}

enum { OF_LAYER = 4 }; /* linear layers, which layers may share */

/* Layers whose rows are multiplied faster as unsigned bytes, to the same bits, take such rows. */
static void take_unsigned_rows(struct encoder *encoder)
{
    struct linear *linear;
    for (size_t i = 0; (linear = (struct linear *)encoder_linear(encoder, i)) != NULL; i++) {
        struct matrix *weight = &linear->weight;
        const struct linear *before = i > OF_LAYER ? encoder_linear(encoder, i - OF_LAYER) : NULL;
        if (before != NULL && before->weight.data == weight->data)
            weight->rounding = before->weight.rounding;
        else if (linear_takes_int8(linear) && weight->rounding == ROUND_8_BITS &&
                 encoder->kernels->fits_pairs(weight))
            weight->rounding = ROUND_UNSIGNED;
    }
}

/* Rounds the weights of the linear layers to bfloat16, into memory of the model; once if layers
 * share them: memory that is never written takes none. */
static engine_status round_weights(engine_model *model, engine_error *error)
{
    struct linear *linear;
    const void *before[OF_LAYER] = {NULL};
    size_t n = 0, longest = 1;
    for (size_t i = 0; (linear = (struct linear *)encoder_linear(&model->encoder, i)) != NULL;
         i++) {
        longest = larger(longest, linear->weight.cols);
        n += linear_takes_int8(linear) ? 0 : linear_pairs(linear);
    }
    struct arena arena = {0};
    float *panel;
    do {
        model->pairs = arena_cut(&arena, n, sizeof *model->pairs);
        panel = arena_floats(&arena, longest, PANEL);
    } while (arena_allocate(&arena));
    uint16_t *to = model->pairs;
    if (to == NULL)
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for weights in bf16, %zu bytes",
                    arena.used);
    for (size_t i = 0; (linear = (struct linear *)encoder_linear(&model->encoder, i)) != NULL;
         i++) {
        const void *data = linear->weight.data;
        if (i > OF_LAYER && data == before[i % OF_LAYER]) {
            *linear = *encoder_linear(&model->encoder, i - OF_LAYER);
        } else if (!linear_takes_int8(linear)) {
            linear_to_pairs(model->encoder.kernels, linear, to, panel);
            to += linear_pairs(linear);
        }
        before[i % OF_LAYER] = data;
    }
    return ENGINE_OK;
}

/* Reads the mapped file. layers * sizeof and rows * width fit size_t, since config counts are below
 * 2^31. */
static engine_status read_model(engine_model *model, engine_error *error)
{
    struct encoder *encoder = &model->encoder;
    const struct model_config *config = &encoder->config;
    engine_status status = read_config(&model->file, &encoder->config, error);
    if (status == ENGINE_OK)
        status = read_tokenizer(model, error);
    model->has_encoder = config->width > 0;
    if (status != ENGINE_OK || !model->has_encoder)
        return status;
    if (config->layer_groups > model->file.n_tensors)
        return damaged(error, "config 'layers' is %zu, but the file has %zu tensors",
                       config->layer_groups, model->file.n_tensors);
    if (config->layers > 0) {
        encoder->layers = calloc(config->layers, sizeof *encoder->layers);
        if (encoder->layers == NULL)
            return fail(error, ENGINE_ERROR_MEMORY, "no memory for %zu layers", config->layers);
    }
    return bind_tensors(&model->file, encoder, error);
}

/* Opens path or, if that is NULL, data of len bytes. */
static engine_status open_model(const char *path, const void *data, size_t len,
                                const engine_model_options *options, engine_model **out,
                                engine_error *error)
{
    engine_model_options own;
    engine_status status = read_struct("ENGINE_MODEL_OPTIONS", options, &own, sizeof own, error);
    if (status != ENGINE_OK)
        return status;
    if (own.verify < -1 || own.verify > 1 || own.copy < 0 || own.copy > 1 ||
        (unsigned)own.precision > ENGINE_PRECISION_BF16)
        return misused(error,
                       "engine_model_options: verify is %d, expected -1 to 1; copy is %d, "
                       "expected 0 or 1; precision is %d, expected 0 or 1",
                       own.verify, own.copy, (int)own.precision);
    engine_model *model = calloc(1, sizeof *model);
    if (model == NULL || (path != NULL && (model->path = strdup(path)) == NULL)) {
        free(model);
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for a model");
    }
    status = path != NULL ? weight_file_map(&model->file, path, &own, error)
                          : weight_file_view(&model->file, data, len, &own, error);
    engine_error cause;
    if (status == ENGINE_OK) {
        status = read_model(model, &cause);
        if (status != ENGINE_OK)
            fail(error, status, path != NULL ? "'%.96s': %s" : "%s%s", path != NULL ? path : "",
                 cause.message);
    }
    model->encoder.bf16 = own.precision == ENGINE_PRECISION_BF16;
    if (status == ENGINE_OK)
        status = choose_kernels(&model->encoder, error);
    if (status == ENGINE_OK && model->encoder.kernels->fits_pairs != NULL)
        take_unsigned_rows(&model->encoder);
    if (status == ENGINE_OK && model->encoder.bf16)
        status = round_weights(model, error);
    if (status != ENGINE_OK) {
        engine_model_close(model);
        return status;
    }
    *out = model;
    return succeed(error);
}

engine_status engine_model_open(const char *path, const engine_model_options *options,
                                engine_model **model, engine_error *error)
{
    char default_path[PATH_MAX];
    int cancel_state;
    engine_status status = ENGINE_OK;
    if (model == NULL)
        return misused(error, "engine_model_open: model is NULL");
    *model = NULL;
    if (path == NULL) {
        status = find_default_weights(default_path, sizeof default_path, error);
        path = default_path;
    }
    if (status != ENGINE_OK)
        return status;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    status = open_model(path, NULL, 0, options, model, error);
    pthread_setcancelstate(cancel_state, NULL);
    return status;
}

engine_status engine_model_open_memory(const void *data, size_t len,
                                       const engine_model_options *options, engine_model **model,
                                       engine_error *error)
{
    if (model == NULL)
        return misused(error, "engine_model_open_memory: model is NULL");
    *model = NULL;
    if (data == NULL || (uintptr_t)data % TENSOR_ALIGN != 0)
        return misused(error, "engine_model_open_memory: data is NULL or not aligned to %d bytes",
                       TENSOR_ALIGN);
    return open_model(NULL, data, len, options, model, error);
}

engine_pooling own_pooling(const struct model_config *config)
{
    if (config->pooling != POOLING_NONE)
        return ENGINE_POOLING_MODEL;
    if (config->sparse != SPARSE_NONE)
        return ENGINE_POOLING_SPARSE;
    return config->token_vectors > 0 ? ENGINE_POOLING_COLBERT : ENGINE_POOLING_MODEL;
}

void engine_model_close(engine_model *model)
{
    if (model == NULL)
        return;
    weight_file_close(&model->file);
    free(model->encoder.layers);
    free(model->tokenizer_tables);
    free(model->pairs);
    free(model->path);
    free(model);
}
