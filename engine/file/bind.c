/* bind.c - tensors by name: the table "Tensors by name" of weights/FORMAT.md, as code. */
#include "engine/file/bind.h"

#include "engine/status.h"

#include <math.h>
#include <stdio.h>

/* The state of the binding. */
struct binder {
    const struct weight_file *file;
    const struct model_config *config;
    engine_error *error;
    engine_status status;
};

/* The first failure ends the binding. */
#define refuse(binder, ...) ((binder)->status = damaged((binder)->error, __VA_ARGS__))

static void shape_text(const struct tensor *tensor, char *text, size_t cap)
{
    size_t used = 0;
    for (size_t i = 0; i < tensor->n_dims; i++)
        used += (size_t)snprintf(text + used, cap - used, "%s%llu", i == 0 ? "" : ", ",
                                 (unsigned long long)tensor->shape[i]);
}

static bool find(struct binder *binder, const char *prefix, const char *suffix, size_t n_dims,
                 struct tensor *tensor)
{
    char name[96];
    if (binder->status != ENGINE_OK)
        return false;
    snprintf(name, sizeof name, "%s.%s", prefix, suffix);
    if (!weight_file_find(binder->file, name, tensor)) {
        refuse(binder, "the weight file has no tensor '%s', which its config asks for", name);
        return false;
    }
    if (tensor->n_dims != n_dims) {
        refuse(binder, "tensor '%s' has %zu dimensions, expected %zu", name, tensor->n_dims,
               n_dims);
        return false;
    }
    return true;
}

static void wrong_shape(struct binder *binder, const struct tensor *tensor, const char *expected)
{
    char shape[96] = "";
    shape_text(tensor, shape, sizeof shape);
    refuse(binder, "tensor '%.64s' is [%s], expected [%s] by the config", tensor->name, shape,
           expected);
}

static const float *bind_vector(struct binder *binder, const char *prefix, const char *suffix,
                                size_t n)
{
    struct tensor tensor;
    char expected[48];
    if (!find(binder, prefix, suffix, 1, &tensor))
        return NULL;
    snprintf(expected, sizeof expected, "%zu", n);
    if (tensor.shape[0] != n) {
        wrong_shape(binder, &tensor, expected);
    } else if (tensor.type != TENSOR_F32) {
        refuse(binder, "tensor '%.64s' is not f32, as vectors must be", tensor.name);
    }
    return (const float *)(const void *)(binder->file->data + tensor.offset);
}

/* at_least: more rows are allowed. */
static struct matrix bind_matrix(struct binder *binder, const char *prefix, const char *suffix,
                                 size_t rows, size_t cols, bool at_least)
{
    struct tensor tensor;
    char expected[64];
    if (!find(binder, prefix, suffix, 2, &tensor))
        return (struct matrix){0};
    snprintf(expected, sizeof expected, "%s%zu, %zu", at_least ? "at least " : "", rows, cols);
    if (tensor.shape[1] != cols || tensor.shape[0] < rows || (tensor.shape[0] > rows && !at_least))
        wrong_shape(binder, &tensor, expected);
    struct matrix matrix =
        tensor_matrix(tensor.type, tensor.layout, (size_t)tensor.shape[0], (size_t)tensor.shape[1],
                      binder->file->data + tensor.offset);
    for (size_t i = 0; matrix.kept_panels != NULL && i < KEPT; i++)
        if (matrix.kept[i] >= matrix.cols || (i > 0 && matrix.kept[i] <= matrix.kept[i - 1]))
            refuse(binder,
                   "tensor '%.64s' keeps column %u as its %zu. in f32, expected ascending ones "
                   "below %zu",
                   tensor.name, (unsigned)matrix.kept[i], i + 1, matrix.cols);
    return matrix;
}

static struct matrix bind_table(struct binder *binder, const char *prefix, const char *suffix,
                                size_t rows, size_t cols, bool at_least)
{
    struct matrix table = bind_matrix(binder, prefix, suffix, rows, cols, at_least);
    if (binder->status == ENGINE_OK && table.layout != LAYOUT_ROWS)
        refuse(binder, "table '%s.%s' is in panels, expected rows", prefix, suffix);
    return table;
}

