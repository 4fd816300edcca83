/* model.c - opens a weight file as a model: its settings, its tokenizer, its tensors by name. */
#include "engine/model.h"

#include "engine/runtime/machine.h"
#include "engine/status.h"
#include "model/layers/linear.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tensors ---- the table "Tensors by name" of weights/FORMAT.md, as code. */

/* The state of the binding. */
struct binder {
    const struct weight_file *file;
    const struct model_config *config;
    engine_error *error;
    engine_status status;
    char scope[32]; /* before the names of tensors: "layers.GROUP.", or "" */
};

/* The first failure ends the binding. */
#define refuse(binder, ...) ((binder)->status = damaged((binder)->error, __VA_ARGS__))

/* Returns NULL, with the status of a failure, if there is no such tensor. */
static const struct tensor *find(struct binder *binder, const char *prefix, const char *suffix,
                                 size_t n_dims)
{
    char name[96];
    if (binder->status != ENGINE_OK)
        return NULL;
    snprintf(name, sizeof name, "%s%s.%s", binder->scope, prefix, suffix);
    const struct tensor *tensor = weight_file_find(binder->file, name);
    if (tensor == NULL)
        refuse(binder, "the weight file has no tensor '%s', which its config asks for", name);
    else if (tensor->n_dims != n_dims)
        refuse(binder, "tensor '%s' has %zu dimensions, expected %zu", name, tensor->n_dims,
               n_dims);
    return binder->status == ENGINE_OK ? tensor : NULL;
}

static void wrong_shape(struct binder *binder, const struct tensor *tensor, const char *expected)
{
    char shape[96] = "";
    for (size_t i = 0, used = 0; i < tensor->n_dims; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%llu", i == 0 ? "" : ", ",
                                 (unsigned long long)tensor->shape[i]);
    refuse(binder, "tensor '%.64s' is [%s], expected [%s] by the config", tensor->name, shape,
           expected);
}

static const float *bind_vector(struct binder *binder, const char *prefix, const char *suffix,
                                size_t n)
{
    const struct tensor *tensor = find(binder, prefix, suffix, 1);
    char expected[48];
    if (tensor == NULL)
        return NULL;
    snprintf(expected, sizeof expected, "%zu", n);
    if (tensor->shape[0] != n)
        wrong_shape(binder, tensor, expected);
    else if (tensor->type != TENSOR_F32)
        refuse(binder, "tensor '%.64s' is not f32, as vectors must be", tensor->name);
    return (const float *)(const void *)(binder->file->data + tensor->offset);
}

enum {               /* what else a matrix must be */
       AT_LEAST = 1, /* more rows are allowed */
       IN_ROWS = 2,
       IN_PANELS = 4,
       OF_FLOATS = 8
};

static struct matrix bind_matrix(struct binder *binder, const char *prefix, const char *suffix,
                                 size_t rows, size_t cols, int is)
{
    const bool at_least = (is & AT_LEAST) != 0;
    const struct tensor *tensor = find(binder, prefix, suffix, 2);
    char expected[64];
    if (tensor == NULL)
        return (struct matrix){0};
    snprintf(expected, sizeof expected, "%s%zu, %zu", at_least ? "at least " : "", rows, cols);
    if (tensor->shape[1] != cols || tensor->shape[0] < rows ||
        (tensor->shape[0] > rows && !at_least))
        wrong_shape(binder, tensor, expected);
    struct matrix matrix =
        tensor_matrix(tensor->type, tensor->layout, (size_t)tensor->shape[0],
                      (size_t)tensor->shape[1], binder->file->data + tensor->offset);
    for (size_t i = 0; matrix.kept_panels != NULL && i < KEPT; i++)
        if (matrix.kept[i] >= matrix.cols || (i > 0 && matrix.kept[i] <= matrix.kept[i - 1]))
            refuse(binder,
                   "tensor '%.64s' keeps column %u as its %zu. in f32, expected ascending ones "
                   "below %zu",
                   tensor->name, (unsigned)matrix.kept[i], i + 1, matrix.cols);
    if (binder->status == ENGINE_OK && (((is & IN_ROWS) && matrix.layout != LAYOUT_ROWS) ||
                                        ((is & IN_PANELS) && matrix.layout != LAYOUT_PANELS) ||
                                        ((is & OF_FLOATS) && matrix.type != TENSOR_F32)))
        refuse(binder, "tensor '%.64s' is not in %s%s", tensor->name,
               is & OF_FLOATS ? "f32 and " : "", is & IN_ROWS ? "rows" : "panels");
    return matrix;
}

