/* colbert.c - what a ColBERT has beside its tensors; see checkpoint.h. */
#include "tools/common/alloc.h"
#include "tools/import/checkpoint/checkpoint.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SKIPPED = 64 }; /* weights/FORMAT.md, skip_vectors */

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
    dense->in = json_need_count(&file, NULL, "in_features", 1);
    dense->out = json_need_count(&file, NULL, "out_features", 1);
    const char *activation = json_text(&file, NULL, "activation_function", "Identity");
    if (strcmp(json_last_name(activation), "Identity") != 0)
        file_die(file.name, "'activation_function' is '%.100s'; expected Identity", activation);
    if (dense->in != model->width)
        file_die(file.name, "'in_features' is %lld; expected %lld, the model's width",
                 (long long)dense->in, (long long)model->width);
    json_only_check(&file, usual);
    model->token_vector_bias = json_flag(&file, NULL, "bias", true);
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
    model->token_vectors = dense->out;
}

/* Words that have no token are skipped as the token for unknown words, as PyLate does. */
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

/* Whether "0 1:n 50281:lx" has the id 1. */
static bool names_id(const char *added, size_t id)
{
    while (*added != '\0') {
        char *end;
        const size_t named = strtoul(added, &end, 10);
        if (end != added && named == id)
            return true;
        end += strcspn(end, " ");
        added = end + strspn(end, " ");
    }
    return false;
}

/* Markers that are tokens of the vocabulary become tokens that texts can name. */
static void add_marker(struct tokenizer_draft *draft, const char *text)
{
    size_t id = word_list_find(&draft->words, text, strlen(text));
    struct draft_setting *added = NULL;
    for (size_t i = 0; i < draft->n_settings; i++)
        if (strcmp(draft->settings[i].key, "added") == 0)
            added = &draft->settings[i];
    if (id == WORD_NONE || (added != NULL && names_id(added->value, id)))
        return;
    if (added == NULL) {
        draft_set_number(draft, "added", id);
        return;
    }
    size_t cap = added->len + 32;
    added->value = alloc_resize(added->value, cap, 1);
    added->len += (size_t)snprintf(added->value + added->len, cap - added->len, " %zu", id);
}

/* Where the two programs say how long a document is and what the markers are, and what they are
 * where they do not. */
static const struct marker_keys {
    const char *length, *query, *usual_query, *document, *usual_document;
} PYLATE = {"document_length", "query_prefix", "[Q] ", "document_prefix", "[D] "},
  STANFORD = {"doc_maxlen", "query_token_id", "[unused0]", "doc_token_id", "[unused1]"};

/* A marker is put before the text, as one token. */
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
}

/* Queries would be filled up with mask tokens to query_length: that is not done, and said. */
static void say_expansion(struct token_modules *modules)
{
    snprintf(modules->note, sizeof modules->note,
             "ColBERT fills queries up with mask tokens ('do_query_expansion'); here they are "
             "taken as they are, so their scores are smaller");
}

static void read_pylate(struct checkpoint *checkpoint)
{
    const struct json_file *file = &checkpoint->st.prompts;
    struct token_modules *modules = &checkpoint->token_modules;
    read_dense(&checkpoint->folder, &checkpoint->st.token_dense, &checkpoint->config.model);
    read_markers(checkpoint, file, &PYLATE);
    if (checkpoint->has_tokenizer)
        skip_words(file, &checkpoint->tokenizer.draft);
    if (json_flag(file, NULL, "do_query_expansion", true))
        say_expansion(modules);
}

static void read_stanford(struct checkpoint *checkpoint)
{
    static const struct json_file nothing = {.root = NULL};
    struct json_file *file = &checkpoint->token_modules.metadata;
    json_file_read(file, &checkpoint->folder, "", "artifact.metadata", false, false);
    checkpoint->config.model.pooling = POOLING_NONE;
    read_markers(checkpoint, file, &STANFORD);
    if (checkpoint->has_tokenizer && json_flag(file, NULL, "mask_punctuation", true))
        skip_words(&nothing, &checkpoint->tokenizer.draft);
    say_expansion(&checkpoint->token_modules);
}

void colbert_read(struct checkpoint *checkpoint)
{
    if (checkpoint->st.has_token_dense)
        read_pylate(checkpoint);
    else if (strcmp(checkpoint->config.architecture->class_name, "HF_ColBERT") == 0)
        read_stanford(checkpoint);
}

void colbert_write(const struct token_modules *modules, struct weight_output *output)
{
    if (modules->query_marker == NULL)
        return;
    weight_output_metadata(output, "prompt.query", modules->query_marker);
    weight_output_metadata(output, "prompt.document", modules->document_marker);
    weight_output_metadata(output, "default_prompt", "document");
}
