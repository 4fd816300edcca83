/* checkpoint_config.c - reads config.json by the tables of architecture.h. Defaults are those of
 * the configuration classes; whatever would change the numbers and is not known is refused.
 */
#include "tools/import/checkpoint/checkpoint_config.h"

#include <stdio.h>
#include <string.h>

/* ---- Class ---- */

static bool refuse_class(const struct json_file *file, const char *found, struct problem *problem)
{
    char known[600] = "";
    for (size_t i = 0; architecture_at(i) != NULL; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                 architecture_at(i)->class_name);
    }
    return problem_say(problem, "%s: the architecture %.100s is not known; expected one of %s",
                       file->name, found, known);
}

/* "architectures" holds one name; old files have none, and then model_type tells the body. */
static bool read_class(const struct json_file *file, struct checkpoint_config *config,
                       struct problem *problem)
{
    const char *type = NULL, *name = NULL;
    const json_t *classes = json_member(file, NULL, "architectures");
    if (!json_text(file, NULL, "model_type", &type, problem))
        return false;
    if (classes != NULL && !json_is_array(classes))
        return problem_say(problem, "%s: 'architectures' is %s; expected an array of one name",
                           file->name, json_kind(classes));
    if (json_array_size(classes) > 1)
        return problem_say(problem, "%s: 'architectures' has %zu names; expected one", file->name,
                           json_array_size(classes));
    if (json_array_size(classes) == 1) {
        const json_t *only = json_array_get(classes, 0);
        if (!json_is_string(only))
            return problem_say(problem, "%s: 'architectures' holds %s; expected a name", file->name,
                               json_kind(only));
        name = json_string_value(only);
    }
    if (name == NULL && type == NULL)
        return refuse_class(file, "(no 'architectures', no 'model_type')", problem);
    config->architecture = name != NULL ? architecture_find(name) : architecture_of_type(type);
    if (config->architecture == NULL)
        return refuse_class(file, name != NULL ? name : type, problem);
    if (type != NULL && strcmp(type, config->architecture->body->model_type) != 0)
        return problem_say(problem, "%s: 'model_type' is '%.100s', but %s is of type '%s'",
                           file->name, type, config->architecture->class_name,
                           config->architecture->body->model_type);
    return true;
}

/* ---- Body ---- */

static bool read_activation(const struct json_file *file, const char *key,
                            struct model_config *model, struct problem *problem)
{
    static const struct {
        const char *name;
        enum activation activation;
    } known[] = {
        {"gelu", ACTIVATION_GELU},          {"gelu_python", ACTIVATION_GELU},
        {"gelu_new", ACTIVATION_GELU_TANH}, {"gelu_pytorch_tanh", ACTIVATION_GELU_TANH},
        {"relu", ACTIVATION_RELU},          {"silu", ACTIVATION_SILU},
        {"swish", ACTIVATION_SILU},
    };
    const char *name = "gelu";
    if (!json_text(file, NULL, key, &name, problem))
        return false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0) {
            model->activation = known[i].activation;
            return true;
        }
    return problem_say(
        problem,
        "%s: '%s' is '%.100s'; expected one of gelu, gelu_new, gelu_pytorch_tanh, relu, silu",
        file->name, key, name);
}

/* A size of the layers, which an embedding alone has not. */
static bool need_size(const struct json_file *file, const char *key, int64_t *size,
                      struct problem *problem)
{
    return key == NULL || json_need_count(file, NULL, key, 1, size, problem);
}

static bool read_sizes(const struct json_file *file, const struct body *body,
                       struct model_config *model, struct problem *problem)
{
    model->token_types = body->default_types;
    model->layers = 0;
    return need_size(file, body->layers, &model->layers, problem) &&
           need_size(file, body->width, &model->width, problem) &&
           need_size(file, body->heads, &model->heads, problem) &&
           need_size(file, body->feed_forward, &model->feed_forward, problem) &&
           json_need_count(file, NULL, "vocab_size", 1, &model->vocabulary, problem) &&
           json_need_count(file, NULL, "max_position_embeddings", 1, &model->max_tokens, problem) &&
           (body->types == NULL ||
            json_count(file, NULL, body->types, 0, &model->token_types, problem)) &&
           (body->embedding_width == NULL || json_need_count(file, NULL, body->embedding_width, 1,
                                                             &model->embedding_width, problem));
}

