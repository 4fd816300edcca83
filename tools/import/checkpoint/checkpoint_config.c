/* checkpoint_config.c - reads config.json by the tables of families.h. Defaults are those of
 * the configuration classes; an unknown key that would change the numbers is refused. */
#include "tools/import/checkpoint/checkpoint_config.h"

#include "tools/common/options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- Class ---- */

/* Names the bodies; their heads would fill a screen. */
_Noreturn static void class_die(const struct json_file *file, const char *found)
{
    char known[700] = "";
    const struct architecture *at;
    for (size_t i = 0; (at = architecture_at(i)) != NULL; i++) {
        size_t used = strlen(known);
        if (name_ends_in(at->class_name, "Model"))
            snprintf(known + used, sizeof known - used, "%s%.80s", used > 0 ? ", " : "",
                     at->class_name);
    }
    file_die(file->name,
             "the architecture %.100s is not known; expected %s, or one of their heads "
             "(encode-import(1), CLASSES)",
             found, known);
}

/* "architectures" holds one name. Old files do not have it; model_type is then the body's. */
static const struct architecture *read_class(const struct json_file *file)
{
    const char *type = json_text(file, NULL, "model_type", NULL);
    const json_t *classes = json_typed(file, "architectures", JSON_ARRAY, "an array of one name");
    const json_t *only = json_array_get(classes, 0);
    if (json_array_size(classes) > 1)
        file_die(file->name, "'architectures' has %zu names; expected one",
                 json_array_size(classes));
    if (only != NULL && !json_is_string(only))
        file_die(file->name, "'architectures' holds %s; expected a name", json_kind(only));
    const char *name = json_string_value(only);
    if (name == NULL && type == NULL)
        class_die(file, "(no 'architectures', no 'model_type')");
    const struct architecture *architecture = architecture_find(name, type);
    if (architecture == NULL)
        class_die(file, name != NULL ? name : type);
    if (type != NULL && strcmp(type, architecture->model_type) != 0)
        file_die(file->name, "'model_type' is '%.100s', but %s is of type '%s'", type,
                 architecture->class_name, architecture->model_type);
    return architecture;
}

/* Reads on in text_config, as the text part's class does: whatever type it has there. Keys beside
 * it are checked as those of any config.json. */
static void enter_text_part(struct json_file *file, const struct body *whole, struct folder *folder)
{
    static const char quantized[] = "quantization_config";
    json_t *text = json_typed(file, "text_config", JSON_OBJECT, "an object"), *used = NULL;
    if (text == NULL)
        file_die(file->name, "'text_config' is missing; expected an object");
    if (whole->text_first != NULL)
        used = json_typed(file, whole->text_first, JSON_OBJECT, "an object");
    if (used == NULL)
        used = text;
    else if (json_object_get(used, quantized) == NULL)
        json_object_set(used, quantized, json_object_get(text, quantized)); /* if there is one */
    known_keys_check(file, KEYS_CONFIG, whole->unread, folder);
    json_object_set_new(used, "model_type", json_string(whole->text_type));
    json_incref(used);
    json_decref(file->root);
    file->root = used;
    json_object_clear(file->seen);
}

/* ---- Keys, by the tables ---- */

/* The name of the key that sets a field, by its offset, or NULL. */
static const char *key_name(const struct config_key *keys, size_t field)
{
    while (keys->kind != KEY_END && keys->field != field)
        keys++;
    return keys->kind != KEY_END ? keys->name : NULL;
}

/* Reads each key of the list. */
static void read_keys(const struct json_file *file, const struct config_key *keys,
                      struct model_config *model)
{
    for (const struct config_key *key = keys; key->kind != KEY_END; key++) {
        void *field = (char *)model + key->field;
        double number;
        bool is_needed = key->absent == NO_DEFAULT;
        int64_t absent = key->kind != KEY_NUMBER ? (int64_t)key->absent : 0, value = absent;
        switch (key->kind) {
        case KEY_NUMBER:
            number = key->name != NULL ? json_number(file, key->name, key->absent) : key->absent;
            memcpy(field, &number, sizeof number);
            continue;
        case KEY_FIXED: break;
        case KEY_FLAG: /* null is false */
            absent = absent != 0 && !json_is_null(json_object_get(file->root, key->name));
            value = json_flag(file, NULL, key->name, absent != 0);
            break;
        case KEY_NAME:
            if (is_needed && json_member(file, NULL, key->name) == NULL)
                file_die(file->name, "'%s' is missing; expected %s", key->name, key->expected);
            value = json_choice(file, key->name, key->names, key->expected, absent);
            break;
        default:
            value = (int64_t)json_count(file, NULL, key->name, key->kind == KEY_SIZE,
                                        is_needed ? JSON_NEEDED : (size_t)absent);
        }
        memcpy(field, &value, key->bytes); /* the low bytes come first */
    }
}

