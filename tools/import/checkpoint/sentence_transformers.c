/* sentence_transformers.c - modules.json and its files; see sentence_transformers.h. Sources:
 * sentence_transformers/models/{Transformer,Pooling,Dense,Normalize}.py and SentenceTransformer.py
 * in huggingface/sentence-transformers. */
#include "tools/import/checkpoint/sentence_transformers.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- modules.json: [{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
 * …] ---- */

/* The stage of reading, in the order in which modules are allowed: Transformer, Pooling (or both in
 * one, StaticEmbedding), Dense and LayerNorm …, Normalize; or Transformer, Dense … on tokens, of
 * PyLate alone or with Normalize and MultiVectorMask, in either order. */
enum stage {
    STAGE_START,
    STAGE_TRANSFORMER,
    STAGE_POOLING,
    STAGE_NORMALIZE,
    STAGE_TOKENS,
    STAGE_UNIT_TOKENS,
    STAGE_MASKED_TOKENS,
    STAGE_ANSWER_TOKENS
};

#define PLACE(member) offsetof(struct sentence_transformers, member)
static const struct module_kind {
    const char *name;
    enum stage before, after;
    size_t place; /* the member that gets its path */
} MODULES[] = {
    {"Transformer", STAGE_START, STAGE_TRANSFORMER, PLACE(transformer)},
    {"Pooling", STAGE_TRANSFORMER, STAGE_POOLING, PLACE(pooling_place)},
    {"Dense", STAGE_POOLING, STAGE_POOLING, PLACE(dense[0].place)}, /* or of the next */
    {"LayerNorm", STAGE_POOLING, STAGE_POOLING, PLACE(dense[0].place)},
    {"Normalize", STAGE_POOLING, STAGE_NORMALIZE, PLACE(normalize_place)},
    {"StaticEmbedding", STAGE_START, STAGE_POOLING, PLACE(transformer)}, /* with the mean */
    {"MLMTransformer", STAGE_START, STAGE_TRANSFORMER, PLACE(transformer)},
    {"SpladePooling", STAGE_TRANSFORMER, STAGE_POOLING, PLACE(pooling_place)},
    {"Dense", STAGE_TRANSFORMER, STAGE_TOKENS, PLACE(token_dense[0].place)},
    {"Dense", STAGE_TOKENS, STAGE_TOKENS, PLACE(token_dense[0].place)},
    {"Normalize", STAGE_TOKENS, STAGE_UNIT_TOKENS, PLACE(token_normalize_place)},
    {"MultiVectorMask", STAGE_UNIT_TOKENS, STAGE_ANSWER_TOKENS, PLACE(token_mask_place)},
    {"MultiVectorMask", STAGE_TOKENS, STAGE_MASKED_TOKENS, PLACE(token_mask_place)},
    {"Normalize", STAGE_MASKED_TOKENS, STAGE_ANSWER_TOKENS, PLACE(token_normalize_place)},
};
enum { N_MODULES = sizeof MODULES / sizeof MODULES[0] };

/* Stores the folder that a 'path' names, "1_Pooling/" or "". */
static void store_place(char place[PLACE_BYTES], const struct json_file *file, const char *path)
{
    const char *end = path[0] == '\0' || name_ends_in(path, "/") ? "" : "/";
    if ((size_t)snprintf(place, PLACE_BYTES, "%s%s", path, end) >= PLACE_BYTES)
        file_die(file->name, "a 'path' is longer than %d bytes", PLACE_BYTES);
}

/* Reads a module, whose kind must be allowed at this stage: not code that a model brings along,
 * with any name. */