static struct linear bind_linear(struct binder *binder, const char *prefix, size_t out, size_t in,
                                 bool has_bias)
{
    struct linear linear = {.weight = bind_matrix(binder, prefix, "weight", out, in, false)};
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

/* The tensors' names begin with "layers.GROUP."; `index` is the layer's own number. */
static void bind_layer(struct binder *binder, size_t group, size_t index, struct layer *layer)
{
    const struct model_config *config = binder->config;
    size_t width = config->width, head_width = config->head_width;
    size_t queries = config->heads * head_width, keys = config->key_value_heads * head_width;
    size_t middle = config->feed_forward;
    enum norm_kind norm = config->norm;
    enum norm_kind first = index == 0 && !config->first_norm ? NORM_NONE : norm;
    enum norm_kind after = config->norm_place == NORM_SANDWICH ? norm : NORM_NONE;
    enum norm_kind of_heads = config->query_key_norm ? NORM_RMS : NORM_NONE;
    char prefix[64];
#define PART(name) (snprintf(prefix, sizeof prefix, "layers.%zu." name, group), prefix)
    layer->attention_norm = bind_norm(binder, PART("attention.norm"), first, width);
    layer->qkv = bind_linear(binder, PART("attention.qkv"), queries + 2 * keys, width,
                             config->attention_bias);
    layer->query_norm = bind_norm(binder, PART("attention.query_norm"), of_heads, head_width);
    layer->key_norm = bind_norm(binder, PART("attention.key_norm"), of_heads, head_width);
    layer->output =
        bind_linear(binder, PART("attention.output"), width, queries, config->attention_bias);
    layer->attention_norm_after = bind_norm(binder, PART("attention.norm_after"), after, width);
    layer->feed_forward_norm = bind_norm(binder, PART("feed_forward.norm"), norm, width);
    layer->feed_forward_in = bind_linear(binder, PART("feed_forward.in"),
                                         config->gate == GATE_NONE ? middle : 2 * middle, width,
                                         config->feed_forward_in_bias);
    layer->feed_forward_out =
        bind_linear(binder, PART("feed_forward.out"), width, middle, config->feed_forward_bias);
    layer->feed_forward_norm_after =
        bind_norm(binder, PART("feed_forward.norm_after"), after, width);
    layer->window = config_is_global(config, index) ? 0 : config->window;
#undef PART
}

static const float *bind_distance_bias(struct binder *binder, size_t n_heads, size_t n)
{
    struct matrix bias = bind_table(binder, "attention.distance", "bias", n_heads, n, false);
    if (binder->status == ENGINE_OK && bias.type != TENSOR_F32)
        refuse(binder, "table 'attention.distance.bias' is not f32, as it must be");
    return bias.data;
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
        bind_table(binder, "embedding.token", "weight", config->vocabulary, width, false);
    if (config->token_types > 0)
        encoder->type_table =
            bind_table(binder, "embedding.type", "weight", config->token_types, width, false);
    if (config->position == POSITION_LEARNED)
        encoder->position_table =
            bind_table(binder, "embedding.position", "weight",
                       config->max_tokens + config->position_offset, width, true);
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
    size_t width = config->width;
    for (size_t i = 0; i < config->projections; i++) {
        struct dense *dense = &encoder->projections[i];
        char prefix[32];
        snprintf(prefix, sizeof prefix, "projection.%zu", i);
        dense->linear.weight = bind_matrix(binder, prefix, "weight", 1, width, true);
        width = dense->linear.weight.rows;
        if (config->projection_bias)
            dense->linear.bias = bind_vector(binder, prefix, "bias", width);
        dense->activation = config->projection_activation;
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
                              : bind_matrix(binder, "head.output", "weight", rows, width, false);
    if (config->head_bias)
        head->output.bias = bind_vector(binder, "head.output", "bias", rows);
}

engine_status bind_tensors(const struct weight_file *file, struct encoder *encoder,
                           engine_error *error)
{
    const struct model_config *config = &encoder->config;
    struct binder binder = {.file = file, .config = config, .error = error};
    bind_embedding(&binder, encoder);
    if (config->distances > 0)
        encoder->distance_bias =
            bind_distance_bias(&binder, config->heads, 2 * config->distances + 1);
    for (size_t i = 0; i < config->layers && binder.status == ENGINE_OK; i++)
        bind_layer(&binder, i * config->layer_groups / config->layers, i,
                   &encoder->layers[i]); /* a layer has the tensors of its group */
    encoder->final_norm = bind_norm(&binder, "final.norm",
                                    config->final_norm ? config->norm : NORM_NONE, config->width);
    bind_projections(&binder, encoder);
    bind_head(&binder, encoder);
    if (config->token_vectors > 0)
        encoder->token_vector = bind_linear(&binder, "token.vector", config->token_vectors,
                                            config->width, config->token_vector_bias);
    if (config->sparse == SPARSE_LINEAR)
        encoder->token_weight = bind_linear(&binder, "token.weight", 1, config->width, true);
    return binder.status;
}