/* ---- Body ---- */

/* Keys of an embedding alone: names and numbers as in weight files. */
static void read_embedding_alone(const struct json_file *file, struct checkpoint_config *config)
{
    static const char *const names[] = {"position", "pooling"};
    struct model_config *model = &config->model;
    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"position_base", &model->position_base},
                   {"position_scale", &model->position_scale},
                   {"embedding_scale", &model->embedding_scale}};
    config->positions_are_open = json_member(file, NULL, "position") == NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = json_text(file, NULL, names[i], NULL);
        const char *expected = name != NULL ? config_set(model, names[i], name) : NULL;
        if (expected != NULL)
            file_die(file->name, "'%s' is '%.100s'; expected %s", names[i], name, expected);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i].value = json_number(file, numbers[i].key, *numbers[i].value);
        if (!(*numbers[i].value >= 0))
            file_die(file->name, "'%s' is %g; expected 0 or more", numbers[i].key,
                     *numbers[i].value);
    }
}

static void read_body(const struct json_file *file, struct checkpoint_config *config)
{
    const struct body *body = config->architecture->body;
    const struct config_key *keys = body->keys;
    struct model_config *model = &config->model;
    const char *width = key_name(keys, offsetof(struct model_config, width));
    if (body->other_keys != NULL && json_member(file, NULL, width) == NULL)
        keys = body->other_keys;
    read_keys(file, keys, model);
    if (body->is_embedding_alone) {
        read_embedding_alone(file, config);
        return;
    }
    json_only_check(file, body->only);
    if (body->finish != NULL)
        body->finish(file, model);
    if (body->positions != NULL && model->attention_position == ATTENTION_POSITION_DISENTANGLED)
        config->positions = body->positions(file);
    if (body->added_row != NULL)
        config->added_row = body->added_row(file);
    if (body->quick_gelu != 0 &&
        strcmp(json_text(file, NULL, "hidden_act", "quick_gelu"), "quick_gelu") == 0)
        config->quick_gelu = body->quick_gelu;
    /* The shapes of tensors would not show that these are wrong. */
    if (!((float)model->norm_eps > 0 && model->norm_eps < 1))
        file_die(file->name, "'%s' is %g; expected a small number above 0",
                 key_name(keys, offsetof(struct model_config, norm_eps)), model->norm_eps);
    if (model->head_width == CONFIG_ABSENT && model->width % model->heads != 0)
        file_die(file->name, "'%s' is %zu, which '%s', %zu, does not divide",
                 key_name(keys, offsetof(struct model_config, width)), model->width,
                 key_name(keys, offsetof(struct model_config, heads)), model->heads);
    /* A text's first position is one more than the padding token's id. */
    if (model->position_skips_padding)
        model->position_offset++;
    if (model->max_tokens <= model->position_offset)
        file_die(file->name, "'%s' is %zu, of which %zu come before the first token's",
                 key_name(keys, offsetof(struct model_config, max_tokens)), model->max_tokens,
                 model->position_offset);
    model->max_tokens -= model->position_offset;
}

/* ---- Head ---- */

/* id2label is {"0": name, "1": name, …}, without gaps. */
static void read_labels(const struct json_file *file, struct checkpoint_config *config)
{
    size_t count = json_count(file, NULL, "num_labels", 1, 0);
    const json_t *names = json_typed(file, "id2label", JSON_OBJECT, "an object");
    size_t n = json_object_size(names);
    for (size_t i = 0; i < n; i++) {
        char key[32];
        snprintf(key, sizeof key, "%zu", i);
        const json_t *name = json_object_get(names, key);
        if (!json_is_string(name))
            file_die(file->name, "'id2label' has %zu entries, and \"%s\" is %s; expected a name", n,
                     key, name == NULL ? "missing" : json_kind(name));
    }
    if (n > 0 && count > 0 && count != n)
        file_die(file->name, "'num_labels' is %zu, but 'id2label' has %zu entries", count, n);
    config->label_names = n > 0 ? names : NULL;
    config->model.labels = n > 0 ? n : count;
}

/* Returns the class of an activation, "torch.nn.modules.activation.Sigmoid", that a cross-encoder
 * names (in older files at the top, in newer ones under "sentence_transformers", in the newest in
 * another file), or NULL. */
static const char *read_cross_encoder(const struct json_file *file,
                                      struct checkpoint_config *config)
{
    const json_t *inner = json_typed(file, "sentence_transformers", JSON_OBJECT, "an object");
    const char *function = json_text(file, NULL, "sbert_ce_default_activation_function", NULL);
    if (inner != NULL && json_object_get(inner, "activation_fn") != NULL)
        function = json_text(file, inner, "activation_fn", NULL);
    if (config->activation != NULL)
        function = config->activation;
    config->is_cross_encoder = inner != NULL || function != NULL;
    return function;
}

