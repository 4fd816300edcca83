/* plan_parts.c - from a part of the tables to tensors of the plan; see plan_parts.h. */
#include "tools/import/checkpoint/plan_parts.h"

#include "tools/common/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t size_of(const struct making *making, enum part_dim dim)
{
    const struct model_config *model = making->model;
    const int64_t sizes[] = {
        [DIM_NONE] = 1,
        [DIM_WIDTH] = model->width,
        [DIM_EMBEDDING] = model->embedding_width > 0 ? model->embedding_width : model->width,
        [DIM_HEAD] = config_head_columns(model),
        [DIM_FEED_FORWARD] = model->feed_forward,
        [DIM_GATED] = 2 * model->feed_forward,
        [DIM_QKV] = (model->heads + 2 * model->key_value_heads) * model->head_width,
        [DIM_QUERY] = model->heads * model->head_width,
        [DIM_KEY] = model->key_value_heads * model->head_width,
        [DIM_HEAD_WIDTH] = model->head_width,
        [DIM_HEADS] = model->heads,
        [DIM_BUCKETS] = DISTANCE_BUCKETS,
        [DIM_VOCABULARY] = model->vocabulary,
        [DIM_POSITIONS] = model->max_tokens + model->position_offset,
        [DIM_TYPES] = model->token_types,
        [DIM_LABELS] = model->labels,
        [DIM_TOKEN_VECTORS] = model->token_vectors,
    };
    return (uint64_t)sizes[dim];
}

/* ---- Tensors of the checkpoint ---- */

enum { KEY_BYTES = 128 };

/* Of Keras' dense layers, whose weight is [in, out]. */
const char KERNEL[] = ".kernel";

/* The name with the layer's number for '#', and an ending, which is all of it where the pattern is
 * "": "weight". Returns `key`. */
static const char *key_of(char key[KEY_BYTES], const char *pattern, int64_t layer,
                          const char *ending)
{
    const char *hash = strchr(pattern, '#');
    ending += pattern[0] == '\0' && ending[0] == '.';
    if (hash == NULL)
        snprintf(key, KEY_BYTES, "%s%s", pattern, ending);
    else
        snprintf(key, KEY_BYTES, "%.*s%" PRId64 "%s%s", (int)(hash - pattern), pattern, layer,
                 hash + 1, ending);
    return key;
}

struct stored_tensor *find_tensor(const struct making *making, const char *pattern, int64_t layer,
                                  const char *ending)
{
    char key[KEY_BYTES];
    return tensor_set_find(making->tensors, key_of(key, pattern, layer, ending));
}

const char *place_of(const struct tensor_set *set)
{
    return set->n_files == 1 ? set->files[0].header.name : "the checkpoint";
}

const struct stored_tensor *need_tensor(const struct making *making, const char *pattern,
                                        int64_t layer, const char *ending, uint64_t rows,
                                        uint64_t cols)
{
    char key[KEY_BYTES];
    const struct tensor_set *set = making->tensors;
    const struct stored_tensor wanted = {.n_dims = cols > 0 ? 2 : 1, .shape = {rows, cols}};
    struct stored_tensor *tensor = tensor_set_find(set, key_of(key, pattern, layer, ending));
    char shape[SHAPE_TEXT], expected[SHAPE_TEXT];
    tensor_shape_text(&wanted, expected);
    if (tensor == NULL)
        program_die("%s has no tensor '%s'; expected one of shape %s", place_of(set), key,
                    expected);
    if (tensor->n_dims != wanted.n_dims ||
        memcmp(tensor->shape, wanted.shape, sizeof wanted.shape) != 0)
        tensor_die(set, tensor, " has the shape %s; expected %s", tensor_shape_text(tensor, shape),
                   expected);
    if (tensor->type == 0)
        tensor_die(set, tensor, " has the dtype %s; expected F32, F16 or BF16", tensor->dtype);
    tensor->used = true;
    return tensor;
}

/* ---- Tensors of the weight file ---- */

/* Types that lose nothing: that of the parts if they agree, else f32. */
static enum tensor_type common_type(const struct planned_tensor *tensor)
{
    enum tensor_type type = tensor->parts[0]->type;
    for (size_t i = 1; i < tensor->n_parts; i++)
        if (tensor->parts[i]->type != type)
            return TENSOR_F32;
    return type;
}

static enum tensor_type choose_type(const struct making *making, enum part_kind kind,
                                    const struct planned_tensor *tensor)
{
    if (tensor->n_dims == 1 || kind == PART_SCORES || kind == PART_DISTANCES)
        return TENSOR_F32;
    enum tensor_type asked =
        kind == PART_TABLE ? table_type(making->types) : making->types.matrices;
    if (asked == 0)
        return common_type(tensor);
    if (asked != TENSOR_INT8 || kind == PART_TABLE)
        return asked;
    if (!making->is_int8)
        return TENSOR_F16;
    if (!making->in_layer) /* of a head, for rows that nobody rounds */
        return TENSOR_INT8;
    bool is_after_heads = strstr(tensor->name, ".attention.output.") != NULL;
    return is_after_heads || tensor->cols < KEPT ? TENSOR_INT8A8 : TENSOR_INT8K;
}

