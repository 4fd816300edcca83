/* plan_head.c - the parts of the head, how many labels it has, the output layer of a masked-language
 * model; see plan_head.h.
 */
#include "tools/import/checkpoint/plan_head.h"

#include <inttypes.h>

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

bool plan_add_head(const struct making *making, const struct head *head, struct model_config *model)
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
