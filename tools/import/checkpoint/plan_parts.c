/* plan_parts.c - from the parts of architecture.h to the tensors of one checkpoint; see
 * plan_parts.h. */
#include "tools/import/checkpoint/plan_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t plan_size(const struct making *making, enum part_dim dim)
{
    const struct model_config *model = making->model;
    int64_t embedding = model->embedding_width > 0 ? model->embedding_width : model->width;
    switch (dim) {
    case DIM_WIDTH: return (uint64_t)model->width;
    case DIM_EMBEDDING: return (uint64_t)embedding;
    case DIM_FEED_FORWARD: return (uint64_t)model->feed_forward;
    case DIM_VOCABULARY: return (uint64_t)model->vocabulary;
    case DIM_POSITIONS: return (uint64_t)model->max_tokens;
    case DIM_TYPES: return (uint64_t)model->token_types;
    case DIM_LABELS: return (uint64_t)model->labels;
    default: return 1;
    }
}

/* ---- One tensor ---- */

const char *plan_name(char name[PLAN_KEY], const char *pattern, int64_t layer, const char *ending)
{
    const char *hash = strchr(pattern, '#');
    if (hash == NULL)
        snprintf(name, PLAN_KEY, "%s%s", pattern, ending);
    else
        snprintf(name, PLAN_KEY, "%.*s%" PRId64 "%s%s", (int)(hash - pattern), pattern, layer,
                 hash + 1, ending);
    return name;
}

const char *plan_place_of(const struct tensor_set *set)
{
    return set->n_files == 1 ? set->files[0].name : "the checkpoint";
}

const struct stored_tensor *plan_need(const struct making *making, const char *key, uint64_t rows,
                                      uint64_t cols)
{
    struct problem *problem = making->tensors->problem;
    struct stored_tensor *tensor = tensor_set_find(making->tensors, key);
    char shape[SHAPE_TEXT], expected[64];
    if (cols > 0)
        snprintf(expected, sizeof expected, "[%" PRIu64 ", %" PRIu64 "]", rows, cols);
    else
        snprintf(expected, sizeof expected, "[%" PRIu64 "]", rows);
    if (tensor == NULL) {
        problem_say(problem, "%s has no tensor '%s'; expected one of shape %s",
                    plan_place_of(making->tensors), key, expected);
        return NULL;
    }
    bool fits = tensor->n_dims == (cols > 0 ? 2 : 1) && tensor->shape[0] == rows &&
                (cols == 0 || tensor->shape[1] == cols);
    if (!fits)
        problem_say(problem, "%s: tensor '%s' has the shape %s; expected %s",
                    tensor_file_name(making->tensors, tensor), tensor->name,
                    tensor_shape_text(tensor, shape), expected);
    else if (!tensor_is_float(tensor))
        problem_say(problem, "%s: tensor '%s' has the dtype %s; expected F32, F16 or BF16",
                    tensor_file_name(making->tensors, tensor), tensor->name, tensor->dtype);
    tensor->used = fits && tensor_is_float(tensor);
    return tensor->used ? tensor : NULL;
}

static enum tensor_type stored_type(const struct stored_tensor *tensor)
{
    return tensor->dtype[0] == 'B'             ? TENSOR_BF16
           : strcmp(tensor->dtype, "F16") == 0 ? TENSOR_F16
                                               : TENSOR_F32;
}

/* Types that lose nothing: that of the parts if they agree, else f32. */
static enum tensor_type common_type(const struct planned_tensor *tensor)
{
    enum tensor_type type = stored_type(tensor->parts[0]);
    for (size_t i = 1; i < tensor->n_parts; i++)
        if (stored_type(tensor->parts[i]) != type)
            return TENSOR_F32;
    return type;
}

static enum tensor_type choose_type(const struct making *making, enum part_kind kind,
                                    const struct planned_tensor *tensor)
{
    if (tensor->n_dims == 1 || kind == PART_SCORES)
        return TENSOR_F32;
    if (making->type == 0)
        return common_type(tensor);
    if (making->type != TENSOR_INT8)
        return making->type;
    bool bears_int8 = making->is_int8 && kind != PART_TABLE &&
                      (kind != PART_OUT || making->plan->int8_layers.n_f16 == 0);
    return bears_int8 ? TENSOR_INT8 : TENSOR_F16;
}