static void add_module(struct sentence_transformers *st, const struct json_file *file,
                       const json_t *module, enum stage *stage)
{
    if (!json_is_object(module))
        file_die(file->name, " holds %s; expected objects", json_kind(module));
    const char *type = json_text(file, module, "type", ""), *name = json_last_name(type);
    const struct module_kind *kind = MODULES, *end = MODULES + N_MODULES;
    bool is_pylate = strncmp(type, "pylate.", 7) == 0;
    bool is_known = name == type || is_pylate || strncmp(type, "sentence_transformers.", 22) == 0;
    while (kind < end && (strcmp(name, kind->name) != 0 || kind->before != *stage))
        kind++;
    const char *path = json_text(file, module, "path", "");
    path += strcmp(path, ".") == 0;   /* as model2vec has it */
    if (strcmp(name, "Dropout") == 0) /* which does nothing outside training */
        return;
    if (!is_known || kind == end)
        file_die(file->name,
                 "the module '%.100s' is not known, or not in this place; expected Transformer and "
                 "Pooling, or StaticEmbedding, Dense and LayerNorm (any number), Normalize; or "
                 "MLMTransformer and SpladePooling; or Transformer and Dense on tokens, then "
                 "Normalize and MultiVectorMask",
                 type);
    bool is_norm = strcmp(name, "LayerNorm") == 0;
    bool is_dense = strcmp(name, "Dense") == 0 || is_norm;
    size_t *n_dense = kind->after == STAGE_TOKENS ? &st->n_token_dense : &st->n_dense;
    if (is_dense && *n_dense == MAX_PROJECTIONS)
        file_die(file->name, " has more than %d Dense modules", MAX_PROJECTIONS);
    if (is_norm)
        st->dense[*n_dense].activation = DENSE_LAYER_NORM;
    store_place((char *)st + kind->place + (is_dense ? *n_dense * sizeof *st->dense : 0), file,
                path);
    *n_dense += is_dense;
    st->is_pylate = st->is_pylate || is_pylate;
    *stage = kind->after;
    st->is_static = st->is_static || strcmp(name, "StaticEmbedding") == 0;
    st->is_splade = st->is_splade || strcmp(name, "SpladePooling") == 0;
    st->has_token_mask = *stage == STAGE_ANSWER_TOKENS;
    st->has_pooling = *stage >= STAGE_POOLING && !st->is_static && st->n_token_dense == 0;
}

void modules_parse(struct sentence_transformers *st, const struct json_file *file)
{
    enum stage stage = STAGE_START;
    const json_t *first = json_array_get(file->root, 0);
    const char *type = json_is_object(first) ? json_text(file, first, "type", "") : "";
    if (!st->has_router && strncmp(type, "sentence_transformers.", 22) == 0 &&
        strcmp(json_last_name(type), "Router") == 0) {
        if (json_array_size(file->root) > 1)
            file_die(file->name, " has modules after a Router; expected the Router alone");
        store_place(st->router_place, file, json_text(file, first, "path", ""));
        st->has_router = true;
        return;
    }
    for (size_t i = 0; i < json_array_size(file->root); i++)
        add_module(st, file, json_array_get(file->root, i), &stage);
    st->normalize = stage == STAGE_NORMALIZE;
    if (st->n_token_dense > 0 && !st->has_token_mask && !st->is_pylate)
        file_die(file->name, " has Dense modules on tokens without Normalize and MultiVectorMask "
                             "after them; expected both");
    if (stage == STAGE_START)
        file_die(file->name, " has no Transformer and no StaticEmbedding");
}

/* ---- router_config.json: a route of modules for queries, and one for documents. Source:
 * ---- base/modules/router.py in huggingface/sentence-transformers ---- */

static const char QUERY[] = "query", DOCUMENT[] = "document";
#define ADVICE                                                                                     \
    "save each route as a model of its own (SentenceTransformer(modules=router.sub_modules[ROUTE]" \
    ").save_pretrained), and import both"

/* Texts without a role take the default route, which must be that of documents. */
static void check_parameters(const struct json_file *file, const json_t *routes)
{
    json_t *parameters = json_typed(file, "parameters", JSON_OBJECT, "an object");
    const char *first = json_object_iter_key(json_object_iter((json_t *)routes));
    const bool use_first = json_flag(file, parameters, "allow_empty_key", true);
    const char *usual = json_text(file, parameters, "default_route", use_first ? first : DOCUMENT);
    const json_t *mappings = json_member(file, parameters, "route_mappings");
    if (strcmp(usual, DOCUMENT) != 0)
        file_die(file->name, "'default_route' is '%.60s'; expected document", usual);
    if (json_object_size(mappings) > 0)
        file_die(file->name,
                 "'route_mappings' is not empty; expected {}, with the routes query and "
                 "document");
}

