/* token_modules.c - layers after an encoder that answer for each token; see checkpoint.h. */
#include "tools/import/checkpoint/checkpoint.h"

#include "tools/common/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SKIPPED = 64 }; /* weights/FORMAT.md, skip_vectors */

/* ---- ColBERT ---- */

/* Sets which tokens have no vector. A word that is not a token means the unknown token, as in
 * PyLate, or nothing. */
static void skip_words(const struct json_file *file, struct tokenizer_draft *draft, bool is_pylate)
{
    static const char punctuation[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    const json_t *words = json_typed(file, "skiplist_words", JSON_ARRAY, "an array");
    size_t n = words != NULL ? json_array_size(words) : sizeof punctuation - 1;
    bool has_unknown = false;
    struct blank_list list = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        const json_t *word = words != NULL ? json_array_get(words, i) : NULL;
        if (words != NULL && !json_is_string(word))
            file_die(file->name, "'skiplist_words' holds %s; expected strings", json_kind(word));
        size_t id =
            word_list_find(&draft->words, words != NULL ? json_string_value(word) : &punctuation[i],
                           words != NULL ? json_string_length(word) : 1);
        has_unknown = has_unknown || id == WORD_NONE;
        if (id != WORD_NONE)
            list_add(&list, "%zu", id);
    }
    if (has_unknown && is_pylate && draft_get(draft, "unknown")[0] != '\0')
        list_add(&list, "%s", draft_get(draft, "unknown"));
    if (list.n > MOST_SKIPPED)
        file_die(file->name, "'skiplist_words' has %zu tokens; expected at most %d", list.n,
                 MOST_SKIPPED);
    list_set(&list, draft, "skip_vectors");
}

/* Makes a marker that is in the vocabulary a token that texts can name: adds it to `added`, "0 1:n
 * 50281:lx", unless its id is there. */
static void add_marker(struct tokenizer_draft *draft, const char *text)
{
    size_t id = word_list_find(&draft->words, text, strlen(text)), i = 0;
    while (i < draft->n_settings && strcmp(draft->settings[i].key, "added") != 0)
        i++;
    if (id == WORD_NONE)
        return;
    if (i == draft->n_settings) {
        draft_set_number(draft, "added", id);
        return;
    }
    struct draft_setting *added = &draft->settings[i];
    for (const char *at = added->value; *at != '\0'; at += strspn(at, " ")) {
        char *end;
        if (strtoul(at, &end, 10) == id && end != at)
            return;
        at = end + strcspn(end, " ");
    }
    size_t cap = added->len + 32;
    added->value = alloc_resize(added->value, cap, 1);
    added->len += (size_t)snprintf(added->value + added->len, cap - added->len, " %zu", id);
}

/* Keys of lengths and of the markers in the files of the two programs, and the default markers. */
static const struct marker_keys {
    const char *length, *query_length, *sees_fillers;
    const char *query, *usual_query, *document, *usual_document;
} PYLATE = {"document_length", "query_length", "attend_to_expansion_tokens", "query_prefix", "[Q] ",
            "document_prefix", "[D] "},
  STANFORD = {"doc_maxlen",     "query_maxlen", "attend_to_mask_tokens",
              "query_token_id", "[unused0]",    "doc_token_id",
              "[unused1]"};

/* Reads a marker, which is put before the text as one token. */
static const char *read_marker(const struct checkpoint *checkpoint, const struct json_file *file,
                               const char *key, const char *usual)
{
    const struct word_list *words = &checkpoint->tokenizer.draft.words;
    const char *text = json_text(file, NULL, key, usual);
    if (checkpoint->has_tokenizer && text[0] != '\0' &&
        word_list_find(words, text, strlen(text)) == WORD_NONE)
        program_die("%s: the '%s' '%.60s' is not a token of the tokenizer; expected one",
                    file->name[0] != '\0' ? file->name : "a ColBERT", key, text);
    return text;
}

/* Reads the lengths and the markers. Queries are filled up with mask tokens. */
static void read_markers(struct checkpoint *checkpoint, const struct json_file *file,
                         const struct marker_keys *keys)
{
    struct token_modules *modules = &checkpoint->token_modules;
    checkpoint->st.max_seq_length = json_count(file, NULL, keys->length, 1, 180);
    modules->query_marker = read_marker(checkpoint, file, keys->query, keys->usual_query);
    modules->document_marker = read_marker(checkpoint, file, keys->document, keys->usual_document);
    if (checkpoint->has_tokenizer) {
        add_marker(&checkpoint->tokenizer.draft, modules->query_marker);
        add_marker(&checkpoint->tokenizer.draft, modules->document_marker);
    }
    const bool sees_masks = json_flag(file, NULL, "attend_to_mask_tokens", false);
    struct sentence_transformers *st = &checkpoint->st;
    st->fills_queries = keys == &STANFORD || json_flag(file, NULL, "do_query_expansion", true);
    st->sees_fillers = json_flag(file, NULL, keys->sees_fillers, sees_masks);
    st->query_length = json_count(file, NULL, keys->query_length, 1, st->fills_queries ? 32 : 0);
}

