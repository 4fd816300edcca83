/* token_dense.c - see token_dense.h. */
#include "tools/import/checkpoint/token_dense.h"

#include "tools/common/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct json_only ON_TOKENS[] = {
    {"module_input_name", "\"token_embeddings\"", false, NULL},
    {"module_output_name", "\"token_embeddings\"", false, NULL},
    {.name = NULL}};

static void read_one(struct folder *folder, struct dense_module *dense, size_t width)
{
    struct json_file file;
    json_file_read(&file, folder, dense->place, "config.json", true, false);
    dense->in = json_count(&file, NULL, "in_features", 1, JSON_NEEDED);
    dense->out = json_count(&file, NULL, "out_features", 1, JSON_NEEDED);
    const char *activation = json_text(&file, NULL, "activation_function", "Identity");
    if (strcmp(json_last_name(activation), "Identity") != 0)
        file_die(file.name, "'activation_function' is '%.100s'; expected Identity", activation);
    if (dense->in != width)
        file_die(file.name, "'in_features' is %zu; expected %zu, the width before it", dense->in,
                 width);
    json_only_check(&file, ON_TOKENS);
    dense->has_bias = json_flag(&file, NULL, "bias", true);
    dense->has_residual = json_flag(&file, NULL, "use_residual", false);
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
}

void token_dense_read(struct sentence_transformers *st, struct folder *folder,
                      struct model_config *model)
{
    struct json_file file;
    model->token_vectors = model->width;
    model->token_vector_bias = false;
    for (size_t i = 0; i < st->n_token_dense; i++) {
        read_one(folder, &st->token_dense[i], model->token_vectors);
        model->token_vectors = st->token_dense[i].out;
        model->token_vector_bias = model->token_vector_bias || st->token_dense[i].has_bias;
    }
    if (!st->has_token_mask)
        return;
    json_file_read(&file, folder, st->token_normalize_place, "config.json", true, false);
    if (json_member(&file, NULL, "module_input_name") == NULL)
        file_die(file.name, "'module_input_name' is absent; expected \"token_embeddings\"");
    json_only_check(&file, ON_TOKENS);
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
}

struct json_file token_mask_read(const struct sentence_transformers *st, struct folder *folder)
{
    static const struct json_only usual[] = {{"skiplist_tasks", "[\"document\"]", false, NULL},
                                             {"keep_only_token_ids", "null", false, NULL},
                                             {.name = NULL}};
    struct json_file file;
    json_file_read(&file, folder, st->token_mask_place, "config.json", true, false);
    json_only_check(&file, usual);
    if (json_member(&file, NULL, "skiplist_words") == NULL)
        file_die(file.name, "'skiplist_words' is absent; expected an array");
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
    return file;
}

/* ---- One layer of several ---- */

/* A linear map with its bias, W [out, in] and b [out]. */
struct map {
    double *weight, *bias;
    size_t out, in;
};

/* Adds a tensor [rows, cols] of a module to numbers. */
static void add_tensor(double *to, struct tensor_set *set, const char *name, size_t rows,
                       size_t cols, size_t n_dims)
{
    struct stored_tensor *tensor = tensor_set_find(set, name);
    struct tensor_rows chunk;
    char shape[SHAPE_TEXT];
    if (tensor == NULL)
        program_die("%s has no tensor '%s'", set->files[0].header.name, name);
    if (tensor->n_dims != n_dims || tensor->shape[0] != rows ||
        (n_dims == 2 && tensor->shape[1] != cols) || tensor->type == 0)
        tensor_die(set, tensor, " has the shape %s and the dtype %s; expected [%zu, %zu] of floats",
                   tensor_shape_text(tensor, shape), tensor->dtype, rows, cols);
    tensor->used = true;
    tensor_rows_open(&chunk, rows, cols, true);
    tensor_rows_read(&chunk, set, tensor, 0, rows);
    for (size_t i = 0; i < rows * cols; i++)
        to[i] += chunk.values[i];
    tensor_rows_free(&chunk);
}

/* Reads a module as one map: with a residual its weight has that of the residual, or 1, added. */
static struct map read_map(struct tensor_set *set, const struct dense_module *dense)
{
    struct map map = {.out = dense->out, .in = dense->in};
    map.weight = alloc_zeros(map.out, map.in * sizeof *map.weight);
    map.bias = alloc_zeros(map.out, sizeof *map.bias);
    add_tensor(map.weight, set, "linear.weight", map.out, map.in, 2);
    if (dense->has_bias)
        add_tensor(map.bias, set, "linear.bias", map.out, 1, 1);
    if (dense->has_residual && map.out != map.in)
        add_tensor(map.weight, set, "residual.weight", map.out, map.in, 2);
    for (size_t i = 0; dense->has_residual && map.out == map.in && i < map.out; i++)
        map.weight[i * map.in + i] += 1;
    tensor_set_check_used(set, "a Dense module");
    return map;
}

/* Returns second after first: W2·W1 and W2·b1 + b2; frees both. */
static struct map join_maps(struct map first, struct map second)
{
    struct map map = {.out = second.out, .in = first.in, .bias = second.bias};
    map.weight = alloc_zeros(map.out, map.in * sizeof *map.weight);
    for (size_t i = 0; i < map.out; i++)
        for (size_t k = 0; k < second.in; k++) {
            const double factor = second.weight[i * second.in + k];
            map.bias[i] += factor * first.bias[k];
            for (size_t j = 0; j < map.in; j++)
                map.weight[i * map.in + j] += factor * first.weight[k * first.in + j];
        }
    alloc_free(first.weight);
    alloc_free(first.bias);
    alloc_free(second.weight);
    return map;
}

static float *to_floats(double *numbers, size_t n)
{
    float *floats = alloc_zeros(n, sizeof *floats);
    for (size_t i = 0; i < n; i++)
        floats[i] = (float)numbers[i];
    alloc_free(numbers);
    return floats;
}

void token_dense_plan(struct plan *plan, struct stored_types types, struct tensor_set *sets,
                      const struct sentence_transformers *st, struct folder *folder)
{
    const struct dense_module *first = st->token_dense;
    bool has_bias = false;
    for (size_t i = 0; i < st->n_token_dense; i++) {
        tensor_set_read(&sets[i], folder, st->token_dense[i].place);
        has_bias = has_bias || st->token_dense[i].has_bias;
    }
    if (st->n_token_dense == 1 && !first->has_residual) {
        plan_linear(plan, types, sets, "token.vector", "linear", 0, first->out, first->in,
                    first->has_bias);
        return;
    }
    struct map map = read_map(&sets[0], first);
    for (size_t i = 1; i < st->n_token_dense; i++)
        map = join_maps(map, read_map(&sets[i], &st->token_dense[i]));
    plan_values(plan, types, "token.vector.weight", to_floats(map.weight, map.out * map.in),
                map.out, map.in);
    if (has_bias)
        plan_values(plan, types, "token.vector.bias", to_floats(map.bias, map.out), map.out, 0);
}