/* Adds a module of a route to a list as modules.json has it. */
static void add_route_module(const struct json_file *file, const char *place, const json_t *id,
                             json_t *modules)
{
    const char *name = json_is_string(id) ? json_string_value(id) : json_kind(id);
    const json_t *types = json_member(file, NULL, "types");
    const char *type = json_text(file, types, name, "");
    char path[PLACE_BYTES];
    if ((size_t)snprintf(path, sizeof path, "%s%s", place, name) >= sizeof path)
        file_die(file->name, "a module's name is longer than %d bytes", PLACE_BYTES);
    json_array_append_new(modules, json_pack("{s:s, s:s}", "path", path, "type", type));
}

/* Reads router_config.json in the folder `place`: stores the folder of the queries' weights, and
 * makes the documents' route what a modules.json would be. */
static void read_router(struct folder *folder, const char *place, char query_place[PLACE_BYTES],
                        struct json_file *modules)
{
    static const char name[] = "router_config.json";
    struct json_file file;
    json_file_read(&file, folder, place, name, true, false);
    const json_t *routes = json_typed(&file, "structure", JSON_OBJECT, "an object");
    const json_t *documents = json_object_get(routes, DOCUMENT),
                 *queries = json_object_get(routes, QUERY);
    if (json_object_size(routes) != 2 || !json_is_array(documents) || !json_is_array(queries))
        file_die(file.name, "'structure' has not the two routes query and document; " ADVICE);
    check_parameters(&file, routes);
    *modules = file;
    modules->root = json_array();
    modules->seen = json_object();
    for (size_t i = 0; i < json_array_size(queries); i++)
        add_route_module(&file, place, json_array_get(queries, i), modules->root);
    const json_t *first = json_array_get(modules->root, 0);
    const char *type = json_text(&file, first, "type", "no module");
    if (json_array_size(queries) != 1 ||
        strcmp(json_last_name(type), "SparseStaticEmbedding") != 0 ||
        strncmp(type, "sentence_transformers.", 22) != 0)
        file_die(file.name,
                 "the route query has '%.100s'%s; expected one SparseStaticEmbedding: " ADVICE,
                 type, json_array_size(queries) > 1 ? " and more" : "");
    snprintf(query_place, PLACE_BYTES, "%s/", json_text(&file, first, "path", ""));
    json_array_clear(modules->root);
    for (size_t i = 0; i < json_array_size(documents); i++)
        add_route_module(&file, place, json_array_get(documents, i), modules->root);
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
}

/* ---- 1_Pooling/config.json ---- */

/* Newer files name the mode, older ones have a flag "pooling_mode_FLAG" for each; vectors are
 * joined in this order. */
static const struct {
    const char *name, *flag;
    enum pooling pooling;
} MODES[] = {
    {"cls", "cls_token", POOLING_CLS},
    {"max", "max_tokens", POOLING_MAX},
    {"mean", "mean_tokens", POOLING_MEAN},
    {"mean_sqrt_len_tokens", "mean_sqrt_len_tokens", POOLING_MEAN_SQRT},
    {"weightedmean", "weightedmean_tokens", POOLING_WEIGHTED_MEAN},
    {"lasttoken", "lasttoken", POOLING_LAST},
};
enum { N_MODES = sizeof MODES / sizeof MODES[0] };

/* Adds a pooling whose vector follows those before it; *n counts them. */
static void add_pooling(struct sentence_transformers *st, const struct json_file *file, size_t *n,
                        enum pooling pooling)
{
    if (*n > LIST_MOST)
        file_die(file->name, " joins more than %d poolings", LIST_MOST + 1);
    if (*n > 0)
        st->joined_poolings = list_with(st->joined_poolings, *n - 1, pooling);
    else
        st->pooling = pooling;
    ++*n;
}

static void read_mode_flags(struct sentence_transformers *st, const struct json_file *file)
{
    static const char start[] = "pooling_mode_";
    const char *key;
    size_t n = 0;
    json_t *value;
    for (size_t i = 0; i < N_MODES; i++) {
        char flag[64];
        snprintf(flag, sizeof flag, "%s%s", start, MODES[i].flag);
        if (json_flag(file, NULL, flag, false))
            add_pooling(st, file, &n, MODES[i].pooling);
    }
    json_object_foreach(file->root, key, value) if (strncmp(key, start, strlen(start)) == 0 &&
                                                    json_object_get(file->seen, key) == NULL &&
                                                    json_flag(file, NULL, key, false))
        file_die(file->name, "the pooling '%.100s' is not known", key);
    if (n == 0)
        file_die(file->name, "no 'pooling_mode_…' is true; expected one");
}

