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
static bool read_place(const struct json_file *file, const json_t *module, char place[PLACE_BYTES],
                       struct problem *problem)
{
    const char *path = "";
    if (!json_text(file, module, "path", &path, problem))
        return false;
    size_t len = strlen(path);
    bool ends = len == 0 || path[len - 1] == '/';
    if (snprintf(place, PLACE_BYTES, "%s%s", path, ends ? "" : "/") >= PLACE_BYTES)
        return problem_say(problem, "%s: a 'path' is longer than %d bytes", file->name,
                           PLACE_BYTES);
    return true;
}

/* Transformer, Pooling, Dense …, Normalize: `stage` is how far we are. */
enum stage { STAGE_START, STAGE_TRANSFORMER, STAGE_POOLING, STAGE_NORMALIZE };

static bool add_module(struct sentence_transformers *st, const struct json_file *file,
                       const json_t *module, enum stage *stage, struct problem *problem)
{
    const char *type = "", *name;
    char place[PLACE_BYTES];
    if (!json_is_object(module))
        return problem_say(problem, "%s holds %s; expected objects", file->name, json_kind(module));
    if (!json_text(file, module, "type", &type, problem) ||
        !read_place(file, module, place, problem))
        return false;
    name = strrchr(type, '.');
    name = name != NULL ? name + 1 : type;
    if (strcmp(name, "Transformer") == 0 && *stage == STAGE_START) {
        memcpy(st->transformer, place, sizeof place);
        *stage = STAGE_TRANSFORMER;
    } else if (strcmp(name, "Pooling") == 0 && *stage == STAGE_TRANSFORMER) {
        memcpy(st->pooling_place, place, sizeof place);
        st->has_pooling = true;
        *stage = STAGE_POOLING;
    } else if (strcmp(name, "Dense") == 0 && *stage == STAGE_POOLING) {
        if (st->n_dense == MAX_PROJECTIONS)
            return problem_say(problem, "%s has more than %d Dense modules", file->name,
                               MAX_PROJECTIONS);
        memcpy(st->dense[st->n_dense++].place, place, sizeof place);
    } else if (strcmp(name, "Normalize") == 0 && *stage == STAGE_POOLING) {
        st->normalize = true;
        *stage = STAGE_NORMALIZE;
    } else if (strcmp(name, "Dropout") != 0) { /* which does nothing outside training */
        return problem_say(problem,
                           "%s: the module '%.100s' is not known, or not in this place; expected "
                           "Transformer, Pooling, Dense (any number), Normalize",
                           file->name, type);
    }
    return true;
}

bool modules_parse(struct sentence_transformers *st, const struct json_file *file,
                   struct problem *problem)
{
    enum stage stage = STAGE_START;
    for (size_t i = 0; i < json_array_size(file->root); i++)
        if (!add_module(st, file, json_array_get(file->root, i), &stage, problem))
            return false;
    if (stage == STAGE_START)
        return problem_say(problem, "%s has no Transformer", file->name);
    return true;
}

/* ---- 1_Pooling/config.json ---- */

static const struct {
    const char *key, *name; /* older files: a flag each; newer ones: the name as pooling_mode */
    enum pooling pooling;
} MODES[] = {
    {"pooling_mode_cls_token", "cls", POOLING_CLS},
    {"pooling_mode_mean_tokens", "mean", POOLING_MEAN},
    {"pooling_mode_max_tokens", "max", POOLING_MAX},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", POOLING_MEAN_SQRT},
    {"pooling_mode_weightedmean_tokens", "weightedmean", POOLING_WEIGHTED_MEAN},
    {"pooling_mode_lasttoken", "lasttoken", POOLING_LAST},
};
enum { N_MODES = sizeof MODES / sizeof MODES[0] };

static bool read_mode_name(struct sentence_transformers *st, const struct json_file *file,
                           const char *name, struct problem *problem)
{
    for (size_t i = 0; i < N_MODES; i++)
        if (strcmp(name, MODES[i].name) == 0) {
            st->pooling = MODES[i].pooling;
            return true;
        }
    return problem_say(problem,
                       "%s: 'pooling_mode' is '%.100s'; expected cls, mean, max, "
                       "mean_sqrt_len_tokens, weightedmean or lasttoken",
                       file->name, name);
}

