/* plan.c - makes a plan from the tables of families/: finds the tensors of each part, chooses how
 * they are stored, checks that no tensor is left over. See plan.h; plan_write.c writes it. */
#include "tools/import/checkpoint/plan.h"

#include "tools/common/alloc.h"
#include "tools/import/import_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sources of a plan, and the model whose sizes the parts have. */
struct making {
    struct plan *plan;
    struct tensor_set *tensors;
    struct model_config *model;
    bool is_int8; /* linear layers become int8 now: it was asked for, and the layer bears it */
    bool in_layer;
    size_t layer;
    double quick_gelu;
    struct added_row added_row;
    size_t projected; /* width of the projection that is one of the model's tensors */
    const struct layout *layout;
};

/* Returns how large a dimension is. */
static size_t size_of(const struct making *making, enum part_dim dim)
{
    const struct model_config *model = making->model;
    const size_t head_width = config_head_width(model, making->layer);
    const size_t n_keys = config_key_value_heads(model, making->layer);
    const size_t sizes[] = {
        [DIM_NONE] = 1,
        [DIM_WIDTH] = model->width,
        [DIM_EMBEDDING] = model->embedding_width > 0 ? model->embedding_width : model->width,
        [DIM_HEAD] = config_head_columns(model),
        [DIM_FEED_FORWARD] = model->feed_forward,
        [DIM_GATED] = 2 * model->feed_forward,
        [DIM_QKV] = (model->heads + 2 * n_keys) * head_width,
        [DIM_QUERY] = model->heads * head_width,
        [DIM_KEY] = n_keys * head_width,
        [DIM_HEAD_WIDTH] = head_width,
        [DIM_LAYER_INPUT] = model->layer_input_width,
        [DIM_EXPERTS] = model->experts,
        [DIM_EXPERTS_IN] = model->experts * model->feed_forward,
        [DIM_EXPERTS_OUT] = model->experts * model->width,
        [DIM_HEADS] = model->heads,
        [DIM_BUCKETS] = DISTANCE_BUCKETS,
        [DIM_VOCABULARY] = model->vocabulary,
        [DIM_POSITIONS] = model->max_tokens + model->position_offset,
        [DIM_TYPES] = model->token_types,
        [DIM_LABELS] = model->labels,
        [DIM_TOKEN_VECTORS] = model->token_vectors,
        [DIM_PROJECTION] = making->projected,
    };
    return sizes[dim];
}

/* ---- Tensors of the checkpoint ---- */

enum { KEY_BYTES = 128 };

/* Writes the pattern with the layer's number for '#', and the ending. After an empty pattern the
 * ending has no dot: "weight". Returns `key`. */
static const char *key_of(char key[KEY_BYTES], const char *pattern, size_t layer,
                          const char *ending)
{
    const int n = (int)strcspn(pattern, "#");
    ending += pattern[0] == '\0' && ending[0] == '.';
    if (pattern[n] == '\0')
        snprintf(key, KEY_BYTES, "%s%s", pattern, ending);
    else
        snprintf(key, KEY_BYTES, "%.*s%zu%s%s", n, pattern, layer, pattern + n + 1, ending);
    return key;
}

/* Returns a tensor by its pattern and ending, or NULL. */
static struct stored_tensor *find_tensor(const struct making *making, const char *pattern,
                                         size_t layer, const char *ending)
{
    char key[KEY_BYTES];
    return tensor_set_find(making->tensors, key_of(key, pattern, layer, ending));
}

/* Returns a tensor of this shape (cols 0: a vector), and marks it used. Refuses any other. */
static const struct stored_tensor *need_tensor(const struct making *making, const char *pattern,
                                               size_t layer, const char *ending, uint64_t rows,
                                               uint64_t cols)
{
    char key[KEY_BYTES];
    return tensor_set_need(making->tensors, key_of(key, pattern, layer, ending), rows, cols);
}

/* ---- Tensors of the weight file ---- */