static void append(const struct making *making, enum part_kind kind, struct planned_tensor *tensor)
{
    struct plan *plan = making->plan;
    tensor->set = making->tensors;
    tensor->kind = kind;
    tensor->type = choose_type(making, kind, tensor);
    bool is_table = kind == PART_TABLE || kind == PART_DISTANCES;
    tensor->layout = tensor->n_dims == 2 && !is_table ? LAYOUT_PANELS : LAYOUT_ROWS;
    size_t n_bytes = tensor_bytes(tensor->type, tensor->layout, tensor->rows, tensor->cols);
    if (n_bytes == 0)
        program_die("tensor '%s' [%zu, %zu] is too large", tensor->name, tensor->rows,
                    tensor->cols);
    if (plan->n == plan->cap) {
        plan->cap = 2 * plan->cap + 64;
        plan->tensors = alloc_resize(plan->tensors, plan->cap, sizeof *plan->tensors);
    }
    plan->tensors[plan->n++] = *tensor;
    plan->n_parameters += (uint64_t)tensor->rows * tensor->cols;
    plan->n_bytes += n_bytes;
    for (size_t i = 0; i < tensor->n_parts; i++)
        plan->n_source_bytes += tensor->parts[i]->n_bytes;
}

/* One tensor of a part: the ending of its name in the weight file, and another one that it may have
 * in the checkpoint (NULL: none; KERNEL: it is then transposed). */
static void add(const struct making *making, const struct part *part, int64_t layer,
                const char *ending, const char *other_ending, bool is_matrix)
{
    struct planned_tensor tensor = {.n_dims = is_matrix ? 2 : 1};
    uint64_t cols = is_matrix ? size_of(making, part->cols) : 0;
    char key[KEY_BYTES];
    snprintf(tensor.name, sizeof tensor.name, "%.*s", PLAN_NAME - 1,
             key_of(key, part->to, layer, ending));
    for (size_t i = 0; i < PLAN_PARTS && part->from[i] != NULL; i++) {
        const char *from = part->from[i];
        bool is_key = part->rows == DIM_QUERY && i > 0;
        uint64_t rows = size_of(making, is_key ? DIM_KEY : part->rows);
        bool is_other = other_ending != NULL && find_tensor(making, from, layer, ending) == NULL &&
                        find_tensor(making, from, layer, other_ending) != NULL;
        tensor.is_transposed = is_other && other_ending == KERNEL;
        tensor.parts[i] =
            need_tensor(making, from, layer, is_other ? other_ending : ending,
                        tensor.is_transposed ? cols : rows, tensor.is_transposed ? rows : cols);
        tensor.n_parts++;
        tensor.rows += (size_t)rows;
    }
    tensor.cols = is_matrix ? (size_t)cols : 1;
    if (part->rows == DIM_HEAD_WIDTH || (part->kind == PART_NORM && strcmp(ending, ".weight") == 0))
        tensor.added = making->layout->norm_added;
    append(making, part->kind, &tensor);
}

/* A vector that the checkpoint has under either of two names, or under both. */
static void add_either(const struct making *making, struct part part, int64_t layer)
{
    struct stored_tensor *second =
        part.from[1] != NULL ? find_tensor(making, part.from[1], 0, "") : NULL;
    if (second != NULL)
        second->used = true;
    if (part.from[1] != NULL && find_tensor(making, part.from[0], 0, "") == NULL)
        part.from[0] = part.from[1];
    part.from[1] = NULL;
    add(making, &part, layer, "", NULL, false);
}

/* The matrix of an output layer, unless that is the embedding table: a copy of it is not read. */
static void add_untied(const struct making *making, const struct part *part)
{
    struct stored_tensor *tensor = find_tensor(making, part->from[0], 0, "");
    if (tensor != NULL)
        tensor->used = true;
    if (!making->model->head_tied)
        add(making, part, 0, "", NULL, true);
}

/* A column for each distance, of a table with a row for each bucket of them. */
static void add_distances(const struct making *making, const struct part *part)
{
    uint64_t buckets = size_of(making, part->rows), heads = size_of(making, part->cols);
    struct planned_tensor tensor = {.n_dims = 2, .n_parts = 1, .rows = (size_t)heads};
    snprintf(tensor.name, sizeof tensor.name, "%s", part->to);
    tensor.cols = 2 * (size_t)making->model->distances + 1;
    tensor.parts[0] = need_tensor(making, part->from[0], 0, "", buckets, heads);
    append(making, part->kind, &tensor);
}

/* A table of no rows is none: a model without token types; nor is the norm before layer 0 of a
 * model whose embedding has just been through one. */
static bool is_absent(const struct making *making, const struct part *part, int64_t layer)
{
    bool is_first = making->in_layer && layer == 0 && part->kind == PART_NORM;
    if (part->kind == PART_TABLE && size_of(making, part->rows) == 0)
        return true;
    if (part->rows == DIM_POSITIONS && making->model->position != POSITION_LEARNED)
        return true;
    return is_first && !making->model->first_norm && strstr(part->to, "attention.norm") != NULL;
}

static bool has_bias(const struct making *making, const struct part *part)
{
    const char *flag = (const char *)making->model + part->bias;
    return part->bias == 0 || *(const int64_t *)(const void *)flag != 0;
}

void add_part(const struct making *making, const struct part *part, int64_t layer)
{
    if (is_absent(making, part, layer))
        return;
    switch (part->kind) {
    case PART_TABLE:
    case PART_MATRIX: add(making, part, layer, "", NULL, true); return;
    case PART_UNTIED: add_untied(making, part); return;
    case PART_DISTANCES: add_distances(making, part); return;
    case PART_VECTOR:
        if (has_bias(making, part))
            add_either(making, *part, layer);
        return;
    case PART_NORM: add(making, part, layer, ".weight", ".gamma", false); break;
    case PART_SCORES: add(making, part, layer, ".weight", KERNEL, true); break;
    default: add(making, part, layer, ".weight", NULL, true);
    }
    if (has_bias(making, part))
        add(making, part, layer, ".bias", part->kind == PART_NORM ? ".beta" : NULL, false);
}

void add_parts(const struct making *making, const struct part *parts, int64_t layer)
{
    for (; parts != NULL && parts->to != NULL; parts++)
        add_part(making, parts, layer);
}