/* Exactly one flag must be set: several modes are joined to a longer vector, which we do not have.
 */
static bool read_mode_flags(struct sentence_transformers *st, const struct json_file *file,
                            struct problem *problem)
{
    const char *key, *set = NULL;
    json_t *value;
    json_object_foreach(file->root, key, value)
    {
        size_t mode = 0;
        bool is_set = false;
        if (strncmp(key, "pooling_mode_", 13) != 0)
            continue;
        if (!json_flag(file, NULL, key, &is_set, problem))
            return false;
        if (!is_set)
            continue;
        while (mode < N_MODES && strcmp(key, MODES[mode].key) != 0)
            mode++;
        if (mode == N_MODES)
            return problem_say(problem, "%s: the pooling '%.100s' is not known", file->name, key);
        if (set != NULL)
            return problem_say(problem, "%s: '%s' and '%s' are both true; expected one pooling",
                               file->name, set, key);
        st->pooling = MODES[mode].pooling;
        set = key;
    }
    if (set == NULL)
        return problem_say(problem, "%s: no 'pooling_mode_…' is true; expected one", file->name);
    return true;
}

bool pooling_parse(struct sentence_transformers *st, const struct json_file *file,
                   struct problem *problem)
{
    const char *name = NULL;
    bool include_prompt = true;
    if (!json_count(file, NULL, "word_embedding_dimension", 1, &st->width, problem) ||
        !json_count(file, NULL, "embedding_dimension", 1, &st->width, problem) ||
        !json_flag(file, NULL, "include_prompt", &include_prompt, problem) ||
        !json_text(file, NULL, "pooling_mode", &name, problem))
        return false;
    if (!include_prompt)
        return problem_say(
            problem,
            "%s: 'include_prompt' is false, pooling without the prompt's tokens; expected true",
            file->name);
    return name != NULL ? read_mode_name(st, file, name, problem)
                        : read_mode_flags(st, file, problem);
}

/* ---- N_Dense/config.json ---- */

static bool read_dense_activation(const struct json_file *file, enum dense_activation *activation,
                                  struct problem *problem)
{
    static const struct {
        const char *name;
        enum dense_activation activation;
    } known[] = {
        {"Identity", DENSE_IDENTITY}, {"Tanh", DENSE_TANH}, {"ReLU", DENSE_RELU},
        {"GELU", DENSE_GELU},         {"SiLU", DENSE_SILU},
    };
    const char *type = "torch.nn.modules.activation.Tanh"; /* the default of the class Dense */
    if (!json_text(file, NULL, "activation_function", &type, problem))
        return false;
    const char *name = strrchr(type, '.');
    name = name != NULL ? name + 1 : type;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0) {
            *activation = known[i].activation;
            return true;
        }
    return problem_say(
        problem,
        "%s: 'activation_function' is '%.100s'; expected Identity, Tanh, ReLU, GELU or SiLU",
        file->name, type);
}

/* A weight file has one activation for all of them. */
bool dense_parse(struct sentence_transformers *st, size_t index, const struct json_file *file,
                 struct problem *problem)
{
    struct dense_module *dense = &st->dense[index];
    enum dense_activation activation = DENSE_TANH;
    bool has_bias = true;
    int64_t before = index > 0 ? st->dense[index - 1].out : st->width;
    if (!json_need_count(file, NULL, "in_features", 1, &dense->in, problem) ||
        !json_need_count(file, NULL, "out_features", 1, &dense->out, problem) ||
        !json_flag(file, NULL, "bias", &has_bias, problem) ||
        !read_dense_activation(file, &activation, problem))
        return false;
    if (before > 0 && dense->in != before)
        return problem_say(problem, "%s: 'in_features' is %lld; expected %lld, the width before it",
                           file->name, (long long)dense->in, (long long)before);
    if (index > 0 && (activation != st->activation || has_bias != st->has_bias))
        return problem_say(problem,
                           "%s: 'activation_function' or 'bias' differs from the Dense module "
                           "before it; expected the same",
                           file->name);
    st->activation = activation;
    st->has_bias = has_bias;
    return true;
}

/* ---- sentence_bert_config.json ---- */

