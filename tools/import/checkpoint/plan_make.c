/* plan_make.c - layers, heads, and that nothing is left over; see plan.h. */
#include "tools/import/checkpoint/plan_parts.h"

#include "tools/common/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The layers ---- */

/* Layer by layer, by the part that makes the residual stream's outliers. */
static void judge_layers(const struct making *making, const struct part *parts)
{
    struct int8_layers *layers = &making->plan->int8_layers;
    const struct part *part = part_of_kind(parts, PART_OUT);
    int8_layers_open(layers, (size_t)making->model->layer_groups);
    for (size_t layer = 0; part != NULL && layer < layers->n; layer++) {
        uint64_t rows = size_of(making, part->rows), cols = size_of(making, part->cols);
        const struct stored_tensor *out =
            need_tensor(making, part->from[0], (int64_t)layer, ".weight", rows, cols);
        int8_layers_judge(layers, layer, making->tensors, out, (size_t)rows, (size_t)cols);
    }
}

static void add_layers(struct making *making, const struct part *parts)
{
    bool wants_int8 = making->is_int8;
    if (parts == NULL)
        return;
    if (wants_int8)
        judge_layers(making, parts);
    for (int64_t layer = 0; layer < making->model->layer_groups; layer++) {
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
    const struct stored_tensor *weight = find_tensor(making, part->from[0], 0, ".weight");
    const struct stored_tensor *tensor =
        weight != NULL ? weight : find_tensor(making, part->from[0], 0, KERNEL);
    uint64_t labels = tensor != NULL && tensor->n_dims == 2 ? tensor->shape[weight == NULL] : 0;
    if (labels < 1 || labels > INT32_MAX)
        program_die("%s: no tensor '%s.weight' [labels, %" PRId64
                    "], and config.json has no 'id2label'",
                    place_of(making->tensors), part->from[0], model->width);
    model->labels = (int64_t)labels;
    if (model->labels == 1 && model->scores == SCORES_SOFTMAX)
        model->scores = SCORES_SIGMOID;
}

/* The rows of the layer are as many as its tensor has; one where there is none, which is then said.
 */
static void settle_token_vectors(const struct making *making, const struct part *part)
{
    if (part->rows != DIM_TOKEN_VECTORS)
        return;
    const struct stored_tensor *tensor = find_tensor(making, part->from[0], 0, "");
    bool is_matrix = tensor != NULL && tensor->n_dims == 2 && tensor->shape[0] <= INT32_MAX;
    making->model->token_vectors = is_matrix ? (int64_t)tensor->shape[0] : 1;
    making->model->token_vector_bias = false;
}

/* The first layer of a head, and the last one of a classifier. */
static bool has_layers_of(const struct making *making, const struct head *head)
{
    const struct part *scores = part_of_kind(head->parts, PART_SCORES);
    return find_tensor(making, head->parts[0].from[0], 0, ".weight") != NULL &&
           (scores == NULL || find_tensor(making, scores->from[0], 0, ".weight") != NULL);
}

/* Where the checkpoint has not got a head that the class has, it is a body alone, and the pooler of
 * that may be missing too. */
static void settle_head(const struct making *making, struct checkpoint_config *config)
{
    const struct head *of_body = architecture_of_type(config->architecture->model_type)->head;
    while (config->head != NULL && config->head->kind != HEAD_NONE &&
           (config->head->is_optional || config->may_lack_head) &&
           !has_layers_of(making, config->head))
        checkpoint_config_set_head(config, config->head != of_body ? of_body : NULL);
}

/* The head; settles in the model what the tensors decide. */
static void add_head(const struct making *making, const struct head *head)
{
    if (head == NULL)
        return;
    if (head->bias_is_optional && find_tensor(making, head->parts[0].from[0], 0, ".bias") == NULL)
        making->model->head_bias = false;
    settle_labels(making, part_of_kind(head->parts, PART_SCORES));
    settle_token_vectors(making, head->parts);
    add_parts(making, head->parts, 0);
}

/* ---- What is left ---- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool may_be_left_out(const struct checkpoint_config *config, const char *key)
{
    const struct head *head = config->head;
    bool known = false;
    for (const char *const *start = config->architecture->body->left_out; *start != NULL; start++) {
        /* What the head is made of is not ignored: it must be known to the last tensor. */
        bool is_head = false;
        for (const struct part *part = head != NULL ? head->parts : NULL;
             part != NULL && part->to != NULL; part++)
            is_head = is_head || starts_with(part->from[0], *start);
        known = known || (!is_head && starts_with(key, *start));
    }
    return known;
}

static void check_left_over(const struct making *making, const struct checkpoint_config *config)
{
    struct plan *plan = making->plan;
    const struct tensor_set *tensors = making->tensors;
    plan->left_out = alloc_zeros(tensors->n, sizeof *plan->left_out);
    for (size_t i = 0; i < tensors->n; i++) {
        const struct stored_tensor *tensor = &tensors->tensors[i];
        char shape[SHAPE_TEXT];
        if (tensor->used)
            continue;
        if (!may_be_left_out(config, tensor->key))
            tensor_die(tensors, tensor, " %s is not part of a %s as config.json describes it",
                       tensor_shape_text(tensor, shape), config->architecture->class_name);
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
    for (const struct part *part = making->layout->embedding; part->to != NULL; part++)
        if (part->rows == DIM_POSITIONS && find_tensor(making, part->from[0], 0, "") != NULL)
            making->model->position = POSITION_LEARNED;
}

/* That of which the checkpoint has the first layer's first tensor; else the first, of which it is
 * then said what is missing. */
static const struct layout *choose_layout(const struct making *making, const struct body *body)
{
    const struct layout *other = body->other_layout;
    bool is_other =
        other != NULL && find_tensor(making, other->layer->from[0], 0, ".weight") != NULL;
    return is_other ? other : body->layout;
}

void plan_make(struct plan *plan, struct stored_types types, struct tensor_set *tensors,
               struct checkpoint_config *config)
{
    const struct body *body = config->architecture->body;
    struct model_config *model = &config->model;
    struct making making = {.plan = plan,
                            .types = types,
                            .tensors = tensors,
                            .model = model,
                            .is_int8 = types.matrices == TENSOR_INT8};
    *plan = (struct plan){.is_post_norm = model->norm_place == NORM_POST};
    tensor_set_strip(tensors, body->prefixes);
    making.layout = choose_layout(&making, body);
    settle_positions(&making, config);
    add_parts(&making, making.layout->embedding, 0);
    if (model->embedding_width != model->width)
        add_parts(&making, making.layout->projection, 0);
    add_layers(&making, making.layout->layer);
    add_parts(&making, making.layout->final, 0);
    settle_head(&making, config);
    add_head(&making, config->head);
    check_left_over(&making, config);
}

void plan_linear(struct plan *plan, struct stored_types types, struct tensor_set *tensors,
                 const char *to, const char *from, size_t index, int64_t out, int64_t in,
                 bool has_bias)
{
    const struct part linear = {to,
                                PART_LINEAR,
                                DIM_FEED_FORWARD,
                                DIM_WIDTH,
                                offsetof(struct model_config, feed_forward_bias),
                                {from}};
    struct model_config sizes = {.width = in, .feed_forward = out, .feed_forward_bias = has_bias};
    const struct making making = {.plan = plan,
                                  .types = types,
                                  .tensors = tensors,
                                  .model = &sizes,
                                  .is_int8 = types.matrices == TENSOR_INT8};
    add_part(&making, &linear, (int64_t)index);
    tensor_set_check_used(tensors, has_bias ? "a linear layer" : "a linear layer without a bias");
}