/* The type that was asked for, else the parts' own type if they agree, else f32: no loss. */
static enum tensor_type choose_type(const struct making *making,
                                    const struct planned_tensor *tensor)
{
    bool is_table = tensor->kind == PART_TABLE;
    enum tensor_type asked =
        is_table ? table_type(making->plan->types) : making->plan->types.matrices;
    if (tensor->n_dims == 1 || tensor->kind == PART_SCORES || tensor->kind == PART_DISTANCES ||
        tensor->kind == PART_POSITIONS || tensor->kind == PART_ROUTER)
        return TENSOR_F32;
    if (asked == 0 && (tensor->row_weights != NULL || tensor->added_row != NULL))
        return TENSOR_F32;
    if (asked == 0) {
        asked = tensor->n_parts > 0 ? tensor->parts[0]->type : TENSOR_F32;
        for (size_t i = 0; i < tensor->n_parts; i++)
            if (tensor->parts[i]->type != asked || tensor->parts[i]->change != NULL ||
                tensor->times != 0)
                asked = TENSOR_F32;
        return asked;
    }
    if (asked == TENSOR_INT8 && is_table && !int8_bears_table(tensor))
        return TENSOR_F16;
    if (asked != TENSOR_INT8 || is_table)
        return asked;
    /* What a layer takes from the embedding is computed from rows that no norm has made even. */
    if (!making->is_int8 || strstr(tensor->name, ".layer_input.") != NULL ||
        tensor->kind == PART_EXPERTS || tensor->kind == PART_EXPERTS_OUT)
        return TENSOR_F16;
    if (!making->in_layer) /* of a head: the rows that it reads are not rounded */
        return TENSOR_INT8;
    bool is_after_heads = strstr(tensor->name, ".attention.output.") != NULL;
    return is_after_heads || tensor->cols < KEPT ? TENSOR_INT8A8 : TENSOR_INT8K;
}