bool length_parse(struct sentence_transformers *st, const struct json_file *file,
                  struct problem *problem)
{
    return json_count(file, NULL, "max_seq_length", 1, &st->max_seq_length, problem) &&
           json_flag(file, NULL, "do_lower_case", &st->lower, problem);
}

/* The name depends on the version that wrote it. */
static bool read_length(struct sentence_transformers *st, struct folder *folder,
                        struct problem *problem)
{
    static const char *const names[] = {"sentence_bert_config.json",
                                        "sentence_distilbert_config.json",
                                        "sentence_roberta_config.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[PLACE_BYTES + 64];
        struct json_file file;
        snprintf(name, sizeof name, "%s%s", st->transformer, names[i]);
        if (!json_file_read(&file, folder, name, false, false, problem))
            return false;
        if (file.root == NULL)
            continue;
        bool ok = length_parse(st, &file, problem);
        json_file_free(&file);
        return ok;
    }
    return true;
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

bool prompts_check(const struct json_file *file, struct problem *problem)
{
    const json_t *prompts = json_member(file, NULL, "prompts");
    const char *name, *chosen = NULL;
    json_t *text;
    if (prompts != NULL && !json_is_object(prompts))
        return problem_say(problem, "%s: 'prompts' is %s; expected an object", file->name,
                           json_kind(prompts));
    json_object_foreach((json_t *)(uintptr_t)prompts, name, text)
    {
        if (!json_is_string(text))
            return problem_say(problem, "%s: the prompt '%.100s' is %s; expected a string",
                               file->name, name, json_kind(text));
        if (!is_key(name))
            return problem_say(problem,
                               "%s: the prompt '%.100s' has a name of more than %d bytes, or with "
                               "blanks, or that is not ASCII",
                               file->name, name, MOST_NAME_BYTES);
    }
    if (!json_text(file, NULL, "default_prompt_name", &chosen, problem))
        return false;
    if (chosen != NULL && json_object_get(prompts, chosen) == NULL)
        return problem_say(problem,
                           "%s: 'default_prompt_name' is '%.100s', which 'prompts' does not have",
                           file->name, chosen);
    return true;
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

static bool read_modules(struct sentence_transformers *st, struct folder *folder,
                         struct problem *problem)
{
    struct json_file file;
    if (!json_file_read(&file, folder, "modules.json", false, true, problem))
        return false;
    if (file.root == NULL)
        return true;
    st->is_present = true;
    bool ok = modules_parse(st, &file, problem);
    json_file_free(&file);
    return ok;
}

static bool read_dense(struct sentence_transformers *st, size_t index, struct folder *folder,
                       struct problem *problem)
{
    char name[PLACE_BYTES + 16];
    struct json_file file;
    snprintf(name, sizeof name, "%sconfig.json", st->dense[index].place);
    bool ok = json_file_read(&file, folder, name, true, false, problem);
    ok = ok && dense_parse(st, index, &file, problem);
    json_file_free(&file);
    return ok;
}

static bool read_pooling(struct sentence_transformers *st, struct folder *folder,
                         struct problem *problem)
{
    char name[PLACE_BYTES + 16];
    struct json_file file;
    if (!st->has_pooling)
        return true;
    snprintf(name, sizeof name, "%sconfig.json", st->pooling_place);
    bool ok = json_file_read(&file, folder, name, true, false, problem);
    ok = ok && pooling_parse(st, &file, problem);
    json_file_free(&file);
    for (size_t i = 0; ok && i < st->n_dense; i++)
        ok = read_dense(st, i, folder, problem);
    return ok;
}

bool sentence_transformers_read(struct sentence_transformers *st, struct folder *folder,
                                struct problem *problem)
{
    *st = (struct sentence_transformers){.pooling = POOLING_NONE, .has_bias = true};
    bool ok = read_modules(st, folder, problem) && read_pooling(st, folder, problem) &&
              read_length(st, folder, problem) &&
              json_file_read(&st->prompts, folder, "config_sentence_transformers.json", false,
                             false, problem);
    ok = ok && (st->prompts.root == NULL || prompts_check(&st->prompts, problem));
    if (!ok)
        sentence_transformers_free(st);
    return ok;
}

void sentence_transformers_free(struct sentence_transformers *st)
{
    json_file_free(&st->prompts);
}