/* Sets how long queries are, and what fills them up. */
static void set_queries(struct checkpoint *checkpoint)
{
    const struct sentence_transformers *st = &checkpoint->st;
    const struct tokenizer_draft *draft = &checkpoint->tokenizer.draft;
    struct model_config *model = &checkpoint->config.model;
    struct json_file file;
    model->query_tokens = st->query_length;
    if (!st->fills_queries || !checkpoint->has_tokenizer)
        return;
    const char *mask = draft_get(draft, "mask_token");
    size_t id = (size_t)strtoull(mask, NULL, 10);
    if (st->filler != NULL)
        id = word_list_find(&draft->words, st->filler, strlen(st->filler));
    else if (mask[0] == '\0')
        id = WORD_NONE;
    if (id == WORD_NONE)
        program_die("queries are filled up with the token '%.60s', which the tokenizer does not "
                    "have; expected one in its vocabulary",
                    st->filler != NULL ? st->filler : "[MASK]");
    json_file_read(&file, &checkpoint->folder, st->transformer, "tokenizer_config.json", false,
                   false);
    if (strcmp(json_text(&file, NULL, "padding_side", "right"), "right") != 0)
        file_die(file.name, "'padding_side' is left, where queries are filled up; expected right");
    model->query_filler = id;
    model->query_filler_seen = st->sees_fillers;
}

/* ---- Dense modules on tokens ---- */

#define ON_TOKENS ONLY(IS("module_input_name module_output_name", "\"token_embeddings\""))

static void read_one(struct folder *folder, struct dense_module *dense, size_t width)
{
    struct json_file file;
    json_file_read(&file, folder, dense->place, "config.json", true, false);
    dense_sizes_read(dense, &file, width);
    const char *activation = json_text(&file, NULL, "activation_function", "Identity");
    if (strcmp(json_last_name(activation), "Identity") != 0)
        file_die(file.name, "'activation_function' is '%.100s'; expected Identity", activation);
    json_only_check(&file, ON_TOKENS);
    dense->has_residual = json_flag(&file, NULL, "use_residual", false);
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
}

static void read_token_dense(struct sentence_transformers *st, struct folder *folder,
                             struct model_config *model)
{
    struct json_file file;
    model->token_vectors = model->width;
    model->token_vector_bias = false;
    for (size_t i = 0; i < st->n_token_dense; i++) {
        read_one(folder, &st->token_dense[i], model->token_vectors);
        model->token_vectors = st->token_dense[i].out;
        model->token_vector_bias = model->token_vector_bias || st->token_dense[i].has_bias;
    }
    if (!st->has_token_mask)
        return;
    json_file_read(&file, folder, st->token_normalize_place, "config.json", true, false);
    if (json_member(&file, NULL, "module_input_name") == NULL)
        file_die(file.name, "'module_input_name' is absent; expected \"token_embeddings\"");
    json_only_check(&file, ON_TOKENS);
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
}

static struct json_file read_token_mask(const struct sentence_transformers *st,
                                        struct folder *folder)
{
    struct json_file file;
    json_file_read(&file, folder, st->token_mask_place, "config.json", true, false);
    json_only_check(
        &file, ONLY(IS("skiplist_tasks", "[\"document\"]"), IS("keep_only_token_ids", "null")));
    if (json_member(&file, NULL, "skiplist_words") == NULL)
        file_die(file.name, "'skiplist_words' is absent; expected an array");
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
    return file;
}

void colbert_read(struct checkpoint *checkpoint)
{
    static const struct json_file nothing = {.root = NULL};
    struct sentence_transformers *st = &checkpoint->st;
    struct model_config *model = &checkpoint->config.model;
    struct tokenizer_draft *draft = &checkpoint->tokenizer.draft;
    struct json_file *metadata = &checkpoint->token_modules.metadata;
    if (st->n_token_dense > 0)
        read_token_dense(st, &checkpoint->folder, model);
    if (st->has_token_mask) {
        const struct json_file mask = read_token_mask(st, &checkpoint->folder);
        model->pooling = POOLING_NONE;
        if (checkpoint->has_tokenizer)
            skip_words(&mask, draft, false);
    } else if (st->n_token_dense > 0) {
        read_markers(checkpoint, &st->prompts, &PYLATE);
        if (checkpoint->has_tokenizer)
            skip_words(&st->prompts, draft, true);
    } else if (strcmp(checkpoint->config.architecture->class_name, "HF_ColBERT") == 0) {
        json_file_read(metadata, &checkpoint->folder, "", "artifact.metadata", false, false);
        model->pooling = POOLING_NONE;
        read_markers(checkpoint, metadata, &STANFORD);
        if (checkpoint->has_tokenizer && json_flag(metadata, NULL, "mask_punctuation", true))
            skip_words(&nothing, draft, true);
    }
    set_queries(checkpoint);
}

