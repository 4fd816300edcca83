/* sentence_transformers.c - modules.json and its files; see sentence_transformers.h. Sources:
 * sentence_transformers/models/{Transformer,Pooling,Dense,Normalize}.py and SentenceTransformer.py
 * in huggingface/sentence-transformers.
 */
#include "tools/import/checkpoint/sentence_transformers.h"

#include <stdio.h>
#include <string.h>

/* ---- modules.json: [{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
 * …] ---- */

/* "" or "path/". */
static void read_place(const struct json_file *file, const json_t *module, char place[PLACE_BYTES])
{
    const char *path = json_text(file, module, "path", "");
    path += strcmp(path, ".") == 0; /* as model2vec has it */
    size_t len = strlen(path);
    bool ends = len == 0 || path[len - 1] == '/';
    if (snprintf(place, PLACE_BYTES, "%s%s", path, ends ? "" : "/") >= PLACE_BYTES)
        file_die(file->name, "a 'path' is longer than %d bytes", PLACE_BYTES);
}

/* How far we are, in the order in which modules may stand: Transformer, Pooling (or both in one,
 * StaticEmbedding), Dense …, Normalize; or Transformer, Dense of PyLate. */
enum stage { STAGE_START, STAGE_TRANSFORMER, STAGE_POOLING, STAGE_NORMALIZE, STAGE_TOKENS };

static const struct module_kind {
    const char *name;
    enum stage before, after;
} MODULES[] = {
    {"Transformer", STAGE_START, STAGE_TRANSFORMER},
    {"Pooling", STAGE_TRANSFORMER, STAGE_POOLING},
    {"Dense", STAGE_POOLING, STAGE_POOLING},
    {"Normalize", STAGE_POOLING, STAGE_NORMALIZE},
    {"StaticEmbedding", STAGE_START, STAGE_POOLING}, /* the mean is part of it */
    {"MLMTransformer", STAGE_START, STAGE_TRANSFORMER},
    {"SpladePooling", STAGE_TRANSFORMER, STAGE_POOLING},
    {"Dense", STAGE_TRANSFORMER, STAGE_TOKENS},
};
enum { N_MODULES = sizeof MODULES / sizeof MODULES[0] };

/* The index of the kind that may stand here, or N_MODULES: so are modules of the code that a model
 * brings along, whatever their names. Only PyLate's Dense works on tokens. */
static size_t find_module(const char *type, enum stage stage)
{
    const char *name = json_last_name(type);
    size_t i = 0;
    if (name != type && strncmp(type, "sentence_transformers.", 22) != 0 &&
        strncmp(type, "pylate.", 7) != 0)
        return N_MODULES;
    while (i < N_MODULES && (strcmp(name, MODULES[i].name) != 0 || stage != MODULES[i].before))
        i++;
    bool is_wrong = i < N_MODULES && MODULES[i].after == STAGE_TOKENS &&
                    strncmp(type, "pylate.", strlen("pylate.")) != 0;
    return is_wrong ? N_MODULES : i;
}

static void add_module(struct sentence_transformers *st, const struct json_file *file,
                       const json_t *module, enum stage *stage)
{
    char place[PLACE_BYTES];
    if (!json_is_object(module))
        file_die(file->name, " holds %s; expected objects", json_kind(module));
    const char *type = json_text(file, module, "type", ""), *name = json_last_name(type);
    size_t i = find_module(type, *stage);
    read_place(file, module, place);
    if (strcmp(name, "Dropout") == 0) /* which does nothing outside training */
        return;
    if (i == N_MODULES)
        file_die(file->name,
                 "the module '%.100s' is not known, or not in this place; expected Transformer "
                 "and Pooling, or StaticEmbedding, Dense (any number), Normalize; or "
                 "MLMTransformer and SpladePooling; or Transformer and PyLate's Dense",
                 type);
    char *const places[] = {st->transformer,
                            st->pooling_place,
                            st->n_dense < MAX_PROJECTIONS ? st->dense[st->n_dense].place : NULL,
                            st->normalize_place,
                            st->transformer,
                            st->transformer,
                            st->pooling_place,
                            st->token_dense.place};
    if (places[i] == NULL)
        file_die(file->name, " has more than %d Dense modules", MAX_PROJECTIONS);
    memmove(places[i], place, sizeof place);
    st->n_dense += MODULES[i].before == MODULES[i].after;
    *stage = MODULES[i].after;
    st->is_static = st->is_static || strcmp(name, "StaticEmbedding") == 0;
    st->is_splade = st->is_splade || strcmp(name, "SpladePooling") == 0;
    st->has_token_dense = *stage == STAGE_TOKENS;
    st->has_pooling = *stage >= STAGE_POOLING && !st->is_static && !st->has_token_dense;
}