static bool append(const struct making *making, enum part_kind kind, struct planned_tensor *tensor)
{
    struct plan *plan = making->plan;
    tensor->set = making->tensors;
    tensor->type = choose_type(making, kind, tensor);
    tensor->layout = tensor->n_dims == 2 && kind != PART_TABLE ? LAYOUT_PANELS : LAYOUT_ROWS;
    size_t n_bytes = tensor_bytes(tensor->type, tensor->layout, tensor->rows, tensor->cols);
    if (n_bytes == 0)
        return problem_say(making->tensors->problem, "tensor '%s' [%zu, %zu] is too large",
                           tensor->name, tensor->rows, tensor->cols);
    if (plan->n == plan->cap) {
        size_t cap = 2 * plan->cap + 64;
        struct planned_tensor *tensors = realloc(plan->tensors, cap * sizeof *tensors);
        if (tensors == NULL)
            return problem_memory(making->tensors->problem);
        plan->tensors = tensors;
        plan->cap = cap;
    }
    plan->tensors[plan->n++] = *tensor;
    plan->n_parameters += (uint64_t)tensor->rows * tensor->cols;
    plan->n_bytes += n_bytes;
    for (size_t i = 0; i < tensor->n_parts; i++)
        plan->n_source_bytes += tensor->parts[i]->n_bytes;
    return true;
}

/* ---- A part ---- */

const char PLAN_KERNEL[] = ".kernel";

/* One tensor of a part: the ending of its name in the weight file, and another one that it may have
 * in the checkpoint (NULL: none; PLAN_KERNEL: it is then transposed). */
static bool add(const struct making *making, const struct part *part, int64_t layer,
                const char *ending, const char *other_ending, bool is_matrix)
{
    struct planned_tensor tensor = {.n_dims = is_matrix ? 2 : 1};
    uint64_t rows = plan_size(making, part->rows);
    uint64_t cols = is_matrix ? plan_size(making, part->cols) : 0;
    char name[PLAN_KEY];
    snprintf(tensor.name, sizeof tensor.name, "%.*s", PLAN_NAME - 1,
             plan_name(name, part->to, layer, ending));
    for (size_t i = 0; i < PLAN_PARTS && part->from[i] != NULL; i++) {
        char key[PLAN_KEY], other[PLAN_KEY];
        plan_name(key, part->from[i], layer, ending);
        bool is_other = other_ending != NULL && tensor_set_find(making->tensors, key) == NULL &&
                        tensor_set_find(making->tensors, plan_name(other, part->from[i], layer,
                                                                   other_ending)) != NULL;
        tensor.is_transposed = is_other && other_ending == PLAN_KERNEL;
        tensor.parts[i] = tensor.is_transposed
                              ? plan_need(making, other, cols, rows)
                              : plan_need(making, is_other ? other : key, rows, cols);
        if (tensor.parts[i] == NULL)
            return false;
        tensor.n_parts++;
    }
    tensor.rows = (size_t)rows * tensor.n_parts;
    tensor.cols = is_matrix ? (size_t)cols : 1;
    return append(making, part->kind, &tensor);
}

bool plan_add_part(const struct making *making, const struct part *part, int64_t layer)
{
    if (part->kind == PART_TABLE && plan_size(making, part->rows) == 0) /* no token types */
        return true;
    if (part->rows == DIM_POSITIONS && making->model->position != POSITION_LEARNED)
        return true;
    switch (part->kind) {
    case PART_TABLE:
    case PART_MATRIX: return add(making, part, layer, "", NULL, true);
    case PART_VECTOR: return add(making, part, layer, "", NULL, false);
    case PART_NORM:
        return add(making, part, layer, ".weight", ".gamma", false) &&
               add(making, part, layer, ".bias", ".beta", false);
    case PART_SCORES:
        return add(making, part, layer, ".weight", PLAN_KERNEL, true) &&
               (!making->model->head_bias || add(making, part, layer, ".bias", NULL, false));
    default:
        return add(making, part, layer, ".weight", NULL, true) &&
               add(making, part, layer, ".bias", NULL, false);
    }
}

bool plan_add_parts(const struct making *making, const struct part *parts, int64_t layer)
{
    for (; parts->to != NULL; parts++)
        if (!plan_add_part(making, parts, layer))
            return false;
    return true;
}