void colbert_write(const struct token_modules *modules, struct weight_output *output)
{
    if (modules->query_marker == NULL)
        return;
    weight_output_metadata(output, "prompt.query", modules->query_marker);
    weight_output_metadata(output, "prompt.document", modules->document_marker);
    weight_output_metadata(output, "default_prompt", "document");
}

/* ---- Tensors of all token modules ---- */

static const char WEIGHTS_FILE[] = "sparse_linear.pt", VECTORS_FILE[] = "colbert_linear.pt";

/* Sets which special tokens have no weight. */
static void skip_specials(struct tokenizer_draft *draft)
{
    static const char *const names[] = {"<s>",   "</s>",  "<pad>", "<unk>",
                                        "[CLS]", "[SEP]", "[PAD]", "[UNK]"};
    struct blank_list list = {.n = 0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t id = word_list_find(&draft->words, names[i], strlen(names[i]));
        if (id != WORD_NONE)
            list_add(&list, "%zu", id);
    }
    list_set(&list, draft, "skip_weights");
}

/* ---- One layer of several ---- */

/* A linear map with its bias, W [out, in] and b [out]. */
struct map {
    double *weight, *bias;
    size_t out, in;
};

/* Adds a tensor [rows, cols] of a module (cols 0: a vector) to numbers. */
static void add_tensor(double *to, struct tensor_set *set, const char *name, size_t rows,
                       size_t cols)
{
    const struct stored_tensor *tensor = tensor_set_need(set, name, rows, cols);
    const size_t n_cols = cols > 0 ? cols : 1;
    float *numbers = tensor_floats(set, tensor, 0, rows, n_cols);
    for (size_t i = 0; i < rows * n_cols; i++)
        to[i] += numbers[i];
    alloc_free(numbers);
}

/* Reads a module as one map: with a residual its weight has that of the residual, or 1, added. */
static struct map read_map(struct tensor_set *set, const struct dense_module *dense)
{
    struct map map = {.out = dense->out, .in = dense->in};
    map.weight = alloc_zeros(map.out, map.in * sizeof *map.weight);
    map.bias = alloc_zeros(map.out, sizeof *map.bias);
    add_tensor(map.weight, set, "linear.weight", map.out, map.in);
    if (dense->has_bias)
        add_tensor(map.bias, set, "linear.bias", map.out, 0);
    if (dense->has_residual && map.out != map.in)
        add_tensor(map.weight, set, "residual.weight", map.out, map.in);
    for (size_t i = 0; dense->has_residual && map.out == map.in && i < map.out; i++)
        map.weight[i * map.in + i] += 1;
    tensor_set_check_used(set, "a Dense module");
    return map;
}

/* Returns second after first: W2·W1 and W2·b1 + b2; frees both. */
static struct map join_maps(struct map first, struct map second)
{
    struct map map = {.out = second.out, .in = first.in, .bias = second.bias};
    map.weight = alloc_zeros(map.out, map.in * sizeof *map.weight);
    for (size_t i = 0; i < map.out; i++)
        for (size_t k = 0; k < second.in; k++) {
            const double factor = second.weight[i * second.in + k];
            map.bias[i] += factor * first.bias[k];
            for (size_t j = 0; j < map.in; j++)
                map.weight[i * map.in + j] += factor * first.weight[k * first.in + j];
        }
    alloc_free(first.weight);
    alloc_free(first.bias);
    alloc_free(second.weight);
    return map;
}

static float *to_floats(double *numbers, size_t n)
{
    float *floats = alloc_zeros(n, sizeof *floats);
    for (size_t i = 0; i < n; i++)
        floats[i] = (float)numbers[i];
    alloc_free(numbers);
    return floats;
}

static void plan_token_dense(struct plan *plan, struct tensor_set *sets,
                             const struct sentence_transformers *st, struct folder *folder)
{
    const struct dense_module *first = st->token_dense;
    for (size_t i = 0; i < st->n_token_dense; i++)
        tensor_set_read(&sets[i], folder, st->token_dense[i].place);
    if (st->n_token_dense == 1 && !first->has_residual) {
        plan_linear(plan, sets, PART_LINEAR, "token.vector", "linear", 0, first->out, first->in,
                    first->has_bias);
        return;
    }
    bool has_bias = first->has_bias;
    struct map map = read_map(&sets[0], first);
    for (size_t i = 1; i < st->n_token_dense; i++) {
        map = join_maps(map, read_map(&sets[i], &st->token_dense[i]));
        has_bias = has_bias || st->token_dense[i].has_bias;
    }
    plan_values(plan, "token.vector.weight", to_floats(map.weight, map.out * map.in), map.out,
                map.in);
    if (has_bias)
        plan_values(plan, "token.vector.bias", to_floats(map.bias, map.out), map.out, 0);
}