enum problem_type { PROBLEM_OPEN, PROBLEM_REGRESSION, PROBLEM_SINGLE_LABEL, PROBLEM_MULTI_LABEL };

/* Returns how logits become scores. A cross-encoder: as it says, else the sigmoid for one label and
 * nothing for more, as in sentence-transformers. Others, as in pipelines of transformers: nothing
 * for a regression, the sigmoid for one label or several at once, else softmax. */
static enum scores read_scores(const struct json_file *file, struct checkpoint_config *config)
{
    static const struct json_name types[] = {
        {"", PROBLEM_OPEN},
        {"regression", PROBLEM_REGRESSION},
        {"single_label_classification", PROBLEM_SINGLE_LABEL},
        {"multi_label_classification", PROBLEM_MULTI_LABEL},
        {NULL, 0},
    };
    static const struct json_name functions[] = {
        {"Sigmoid", SCORES_SIGMOID}, {"Identity", SCORES_NONE}, {NULL, 0}};
    const char *function = read_cross_encoder(file, config);
    bool is_torch = function != NULL && strncmp(function, "torch.", 6) == 0;
    int64_t said = is_torch ? json_name_value(functions, json_last_name(function)) : -1;
    if (function != NULL && said < 0)
        file_die(
            file->name,
            "the activation function '%.100s' is not known; expected torch's Identity or Sigmoid",
            function);
    int64_t type = json_choice(
        file, "problem_type", types,
        "regression, single_label_classification or multi_label_classification", PROBLEM_OPEN);
    bool is_single = config->model.labels == 1;
    if (said >= 0)
        return (enum scores)said;
    if (config->is_cross_encoder ? !is_single : type == PROBLEM_REGRESSION)
        return SCORES_NONE;
    return is_single || type == PROBLEM_MULTI_LABEL ? SCORES_SIGMOID : SCORES_SOFTMAX;
}

void checkpoint_config_set_head(struct checkpoint_config *config, const struct head *head)
{
    struct model_config *model = &config->model;
    const char *activation = config_value_name("activation", (int64_t)model->activation);
    config->head = head;
    config->label_names = NULL;
    model->labels = 0;
    model->head = HEAD_NONE;
    model->head_dense = DENSE_NONE;
    model->head_norm = model->head_tied = false;
    model->head_dense_bias = model->head_bias = true;
    model->head_pooling = POOLING_CLS;
    model->head_late = false;
    model->scores = SCORES_NONE;
    if (head == NULL)
        return;
    model->head = head->kind;
    model->head_norm = part_of_kind(head->parts, PART_NORM) != NULL;
    model->head_dense = (enum dense_activation)(
        head->dense == AS_THE_MODEL ? config_value("head_dense", activation) : head->dense);
}

static void read_head(const struct json_file *file, struct checkpoint_config *config)
{
    const struct head *head = config->architecture->head;
    struct model_config *model = &config->model;
    if (head != NULL && head->other_key != NULL && !json_flag(file, NULL, head->other_key, true))
        head = head->other;
    checkpoint_config_set_head(config, head);
    if (head == NULL)
        return;
    if (head->keys != NULL)
        read_keys(file, head->keys, model);
    if (head->reads_pooled)
        model->head_pooling = model->pooling;
    if (head->kind == HEAD_MASK) {
        model->scores = SCORES_SOFTMAX;
        size_t tied = offsetof(struct model_config, head_tied);
        if (head->keys == NULL || key_name(head->keys, tied) == NULL)
            model->head_tied = json_flag(file, NULL, "tie_word_embeddings", true);
    }
    if (head->kind != HEAD_SEQUENCE && head->kind != HEAD_TOKEN)
        return;
    model->labels = head->labels;
    model->scores = SCORES_SIGMOID;
    if (head->labels == 0) {
        read_labels(file, config);
        model->scores = read_scores(file, config);
    }
}

void checkpoint_config_read(struct json_file *file, const char *activation, struct folder *folder,
                            struct checkpoint_config *config)
{
    *config =
        (struct checkpoint_config){.architecture = read_class(file), .activation = activation};
    if (config->architecture->body->text_type != NULL) {
        enter_text_part(file, config->architecture->body, folder);
        config->architecture = read_class(file);
    }
    config->model = CONFIG_DEFAULTS;
    read_body(file, config);
    read_head(file, config);
    known_keys_check(file, KEYS_CONFIG, config->architecture->body->unread, folder);
    config_resolve(&config->model);
}

const char *checkpoint_label(const struct checkpoint_config *config, size_t label)
{
    char key[32];
    snprintf(key, sizeof key, "%zu", label);
    return json_string_value(json_object_get(config->label_names, key));
}