static const float *bind_floats(struct binder *binder, const char *prefix, const char *suffix,
                                size_t rows, size_t cols, int is)
{
    return bind_matrix(binder, prefix, suffix, rows, cols, is | OF_FLOATS).data;
}

static struct linear bind_linear(struct binder *binder, const char *prefix, size_t out, size_t in,
                                 bool has_bias)
{
    struct linear linear = {.weight = bind_matrix(binder, prefix, "weight", out, in, 0)};
    if (has_bias)
        linear.bias = bind_vector(binder, prefix, "bias", out);
    return linear;
}

static struct norm bind_norm(struct binder *binder, const char *prefix, enum norm_kind kind,
                             size_t width)
{
    struct norm norm = {.kind = kind};
    if (kind == NORM_NONE)
        return norm;
    norm.weight = bind_vector(binder, prefix, "weight", width);
    if (kind == NORM_LAYER && binder->config->norm_bias)
        norm.bias = bind_vector(binder, prefix, "bias", width);
    return norm;
}

static void bind_layer_input(struct binder *binder, struct layer_input *input)
{
    const struct model_config *config = binder->config;
    size_t width = config->width, own = config->layer_input_width;
    input->in = bind_linear(binder, "layer_input.in", own, width, false);
    input->norm = bind_norm(binder, "layer_input.norm", NORM_RMS, own);
    input->by = bind_linear(binder, "layer_input.by", own, width, false);
    input->out = bind_linear(binder, "layer_input.out", width, own, false);
    input->norm_after = bind_norm(binder, "layer_input.norm_after", NORM_RMS, width);
    const float *scale = bind_vector(binder, "layer_input.scale", "weight", 1);
    if (scale != NULL)
        input->scale = *scale;
}

/* The weights of experts are in one tensor; what else they have. */
static void bind_experts(struct binder *binder, struct layer *layer)
{
    const struct model_config *config = binder->config;
    layer->router.weight = bind_matrix(binder, "feed_forward.router", "weight", config->experts,
                                       config->width, IN_PANELS | OF_FLOATS);
    if (binder->status == ENGINE_OK && (layer->feed_forward_in.weight.type == TENSOR_INT8 ||
                                        layer->feed_forward_out.weight.type == TENSOR_INT8))
        refuse(binder, "the experts of '%sfeed_forward' are in int8, which they cannot be",
               binder->scope);
    if (config->feed_forward_bias)
        layer->experts_bias = bind_vector(binder, "feed_forward.out", "bias", config->width);
}

/* `index` is the layer's own number. */
static void bind_layer(struct binder *binder, size_t index, struct layer *layer)
{
    const struct model_config *config = binder->config;
    size_t width = config->width, middle = config->feed_forward;
    size_t head_width = config_head_width(config, index);
    size_t n_keys = config_key_value_heads(config, index), queries = config->heads * head_width;
    enum norm_kind norm = config->norm;
    enum norm_kind first = index == 0 && !config->first_norm ? NORM_NONE : norm;
    enum norm_kind after = config->norm_place == NORM_SANDWICH ? norm : NORM_NONE;
    enum norm_kind after_attention = config->norm_place == NORM_TWICE ? norm : after;
    const bool of_all = config->query_key_norm == QUERY_KEY_ALL;
    enum norm_kind of_heads = of_all ? norm : config->query_key_norm ? NORM_RMS : NORM_NONE;
    layer->attention_norm = bind_norm(binder, "attention.norm", first, width);
    layer->qkv = bind_linear(binder, "attention.qkv", queries + 2 * n_keys * head_width, width,
                             config->attention_bias);
    layer->query_norm =
        bind_norm(binder, "attention.query_norm", of_heads, of_all ? queries : head_width);
    layer->key_norm = bind_norm(binder, "attention.key_norm", of_heads,
                                of_all ? n_keys * head_width : head_width);
    layer->value_norm = bind_norm(binder, "attention.value_norm",
                                  config->value_norm ? NORM_RMS : NORM_NONE, head_width);
    layer->head_width = head_width;
    layer->key_value_heads = n_keys;
    if (config_span(config) > 0 && config->position_terms != TERMS_P2C)
        layer->position_key = bind_floats(binder, "attention.position_key", "weight",
                                          config_position_rows(config), head_width, IN_PANELS);
    if (config_span(config) > 0 && config->position_terms != TERMS_C2P)
        layer->position_query = bind_floats(binder, "attention.position_query", "weight",
                                            config_position_rows(config), head_width, IN_PANELS);
    layer->output = bind_linear(binder, "attention.output", width, queries, config->attention_bias);
    layer->attention_norm_after = bind_norm(binder, "attention.norm_after", after_attention, width);
    layer->feed_forward_norm = bind_norm(binder, "feed_forward.norm", norm, width);
    bool has_experts = config_has_experts(config, index);
    size_t n = has_experts ? config->experts : 1, n_in = config->gate == GATE_NONE ? n : 2 * n;
    layer->feed_forward_in = bind_linear(binder, "feed_forward.in", n_in * middle, width,
                                         config->feed_forward_in_bias && !has_experts);
    layer->feed_forward_out = bind_linear(binder, "feed_forward.out", n * width, middle,
                                          config->feed_forward_bias && !has_experts);
    if (has_experts)
        bind_experts(binder, layer);
    layer->feed_forward_norm_after = bind_norm(binder, "feed_forward.norm_after", after, width);
    layer->window = config_is_global(config, index) ? 0 : config->window;
    layer->input.scale = 1;
    if (config->layer_input_width > 0)
        bind_layer_input(binder, &layer->input);
}

