/* plan.c - from the tables of architecture.h to the tensors of one checkpoint; see plan.h. */
#include "tools/import/checkpoint/plan_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t size_of(const struct making *making, enum part_dim dim)
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

/* The name with the layer's number for '#', and an ending. */
void plan_name(char *name, size_t cap, const char *pattern, int64_t layer, const char *ending)
{
    const char *hash = strchr(pattern, '#');
    if (hash == NULL)
        snprintf(name, cap, "%s%s", pattern, ending);
    else
        snprintf(name, cap, "%.*s%" PRId64 "%s%s", (int)(hash - pattern), pattern, layer, hash + 1,
                 ending);
}

const char *plan_place_of(const struct tensor_set *set)
{
    return set->n_files == 1 ? set->files[0].name : "the checkpoint";
}

/* A tensor of this shape, cols 0: a vector; NULL after a message. */
static const struct stored_tensor *need(const struct making *making, const char *key, uint64_t rows,
                                        uint64_t cols)
{
    struct stored_tensor *tensor = tensor_set_find(making->tensors, key);
    char shape[SHAPE_TEXT], expected[64];
    if (cols > 0)
        snprintf(expected, sizeof expected, "[%" PRIu64 ", %" PRIu64 "]", rows, cols);
    else
        snprintf(expected, sizeof expected, "[%" PRIu64 "]", rows);
    if (tensor == NULL) {
        problem_say(making->problem, "%s has no tensor '%s'; expected one of shape %s",
                    plan_place_of(making->tensors), key, expected);
        return NULL;
    }
    bool fits = tensor->n_dims == (cols > 0 ? 2 : 1) && tensor->shape[0] == rows &&
                (cols == 0 || tensor->shape[1] == cols);
    if (!fits) {
        problem_say(making->problem, "%s: tensor '%s' has the shape %s; expected %s",
                    making->tensors->files[tensor->file].name, tensor->name,
                    tensor_shape_text(tensor, shape), expected);
        return NULL;
    }
    if (!tensor_is_float(tensor)) {
        problem_say(making->problem, "%s: tensor '%s' has the dtype %s; expected F32, F16 or BF16",
                    making->tensors->files[tensor->file].name, tensor->name, tensor->dtype);
        return NULL;
    }
    tensor->used = true;
    return tensor;
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
    if (making->options->type == 0)
        return common_type(tensor);
    if (making->options->type != TENSOR_INT8)
        return making->options->type;
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
        return problem_say(making->problem, "tensor '%s' [%zu, %zu] is too large", tensor->name,
                           tensor->rows, tensor->cols);
    if (plan->n == plan->cap) {
        size_t cap = 2 * plan->cap + 64;
        struct planned_tensor *tensors = realloc(plan->tensors, cap * sizeof *tensors);
        if (tensors == NULL)
            return problem_memory(making->problem);
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

const char PLAN_KERNEL[] = ".kernel";

/* One tensor of a part: the ending of the name in the weight file, and those that it may have in
 * the checkpoint. */
bool plan_add(const struct making *making, const struct part *part, int64_t layer,
              const char *ending, const char *const endings[2], bool is_matrix)
{
    struct planned_tensor tensor = {.n_dims = is_matrix ? 2 : 1};
    uint64_t rows = size_of(making, part->rows), cols = is_matrix ? size_of(making, part->cols) : 0;
    plan_name(tensor.name, sizeof tensor.name, part->to, layer, ending);
    for (size_t i = 0; i < PLAN_PARTS && part->from[i] != NULL; i++) {
        char key[128], other[128];
        plan_name(key, sizeof key, part->from[i], layer, endings[0]);
        plan_name(other, sizeof other, part->from[i], layer, endings[1]);
        bool is_other = tensor_set_find(making->tensors, key) == NULL &&
                        tensor_set_find(making->tensors, other) != NULL;
        tensor.is_transposed = is_other && endings[1] == PLAN_KERNEL;
        tensor.parts[i] = tensor.is_transposed ? need(making, other, cols, rows)
                                               : need(making, is_other ? other : key, rows, cols);
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
    static const char *const as_it_is[2] = {"", ""}, *const bias[2] = {".bias", ".bias"};
    static const char *const weight[2] = {".weight", ".weight"};
    static const char *const kernel[2] = {".weight", PLAN_KERNEL};
    static const char *const gamma[2] = {".weight", ".gamma"}, *const beta[2] = {".bias", ".beta"};
    if (part->kind == PART_TABLE && size_of(making, part->rows) == 0) /* no token types */
        return true;
    if (part->rows == DIM_POSITIONS && making->model->position != POSITION_LEARNED)
        return true;
    switch (part->kind) {
    case PART_TABLE: return plan_add(making, part, layer, "", as_it_is, true);
    case PART_VECTOR: return plan_add(making, part, layer, "", as_it_is, false);
    case PART_NORM:
        return plan_add(making, part, layer, ".weight", gamma, false) &&
               plan_add(making, part, layer, ".bias", beta, false);
    case PART_SCORES:
        return plan_add(making, part, layer, ".weight", kernel, true) &&
               (!making->model->head_bias || plan_add(making, part, layer, ".bias", bias, false));
    default:
        return plan_add(making, part, layer, ".weight", weight, true) &&
               plan_add(making, part, layer, ".bias", bias, false);
    }
}

bool plan_add_parts(const struct making *making, const struct part *parts, int64_t layer)
{
    for (; parts->to != NULL; parts++)
        if (!plan_add_part(making, parts, layer))
            return false;
    return true;
}

/* ---- The layers ---- */

/* Layer by layer, by the part that makes the residual stream's outliers. */
static bool judge_layers(const struct making *making, const struct part *part)
{
    struct int8_layers *layers = &making->plan->int8_layers;
    if (!int8_layers_open(layers, (size_t)making->model->layers, making->problem))
        return false;
    while (part->to != NULL && part->kind != PART_OUT)
        part++;
    if (part->to == NULL) /* nothing to judge by */
        return true;
    uint64_t rows = size_of(making, part->rows), cols = size_of(making, part->cols);
    for (size_t layer = 0; layer < layers->n; layer++) {
        char key[128];
        plan_name(key, sizeof key, part->from[0], (int64_t)layer, ".weight");
        const struct stored_tensor *out = need(making, key, rows, cols);
        if (out == NULL || !int8_layers_judge(layers, layer, making->tensors, out, (size_t)rows,
                                              (size_t)cols, making->problem))
            return false;
    }
    return true;
}

static bool add_layers(struct making *making, const struct part *parts)
{
    bool wants_int8 = making->is_int8, ok = !wants_int8 || judge_layers(making, parts);
    for (int64_t layer = 0; ok && layer < making->model->layers; layer++) {
        making->is_int8 = wants_int8 && !making->plan->int8_layers.in_f16[layer];
        ok = plan_add_parts(making, parts, layer);
    }
    making->is_int8 = wants_int8;
    return ok;
}

/* ---- What is left ---- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool may_be_left_out(const struct architecture *architecture, const char *key)
{
    const struct head *head = architecture->head;
    bool known = false;
    for (const char *const *start = architecture->body->left_out; *start != NULL; start++) {
        /* What the head is made of is not ignored: it must be known to the last tensor. */
        bool is_head = false;
        for (const struct part *part = head != NULL ? head->parts : NULL;
             part != NULL && part->to != NULL; part++)
            is_head = is_head || starts_with(part->from[0], *start);
        known = known || (!is_head && starts_with(key, *start));
    }
    return known;
}

static bool check_left_over(const struct making *making, const struct architecture *architecture)
{
    struct plan *plan = making->plan;
    const struct tensor_set *tensors = making->tensors;
    plan->left_out = calloc(tensors->n + 1, sizeof *plan->left_out);
    if (plan->left_out == NULL)
        return problem_memory(making->problem);
    for (size_t i = 0; i < tensors->n; i++) {
        const struct stored_tensor *tensor = &tensors->tensors[i];
        char shape[SHAPE_TEXT];
        if (tensor->used)
            continue;
        if (!may_be_left_out(architecture, tensor->key))
            return problem_say(making->problem,
                               "%s: tensor '%s' %s is not part of a %s as config.json describes it",
                               tensors->files[tensor->file].name, tensor->name,
                               tensor_shape_text(tensor, shape), architecture->class_name);
        if (tensor_is_float(tensor)) /* not buffers of whole numbers, which nobody misses */
            plan->left_out[plan->n_left_out++] = tensor;
    }
    return true;
}

/* ---- All of it ---- */

/* Positions of which config.json says nothing are learned if there is a table of them. */
static void settle_positions(const struct making *making, struct checkpoint_config *config)
{
    if (!config->positions_are_open)
        return;
    config->model.position = POSITION_NONE;
    for (const struct part *part = config->architecture->body->embedding; part->to != NULL; part++)
        if (part->rows == DIM_POSITIONS && tensor_set_find(making->tensors, part->from[0]) != NULL)
            config->model.position = POSITION_LEARNED;
}

bool plan_make(struct plan *plan, const struct plan_options *options, struct tensor_set *tensors,
               struct checkpoint_config *config, struct problem *problem)
{
    const struct body *body = config->architecture->body;
    struct model_config *model = &config->model;
    struct making making = {plan, options, tensors, model, problem, options->type == TENSOR_INT8};
    *plan = (struct plan){.n = 0};
    bool ok = tensor_set_strip(tensors, body->prefixes, problem);
    if (ok)
        settle_positions(&making, config);
    ok = ok && plan_add_parts(&making, body->embedding, 0);
    if (ok && body->projection != NULL && model->embedding_width != model->width)
        ok = plan_add_parts(&making, body->projection, 0);
    ok = ok && add_layers(&making, body->layer) &&
         plan_add_head(&making, config->architecture->head, model) &&
         check_left_over(&making, config->architecture);
    if (!ok)
        plan_free(plan);
    return ok;
}

bool plan_projection(struct plan *plan, const struct plan_options *options,
                     struct tensor_set *tensors, size_t index, const struct dense_module *dense,
                     bool has_bias, struct problem *problem)
{
    const struct model_config sizes = {.width = dense->in, .feed_forward = dense->out};
    const struct making making = {plan,   options, tensors,
                                  &sizes, problem, options->type == TENSOR_INT8};
    const struct part weight = {
        "projection.#.weight", PART_LINEAR, DIM_FEED_FORWARD, DIM_WIDTH, {"linear.weight"}};
    const struct part bias = {
        "projection.#.bias", PART_VECTOR, DIM_FEED_FORWARD, DIM_NONE, {"linear.bias"}};
    static const char *const as_it_is[2] = {"", ""};
    if (!plan_add(&making, &weight, (int64_t)index, "", as_it_is, true) ||
        (has_bias && !plan_add_part(&making, &bias, (int64_t)index)))
        return false;
    for (size_t i = 0; i < tensors->n; i++)
        if (!tensors->tensors[i].used)
            return problem_say(
                problem,
                "%s: tensor '%s' is not part of a Dense module as its config.json describes it",
                tensors->files[tensors->tensors[i].file].name, tensors->tensors[i].name);
    return true;
}

void plan_free(struct plan *plan)
{
    free(plan->tensors);
    free(plan->left_out);
    int8_layers_free(&plan->int8_layers);
    *plan = (struct plan){.n = 0};
}