void modules_parse(struct sentence_transformers *st, const struct json_file *file)
{
    enum stage stage = STAGE_START;
    for (size_t i = 0; i < json_array_size(file->root); i++)
        add_module(st, file, json_array_get(file->root, i), &stage);
    st->normalize = stage == STAGE_NORMALIZE;
    if (stage == STAGE_START)
        file_die(file->name, " has no Transformer and no StaticEmbedding");
}

/* ---- 1_Pooling/config.json ---- */

/* Newer files name the mode, older ones have a flag for each. */
static const struct json_name MODE_NAMES[] = {
    {"cls", POOLING_CLS},
    {"mean", POOLING_MEAN},
    {"max", POOLING_MAX},
    {"mean_sqrt_len_tokens", POOLING_MEAN_SQRT},
    {"weightedmean", POOLING_WEIGHTED_MEAN},
    {"lasttoken", POOLING_LAST},
    {NULL, 0},
};
static const struct json_name MODE_FLAGS[] = {
    {"pooling_mode_cls_token", POOLING_CLS},
    {"pooling_mode_mean_tokens", POOLING_MEAN},
    {"pooling_mode_max_tokens", POOLING_MAX},
    {"pooling_mode_mean_sqrt_len_tokens", POOLING_MEAN_SQRT},
    {"pooling_mode_weightedmean_tokens", POOLING_WEIGHTED_MEAN},
    {"pooling_mode_lasttoken", POOLING_LAST},
    {NULL, 0},
};

/* Exactly one flag must be set: several modes are joined to a longer vector, which we do not have.
 */
static int64_t read_mode_flags(const struct json_file *file)
{
    const char *key, *set = NULL;
    json_t *value;
    json_object_foreach(file->root, key, value)
    {
        if (strncmp(key, "pooling_mode_", 13) != 0 || !json_flag(file, NULL, key, false))
            continue;
        if (json_name_value(MODE_FLAGS, key) < 0)
            file_die(file->name, "the pooling '%.100s' is not known", key);
        if (set != NULL)
            file_die(file->name, "'%s' and '%s' are both true; expected one pooling", set, key);
        set = key;
    }
    if (set == NULL)
        file_die(file->name, "no 'pooling_mode_…' is true; expected one");
    return json_name_value(MODE_FLAGS, set);
}

/* The newest files name the mode, or list those whose vectors are joined: of one, that is the
 * same. */
static int64_t read_mode(const struct json_file *file, const json_t *mode)
{
    if (json_is_array(mode) && json_array_size(mode) != 1)
        file_die(file->name,
                 "'pooling_mode' lists %zu modes, whose vectors are joined; expected one",
                 json_array_size(mode));
    const json_t *only = json_is_array(mode) ? json_array_get(mode, 0) : mode;
    const char *name = json_is_string(only) ? json_string_value(only) : json_kind(only);
    int64_t pooling = json_name_value(MODE_NAMES, name);
    if (pooling < 0)
        file_die(file->name,
                 "'pooling_mode' is '%.100s'; expected cls, mean, max, mean_sqrt_len_tokens, "
                 "weightedmean or lasttoken",
                 name);
    return pooling;
}

void pooling_parse(struct sentence_transformers *st, const struct json_file *file)
{
    int64_t width = json_count(file, NULL, "word_embedding_dimension", 1, st->width);
    const json_t *mode = json_member(file, NULL, "pooling_mode");
    st->width = json_count(file, NULL, "embedding_dimension", 1, width);
    if (!json_flag(file, NULL, "include_prompt", true))
        file_die(file->name,
                 "'include_prompt' is false, pooling without the prompt's tokens; expected "
                 "true");
    st->pooling = mode != NULL ? read_mode(file, mode) : read_mode_flags(file);
}

/* What a SpladePooling does with the logits of a head of masked language models. */
static void splade_parse(struct sentence_transformers *st, const struct json_file *file)
{
    static const struct json_name poolings[] = {
        {"max", SPARSE_MAX}, {"sum", SPARSE_SUM}, {NULL, 0}};
    static const struct json_name activations[] = {
        {"relu", SPARSE_LOG}, {"log1p_relu", SPARSE_LOG_LOG}, {NULL, 0}};
    st->sparse_pooling = json_choice(file, "pooling_strategy", poolings, "max or sum", SPARSE_MAX);
    st->sparse_activation =
        json_choice(file, "activation_function", activations, "relu or log1p_relu", SPARSE_LOG);
}

