/* colbert.c - see colbert.h. */
#include "tools/import/checkpoint/colbert.h"

#include "tools/common/alloc.h"
#include "tools/import/checkpoint/plan_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SKIPPED = 64 }; /* weights/FORMAT.md, skip_vectors */

static void read_dense(struct folder *folder, struct dense_module *dense,
                       struct model_config *model)
{
    struct json_file file;
    json_file_read(&file, folder, dense->place, "config.json", true, false);
    dense->in = json_need_count(&file, NULL, "in_features", 1);
    dense->out = json_need_count(&file, NULL, "out_features", 1);
    const char *activation = json_text(&file, NULL, "activation_function", "Identity");
    if (strcmp(json_last_name(activation), "Identity") != 0)
        json_refuse(&file, "'activation_function' is '%.100s'; expected Identity", activation);
    if (dense->in != model->width)
        json_refuse(&file, "'in_features' is %lld; expected %lld, the model's width",
                    (long long)dense->in, (long long)model->width);
    json_only(&file, "use_residual", "false", false);
    model->token_vector_bias = json_flag(&file, NULL, "bias", true);
    model->token_vectors = dense->out;
    json_file_free(&file);
}

/* A marker is put before the text, as one token. */
static const char *marker(const struct json_file *file, const struct import_tokenizer *tokenizer,
                          struct problem *problem, const char *key, const char *otherwise)
{
    const char *text = json_text(file, NULL, key, otherwise);
    if (tokenizer != NULL && text[0] != '\0' &&
        word_list_find(&tokenizer->draft.words, text, strlen(text)) == WORD_NONE)
        problem_say(problem, "%s: the '%s' '%.60s' is not a token of the tokenizer; expected one",
                    file->name[0] != '\0' ? file->name : "a ColBERT", key, text);
    return text;
}

/* Words that have no token are skipped as the token for unknown words, as PyLate does. */
static void skip_words(const struct json_file *file, struct tokenizer_draft *draft)
{
    static const char punctuation[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    const json_t *words = json_typed(file, "skiplist_words", JSON_ARRAY, "an array");
    size_t n = words != NULL ? json_array_size(words) : sizeof punctuation - 1;
    bool has_unknown = false;
    struct blank_list list;
    list_open(&list);
    for (size_t i = 0; i < n; i++) {
        const json_t *word = words != NULL ? json_array_get(words, i) : NULL;
        if (words != NULL && !json_is_string(word))
            json_refuse(file, "'skiplist_words' holds %s; expected strings", json_kind(word));
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
        json_refuse(file, "'skiplist_words' has %zu tokens; expected at most %d", list.n,
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

/* Queries would be filled up with mask tokens to query_length: that is not done, and said. */
static void say_expansion(struct colbert *colbert)
{
    snprintf(colbert->note, sizeof colbert->note,
             "ColBERT fills queries up with mask tokens ('do_query_expansion'); here they are "
             "taken as they are, so their scores are smaller");
}

static void read_pylate(struct colbert *colbert, struct folder *folder,
                        struct sentence_transformers *st, struct import_tokenizer *tokenizer,
                        struct model_config *model)
{
    const struct json_file *file = &st->prompts;
    read_dense(folder, &st->token_dense, model);
    st->max_seq_length = json_count(file, NULL, "document_length", 1, 180);
    colbert->query_marker = marker(file, tokenizer, folder->problem, "query_prefix", "[Q] ");
    colbert->document_marker = marker(file, tokenizer, folder->problem, "document_prefix", "[D] ");
    if (tokenizer != NULL) {
        add_marker(&tokenizer->draft, colbert->query_marker);
        add_marker(&tokenizer->draft, colbert->document_marker);
        skip_words(file, &tokenizer->draft);
    }
    if (json_flag(file, NULL, "do_query_expansion", true))
        say_expansion(colbert);
}

static void read_stanford(struct colbert *colbert, struct folder *folder,
                          struct sentence_transformers *st, struct import_tokenizer *tokenizer,
                          struct model_config *model)
{
    static const struct json_file nothing = {.root = NULL};
    struct json_file *file = &colbert->metadata;
    json_file_read(file, folder, "", "artifact.metadata", false, false);
    model->pooling = POOLING_NONE;
    st->max_seq_length = json_count(file, NULL, "doc_maxlen", 1, 180);
    colbert->query_marker = marker(file, tokenizer, folder->problem, "query_token_id", "[unused0]");
    colbert->document_marker =
        marker(file, tokenizer, folder->problem, "doc_token_id", "[unused1]");
    if (tokenizer != NULL) {
        add_marker(&tokenizer->draft, colbert->query_marker);
        add_marker(&tokenizer->draft, colbert->document_marker);
        if (json_flag(file, NULL, "mask_punctuation", true))
            skip_words(&nothing, &tokenizer->draft);
    }
    say_expansion(colbert);
}

void colbert_read(struct colbert *colbert, struct folder *folder, struct sentence_transformers *st,
                  const char *class_name, struct import_tokenizer *tokenizer,
                  struct model_config *model)
{
    if (st->has_token_dense)
        read_pylate(colbert, folder, st, tokenizer, model);
    else if (strcmp(class_name, "HF_ColBERT") == 0)
        read_stanford(colbert, folder, st, tokenizer, model);
}

void colbert_plan(struct colbert *colbert, struct folder *folder,
                  const struct sentence_transformers *st, struct stored_types types,
                  struct plan *plan, const struct model_config *model)
{
    static const struct linear_names names = {"token.vector.weight", "token.vector.bias",
                                              "linear.weight", "linear.bias"};
    const struct dense_module *dense = &st->token_dense;
    if (!st->has_token_dense)
        return;
    tensor_set_read(&colbert->dense, folder, dense->place);
    plan_linear(plan, types, &colbert->dense, &names, 0, dense->out, dense->in,
                model->token_vector_bias);
}

void colbert_write(const struct colbert *colbert, struct weight_output *output)
{
    if (colbert->query_marker == NULL)
        return;
    weight_output_metadata(output, "prompt.query", colbert->query_marker);
    weight_output_metadata(output, "prompt.document", colbert->document_marker);
    weight_output_metadata(output, "default_prompt", "document");
}

void colbert_free(struct colbert *colbert)
{
    tensor_set_free(&colbert->dense);
    json_file_free(&colbert->metadata);
}
