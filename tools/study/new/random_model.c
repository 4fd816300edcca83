/* random_model.c - numbers for every tensor of weights/FORMAT.md, the same on every machine for one
 * seed.
 *
 * Generator: splitmix64 (Steele, Lea, Flood 2014), started for each tensor from the seed and the
 * tensor's name, so that a tensor does not depend on the others. A normal number is the sum of
 * eight uniform 16-bit numbers, centred and scaled to variance 1: whole numbers until the last
 * product, no function of libm, at most 4.9 standard deviations.
 *
 * Scales, for activations of order 1: a token's row times embedding_scale has variance 1, so that
 * position and type count too; linear layers have 1/in, layers that add to the residual a quarter
 * of that, and queries and keys four times as much, so that attention is not flat; norm
 * weights are 0.4 and biases 0, both spread by 0.05. Larger ones would make rounding visible: at
 * these, the vectors of a text without positions agree to 1e-6 for any order of its words. */
#include "tools/study/new/random_model.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/random.h"

#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

struct generator {
    struct weight_writer *writer; /* NULL: numbers are only counted */
    const struct random_options *options;
    uint64_t state;
    double n_parameters;
    engine_status status;
};

static double normal(uint64_t *state)
{
    const double scale = 1.8688123650118534e-05; /* 1 / sqrt(8 · (65536² - 1) / 12) */
    int64_t sum = -8 * 65535 / 2;
    for (int i = 0; i < 2; i++)
        for (uint64_t bits = random_next(state), part = 0; part < 4; part++, bits >>= 16)
            sum += (int64_t)(bits & 0xFFFF);
    return (double)sum * scale;
}

/* Writes rows of mean + deviation · n. */
static void rows(struct generator *generator, size_t n_rows, size_t cols, double mean,
                 double deviation)
{
    generator->n_parameters += (double)n_rows * (double)cols;
    if (generator->writer == NULL)
        return;
    float *row = alloc_zeros(cols, sizeof *row);
    for (size_t i = 0; i < n_rows && generator->status == ENGINE_OK; i++) {
        for (size_t k = 0; k < cols; k++) {
            /* volatile: a fused multiply-add would round otherwise, on some machines only. */
            volatile double spread = deviation * normal(&generator->state);
            row[k] = (float)(mean + spread);
        }
        generator->status = weight_writer_rows(generator->writer, row, 1);
    }
}

