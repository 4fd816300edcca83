/* plan.c - from the tables of architecture.h to the tensors of one checkpoint; see plan.h. */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a plan is made from, and where the sizes of a part come from. */
struct making {
    struct plan *plan;
    enum tensor_type type; /* how matrices are stored; 0: each as the checkpoint has it */
    struct tensor_set *tensors;
    struct model_config *model;
    bool is_int8; /* linear layers become int8 now: it was asked for, and the layer bears it */
    bool in_layer;
};

static uint64_t size_of(const struct making *making, enum part_dim dim)
{
    const struct model_config *model = making->model;
    const int64_t sizes[] = {
        [DIM_NONE] = 1,
        [DIM_WIDTH] = model->width,
        [DIM_EMBEDDING] = model->embedding_width > 0 ? model->embedding_width : model->width,
        [DIM_FEED_FORWARD] = model->feed_forward,
        [DIM_VOCABULARY] = model->vocabulary,
        [DIM_POSITIONS] = model->max_tokens,
        [DIM_TYPES] = model->token_types,
        [DIM_LABELS] = model->labels,
    };
    return (uint64_t)sizes[dim];
}

/* ---- Tensors of the checkpoint ---- */

enum { KEY_BYTES = 128 };

/* Of Keras' dense layers, whose weight is [in, out]. */
static const char KERNEL[] = ".kernel";

/* The name with the layer's number for '#', and an ending. Returns `name`. */
static const char *key_of(char key[KEY_BYTES], const char *pattern, int64_t layer,
                          const char *ending)
{
    const char *hash = strchr(pattern, '#');
    if (hash == NULL)
        snprintf(key, KEY_BYTES, "%s%s", pattern, ending);
    else
        snprintf(key, KEY_BYTES, "%.*s%" PRId64 "%s%s", (int)(hash - pattern), pattern, layer,
                 hash + 1, ending);
    return key;
}

static struct stored_tensor *find(const struct making *making, const char *pattern, int64_t layer,
                                  const char *ending)
{
    char key[KEY_BYTES];
    return tensor_set_find(making->tensors, key_of(key, pattern, layer, ending));
}

/* The file of the tensors, for messages. */
static const char *place_of(const struct tensor_set *set)
{
    return set->n_files == 1 ? set->files[0].header.name : "the checkpoint";
}

/* A tensor of the checkpoint of this shape, cols 0: a vector. */
static const struct stored_tensor *need(const struct making *making, const char *key, uint64_t rows,
                                        uint64_t cols)
{
    const struct tensor_set *set = making->tensors;
    const struct stored_tensor wanted = {.n_dims = cols > 0 ? 2 : 1, .shape = {rows, cols}};
    struct stored_tensor *tensor = tensor_set_find(set, key);
    char shape[SHAPE_TEXT], expected[SHAPE_TEXT];
    tensor_shape_text(&wanted, expected);
    if (tensor == NULL)
        problem_say(set->problem, "%s has no tensor '%s'; expected one of shape %s", place_of(set),
                    key, expected);
    if (tensor->n_dims != wanted.n_dims ||
        memcmp(tensor->shape, wanted.shape, sizeof wanted.shape) != 0)
        tensor_refuse(set, tensor, " has the shape %s; expected %s",
                      tensor_shape_text(tensor, shape), expected);
    if (tensor->type == 0)
        tensor_refuse(set, tensor, " has the dtype %s; expected F32, F16 or BF16", tensor->dtype);
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
    if (tensor->n_dims == 1 || kind == PART_SCORES)
        return TENSOR_F32;
    if (making->type == 0)
        return common_type(tensor);
    if (making->type != TENSOR_INT8)
        return making->type;
    if (!making->is_int8 || kind == PART_TABLE)
        return TENSOR_F16;
    if (!making->in_layer) /* of a head, for rows that nobody rounds */
        return TENSOR_INT8;
    bool is_qkv = tensor->n_parts > 1;
    return is_qkv || kind == PART_OUT ? TENSOR_INT8A8 : TENSOR_INT8A7;
}