void plan_add(struct plan *plan, struct planned_tensor *tensor)
{
    bool is_table = tensor->kind == PART_TABLE || tensor->kind == PART_DISTANCES;
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

static void append_tensor(const struct making *making, struct planned_tensor *tensor)
{
    tensor->set = making->tensors;
    tensor->type = choose_type(making, tensor);
    plan_add(making->plan, tensor);
}

/* The ending of a tensor's name in the weight file and in checkpoints, and in checkpoints of other
 * programs. Those of Keras have dense layers transposed: [in, out]. */
struct ending {
    const char *usual, *other; /* other: or NULL */
    bool other_is_transposed;
};
static const struct ending NONE = {"", NULL, false}, WEIGHT = {".weight", NULL, false},
                           BIAS = {".bias", NULL, false}, GAMMA = {".weight", ".gamma", false},
                           BETA = {".bias", ".beta", false}, KERNEL = {".weight", ".kernel", true};

/* Returns a tensor [rows, cols] (cols 0: a vector) that becomes this part. */
static struct planned_tensor start_tensor(const struct part *part, size_t layer, const char *ending,
                                          size_t rows, size_t cols)
{
    struct planned_tensor tensor = {.kind = part->kind != PART_NO_BIAS ? part->kind : PART_LINEAR,
                                    .n_dims = cols > 0 ? 2 : 1,
                                    .rows = rows,
                                    .cols = cols > 0 ? cols : 1};
    char key[KEY_BYTES];
    snprintf(tensor.name, sizeof tensor.name, "%.*s", PLAN_NAME - 1,
             key_of(key, part->to, layer, ending));
    return tensor;
}

/* Adds one tensor of a part: the rows of all its sources, one after another. */
static void add_tensor(const struct making *making, const struct part *part, size_t layer,
                       struct ending ending, bool is_matrix)
{
    uint64_t cols = is_matrix ? size_of(making, part->cols) : 0;
    struct planned_tensor tensor = start_tensor(part, layer, ending.usual, 0, (size_t)cols);
    for (size_t i = 0; i < 3 && part->from[i] != NULL; i++) {
        /* After the queries come keys and values, which may have fewer heads. */
        enum part_dim dim = part->rows == DIM_QUERY && i > 0 ? DIM_KEY : part->rows;
        const char *from = part->from[i], *found = ending.usual;
        uint64_t rows = size_of(making, dim);
        if (ending.other != NULL && find_tensor(making, from, layer, ending.usual) == NULL &&
            find_tensor(making, from, layer, ending.other) != NULL) {
            found = ending.other;
            tensor.is_transposed = ending.other_is_transposed;
        }
        tensor.parts[tensor.n_parts++] =
            need_tensor(making, from, layer, found, tensor.is_transposed ? cols : rows,
                        tensor.is_transposed ? rows : cols);
        tensor.rows += (size_t)rows;
    }
    /* Weights of norms, those of the heads' queries and keys included. */
    if ((part->kind == PART_NORM && strcmp(ending.usual, ".weight") == 0) ||
        part->rows == DIM_HEAD_WIDTH)
        tensor.added = making->layout->norm_added;
    const struct added_row *added = &making->added_row;
    if (part->rows == DIM_POSITIONS && added->table != NULL)
        tensor.added_row = tensor_floats(
            making->tensors, need_tensor(making, added->table, 0, "", added->rows, cols), 0, 1,
            tensor.cols);
    if (making->quick_gelu != 0 && part->rows == DIM_FEED_FORWARD)
        tensor.times = making->quick_gelu;
    else if (making->quick_gelu != 0 && part->kind == PART_OUT && is_matrix)
        tensor.times = 1 / making->quick_gelu;
    append_tensor(making, &tensor);
}

/* Adds a vector that the checkpoint has under either of two names, or under both: transformers 5
 * reads the second, the output layer's own. */
static void add_vector(const struct making *making, struct part part, size_t layer)
{
    struct stored_tensor *first = find_tensor(making, part.from[0], layer, "");
    if (part.from[1] != NULL && (first == NULL || find_tensor(making, part.from[1], 0, "") != NULL))
        part.from[0] = part.from[1];
    if (first != NULL)
        first->used = true;
    part.from[1] = NULL;
    add_tensor(making, &part, layer, NONE, false);
}

/* Adds a column for each distance, from a table with a row for each bucket of distances. */
static void add_distances(const struct making *making, const struct part *part)
{
    uint64_t buckets = size_of(making, part->rows), heads = size_of(making, part->cols);
    struct planned_tensor tensor =
        start_tensor(part, 0, "", (size_t)heads, 2 * making->model->distances + 1);
    tensor.parts[tensor.n_parts++] = need_tensor(making, part->from[0], 0, "", buckets, heads);
    append_tensor(making, &tensor);
}

/* Adds what a layer makes of all positions: linear(norm(table)), which no text changes. */
static void add_positions(const struct making *making, const struct position_sources *sources,
                          const char *from, const char *to, bool has_bias)
{
    const struct model_config *model = making->model;
    const struct part part = {.to = to, .kind = PART_POSITIONS};
    uint64_t width = model->width, out = model->heads * model->head_width;
    for (size_t layer = 0; from != NULL && layer < model->layers; layer++) {
        struct planned_tensor tensor =
            start_tensor(&part, layer, ".weight", config_position_rows(model), model->head_width);
        const struct stored_tensor **source = tensor.parts;
        *source++ = need_tensor(making, sources->table, 0, "", 2 * config_span(model), width);
        *source++ = need_tensor(making, from, layer, ".weight", out, width);
        if (has_bias)
            *source++ = need_tensor(making, from, layer, ".bias", out, 0);
        if (sources->norm != NULL) {
            *source++ = need_tensor(making, sources->norm, 0, ".weight", width, 0);
            *source++ = need_tensor(making, sources->norm, 0, ".bias", width, 0);
        }
        tensor.n_parts = (size_t)(source - tensor.parts);
        tensor.model = model;
        append_tensor(making, &tensor);
    }
}

/* Adds a vector that the checkpoint does not have: the bias of a layer without one, or ones. */
static void add_constant(const struct making *making, const struct part *part, size_t layer,
                         const char *ending, float value)
{
    struct planned_tensor tensor =
        start_tensor(part, layer, ending, size_of(making, part->rows), 0);
    float *values = alloc_zeros(tensor.rows, sizeof *values);
    for (size_t i = 0; i < tensor.rows; i++)
        values[i] = value;
    tensor.values = values;
    append_tensor(making, &tensor);
}

/* Adds the layer's rows of a tensor that has those of all layers, times 1/√cols. */
static void add_slice(const struct making *making, const struct part *part, size_t layer)
{
    const size_t rows = size_of(making, part->rows), cols = size_of(making, part->cols);
    struct planned_tensor tensor = start_tensor(part, layer, "", rows, cols);
    double *numbers = alloc_zeros(rows, sizeof *numbers);
    double *weights = alloc_zeros(rows, sizeof *weights);
    tensor.parts[tensor.n_parts++] =
        need_tensor(making, part->from[0], layer, "", making->model->layers * rows, cols);
    for (size_t i = 0; i < rows; i++) {
        numbers[i] = (double)(layer * rows + i);
        weights[i] = 1 / sqrt((double)cols);
    }
    tensor.row_numbers = numbers;
    tensor.row_weights = weights;
    append_tensor(making, &tensor);
}

/* Adds queries, keys and values from a tensor in which those of a head follow each other; keys have
 * no bias. */
static void add_heads(const struct making *making, const struct part *part, size_t layer)
{
    const size_t head = making->model->head_width, width = making->model->width;
    const size_t n = making->model->heads * head;
    struct planned_tensor matrix = start_tensor(part, layer, WEIGHT.usual, 3 * n, width);
    struct planned_tensor vector = start_tensor(part, layer, BIAS.usual, 3 * n, 0);
    double *numbers = alloc_zeros(3 * n, sizeof *numbers);
    float *biases = alloc_zeros(3 * n, sizeof *biases);
    for (size_t i = 0; i < 3 * n; i++)
        numbers[i] = (double)((3 * (i % n / head) + i / n) * head + i % head);
    matrix.parts[matrix.n_parts++] =
        need_tensor(making, part->from[0], layer, WEIGHT.usual, 3 * n, width);
    matrix.row_numbers = numbers;
    append_tensor(making, &matrix);
    for (size_t i = 0; i < 2; i++) {
        float *of = tensor_floats(making->tensors,
                                  need_tensor(making, part->from[i + 1], layer, "", n, 0), 0, n, 1);
        memcpy(biases + i * 2 * n, of, n * sizeof *biases);
        alloc_free(of);
    }
    vector.values = biases;
    append_tensor(making, &vector);
}

/* Adds the second matrices of experts. */
static void add_experts_out(const struct making *making, const struct part *part, size_t layer)
{
    struct planned_tensor tensor =
        start_tensor(part, layer, "", size_of(making, part->rows), size_of(making, part->cols));
    tensor.parts[tensor.n_parts++] =
        need_tensor(making, part->from[0], layer, "", size_of(making, DIM_EXPERTS_IN),
                    size_of(making, DIM_WIDTH));
    append_tensor(making, &tensor);
}

/* Whether a layer has experts, and the part is of a layer without, or the other way round; or the
 * part is of a gate, and the model has none, or the other way round. */
static bool is_of_others(const struct making *making, const struct part *part, size_t layer)
{
    bool is_dense = part->kind == PART_OUT || part->rows == DIM_FEED_FORWARD;
    bool of_experts = part->kind >= PART_ROUTER && part->kind <= PART_EXPERTS_BIAS;
    bool is_gated = making->model->gate != GATE_NONE;
    if (making->in_layer && config_has_experts(making->model, layer) ? is_dense : of_experts)
        return true;
    return part->rows == DIM_FEED_FORWARD && (part->from[1] != NULL) != is_gated;
}

/* Whether the model has no such part: a table of no rows, positions that are not learned, norms of
 * the embedding, of queries and keys, the norm before layer 0 of a model whose embedding ends with
 * one. */
static bool is_absent(const struct making *making, const struct part *part, size_t layer)
{
    bool is_first = making->in_layer && layer == 0 && part->kind == PART_NORM;
    if (is_of_others(making, part, layer))
        return true;
    if (part->kind == PART_TABLE && size_of(making, part->rows) == 0)
        return true;
    if (part->rows == DIM_POSITIONS && making->model->position != POSITION_LEARNED)
        return true;
    if (part->rows == DIM_HEAD_WIDTH && !making->model->query_key_norm)
        return true;
    if (part->kind == PART_NORM && part->rows == DIM_EMBEDDING &&
        making->model->embedding_norm == NORM_NONE)
        return true;
    return is_first && !making->model->first_norm && strstr(part->to, "attention.norm") != NULL;
}

/* Adds all tensors of a part. */
static void add_part(const struct making *making, const struct part *part, size_t layer)
{
    const char *flag = (const char *)making->model + part->bias;
    bool has_bias = part->bias == 0 || *flag != 0; /* one byte: bool, or int8_t */
    struct stored_tensor *copy;
    if (is_absent(making, part, layer))
        return;
    switch (part->kind) {
    case PART_EXPERTS_OUT: add_experts_out(making, part, layer); return;
    case PART_TABLE:
    case PART_ROUTER:
    case PART_EXPERTS:
    case PART_MATRIX: add_tensor(making, part, layer, NONE, true); return;
    case PART_UNTIED: /* a copy of the embedding table is not read */
        copy = find_tensor(making, part->from[0], 0, "");
        if (copy != NULL)
            copy->used = true;
        if (!making->model->head_tied)
            add_tensor(making, part, 0, NONE, true);
        return;
    case PART_DISTANCES: add_distances(making, part); return;
    case PART_ONES: add_constant(making, part, layer, "", 1); return;
    case PART_SLICE: add_slice(making, part, layer); return;
    case PART_HEADS: add_heads(making, part, layer); return;
    case PART_EXPERTS_BIAS:
    case PART_VECTOR:
        if (has_bias)
            add_vector(making, *part, layer);
        return;
    default:
        add_tensor(making, part, layer,
                   part->kind == PART_NORM     ? GAMMA
                   : part->kind == PART_SCORES ? KERNEL
                                               : WEIGHT,
                   part->kind != PART_NORM);
        if (has_bias && part->kind == PART_NO_BIAS)
            add_constant(making, part, layer, BIAS.usual, 0);
        else if (has_bias)
            add_tensor(making, part, layer, part->kind == PART_NORM ? BETA : BIAS, false);
    }
}

/* Adds a list of parts (NULL: none). */
static void add_parts(const struct making *making, const struct part *parts, size_t layer)
{
    for (; parts != NULL && parts->to != NULL; parts++)
        add_part(making, parts, layer);
}

/* ---- The layers and the head ---- */

/* If int8 was asked for, each layer is judged first by the part that makes the residual stream's
 * outliers. */
static void add_layers(struct making *making, const struct part *parts)
{
    const struct part *out = parts != NULL ? part_of_kind(parts, PART_OUT) : NULL;
    struct int8_layers *layers = &making->plan->int8_layers;
    bool wants_int8 = making->is_int8;
    if (parts == NULL)
        return;
    if (wants_int8)
        *layers = (struct int8_layers){
            .n = making->model->layer_groups,
            .in_f16 = alloc_zeros(making->model->layer_groups, sizeof *layers->in_f16)};
    for (size_t layer = 0; out != NULL && layer < layers->n; layer++) {
        if (config_has_experts(making->model, layer))
            continue;
        uint64_t rows = size_of(making, out->rows), cols = size_of(making, out->cols);
        const struct planned_tensor tensor = {
            .set = making->tensors,
            .parts[0] = need_tensor(making, out->from[0], layer, ".weight", rows, cols),
            .n_parts = 1,
            .rows = (size_t)rows,
            .cols = (size_t)cols,
        };
        int8_layers_judge(layers, layer, &tensor);
    }
    making->in_layer = true;
    for (size_t layer = 0; layer < making->model->layer_groups; layer++) {
        making->is_int8 = wants_int8 && !layers->in_f16[layer];
        making->layer = layer;
        add_parts(making, parts, layer);
    }
    making->is_int8 = wants_int8;
    making->in_layer = false;
}

/* If the checkpoint lacks the first layer of the class's head, or the last one of a classifier, it
 * is a body alone, and its pooler may be missing too; or if its modules read only the body and the
 * head is tied to a table that it does not have. */
static void choose_head(const struct making *making, struct checkpoint_config *config)
{
    const struct head *of_body = architecture_find(NULL, config->architecture->model_type)->head;
    const struct head *head = config->head;
    const struct part *part = head != NULL ? part_of_kind(head->parts, PART_UNTIED) : NULL;
    const struct stored_tensor *other = NULL;
    if (part != NULL && making->model->head_tied)
        other = tensor_set_find_other(making->tensors, part->from[0],
                                      making->layout->embedding[0].from[0]);
    while ((head = config->head) != NULL && head->kind != HEAD_NONE &&
           (head->is_optional || config->may_lack_head)) {
        const struct part *scores = part_of_kind(head->parts, PART_SCORES);
        if (find_tensor(making, head->parts[0].from[0], 0, ".weight") != NULL &&
            (scores == NULL || find_tensor(making, scores->from[0], 0, ".weight") != NULL) &&
            (other == NULL || !config->may_lack_head))
            break;
        checkpoint_config_set_head(config, head != of_body ? of_body : NULL);
        other = NULL;
    }
    if (other != NULL)
        tensor_die(making->tensors, other,
                   " is not the table of words, but 'tie_word_embeddings' is true: transformers 5 "
                   "uses it, 4 the table; expected \"tie_word_embeddings\": false in config.json "
                   "to use it, or no such tensor");
}

/* If config.json does not say how many labels there are, the rows of the classifier do, or the
 * columns of its kernel. */
static void count_labels(const struct making *making, const struct part *part)
{
    struct model_config *model = making->model;
    if (model->labels > 0 || part == NULL)
        return;
    const struct stored_tensor *weight = find_tensor(making, part->from[0], 0, KERNEL.usual);
    const struct stored_tensor *tensor =
        weight != NULL ? weight : find_tensor(making, part->from[0], 0, KERNEL.other);
    uint64_t labels = tensor != NULL && tensor->n_dims == 2 ? tensor->shape[weight == NULL] : 0;
    if (labels < 1 || labels > INT32_MAX)
        program_die("%s: no tensor '%s.weight' [labels, %zu], and config.json has no 'id2label'",
                    tensor_set_name(making->tensors), part->from[0], model->width);
    model->labels = (size_t)labels;
    if (model->labels == 1 && model->scores == SCORES_SOFTMAX)
        model->scores = SCORES_SIGMOID;
}

/* Makes a tensor of the model the projection of its pooled vectors. The class may apply it to each
 * token, and so a pooling that is not a weighted mean would be different. */
static void add_projection(struct making *making, size_t rows, bool has_bias)
{
    struct model_config *model = making->model;
    if (model->projections > 0 || model->pooling == POOLING_MAX || model->pooling == POOLING_NONE ||
        model->joined_poolings != 0 || (has_bias && model->pooling == POOLING_MEAN_SQRT))
        program_die(
            "the model projects each token by a tensor of its own, and its modules %s; expected "
            "a pooling of another kind and no Dense",
            model->projections > 0 ? "have a Dense" : "pool by the maximum, or in several ways");
    model->projections = 1;
    model->projection_bias = has_bias;
    making->projected = rows;
}

/* Adds the head; its tensors say whether it has a bias, and how wide vectors of tokens and
 * projections are (1 if there is no such tensor, which is then refused). */
static void add_head(struct making *making, const struct head *head)
{
    struct model_config *model = making->model;
    if (head == NULL)
        return;
    const struct part *first = head->parts;
    if (head->bias_is_optional && find_tensor(making, first->from[0], 0, ".bias") == NULL)
        model->head_bias = false;
    count_labels(making, part_of_kind(first, PART_SCORES));
    bool has_bias = first->kind == PART_LINEAR;
    const struct stored_tensor *tensor =
        find_tensor(making, first->from[0], 0, has_bias ? ".weight" : "");
    if (first->rows == DIM_TOKEN_VECTORS) {
        model->token_vectors = tensor_matrix_rows(tensor);
        model->token_vector_bias = false;
    } else if (first->rows == DIM_PROJECTION) {
        if (tensor == NULL && head->is_optional)
            return;
        add_projection(making, tensor_matrix_rows(tensor), has_bias);
    }
    add_parts(making, first, 0);
}

/* ---- The complete plan ---- */

/* Lists the unused tensors that the body may ignore, and refuses all other unused tensors. */
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
        if (!architecture_leaves_out(config->architecture->body, config->head, tensor->key))
            tensor_die(tensors, tensor, " %s is not part of a %s as config.json describes it",
                       tensor_shape_text(tensor, shape), config->architecture->class_name);
        if (tensor->type != 0) /* not buffers of whole numbers */
            plan->left_out[plan->n_left_out++] = tensor;
    }
}