/* Infinity, or an argument beyond sin's range, would be NaN in every text. */
static const float *bind_frequencies(struct binder *binder, size_t n)
{
    const float *frequencies = bind_vector(binder, "position", "frequencies", n);
    for (size_t i = 0; binder->status == ENGINE_OK && i < n; i++)
        if (!(fabs((double)frequencies[i]) <= ENGINE_POSITION_FREQUENCY_MOST))
            refuse(binder,
                   "tensor 'position.frequencies' holds %g at %zu, expected a number up to %g",
                   (double)frequencies[i], i, ENGINE_POSITION_FREQUENCY_MOST);
    return frequencies;
}

static void bind_embedding(struct binder *binder, struct encoder *encoder)
{
    const struct model_config *config = binder->config;
    size_t width = config->embedding_width;
    encoder->token_table =
        bind_matrix(binder, "embedding.token", "weight", config->vocabulary, width, IN_ROWS);
    if (config->token_types > 0)
        encoder->type_table =
            bind_matrix(binder, "embedding.type", "weight", config->token_types, width, IN_ROWS);
    if (config->position == POSITION_LEARNED)
        encoder->position_table =
            bind_matrix(binder, "embedding.position", "weight",
                        config->max_tokens + config->position_offset, width, AT_LEAST | IN_ROWS);
    if (config->position_frequencies > 0)
        encoder->frequencies = bind_frequencies(binder, config->position_frequencies);
    encoder->embedding_norm = bind_norm(binder, "embedding.norm", config->embedding_norm, width);
    if (config->embedding_width != config->width)
        encoder->embedding_projection =
            bind_linear(binder, "embedding.projection", config->width, width, true);
}

/* The widths of projections come from their tensors: each must fit the one before it. */
static void bind_projections(struct binder *binder, struct encoder *encoder)
{
    const struct model_config *config = binder->config;
    size_t width = config_pooled_width(config);
    for (size_t i = 0; i < config->projections && i < MAX_PROJECTIONS; i++) {
        struct dense *dense = &encoder->projections[i];
        char prefix[32];
        snprintf(prefix, sizeof prefix, "projection.%zu", i);
        dense->activation = config_projection(config, i);
        if (dense->activation == DENSE_LAYER_NORM) {
            dense->norm = (struct norm){.kind = NORM_LAYER,
                                        .weight = bind_vector(binder, prefix, "weight", width),
                                        .bias = bind_vector(binder, prefix, "bias", width)};
            continue;
        }
        dense->linear.weight = bind_matrix(binder, prefix, "weight", 1, width, AT_LEAST);
        width = dense->linear.weight.rows;
        if (config->projection_bias)
            dense->linear.bias = bind_vector(binder, prefix, "bias", width);
    }
    encoder->output_width = width;
}