static void append(const struct making *making, enum part_kind kind, struct planned_tensor *tensor)
{
    struct plan *plan = making->plan;
    tensor->set = making->tensors;
    tensor->kind = kind;
    tensor->type = choose_type(making, kind, tensor);
    tensor->layout = tensor->n_dims == 2 && kind != PART_TABLE ? LAYOUT_PANELS : LAYOUT_ROWS;
    size_t n_bytes = tensor_bytes(tensor->type, tensor->layout, tensor->rows, tensor->cols);
    if (n_bytes == 0)
        problem_say(making->tensors->problem, "tensor '%s' [%zu, %zu] is too large", tensor->name,
                    tensor->rows, tensor->cols);
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
    uint64_t rows = size_of(making, part->rows), cols = is_matrix ? size_of(making, part->cols) : 0;
    char key[KEY_BYTES];
    snprintf(tensor.name, sizeof tensor.name, "%.*s", PLAN_NAME - 1,
             key_of(key, part->to, layer, ending));
    for (size_t i = 0; i < PLAN_PARTS && part->from[i] != NULL; i++) {
        const char *from = part->from[i];
        bool is_other = other_ending != NULL && find(making, from, layer, ending) == NULL &&
                        find(making, from, layer, other_ending) != NULL;
        tensor.is_transposed = is_other && other_ending == KERNEL;
        key_of(key, from, layer, is_other ? other_ending : ending);
        tensor.parts[i] =
            tensor.is_transposed ? need(making, key, cols, rows) : need(making, key, rows, cols);
        tensor.n_parts++;
    }
    tensor.rows = (size_t)rows * tensor.n_parts;
    tensor.cols = is_matrix ? (size_t)cols : 1;
    append(making, part->kind, &tensor);
}

/* A vector that the checkpoint has under either of two names, or under both. */
static void add_either(const struct making *making, struct part part, int64_t layer)
{
    struct stored_tensor *second = part.from[1] != NULL ? find(making, part.from[1], 0, "") : NULL;
    if (second != NULL)
        second->used = true;
    if (part.from[1] != NULL && find(making, part.from[0], 0, "") == NULL)
        part.from[0] = part.from[1];
    part.from[1] = NULL;
    add(making, &part, layer, "", NULL, false);
}

/* The matrix of an output layer, unless that is the embedding table: a copy of it is not read. */
static void add_untied(const struct making *making, const struct part *part)
{
    struct stored_tensor *tensor = find(making, part->from[0], 0, "");
    if (tensor != NULL)
        tensor->used = true;
    if (!making->model->head_tied)
        add(making, part, 0, "", NULL, true);
}

/* All tensors of a part. A table of no rows is none: a model without token types. */
static void add_part(const struct making *making, const struct part *part, int64_t layer)
{
    if (part->kind == PART_TABLE && size_of(making, part->rows) == 0)
        return;
    if (part->rows == DIM_POSITIONS && making->model->position != POSITION_LEARNED)
        return;
    switch (part->kind) {
    case PART_TABLE:
    case PART_MATRIX: add(making, part, layer, "", NULL, true); break;
    case PART_UNTIED: add_untied(making, part); break;
    case PART_VECTOR: add_either(making, *part, layer); break;
    case PART_NORM:
        add(making, part, layer, ".weight", ".gamma", false);
        add(making, part, layer, ".bias", ".beta", false);
        break;
    case PART_SCORES:
        add(making, part, layer, ".weight", KERNEL, true);
        if (making->model->head_bias)
            add(making, part, layer, ".bias", NULL, false);
        break;
    default:
        add(making, part, layer, ".weight", NULL, true);
        add(making, part, layer, ".bias", NULL, false);
    }
}

static void add_parts(const struct making *making, const struct part *parts, int64_t layer)
{
    for (; parts->to != NULL; parts++)
        add_part(making, parts, layer);
}

/* The first part of that kind, or NULL. */
static const struct part *part_of_kind(const struct part *parts, enum part_kind kind)
{
    while (parts->to != NULL && parts->kind != kind)
        parts++;
    return parts->to != NULL ? parts : NULL;
}

/* ---- The layers ---- */

/* Layer by layer, by the part that makes the residual stream's outliers. */
static void judge_layers(const struct making *making, const struct part *parts)
{
    struct int8_layers *layers = &making->plan->int8_layers;
    const struct part *part = part_of_kind(parts, PART_OUT);
    int8_layers_open(layers, (size_t)making->model->layers);
    for (size_t layer = 0; part != NULL && layer < layers->n; layer++) {
        uint64_t rows = size_of(making, part->rows), cols = size_of(making, part->cols);
        char key[KEY_BYTES];
        const struct stored_tensor *out =
            need(making, key_of(key, part->from[0], (int64_t)layer, ".weight"), rows, cols);
        int8_layers_judge(layers, layer, making->tensors, out, (size_t)rows, (size_t)cols);
    }
}

static void add_layers(struct making *making, const struct part *parts)
{
    bool wants_int8 = making->is_int8;
    if (wants_int8)
        judge_layers(making, parts);
    for (int64_t layer = 0; layer < making->model->layers; layer++) {
        making->is_int8 = wants_int8 && !making->plan->int8_layers.in_f16[layer];
        making->in_layer = true;
        add_parts(making, parts, layer);
    }
    making->is_int8 = wants_int8;
    making->in_layer = false;
}

/* ---- The head ---- */

/* Where config.json does not say how many labels there are, the classifier's rows do, or the
 * columns of its kernel. */