void plan_make(struct plan *plan, struct tensor_set *tensors, struct checkpoint_config *config)
{
    const struct body *body = config->architecture->body;
    struct model_config *model = &config->model;
    struct making making = {.plan = plan,
                            .tensors = tensors,
                            .model = model,
                            .quick_gelu = config->quick_gelu,
                            .added_row = config->added_row,
                            .is_int8 = plan->types.matrices == TENSOR_INT8};
    tensor_set_strip(tensors, body->prefixes);
    const struct layout *other = body->other_layout;
    bool is_other =
        other != NULL && find_tensor(&making, other->layer->from[0], 0, ".weight") != NULL;
    making.layout = is_other ? other : body->layout;
    if (making.layout->finish != NULL)
        making.layout->finish(model);
    plan->is_post_norm = config_is_post(model);
    if (config->positions_are_open) { /* learned if there is a table of them */
        model->position = POSITION_NONE;
        for (const struct part *part = making.layout->embedding; part->to != NULL; part++)
            if (part->rows == DIM_POSITIONS && find_tensor(&making, part->from[0], 0, "") != NULL)
                model->position = POSITION_LEARNED;
    }
    add_parts(&making, making.layout->embedding, 0);
    if (model->embedding_width != model->width)
        add_parts(&making, making.layout->projection, 0);
    add_layers(&making, making.layout->layer);
    add_positions(&making, &config->positions, config->positions.key,
                  "layers.#.attention.position_key", config->positions.key_has_bias);
    add_positions(&making, &config->positions, config->positions.query,
                  "layers.#.attention.position_query", true);
    add_parts(&making, making.layout->final, 0);
    choose_head(&making, config);
    add_head(&making, config->head);
    check_left_over(&making, config);
}

