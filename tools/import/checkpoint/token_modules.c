/* token_modules.c - layers after the encoder that answer for each token, and what a ColBERT has
 * besides its tensors; see checkpoint.h. */
#include "tools/common/alloc.h"
#include "tools/import/checkpoint/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SKIPPED = 64 }; /* weights/FORMAT.md, skip_vectors */

/* ---- ColBERT ---- */

/* Reads the configuration of PyLate's Dense module. */
static void read_dense(struct folder *folder, struct dense_module *dense,
                       struct model_config *model)
{
    static const struct json_only usual[] = {
        {"module_input_name", "\"token_embeddings\"", false, NULL},
        {"module_output_name", "\"token_embeddings\"", false, NULL},
        {"use_residual", "false", false, NULL},
        {.name = NULL}};
    struct json_file file;
    json_file_read(&file, folder, dense->place, "config.json", true, false);
    dense->in = json_count(&file, NULL, "in_features", 1, JSON_NEEDED);
    dense->out = json_count(&file, NULL, "out_features", 1, JSON_NEEDED);
    const char *activation = json_text(&file, NULL, "activation_function", "Identity");
    if (strcmp(json_last_name(activation), "Identity") != 0)
        file_die(file.name, "'activation_function' is '%.100s'; expected Identity", activation);
    if (dense->in != model->width)
        file_die(file.name, "'in_features' is %zu; expected %zu, the model's width", dense->in,
                 model->width);
    json_only_check(&file, usual);
    model->token_vector_bias = json_flag(&file, NULL, "bias", true);
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
    model->token_vectors = dense->out;
}

/* Sets which tokens have no vector. A word that is not a token means the unknown token, as in
 * PyLate. */
static void skip_words(const struct json_file *file, struct tokenizer_draft *draft)
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
    if (has_unknown && draft_get(draft, "unknown")[0] != '\0')
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

/* Keys of the length of documents and of the markers in the files of the two programs, and the
 * default markers. */
static const struct marker_keys {
    const char *length, *query, *usual_query, *document, *usual_document;
} PYLATE = {"document_length", "query_prefix", "[Q] ", "document_prefix", "[D] "},
  STANFORD = {"doc_maxlen", "query_token_id", "[unused0]", "doc_token_id", "[unused1]"};

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

/* Reads the length of documents and the markers. Queries would be filled up with mask tokens: a
 * note says that this is not done. */
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
    if (keys == &STANFORD || json_flag(file, NULL, "do_query_expansion", true))
        snprintf(modules->note, sizeof modules->note,
                 "ColBERT fills queries up with mask tokens ('do_query_expansion'); here they are "
                 "taken as they are, so their scores are smaller");
}

void colbert_read(struct checkpoint *checkpoint)
{
    static const struct json_file nothing = {.root = NULL};
    struct tokenizer_draft *draft = &checkpoint->tokenizer.draft;
    struct json_file *metadata = &checkpoint->token_modules.metadata;
    if (checkpoint->st.has_token_dense) {
        read_dense(&checkpoint->folder, &checkpoint->st.token_dense, &checkpoint->config.model);
        read_markers(checkpoint, &checkpoint->st.prompts, &PYLATE);
        if (checkpoint->has_tokenizer)
            skip_words(&checkpoint->st.prompts, draft);
    } else if (strcmp(checkpoint->config.architecture->class_name, "HF_ColBERT") == 0) {
        json_file_read(metadata, &checkpoint->folder, "", "artifact.metadata", false, false);
        checkpoint->config.model.pooling = POOLING_NONE;
        read_markers(checkpoint, metadata, &STANFORD);
        if (checkpoint->has_tokenizer && json_flag(metadata, NULL, "mask_punctuation", true))
            skip_words(&nothing, draft);
    }
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

/* Returns the rows of the matrix; 1 if the matrix is absent, which plan_linear then refuses. */
static size_t rows_of(const struct tensor_set *set)
{
    const struct stored_tensor *weight = tensor_set_find(set, "weight");
    bool is_right = weight != NULL && weight->n_dims == 2 && weight->shape[0] > 0 &&
                    weight->shape[0] <= INT32_MAX;
    return is_right ? (size_t)weight->shape[0] : 1;
}

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

void token_modules_plan(struct checkpoint *checkpoint, struct stored_types types)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct token_modules *modules = &checkpoint->token_modules;
    struct folder *folder = &checkpoint->folder;
    struct plan *plan = &checkpoint->plan;
    struct model_config *model = &checkpoint->config.model;
    if (folder_has(folder, st->transformer, WEIGHTS_FILE)) {
        tensor_set_read_file(&modules->weights, folder, st->transformer, WEIGHTS_FILE);
        plan_linear(plan, (struct stored_types){TENSOR_F32, 0}, &modules->weights, "token.weight",
                    "", 0, 1, model->width, true);
        model->sparse = SPARSE_LINEAR;
        skip_specials(&checkpoint->tokenizer.draft);
    }
    if (folder_has(folder, st->transformer, VECTORS_FILE)) {
        tensor_set_read_file(&modules->vectors, folder, st->transformer, VECTORS_FILE);
        model->token_vectors = rows_of(&modules->vectors);
        model->token_vector_first = false;
        plan_linear(plan, types, &modules->vectors, "token.vector", "", 0, model->token_vectors,
                    model->width, true);
    }
    if (st->has_token_dense) {
        tensor_set_read(&modules->dense, folder, st->token_dense.place);
        plan_linear(plan, types, &modules->dense, "token.vector", "linear", 0, st->token_dense.out,
                    st->token_dense.in, model->token_vector_bias);
    }
}