static void settle_labels(const struct making *making, const struct part *part)
{
    struct model_config *model = making->model;
    if (model->labels > 0 || part == NULL)
        return;
    const struct stored_tensor *weight = find(making, part->from[0], 0, ".weight");
    const struct stored_tensor *tensor =
        weight != NULL ? weight : find(making, part->from[0], 0, KERNEL);
    uint64_t labels = tensor != NULL && tensor->n_dims == 2 ? tensor->shape[weight == NULL] : 0;
    if (labels < 1 || labels > INT32_MAX)
        problem_say(making->tensors->problem,
                    "%s: no tensor '%s.weight' [labels, %" PRId64
                    "], and config.json has no 'id2label'",
                    place_of(making->tensors), part->from[0], model->width);
    model->labels = (int64_t)labels;
    if (model->labels == 1 && model->scores == SCORES_SOFTMAX)
        model->scores = SCORES_SIGMOID;
}

/* The head; NULL: none. Settles in the model what the tensors decide. */
static void add_head(const struct making *making, const struct head *head)
{
    struct model_config *model = making->model;
    if (head == NULL)
        return;
    const char *first = head->parts[0].from[0];
    if (head->is_optional && find(making, first, 0, ".weight") == NULL) {
        model->head = HEAD_NONE;
        model->head_dense = model->head_norm = 0;
        return;
    }
    if (head->bias_is_optional && find(making, first, 0, ".bias") == NULL)
        model->head_bias = false;
    settle_labels(making, part_of_kind(head->parts, PART_SCORES));
    add_parts(making, head->parts, 0);
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

static void check_left_over(const struct making *making, const struct architecture *architecture)
{
    struct plan *plan = making->plan;
    const struct tensor_set *tensors = making->tensors;
    plan->left_out = alloc_zeros(tensors->n, sizeof *plan->left_out);
    for (size_t i = 0; i < tensors->n; i++) {
        const struct stored_tensor *tensor = &tensors->tensors[i];
        char shape[SHAPE_TEXT];
        if (tensor->used)
            continue;
        if (!may_be_left_out(architecture, tensor->key))
            tensor_refuse(tensors, tensor, " %s is not part of a %s as config.json describes it",
                          tensor_shape_text(tensor, shape), architecture->class_name);
        if (tensor->type != 0) /* not buffers of whole numbers, which nobody misses */
            plan->left_out[plan->n_left_out++] = tensor;
    }
}

/* ---- All of it ---- */

/* Positions of which config.json says nothing are learned if there is a table of them. */
static void settle_positions(const struct making *making, const struct checkpoint_config *config)
{
    if (!config->positions_are_open)
        return;
    making->model->position = POSITION_NONE;
    for (const struct part *part = config->architecture->body->embedding; part->to != NULL; part++)
        if (part->rows == DIM_POSITIONS && find(making, part->from[0], 0, "") != NULL)
            making->model->position = POSITION_LEARNED;
}

void plan_make(struct plan *plan, enum tensor_type type, struct tensor_set *tensors,
               struct checkpoint_config *config)
{
    const struct body *body = config->architecture->body;
    struct model_config *model = &config->model;
    struct making making = {plan, type, tensors, model, type == TENSOR_INT8, false};
    bool is_projected = body->projection != NULL && model->embedding_width != model->width;
    *plan = (struct plan){.n = 0};
    tensor_set_strip(tensors, body->prefixes);
    settle_positions(&making, config);
    add_parts(&making, body->embedding, 0);
    if (is_projected)
        add_parts(&making, body->projection, 0);
    add_layers(&making, body->layer);
    add_head(&making, config->architecture->head);
    check_left_over(&making, config->architecture);
}

void plan_projection(struct plan *plan, enum tensor_type type, struct tensor_set *tensors,
                     size_t index, const struct dense_module *dense, bool has_bias)
{
    static const struct part weight = {
        "projection.#.weight", PART_MATRIX, DIM_FEED_FORWARD, DIM_WIDTH, {"linear.weight"}};
    static const struct part bias = {
        "projection.#.bias", PART_VECTOR, DIM_FEED_FORWARD, DIM_NONE, {"linear.bias"}};
    struct model_config sizes = {.width = dense->in, .feed_forward = dense->out};
    const struct making making = {plan, type, tensors, &sizes, type == TENSOR_INT8, false};
    add_part(&making, &weight, (int64_t)index);
    if (has_bias)
        add_part(&making, &bias, (int64_t)index);
    for (size_t i = 0; i < tensors->n; i++)
        if (!tensors->tensors[i].used)
            tensor_refuse(tensors, &tensors->tensors[i],
                          " is not part of a Dense module as its config.json describes it");
}

void plan_free(struct plan *plan)
{
    free(plan->tensors);
    free(plan->left_out);
    int8_layers_free(&plan->int8_layers);
    *plan = (struct plan){.n = 0};
}