void plan_linear(struct plan *plan, struct tensor_set *tensors, enum part_kind kind, const char *to,
                 const char *from, size_t index, size_t out, size_t in, bool has_bias)
{
    const size_t bias = offsetof(struct model_config, feed_forward_bias);
    static const struct layout none = {0};
    const struct part linear = {to, kind, DIM_FEED_FORWARD, DIM_WIDTH, bias, .from[0] = from};
    struct model_config sizes = {.width = in, .feed_forward = out, .feed_forward_bias = has_bias};
    const struct making making = {.plan = plan,
                                  .tensors = tensors,
                                  .model = &sizes,
                                  .layout = &none,
                                  .is_int8 = plan->types.matrices == TENSOR_INT8};
    add_part(&making, &linear, index);
    tensor_set_check_used(tensors, has_bias && kind != PART_NO_BIAS
                                       ? "a linear layer"
                                       : "a linear layer without a bias");
}

void plan_values(struct plan *plan, const char *name, const float *values, size_t rows, size_t cols)
{
    const struct making making = {.plan = plan, .is_int8 = plan->types.matrices == TENSOR_INT8};
    const struct part part = {.to = name, .kind = PART_LINEAR};
    struct planned_tensor tensor = start_tensor(&part, 0, "", rows, cols);
    tensor.values = values;
    append_tensor(&making, &tensor);
}