/* What these classes could do and the weight file cannot say. */
static bool check_variants(const struct json_file *file, struct problem *problem)
{
    static const char *const must_be_false[] = {"is_decoder", "add_cross_attention"};
    const char *positions = "absolute";
    for (size_t i = 0; i < sizeof must_be_false / sizeof must_be_false[0]; i++) {
        bool is_set = false;
        if (!json_flag(file, NULL, must_be_false[i], &is_set, problem))
            return false;
        if (is_set)
            return problem_say(problem, "%s: '%s' is true; expected an encoder", file->name,
                               must_be_false[i]);
    }
    if (!json_text(file, NULL, "position_embedding_type", &positions, problem))
        return false;
    if (strcmp(positions, "absolute") != 0)
        return problem_say(problem, "%s: 'position_embedding_type' is '%.100s'; expected absolute",
                           file->name, positions);
    return true;
}

/* A key with the names and values that it has in weight files. */
static bool read_named(const struct json_file *file, const char *key, struct model_config *model,
                       struct problem *problem)
{
    const char *name = NULL;
    if (!json_text(file, NULL, key, &name, problem))
        return false;
    const char *expected = name != NULL ? config_set(model, key, name) : NULL;
    return expected == NULL || problem_say(problem, "%s: '%s' is '%.100s'; expected %s", file->name,
                                           key, name, expected);
}

static bool read_factor(const struct json_file *file, const char *key, double *factor,
                        struct problem *problem)
{
    return json_number(file, NULL, key, factor, problem) &&
           (*factor >= 0 ||
            problem_say(problem, "%s: '%s' is %g; expected 0 or more", file->name, key, *factor));
}

static bool read_embedding_alone(const struct json_file *file, struct checkpoint_config *config,
                                 struct problem *problem)
{
    struct model_config *model = &config->model;
    model->pooling = POOLING_MEAN;
    config->positions_are_open = json_member(file, NULL, "position") == NULL;
    return read_sizes(file, config->architecture->body, model, problem) &&
           read_named(file, "position", model, problem) &&
           read_named(file, "pooling", model, problem) &&
           read_factor(file, "position_base", &model->position_base, problem) &&
           read_factor(file, "position_scale", &model->position_scale, problem) &&
           read_factor(file, "embedding_scale", &model->embedding_scale, problem);
}

static bool read_body(const struct json_file *file, struct checkpoint_config *config,
                      struct problem *problem)
{
    const struct body *body = config->architecture->body;
    struct model_config *model = &config->model;
    config_defaults(model);
    if (body->is_embedding_alone)
        return read_embedding_alone(file, config, problem);
    model->position = POSITION_LEARNED;
    model->embedding_norm = NORM_LAYER;
    model->norm_eps = body->default_eps;
    if (!read_sizes(file, body, model, problem) || !check_variants(file, problem) ||
        !read_activation(file, body->activation, model, problem))
        return false;
    if (body->eps != NULL && !json_number(file, NULL, body->eps, &model->norm_eps, problem))
        return false;
    if (!((float)model->norm_eps > 0 && model->norm_eps < 1))
        return problem_say(problem, "%s: '%s' is %g; expected a small number above 0", file->name,
                           body->eps, model->norm_eps);
    if (model->width % model->heads != 0)
        return problem_say(problem, "%s: '%s' is %lld, which '%s', %lld, does not divide",
                           file->name, body->width, (long long)model->width, body->heads,
                           (long long)model->heads);
    return true;
}

/* ---- Head ---- */

/* id2label is {"0": name, "1": name, …}, without gaps. */
static bool read_labels(const struct json_file *file, struct checkpoint_config *config,
                        struct problem *problem)
{
    const json_t *names = json_member(file, NULL, "id2label");
    int64_t count = 0;
    if (!json_count(file, NULL, "num_labels", 1, &count, problem))
        return false;
    if (names != NULL && !json_is_object(names))
        return problem_say(problem, "%s: 'id2label' is %s; expected an object", file->name,
                           json_kind(names));
    size_t n = json_object_size(names);
    for (size_t i = 0; i < n; i++) {
        char key[32];
        snprintf(key, sizeof key, "%zu", i);
        const json_t *name = json_object_get(names, key);
        if (!json_is_string(name))
            return problem_say(problem,
                               "%s: 'id2label' has %zu entries, and \"%s\" is %s; expected a name",
                               file->name, n, key, name == NULL ? "missing" : json_kind(name));
    }
    if (n > 0 && count > 0 && (size_t)count != n)
        return problem_say(problem, "%s: 'num_labels' is %lld, but 'id2label' has %zu entries",
                           file->name, (long long)count, n);
    config->label_names = n > 0 ? names : NULL;
    config->model.labels = n > 0 ? (int64_t)n : count;
    return true;
}

