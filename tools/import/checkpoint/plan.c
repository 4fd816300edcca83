/* plan.c - from the tables of architecture.h to the tensors of one checkpoint; see plan.h. */
#include "tools/import/checkpoint/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The layers ---- */

/* Layer by layer, by the part that makes the residual stream's outliers. */
static bool judge_layers(const struct making *making, const struct part *part)
{
    struct int8_layers *layers = &making->plan->int8_layers;
    if (!int8_layers_open(layers, (size_t)making->model->layers, making->tensors->problem))
        return false;
    while (part->to != NULL && part->kind != PART_OUT)
        part++;
    if (part->to == NULL) /* nothing to judge by */
        return true;
    uint64_t rows = plan_size(making, part->rows), cols = plan_size(making, part->cols);
    for (size_t layer = 0; layer < layers->n; layer++) {
        char key[PLAN_KEY];
        const struct stored_tensor *out =
            plan_need(making, plan_name(key, part->from[0], (int64_t)layer, ".weight"), rows, cols);
        if (out == NULL ||
            !int8_layers_judge(layers, layer, making->tensors, out, (size_t)rows, (size_t)cols))
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

/* ---- The head ---- */

static void use(const struct making *making, const char *key)
{
    struct stored_tensor *tensor = key != NULL ? tensor_set_find(making->tensors, key) : NULL;
    if (tensor != NULL)
        tensor->used = true;
}

/* The output layer of a masked-language head: the embedding table or a matrix of its own, and a
 * bias. */
static bool add_decoder(const struct making *making, const struct head *head)
{
    bool is_second = head->decoder_bias[1] != NULL &&
                     tensor_set_find(making->tensors, head->decoder_bias[0]) == NULL;
    const struct part weight = {
        "head.output.weight", PART_MATRIX, DIM_VOCABULARY, DIM_WIDTH, {head->decoder}};
    const struct part bias = {
        "head.output.bias", PART_VECTOR, DIM_VOCABULARY, DIM_NONE, {head->decoder_bias[is_second]}};
    for (size_t i = 0; i < 2; i++)
        use(making, head->decoder_bias[i]); /* one bias under two names */
    use(making, head->decoder);             /* a tied one may be there too, and is not read */
    return (making->model->head_tied || plan_add_part(making, &weight, 0)) &&
           plan_add_part(making, &bias, 0);
}

/* Where config.json does not say how many labels there are, the classifier's rows do, or the
 * columns of its kernel. */
static bool settle_labels(const struct making *making, const struct head *head,
                          struct model_config *model)
{
    const struct part *part = head->parts;
    char key[PLAN_KEY];
    while (part->to != NULL && part->kind != PART_SCORES)
        part++;
    if (model->labels > 0 || part->to == NULL)
        return true;
    const struct stored_tensor *kernel =
        tensor_set_find(making->tensors, plan_name(key, part->from[0], 0, PLAN_KERNEL));
    const struct stored_tensor *tensor =
        tensor_set_find(making->tensors, plan_name(key, part->from[0], 0, ".weight"));
    size_t dim = tensor == NULL && kernel != NULL;
    tensor = tensor != NULL ? tensor : kernel;
    if (tensor == NULL || tensor->n_dims != 2 || tensor->shape[dim] < 1 ||
        tensor->shape[dim] > INT32_MAX)
        return problem_say(making->tensors->problem,
                           "%s: no tensor '%s' [labels, %" PRId64
                           "], and config.json has no 'id2label'",
                           plan_place_of(making->tensors), key, model->width);
    model->labels = (int64_t)tensor->shape[dim];
    if (model->labels == 1 && model->scores == SCORES_SOFTMAX)
        model->scores = SCORES_SIGMOID;
    return true;
}

/* The head's first tensor of that ending. */
static bool is_absent(const struct making *making, const struct head *head, const char *ending)
{
    char key[PLAN_KEY];
    return tensor_set_find(making->tensors, plan_name(key, head->parts[0].from[0], 0, ending)) ==
           NULL;
}

/* The head, NULL: none. Settles in `model`, which is that of `making`, what the tensors decide. */
static bool add_head(const struct making *making, const struct head *head,
                     struct model_config *model)
{
    if (head == NULL)
        return true;
    if (head->is_optional && is_absent(making, head, ".weight")) {
        model->head = HEAD_NONE;
        model->head_dense = model->head_norm = 0;
        return true;
    }
    if (head->bias_is_optional && is_absent(making, head, ".bias"))
        model->head_bias = false;
    return settle_labels(making, head, model) && plan_add_parts(making, head->parts, 0) &&
           (head->kind != HEAD_MASK || add_decoder(making, head));
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
        return problem_memory(making->tensors->problem);
    for (size_t i = 0; i < tensors->n; i++) {
        const struct stored_tensor *tensor = &tensors->tensors[i];
        char shape[SHAPE_TEXT];
        if (tensor->used)
            continue;
        if (!may_be_left_out(architecture, tensor->key))
            return problem_say(tensors->problem,
                               "%s: tensor '%s' %s is not part of a %s as config.json describes it",
                               tensor_file_name(tensors, tensor), tensor->name,
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

bool plan_make(struct plan *plan, enum tensor_type type, struct tensor_set *tensors,
               struct checkpoint_config *config)
{
    const struct body *body = config->architecture->body;
    struct model_config *model = &config->model;
    struct making making = {plan, type, tensors, model, type == TENSOR_INT8};
    *plan = (struct plan){.n = 0};
    bool ok = tensor_set_strip(tensors, body->prefixes);
    if (ok)
        settle_positions(&making, config);
    ok = ok && plan_add_parts(&making, body->embedding, 0);
    if (ok && body->projection != NULL && model->embedding_width != model->width)
        ok = plan_add_parts(&making, body->projection, 0);
    ok = ok && add_layers(&making, body->layer) &&
         add_head(&making, config->architecture->head, model) &&
         check_left_over(&making, config->architecture);
    if (!ok)
        plan_free(plan);
    return ok;
}

bool plan_projection(struct plan *plan, enum tensor_type type, struct tensor_set *tensors,
                     size_t index, const struct dense_module *dense, bool has_bias)
{
    static const struct part weight = {
        "projection.#.weight", PART_MATRIX, DIM_FEED_FORWARD, DIM_WIDTH, {"linear.weight"}};
    static const struct part bias = {
        "projection.#.bias", PART_VECTOR, DIM_FEED_FORWARD, DIM_NONE, {"linear.bias"}};
    const struct model_config sizes = {.width = dense->in, .feed_forward = dense->out};
    const struct making making = {plan, type, tensors, &sizes, type == TENSOR_INT8};
    if (!plan_add_part(&making, &weight, (int64_t)index) ||
        (has_bias && !plan_add_part(&making, &bias, (int64_t)index)))
        return false;
    for (size_t i = 0; i < tensors->n; i++)
        if (!tensors->tensors[i].used)
            return problem_say(
                tensors->problem,
                "%s: tensor '%s' is not part of a Dense module as its config.json describes it",
                tensor_file_name(tensors, &tensors->tensors[i]), tensors->tensors[i].name);
    return true;
}

void plan_free(struct plan *plan)
{
    free(plan->tensors);
    free(plan->left_out);
    int8_layers_free(&plan->int8_layers);
    *plan = (struct plan){.n = 0};
}