/* Begins the tensor of that name and ending, and its numbers. */
static void begin(struct generator *generator, const char *name, const char *ending,
                  enum tensor_type type, enum tensor_layout layout, size_t n_dims, size_t n_rows,
                  size_t cols)
{
    if (generator->writer == NULL)
        return;
    char full[128];
    uint64_t seed = generator->options->seed, hash = 0xCBF29CE484222325u;
    snprintf(full, sizeof full, "%s%s", name, ending);
    for (const char *c = full; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001B3u;
    generator->state = random_next(&seed) ^ hash;
    weight_writer_begin_tensor(generator->writer, full, type, layout, n_dims, n_rows, cols);
}

static void table(struct generator *generator, const char *name, size_t n_rows, size_t cols,
                  double deviation)
{
    begin(generator, name, ".weight", generator->options->table_type, LAYOUT_ROWS, 2, n_rows, cols);
    rows(generator, n_rows, cols, 0, deviation);
}

static void vector(struct generator *generator, const char *name, const char *ending, size_t n,
                   double mean)
{
    begin(generator, name, ending, TENSOR_F32, LAYOUT_ROWS, 1, n, 1);
    rows(generator, n, 1, mean, 0.05);
}

/* Writes [out, in] of variance gain²/in; the first n_sharp rows have 4/in. in_int8: the type if
 * matrices are int8 panels. */
static void linear(struct generator *generator, const char *name, enum tensor_type in_int8,
                   size_t out, size_t in, double gain, size_t n_sharp, bool has_bias)
{
    const struct random_options *options = generator->options;
    bool is_int8 = options->linear_type == TENSOR_INT8 && options->linear_layout == LAYOUT_PANELS;
    is_int8 |= options->linear_type == TENSOR_INT8 && in_int8 == TENSOR_F16; /* never in int8 */
    begin(generator, name, ".weight", is_int8 ? in_int8 : options->linear_type,
          options->linear_layout, 2, out, in);
    rows(generator, n_sharp, in, 0, 2 / sqrt((double)in));
    rows(generator, out - n_sharp, in, 0, gain / sqrt((double)in));
    if (has_bias)
        vector(generator, name, ".bias", out, 0);
}

static void norm(struct generator *generator, const char *name, size_t width, bool has_bias)
{
    vector(generator, name, ".weight", width, 0.4);
    if (has_bias)
        vector(generator, name, ".bias", width, 0);
}

static void embeddings(struct generator *generator, const struct model_config *config)
{
    size_t width = config->embedding_width;
    double scale = config->embedding_scale > 1e-3 ? config->embedding_scale : 1;
    table(generator, "embedding.token", config->vocabulary, width, 1 / scale);
    if (config->token_types > 0)
        table(generator, "embedding.type", config->token_types, width, 0.5);
    if (config->position == POSITION_LEARNED)
        table(generator, "embedding.position", config->max_tokens + config->position_offset, width,
              0.7);
    if (generator->writer != NULL)
        generator->status = weight_writer_frequencies(
            generator->writer, generator->options->frequencies, config->position_frequencies);
    generator->n_parameters += (double)config->position_frequencies;
    if (config->embedding_norm != NORM_NONE)
        norm(generator, "embedding.norm", width,
             config->embedding_norm == NORM_LAYER && config->norm_bias);
    if (config->embedding_width != config->width)
        linear(generator, "embedding.projection", TENSOR_INT8, config->width, width, 1, 0, true);
}

/* Writes what follows the layers. */
static void head(struct generator *generator, const struct model_config *config)
{
    size_t width = config->width;
    char name[32];
    for (size_t i = 0, in = config_pooled_width(config); i < config->projections; i++) {
        snprintf(name, sizeof name, "projection.%zu", i);
        if (config_projection(config, i) == DENSE_LAYER_NORM) {
            norm(generator, name, in, true);
            continue;
        }
        linear(generator, name, TENSOR_INT8, width, in, 1, 0, config->projection_bias);
        in = width;
    }
    size_t columns = config_head_columns(config);
    if (config->head_dense != DENSE_NONE)
        linear(generator, "head.dense", TENSOR_INT8, columns, width, 1, 0, config->head_dense_bias);
    if (config->head_norm)
        norm(generator, "head.norm", columns, config->norm_bias);
    bool has_labels = config->head == HEAD_SEQUENCE || config->head == HEAD_TOKEN;
    if (has_labels || (config->head == HEAD_MASK && !config->head_tied))
        linear(generator, "head.output", TENSOR_INT8,
               has_labels ? config->labels : config->vocabulary, width, 1, 0, config->head_bias);
    if (config->head_tied && config->head_bias)
        vector(generator, "head.output", ".bias", config->vocabulary, 0);
    if (config->token_vectors > 0)
        linear(generator, "token.vector", TENSOR_INT8, config->token_vectors, width, 1, 0,
               config->token_vector_bias);
    if (config->sparse == SPARSE_LINEAR)
        linear(generator, "token.weight", TENSOR_INT8, 1, width, 1, 0, true);
    if (config->query_weights)
        vector(generator, "query", ".weight", config->vocabulary, 1);
}

static void layer(struct generator *generator, const struct model_config *config, size_t index)
{
    size_t width = config->width, middle = config->feed_forward, own = config->layer_input_width;
    size_t head_width = config_head_width(config, index);
    size_t n_positions = config_position_rows(config);
    size_t queries = config->heads * head_width;
    size_t keys = config_key_value_heads(config, index) * head_width;
    size_t first = config->gate == GATE_NONE ? middle : 2 * middle;
    bool has_experts = config_has_experts(config, index);
    size_t n = has_experts ? config->experts : 1;
    bool has_first_norm = index > 0 || config->first_norm;
    bool has_norms_after = config->norm_place == NORM_SANDWICH;
    bool has_attention_after = has_norms_after || config->norm_place == NORM_TWICE;
    bool of_all = config->query_key_norm == QUERY_KEY_ALL;
    const struct {
        bool exists;
        const char *name;
        enum tensor_type in_int8; /* as encode-import has it */
        size_t out, in;           /* in 0: a norm */
        double gain;
        size_t n_sharp;
        bool has_bias;
    } parts[] = {
        {true, "attention.qkv", TENSOR_INT8A8, queries + 2 * keys, width, 1, queries + keys,
         config->attention_bias},
        {config->query_key_norm != QUERY_KEY_NONE, "attention.query_norm", TENSOR_F32,
         of_all ? queries : head_width, 0, 0, 0, of_all && config->norm_bias},
        {config->query_key_norm != QUERY_KEY_NONE, "attention.key_norm", TENSOR_F32,
         of_all ? keys : head_width, 0, 0, 0, of_all && config->norm_bias},
        {config->value_norm, "attention.value_norm", TENSOR_F32, head_width, 0, 0, 0, false},
        {true, "attention.output", TENSOR_INT8A7, width, queries, 0.5, 0, config->attention_bias},
        {has_first_norm, "attention.norm", TENSOR_F32, width, 0, 0, 0, config->norm_bias},
        {has_attention_after, "attention.norm_after", TENSOR_F32, width, 0, 0, 0,
         config->norm_bias},
        {true, "feed_forward.in", has_experts ? TENSOR_F16 : TENSOR_INT8A7, n * first, width, 1, 0,
         config->feed_forward_in_bias && !has_experts},
        {true, "feed_forward.out", has_experts ? TENSOR_F16 : TENSOR_INT8A8, n * width, middle, 0.5,
         0, config->feed_forward_bias && !has_experts},
        {true, "feed_forward.norm", TENSOR_F32, width, 0, 0, 0, config->norm_bias},
        {has_norms_after, "feed_forward.norm_after", TENSOR_F32, width, 0, 0, 0, config->norm_bias},
        {own > 0, "layer_input.in", TENSOR_INT8A8, own, width, 1, 0, false},
        {own > 0, "layer_input.norm", TENSOR_F32, own, 0, 0, 0, false},
        {own > 0, "layer_input.by", TENSOR_INT8A8, own, width, 1, 0, false},
        {own > 0, "layer_input.out", TENSOR_INT8A8, width, own, 0.5, 0, false},
        {own > 0, "layer_input.norm_after", TENSOR_F32, width, 0, 0, 0, false},
        {own > 0, "layer_input.scale", TENSOR_F32, 1, 0, 0, 0, false},
    };
    char name[96];
    for (int of_keys = 0; of_keys < 2; of_keys++)
        if (n_positions > 0 && config->position_terms != (of_keys ? TERMS_P2C : TERMS_C2P)) {
            snprintf(name, sizeof name, "layers.%zu.attention.position_%s", index,
                     of_keys ? "key" : "query");
            begin(generator, name, ".weight", TENSOR_F32, LAYOUT_PANELS, 2, n_positions,
                  head_width);
            rows(generator, n_positions, head_width, 0, 0.5 / sqrt((double)head_width));
        }
    if (has_experts) {
        snprintf(name, sizeof name, "layers.%zu.feed_forward.router", index);
        begin(generator, name, ".weight", TENSOR_F32, LAYOUT_PANELS, 2, n, width);
        rows(generator, n, width, 0, 2 / sqrt((double)width));
        snprintf(name, sizeof name, "layers.%zu.feed_forward.out", index);
        if (config->feed_forward_bias)
            vector(generator, name, ".bias", width, 0);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(name, sizeof name, "layers.%zu.%s", index, parts[i].name);
        if (parts[i].exists && parts[i].in == 0)
            norm(generator, name, parts[i].out, parts[i].has_bias);
        else if (parts[i].exists)
            linear(generator, name, parts[i].in_int8, parts[i].out, parts[i].in, parts[i].gain,
                   parts[i].n_sharp, parts[i].has_bias);
    }
}

/* Generates all tensors, but of the layers the first n. */
static void model(struct generator *generator, const struct model_config *config, size_t n)
{
    embeddings(generator, config);
    if (config->attention_position == ATTENTION_POSITION_DISTANCE) {
        size_t n_heads = config->heads, n_distances = 2 * config->distances + 1;
        begin(generator, "attention.distance", ".bias", TENSOR_F32, LAYOUT_ROWS, 2, n_heads,
              n_distances);
        rows(generator, n_heads, n_distances, 0, 1);
    }
    for (size_t i = 0; i < n && generator->status == ENGINE_OK; i++)
        layer(generator, config, i);
    if (config->final_norm)
        norm(generator, "final.norm", config->width, config->norm_bias);
    head(generator, config);
}

double random_model_size(const struct model_config *config)
{
    enum { COUNTED = 1000 }; /* layers beyond are as many numbers each as these on average */
    const struct random_options none = {0};
    struct generator outside = {.options = &none}, all = outside;
    const size_t n_layers = config->layer_groups, n = n_layers < COUNTED ? n_layers : COUNTED;
    model(&outside, config, 0);
    model(&all, config, n);
    const double share = n > 0 ? (double)n_layers / (double)n : 0;
    return outside.n_parameters + share * (all.n_parameters - outside.n_parameters);
}

void random_model_check_room(const char *path, double n_bytes)
{
    struct statvfs system;
    char folder[PATH_MAX];
    bool fits = (size_t)snprintf(folder, sizeof folder, "%s", path) < sizeof folder;
    if (statvfs(path, &system) != 0 && (!fits || statvfs(dirname(folder), &system) != 0))
        return;
    if (system.f_blocks == 0) /* as of a pipe */
        return;
    double n_free = (double)system.f_bavail * (double)system.f_frsize;
    if (n_bytes <= n_free)
        return;
    const char *unit = n_bytes >= 1e9 ? "GB" : "MB";
    double scale = n_bytes >= 1e9 ? 1e-9 : 1e-6;
    program_die("'%s' takes about %.2f %s; there is room for %.2f %s", path, scale * n_bytes, unit,
                scale * n_free, unit);
}

void random_model_write(struct weight_writer *writer, const struct model_config *config,
                        const struct random_options *options, uint64_t *n_parameters)
{
    struct generator generator = {.writer = writer, .options = options};
    model(&generator, config, config->layer_groups);
    *n_parameters = (uint64_t)generator.n_parameters;
}