static void bind_head(struct binder *binder, struct encoder *encoder)
{
    const struct model_config *config = binder->config;
    struct head *head = &encoder->head;
    size_t width = config->width, columns = config_head_columns(config);
    size_t rows = (size_t)(config->head == HEAD_MASK ? config->vocabulary : config->labels);
    head->dense.activation = config->head_dense;
    if (config->head_dense != DENSE_NONE)
        head->dense.linear =
            bind_linear(binder, "head.dense", columns, width, config->head_dense_bias);
    head->norm =
        bind_norm(binder, "head.norm", config->head_norm ? NORM_LAYER : NORM_NONE, columns);
    if (config->head == HEAD_NONE || config->head == HEAD_POOLER)
        return;
    head->output.weight = config->head_tied
                              ? encoder->token_table
                              : bind_matrix(binder, "head.output", "weight", rows, width, 0);
    if (config->head_bias)
        head->output.bias = bind_vector(binder, "head.output", "bias", rows);
}

static engine_status bind_tensors(const struct weight_file *file, struct encoder *encoder,
                                  engine_error *error)
{
    const struct model_config *config = &encoder->config;
    struct binder binder = {.file = file, .config = config, .error = error};
    bind_embedding(&binder, encoder);
    if (config->attention_position == ATTENTION_POSITION_DISTANCE)
        encoder->distance_bias = bind_floats(&binder, "attention.distance", "bias", config->heads,
                                             2 * config->distances + 1, IN_ROWS);
    for (size_t i = 0; i < config->layers && binder.status == ENGINE_OK; i++) {
        snprintf(binder.scope, sizeof binder.scope, "layers.%zu.",
                 i * config->layer_groups / config->layers); /* of the layer's group */
        bind_layer(&binder, i, &encoder->layers[i]);
    }
    binder.scope[0] = '\0';
    encoder->final_norm = bind_norm(&binder, "final.norm",
                                    config->final_norm ? config->norm : NORM_NONE, config->width);
    bind_projections(&binder, encoder);
    bind_head(&binder, encoder);
    if (config->token_vectors > 0)
        encoder->token_vector = bind_linear(&binder, "token.vector", config->token_vectors,
                                            config->width, config->token_vector_bias);
    if (config->sparse == SPARSE_LINEAR)
        encoder->token_weight = bind_linear(&binder, "token.weight", 1, config->width, true);
    if (config->query_weights)
        encoder->query_weights = bind_vector(&binder, "query", "weight", config->vocabulary);
    return binder.status;
}

/* ---- Settings ---- */

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

/* Reads the settings, the vocabulary and the other sections, and builds the tables. */
static engine_status read_tokenizer(engine_model *model, engine_error *error)
{
    struct setting setting;
    const struct weight_file *file = &model->file;
    struct tokenizer *tokenizer = &model->tokenizer;
    size_t n_types = model->encoder.config.token_types;
    size_t n_ids = model->encoder.config.vocabulary;
    const struct section *section = &file->sections[SECTION_VOCB];
    struct arena tables = {0};
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
    do
        wrong = tokenizer_build(tokenizer, n_types, &tables);
    while (arena_allocate(&tables));
    model->tokenizer_tables = tables.base;
    if (tables.base == NULL)
        return fail(error, ENGINE_ERROR_MEMORY,
                    "no memory for the tables of the tokenizer, %zu bytes", arena_bytes(&tables));
    return wrong != NULL ? damaged(error, "tokenizer: %s", wrong) : ENGINE_OK;
}

/* Returns the fewest rows alike (blas.h) of the blocks in which forward.c multiplies layers in
 * floats: full blocks, and the remainder after the last one. Each shape is tried once, as long as
 * there is room to note it. */