void token_modules_plan(struct checkpoint *checkpoint)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct tensor_set *weights = &checkpoint->token_modules.weights;
    struct tensor_set *vectors = &checkpoint->token_modules.vectors;
    struct folder *folder = &checkpoint->folder;
    struct plan *plan = &checkpoint->plan;
    struct model_config *model = &checkpoint->config.model;
    if (folder_has(folder, st->transformer, WEIGHTS_FILE)) {
        tensor_set_read_file(weights, folder, st->transformer, WEIGHTS_FILE);
        plan_linear(plan, weights, PART_SCORES, "token.weight", "", 0, 1, model->width, true);
        model->sparse = SPARSE_LINEAR;
        skip_specials(&checkpoint->tokenizer.draft);
    }
    if (folder_has(folder, st->transformer, VECTORS_FILE)) {
        tensor_set_read_file(vectors, folder, st->transformer, VECTORS_FILE);
        model->token_vectors = tensor_matrix_rows(tensor_set_find(vectors, "weight"));
        model->token_vector_first = false;
        plan_linear(plan, vectors, PART_LINEAR, "token.vector", "", 0, model->token_vectors,
                    model->width, true);
    }
    if (st->n_token_dense > 0)
        plan_token_dense(plan, checkpoint->dense, st, folder);
}

/* ---- Weights of queries ---- */

/* Refuses two files of JSON that differ in more than keys that change no token. */
static void check_alike(struct folder *folder, const char *of_queries, const char *of_documents,
                        const char *name, enum known_keys kind)
{
    struct json_file queries, documents;
    const char *key;
    json_t *value;
    json_file_read(&queries, folder, of_queries, name, true, false);
    json_file_read(&documents, folder, of_documents, name, true, false);
    for (int i = 0; i < 2; i++) {
        const json_t *one = i == 0 ? queries.root : documents.root;
        const json_t *other = i == 0 ? documents.root : queries.root;
        json_object_foreach((json_t *)one, key, value)
        {
            const bool is_step = name_is_listed("model tokenizer_class", key);
            if ((is_step || !known_keys_are_harmless(kind, key)) &&
                !json_equal(value, json_object_get(other, key)))
                file_die(queries.name,
                         "'%.60s' differs from that of %s; expected the tokenizer of "
                         "documents",
                         key, documents.name);
        }
    }
}

static void check_query_tokenizer(struct folder *folder, const char *query_place, const char *place,
                                  size_t max_text_tokens)
{
    static const char name[] = "tokenizer_config.json";
    struct json_file file;
    check_alike(folder, query_place, place, "tokenizer.json", KEYS_TOKENIZER_JSON);
    check_alike(folder, query_place, place, name, KEYS_TOKENIZER);
    json_file_read(&file, folder, query_place, name, true, false);
    const double limit = json_number(&file, "model_max_length", 1e30);
    if (limit != (double)max_text_tokens)
        file_die(file.name,
                 "'model_max_length' is %g, and texts of documents are cut to %zu tokens; expected "
                 "the same",
                 limit, max_text_tokens);
}

void query_weights_plan(struct checkpoint *checkpoint)
{
    struct folder *folder = &checkpoint->folder;
    struct model_config *model = &checkpoint->config.model;
    struct tensor_set *weights = &checkpoint->token_modules.weights;
    const char *place = checkpoint->st.query_place;
    struct json_file file;
    if (place[0] == '\0')
        return;
    if (model->sparse == SPARSE_NONE)
        program_die("router_config.json: queries have weights of token ids, but documents have no "
                    "SpladePooling; expected one");
    json_file_read(&file, folder, place, "config.json", true, false);
    json_flag(&file, NULL, "frozen", false);
    json_only_check(&file, ONLY({"path", "null", false,
                                 "put the weights into model.safetensors, as 6.2 saves them"}));
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
    check_query_tokenizer(folder, place, checkpoint->st.transformer, model->max_text_tokens);
    tensor_set_read(weights, folder, place);
    const struct stored_tensor *weight = tensor_set_need(weights, "weight", model->vocabulary, 0);
    tensor_set_check_used(weights, "the weights of queries");
    plan_values(&checkpoint->plan, "query.weight",
                tensor_floats(weights, weight, 0, model->vocabulary, 1), model->vocabulary, 0);
    model->query_weights = true;
}