/* The class of an activation, "torch.nn.modules.activation.Sigmoid", that a cross-encoder names: in
 * older files at the top, in newer ones under "sentence_transformers". NULL: it names none. */
static bool read_cross_encoder(const struct json_file *file, struct checkpoint_config *config,
                               const char **function, struct problem *problem)
{
    const json_t *inner = json_member(file, NULL, "sentence_transformers");
    *function = NULL;
    if (inner != NULL && !json_is_object(inner))
        return problem_say(problem, "%s: 'sentence_transformers' is %s; expected an object",
                           file->name, json_kind(inner));
    if (!json_text(file, NULL, "sbert_ce_default_activation_function", function, problem))
        return false;
    if (inner != NULL && !json_text(file, inner, "activation_fn", function, problem))
        return false;
    config->is_cross_encoder = inner != NULL || *function != NULL;
    return true;
}

/* How logits become scores. One label: what the cross-encoder says, else the sigmoid, which is the
 * default both of sentence-transformers and of transformers' pipelines; a regression has none. More
 * labels: softmax, unless several may be true at once. */
static bool read_scores(const struct json_file *file, struct checkpoint_config *config,
                        struct problem *problem)
{
    const char *function = NULL, *type = "";
    if (!read_cross_encoder(file, config, &function, problem) ||
        !json_text(file, NULL, "problem_type", &type, problem))
        return false;
    const char *last = function != NULL ? strrchr(function, '.') : NULL;
    last = last != NULL ? last + 1 : function;
    bool is_sigmoid = last != NULL && strcmp(last, "Sigmoid") == 0;
    bool is_identity = last != NULL && strcmp(last, "Identity") == 0;
    if (last != NULL && !is_sigmoid && !is_identity)
        return problem_say(
            problem,
            "%s: the activation function '%.100s' is not known; expected Identity or Sigmoid",
            file->name, function);
    bool is_regression = strcmp(type, "regression") == 0;
    if (type[0] != '\0' && !is_regression && strcmp(type, "multi_label_classification") != 0 &&
        strcmp(type, "single_label_classification") != 0)
        return problem_say(problem,
                           "%s: 'problem_type' is '%.100s'; expected regression, "
                           "single_label_classification or multi_label_classification",
                           file->name, type);
    bool is_single = config->model.labels == 1;
    if (is_regression || (is_single && is_identity))
        config->model.scores = SCORES_NONE;
    else if (is_single || is_sigmoid || type[0] == 'm')
        config->model.scores = SCORES_SIGMOID;
    else
        config->model.scores = SCORES_SOFTMAX;
    return true;
}

static enum dense_activation as_dense(int64_t activation)
{
    switch (activation) {
    case ACTIVATION_RELU: return DENSE_RELU;
    case ACTIVATION_GELU_TANH: return DENSE_GELU_TANH;
    case ACTIVATION_SILU: return DENSE_SILU;
    default: return DENSE_GELU;
    }
}

static bool read_head(const struct json_file *file, struct checkpoint_config *config,
                      struct problem *problem)
{
    const struct head *head = config->architecture->head;
    struct model_config *model = &config->model;
    config->is_tied = true;
    if (head == NULL)
        return true;
    model->head = head->kind;
    model->head_norm = head->has_norm;
    if (head->reads_pooled)
        model->head_pooling = model->pooling;
    model->head_dense =
        head->dense == AS_THE_MODEL ? (int64_t)as_dense(model->activation) : head->dense;
    if (head->kind == HEAD_MASK) {
        model->scores = SCORES_SOFTMAX;
        if (!json_flag(file, NULL, "tie_word_embeddings", &config->is_tied, problem))
            return false;
        model->head_tied = config->is_tied;
    }
    if (head->kind != HEAD_SEQUENCE && head->kind != HEAD_TOKEN)
        return true;
    if (head->labels == 0)
        return read_labels(file, config, problem) && read_scores(file, config, problem);
    model->labels = head->labels;
    model->scores = SCORES_SIGMOID;
    return true;
}

bool checkpoint_config_read(const struct json_file *file, struct checkpoint_config *config,
                            struct problem *problem)
{
    *config = (struct checkpoint_config){.architecture = NULL};
    return read_class(file, config, problem) && read_body(file, config, problem) &&
           read_head(file, config, problem);
}

const char *checkpoint_label(const struct checkpoint_config *config, size_t label)
{
    char key[32];
    snprintf(key, sizeof key, "%zu", label);
    return json_string_value(json_object_get(config->label_names, key));
}