/* ---- N_Dense/config.json ---- */

static int64_t read_dense_activation(const struct json_file *file)
{
    static const struct json_name known[] = {
        {"Identity", DENSE_IDENTITY}, {"Tanh", DENSE_TANH}, {"ReLU", DENSE_RELU},
        {"GELU", DENSE_GELU},         {"SiLU", DENSE_SILU}, {NULL, 0},
    };
    const char *type = json_text(file, NULL, "activation_function",
                                 "torch.nn.modules.activation.Tanh"); /* of the class Dense */
    int64_t activation = json_name_value(known, json_last_name(type));
    if (activation < 0)
        file_die(file->name,
                 "'activation_function' is '%.100s'; expected Identity, Tanh, ReLU, GELU or "
                 "SiLU",
                 type);
    return activation;
}

/* Newer files say what a module reads and writes, which may also be the tokens' vectors. */
static void text_module_parse(struct sentence_transformers *st, const struct json_file *file)
{
    (void)st;
    static const struct json_only usual[] = {
        {"module_input_name", "\"sentence_embedding\"", false, NULL},
        {"module_output_name", "\"sentence_embedding\"", false, NULL},
        {"use_residual", "false", false, NULL},
        {.name = NULL}};
    json_only_check(file, usual);
}

/* The next of them. A weight file has one activation for all. */
void dense_parse(struct sentence_transformers *st, const struct json_file *file)
{
    size_t index = st->n_dense_read++;
    struct dense_module *dense = &st->dense[index];
    int64_t before = index > 0 ? st->dense[index - 1].out : st->width;
    dense->in = json_need_count(file, NULL, "in_features", 1);
    dense->out = json_need_count(file, NULL, "out_features", 1);
    bool has_bias = json_flag(file, NULL, "bias", true);
    int64_t activation = read_dense_activation(file);
    text_module_parse(st, file);
    if (before > 0 && dense->in != before)
        file_die(file->name, "'in_features' is %lld; expected %lld, the width before it",
                 (long long)dense->in, (long long)before);
    if (index > 0 && (activation != st->activation || has_bias != st->has_bias))
        file_die(file->name, "'activation_function' or 'bias' differs from the Dense module before "
                             "it; expected the same");
    st->activation = activation;
    st->has_bias = has_bias;
}

/* ---- sentence_bert_config.json ---- */

/* What the reference would pass on to config.json's class, the model or the tokenizer: old and new
 * names of these objects. Members that change no number are allowed. */
static void check_arguments(const struct json_file *file)
{
    static const char *const names[] = {"model_args",   "tokenizer_args",   "config_args",
                                        "model_kwargs", "processor_kwargs", "config_kwargs"};
    const char *key;
    json_t *value;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_object_foreach(json_typed(file, names[i], JSON_OBJECT, "an object"), key, value)
        {
            bool is_tokenizers = i % 3 == 1;
            if (strcmp(key, "trust_remote_code") != 0 &&
                !known_keys_are_harmless(is_tokenizers ? KEYS_TOKENIZER : KEYS_CONFIG, key))
                file_die(file->name,
                         "'%s' has '%.100s', which is not read here; expected an empty "
                         "object (put the key into %s)",
                         names[i], key, is_tokenizers ? "tokenizer_config.json" : "config.json");
        }
}

/* Newer files say which of the model's results the next module reads. */
static void check_modality(const struct json_file *file)
{
    static const struct json_name tasks[] = {
        {"feature-extraction", 0}, {"fill-mask", 1}, {"sequence-classification", 1}, {NULL, 0}};
    int64_t task = json_choice(file, "transformer_task", tasks,
                               "feature-extraction, sequence-classification or fill-mask", 0);
    const char *usual = task == 0 ? "last_hidden_state" : "logits";
    const json_t *modes = json_typed(file, "modality_config", JSON_OBJECT, "an object");
    json_t *text = json_pack("{s:s, s:s}", "method", "forward", "method_output_name", usual);
    const char *name = json_text(file, NULL, "module_output_name", "scores");
    if (modes != NULL && (!json_equal(json_object_get(modes, "text"), text) ||
                          strcmp(name, "sentence_embedding") == 0))
        file_die(file->name,
                 "'modality_config' has not the usual for texts; expected {\"method\": "
                 "\"forward\", \"method_output_name\": \"%s\"}",
                 usual);
}