static size_t fewest_rows_alike(const struct encoder *encoder, const struct blas_work *work)
{
    enum { MOST_SHAPES = 64 };
    struct {
        size_t n_panels, cols;
    } tried[MOST_SHAPES];
    const struct linear *linear;
    size_t fewest = BLAS_MOST_ROWS, n_tried = 0;
    for (size_t i = 0; (linear = encoder_linear(encoder, i)) != NULL; i++) {
        const size_t cols = linear->weight.cols;
        size_t left = linear_panels(linear) / encoder_linear_parts(encoder, i), n_panels, t = 0;
        for (; left > 0 && !linear_takes_int8(linear); left -= n_panels, t = 0) {
            n_panels = left < BLAS_PANELS ? left : BLAS_PANELS;
            while (t < n_tried && (tried[t].n_panels != n_panels || tried[t].cols != cols))
                t++;
            if (t < n_tried)
                continue;
            if (n_tried < MOST_SHAPES) {
                tried[t].n_panels = n_panels;
                tried[t].cols = cols;
                n_tried++;
            }
            size_t rows = blas_rows_alike(encoder->blas, n_panels, cols, work);
            fewest = rows < fewest ? rows : fewest;
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

static engine_status choose_kernels(struct encoder *encoder, engine_precision precision,
                                    engine_error *error)
{
    const struct linear *linear;
    bool tiles = precision != ENGINE_PRECISION_EXACT;
    for (size_t i = 0; (linear = encoder_linear(encoder, i)) != NULL; i++)
        tiles |= linear_takes_int8(linear);
    encoder->kernels = machine_kernels(tiles, error);
    if (encoder->kernels == NULL)
        return ENGINE_ERROR_ARGUMENT;
    encoder->bf16 = precision == ENGINE_PRECISION_BF16 ||
                    (precision == ENGINE_PRECISION_FAST && !encoder->kernels->pairs->is_emulated);
    return encoder->kernels == &kernels_portable && !encoder->bf16 ? prepare_blas(encoder, error)
                                                                   : ENGINE_OK;
}

/* Layers whose rows are multiplied faster as unsigned bytes, to the same bits, take such rows. */
static void take_unsigned_rows(struct encoder *encoder)
{
    struct linear *linear;
    const size_t of_layer = linears_of_layer(&encoder->config); /* layers may share them */
    for (size_t i = 0; (linear = (struct linear *)encoder_linear(encoder, i)) != NULL; i++) {
        struct matrix *weight = &linear->weight;
        const struct linear *before = i > of_layer ? encoder_linear(encoder, i - of_layer) : NULL;
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
    const void *before[MOST_LINEARS] = {NULL};
    const size_t of_layer = linears_of_layer(&model->encoder.config);
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
        if (i > of_layer && data == before[i % of_layer]) {
            *linear = *encoder_linear(&model->encoder, i - of_layer);
        } else if (!linear_takes_int8(linear)) {
            linear_to_pairs(model->encoder.kernels, linear, to, panel);
            to += linear_pairs(linear);
        }
        before[i % of_layer] = data;
    }
    return ENGINE_OK;
}

/* Reads the mapped file. layers * sizeof and rows * width fit size_t, since config counts are below
 * 2^31. */
static engine_status read_model(engine_model *model, engine_error *error)
{
    struct encoder *encoder = &model->encoder;
    struct model_config *config = &encoder->config;
    const struct section *section = &model->file.sections[SECTION_CONF];
    struct setting setting;
    *config = CONFIG_DEFAULTS;
    for (size_t at = 0; weight_file_setting(section, &at, &setting);) {
        const char *expected = strlen(setting.value) == setting.value_len
                                   ? config_set(config, setting.key, setting.value)
                                   : "a value without NUL bytes";
        if (expected != NULL)
            return refuse_setting("config", &setting, expected, error);
    }
    const char *wrong = config_check(config);
    if (wrong != NULL)
        return damaged(error, "config: %s", wrong);
    engine_status status = read_tokenizer(model, error);
    model->has_encoder = config->width > 0;
    if (status != ENGINE_OK || !model->has_encoder)
        return status;
    if (config->layer_groups > model->file.n_tensors)
        return damaged(error, "config 'layers' is %zu, but the file has %zu tensors",
                       config->layer_groups, model->file.n_tensors);
    if (config->layers > 0 &&
        (encoder->layers = calloc(config->layers, sizeof *encoder->layers)) == NULL)
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for %zu layers", config->layers);
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
        (unsigned)own.precision > ENGINE_PRECISION_FAST)
        return misused(error,
                       "engine_model_options: verify is %d, expected -1 to 1; copy is %d, "
                       "expected 0 or 1; precision is %d, expected 0 to 2",
                       own.verify, own.copy, (int)own.precision);
    engine_model *model = calloc(1, sizeof *model);
    if (model == NULL || (path != NULL && (model->path = strdup(path)) == NULL)) {
        free(model);
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for a model");
    }
    status = weight_file_open(&model->file, path, data, len, &own, error);
    engine_error cause;
    if (status == ENGINE_OK) {
        status = read_model(model, &cause);
        if (status != ENGINE_OK)
            fail(error, status, path != NULL ? "'%.96s': %s" : "%s%s", path != NULL ? path : "",
                 cause.message);
    }
    if (status == ENGINE_OK)
        status = choose_kernels(&model->encoder, own.precision, error);
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