/* The newest files name the mode, or list the modes whose vectors are joined. */
static void read_modes(struct sentence_transformers *st, const struct json_file *file,
                       const json_t *mode)
{
    size_t n = 0, n_modes = json_is_array(mode) ? json_array_size(mode) : 1;
    if (n_modes == 0)
        file_die(file->name, "'pooling_mode' lists 0 modes; expected one or more");
    while (n < n_modes) {
        const json_t *one = json_is_array(mode) ? json_array_get(mode, n) : mode;
        const char *name = json_is_string(one) ? json_string_value(one) : json_kind(one);
        size_t i = 0;
        while (i < N_MODES && strcmp(MODES[i].name, name) != 0)
            i++;
        if (i == N_MODES)
            file_die(file->name,
                     "'pooling_mode' is '%.100s'; expected cls, mean, max, mean_sqrt_len_tokens, "
                     "weightedmean or lasttoken",
                     name);
        add_pooling(st, file, &n, MODES[i].pooling);
    }
}

void pooling_parse(struct sentence_transformers *st, const struct json_file *file)
{
    size_t width = json_count(file, NULL, "word_embedding_dimension", 1, st->width);
    const json_t *mode = json_member(file, NULL, "pooling_mode");
    st->width = json_count(file, NULL, "embedding_dimension", 1, width);
    st->skips_prompt = !json_flag(file, NULL, "include_prompt", true);
    if (mode != NULL)
        read_modes(st, file, mode);
    else
        read_mode_flags(st, file);
}

/* How a SpladePooling pools the logits of a head of masked language models. */
static void splade_parse(struct sentence_transformers *st, const struct json_file *file)
{
    static const struct json_name poolings[] = {
        {"max", SPARSE_MAX}, {"sum", SPARSE_SUM}, {NULL, 0}};
    static const struct json_name activations[] = {
        {"relu", SPARSE_LOG}, {"log1p_relu", SPARSE_LOG_LOG}, {NULL, 0}};
    st->sparse_pooling = (enum sparse_pooling)json_choice(file, "pooling_strategy", poolings,
                                                          "max or sum", SPARSE_MAX);
    st->sparse_activation = (enum sparse_activation)json_choice(
        file, "activation_function", activations, "relu or log1p_relu", SPARSE_LOG);
}

/* ---- N_Dense/config.json ---- */

/* Returns the activation, by its last name ("torch.nn.modules.activation.Tanh"). */
static enum dense_activation read_dense_activation(const struct json_file *file)
{
    static const struct json_name known[] = {
        {"Identity", DENSE_IDENTITY},
        {"Tanh", DENSE_TANH},
        {"ReLU", DENSE_RELU},
        {"GELU", DENSE_GELU},
        {"SiLU", DENSE_SILU},
        {"Sigmoid", DENSE_SIGMOID},
        {NULL, 0},
    };
    const char *type = json_text(file, NULL, "activation_function", "the class' Tanh");
    bool is_torch = strncmp(type, "torch.", 6) == 0; /* code of others is not run: the default */
    int64_t activation = json_name_value(known, is_torch ? json_last_name(type) : "Tanh");
    if (activation < 0)
        file_die(file->name,
                 "'activation_function' is '%.100s'; expected Identity, Tanh, ReLU, GELU, SiLU or "
                 "Sigmoid",
                 type);
    return (enum dense_activation)activation;
}

/* Newer files say what a module reads and writes, which must not be the tokens' vectors. */
static void text_module_parse(struct sentence_transformers *st, const struct json_file *file)
{
    (void)st;
    json_only_check(file, ONLY(IS("module_input_name module_output_name", "\"sentence_embedding\""),
                               IS("use_residual", "false")));
}