void length_parse(struct sentence_transformers *st, const struct json_file *file)
{
    check_arguments(file);
    check_modality(file);
    st->max_seq_length = json_count(file, NULL, "max_seq_length", 1, 0);
    st->lower = json_flag(file, NULL, "do_lower_case", false);
}

/* ---- config_sentence_transformers.json ---- */

enum { MOST_NAME_BYTES = 100 };

/* What a key of a weight file may hold. */
static bool is_key(const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++)
        if (text[i] < '!' || text[i] > '~')
            return false;
    return len <= MOST_NAME_BYTES;
}

void prompts_parse(struct sentence_transformers *st, const struct json_file *file)
{
    json_t *prompts = json_typed(file, "prompts", JSON_OBJECT, "an object"), *text;
    const char *chosen = json_text(file, NULL, "default_prompt_name", NULL), *name;
    json_object_foreach(prompts, name, text)
    {
        if (!json_is_string(text))
            file_die(file->name, "the prompt '%.100s' is %s; expected a string", name,
                     json_kind(text));
        if (!is_key(name))
            file_die(file->name,
                     "the prompt '%.100s' has a name of more than %d bytes, or with blanks, or "
                     "that is not ASCII",
                     name, MOST_NAME_BYTES);
    }
    if (chosen != NULL && json_object_get(prompts, chosen) == NULL)
        file_die(file->name, "'default_prompt_name' is '%.100s', which 'prompts' does not have",
                 chosen);
    st->activation_class = json_text(file, NULL, "activation_fn", NULL);
}

static void setting(struct weight_writer *writer, const char *key, const json_t *text)
{
    weight_writer_setting(writer, ENGINE_SETTINGS_METADATA, key, json_string_value(text),
                          json_string_length(text));
}

void prompts_write(const struct sentence_transformers *st, struct weight_writer *writer)
{
    const json_t *chosen = json_member(&st->prompts, NULL, "default_prompt_name");
    json_t *prompts = json_object_get(st->prompts.root, "prompts"), *text;
    const char *name;
    json_object_foreach(prompts, name, text)
    {
        char key[MOST_NAME_BYTES + 16];
        snprintf(key, sizeof key, "prompt.%s", name);
        setting(writer, key, text);
    }
    if (chosen != NULL)
        setting(writer, "default_prompt", chosen);
}

/* ---- All of it ---- */

typedef void parse_file(struct sentence_transformers *st, const struct json_file *file);

/* Reads and parses a file; whether it exists. */
static bool read_file(struct sentence_transformers *st, struct folder *folder, const char *place,
                      const char *name, parse_file *parse, bool needed)
{
    enum known_keys kind = parse == length_parse ? KEYS_TRANSFORMER : KEYS_MODULE;
    struct json_file file;
    json_file_read(&file, folder, place, name, needed, parse == modules_parse);
    bool is_there = file.root != NULL;
    if (is_there)
        parse(st, &file);
    known_keys_check(&file, kind, NULL, folder);
    return is_there;
}

/* What the modules point to. */
static void read_modules(struct sentence_transformers *st, struct folder *folder)
{
    st->is_present = read_file(st, folder, "", "modules.json", modules_parse, false);
    if (st->has_pooling)
        read_file(st, folder, st->pooling_place, "config.json",
                  st->is_splade ? splade_parse : pooling_parse, true);
    for (size_t i = 0; i < st->n_dense; i++)
        read_file(st, folder, st->dense[i].place, "config.json", dense_parse, true);
    if (st->normalize)
        read_file(st, folder, st->normalize_place, "config.json", text_module_parse, false);
}

/* The name depends on the version that wrote it. */
static void read_length(struct sentence_transformers *st, struct folder *folder)
{
    static const char *const names[] = {"sentence_bert_config.json",
                                        "sentence_distilbert_config.json",
                                        "sentence_roberta_config.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (read_file(st, folder, st->transformer, names[i], length_parse, false))
            return;
}

void sentence_transformers_read(struct sentence_transformers *st, struct folder *folder)
{
    *st = (struct sentence_transformers){.pooling = POOLING_NONE, .has_bias = true};
    read_modules(st, folder);
    read_length(st, folder);
    json_file_read(&st->prompts, folder, "", "config_sentence_transformers.json", false, false);
    prompts_parse(st, &st->prompts);
}