void dense_sizes_read(struct dense_module *dense, const struct json_file *file, size_t before)
{
    const bool is_norm = dense->activation == DENSE_LAYER_NORM;
    const char *in = is_norm ? "dimension" : "in_features";
    dense->in = json_count(file, NULL, in, 1, JSON_NEEDED);
    dense->out = is_norm ? dense->in : json_count(file, NULL, "out_features", 1, JSON_NEEDED);
    dense->has_bias = is_norm || json_flag(file, NULL, "bias", true);
    if (before > 0 && dense->in != before)
        file_die(file->name, "'%s' is %zu; expected %zu, the width before it", in, dense->in,
                 before);
}

/* Reads the next Dense module, or LayerNorm. */
void dense_parse(struct sentence_transformers *st, const struct json_file *file)
{
    size_t index = st->n_dense_read++;
    struct dense_module *dense = &st->dense[index];
    const struct model_config sizes = {.width = st->width, .joined_poolings = st->joined_poolings};
    dense_sizes_read(dense, file,
                     index > 0 ? st->dense[index - 1].out : config_pooled_width(&sizes));
    if (dense->activation == DENSE_LAYER_NORM)
        return;
    dense->activation = read_dense_activation(file);
    text_module_parse(st, file);
    st->has_bias = st->has_bias || dense->has_bias;
}

/* ---- sentence_bert_config.json ---- */

/* Objects, by old and new names, whose members the reference passes on to config.json's class, the
 * model or the tokenizer. Only members that change no number are allowed, and a limit, which comes
 * before max_seq_length; the old name's object replaces the new one's. */
static void check_arguments(struct sentence_transformers *st, const struct json_file *file)
{
    static const char *const names[] = {"model_args",   "tokenizer_args",   "config_args",
                                        "model_kwargs", "processor_kwargs", "config_kwargs"};
    static const char limit[] = "model_max_length";
    const char *key;
    json_t *value, *old = json_object_get(file->root, names[1]);
    const json_t *used = old != NULL ? old : json_object_get(file->root, names[4]);
    if (json_object_get(used, limit) != NULL)
        st->max_seq_length = json_count(file, used, limit, 1, JSON_NEEDED);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_object_foreach(json_typed(file, names[i], JSON_OBJECT, "an object"), key, value)
        {
            bool is_tokenizers = i % 3 == 1;
            if (!known_keys_are_harmless(KEYS_ARGUMENTS, key) &&
                (!is_tokenizers || strcmp(key, limit) != 0))
                file_die(file->name,
                         "'%s' has '%.100s', which is not read here; expected an empty object (put "
                         "the key into %s)",
                         names[i], key, is_tokenizers ? "tokenizer_config.json" : "config.json");
        }
}

/* Reads how queries are filled up to a fixed number of tokens. */
static void expansion_parse(struct sentence_transformers *st, const struct json_file *file)
{
    static const char key[] = "query_expansion";
    json_t *expansion = json_typed(file, key, JSON_OBJECT, "an object"), *value;
    const char *name;
    if (expansion == NULL)
        return;
    json_object_foreach(expansion, name,
                        value) if (!name_is_listed(" strategy attend token length ", name))
        file_die(file->name, "'%s' has '%.60s', which is not read here", key, name);
    const char *strategy = json_text(file, expansion, "strategy", "none");
    if (strcmp(strategy, "fixed") != 0)
        file_die(file->name, "'%s' has the 'strategy' '%.60s'; expected fixed", key, strategy);
    st->fills_queries = true;
    st->query_length = json_count(file, expansion, "length", 1, JSON_NEEDED);
    st->sees_fillers = json_flag(file, expansion, "attend", false);
    st->filler = json_text(file, expansion, "token", NULL);
}

/* Reads the limits. Newer files say which of the model's results the next module reads. */
void length_parse(struct sentence_transformers *st, const struct json_file *file)
{
    static const struct json_name tasks[] = {
        {"feature-extraction", 0}, {"fill-mask sequence-classification", 1}, {NULL, 0}};
    st->max_seq_length = json_count(file, NULL, "max_seq_length", 1, 0);
    check_arguments(st, file);
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
    st->lower = json_flag(file, NULL, "do_lower_case", false);
    if (!st->has_token_mask) /* two more limits, of encode_query and encode_document alone */
        return;
    st->query_length = json_count(file, NULL, "query_length", 1, 0);
    st->max_seq_length = json_count(file, NULL, "document_length", 1, st->max_seq_length);
    expansion_parse(st, file);
}

/* ---- config_sentence_transformers.json ---- */

enum { MOST_NAME_BYTES = 100 };

/* Returns whether a key of a weight file can have this text. */
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
    const char *similarity = json_text(file, NULL, "similarity_fn_name", "");
    st->is_cross_encoder = strcmp(json_text(file, NULL, "model_type", ""), "CrossEncoder") == 0;
    if (strcmp(similarity, "meanmaxsim") == 0)
        file_die(file->name, "'similarity_fn_name' is 'meanmaxsim'; expected another: scores here "
                             "are sums, not means");
    if (name_is_listed("cosine dot euclidean manhattan", similarity))
        st->similarity = similarity; /* others are ignored there, too */
}

/* Of a classifier, the default prompt is in force if the file is that of a CrossEncoder. */
void prompts_write(const struct sentence_transformers *st, const struct model_config *model,
                   struct weight_output *output)
{
    const bool has_labels = model->head == HEAD_SEQUENCE;
    const char *usual = st->is_splade ? "dot" : "cosine";
    const json_t *chosen = json_member(&st->prompts, NULL, "default_prompt_name");
    json_t *prompts = json_object_get(st->prompts.root, "prompts"), *text;
    const char *name;
    json_object_foreach(prompts, name, text)
    {
        char key[MOST_NAME_BYTES + 16];
        snprintf(key, sizeof key, "prompt.%s", name);
        weight_output_metadata(output, key, json_string_value(text));
    }
    if (model->query_weights && json_object_get(prompts, "query") == NULL)
        weight_output_metadata(output, "prompt.query", "");
    if (chosen != NULL && (!has_labels || st->is_cross_encoder))
        weight_output_metadata(output, "default_prompt", json_string_value(chosen));
    if (st->similarity != NULL && strcmp(st->similarity, usual) != 0)
        weight_output_metadata(output, "similarity", st->similarity);
}

/* ---- The complete directory ---- */

typedef void parse_file(struct sentence_transformers *st, const struct json_file *file);

/* Reads and parses a file. Returns whether it exists and is not empty. */
static bool read_file(struct sentence_transformers *st, struct folder *folder, const char *place,
                      const char *name, parse_file *parse, bool needed)
{
    enum known_keys kind = parse == length_parse ? KEYS_TRANSFORMER : KEYS_MODULE;
    struct json_file file;
    json_file_read(&file, folder, place, name, needed, parse == modules_parse);
    if (file.root != NULL)
        parse(st, &file);
    known_keys_check(&file, kind, NULL, folder);
    return json_object_size(file.root) > 0 || json_is_array(file.root);
}

void sentence_transformers_read(struct sentence_transformers *st, struct folder *folder)
{
    /* By the version and the class that wrote it; the first that is not empty is read. */
    static const char *const classes[] = {"bert",   "roberta",     "distilbert", "camembert",
                                          "albert", "xlm-roberta", "xlnet"};
    static const char prompts[] = "config_sentence_transformers.json";
    char name[64];
    *st = (struct sentence_transformers){.pooling = POOLING_NONE};
    st->is_present = read_file(st, folder, "", "modules.json", modules_parse, false);
    if (st->has_router) {
        struct json_file documents;
        read_router(folder, st->router_place, st->query_place, &documents);
        modules_parse(st, &documents);
    }
    if (st->has_pooling)
        read_file(st, folder, st->pooling_place, "config.json",
                  st->is_splade ? splade_parse : pooling_parse, true);
    for (size_t i = 0; i < st->n_dense; i++)
        read_file(st, folder, st->dense[i].place, "config.json", dense_parse, true);
    if (st->normalize)
        read_file(st, folder, st->normalize_place, "config.json", text_module_parse, false);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        snprintf(name, sizeof name, "sentence_%s_config.json", classes[i]);
        if (st->is_present && read_file(st, folder, st->transformer, name, length_parse, false))
            break;
        if (!st->is_present && folder_has(folder, "", name))
            snprintf(st->ignored, sizeof st->ignored, "%s", name);
    }
    if (st->is_present) {
        json_file_read(&st->prompts, folder, "", prompts, false, false);
        prompts_parse(st, &st->prompts);
    } else if (folder_has(folder, "", prompts)) {
        snprintf(st->ignored, sizeof st->ignored, "%s", prompts);
    }
}
