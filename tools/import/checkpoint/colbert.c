/* colbert.c - see colbert.h. */
#include "tools/import/checkpoint/colbert.h"

#include "tools/import/checkpoint/plan_make.h"

#include <stdio.h>
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
    const char *text = file->root != NULL ? json_text(file, NULL, key, otherwise) : otherwise;
    if (tokenizer != NULL && text[0] != '\0' &&
        word_list_find(&tokenizer->draft.words, text, strlen(text)) == WORD_NONE)
        problem_say(problem,
                    "config_sentence_transformers.json: the '%s' '%.60s' is not a token of the "
                    "tokenizer; expected one",
                    key, text);
    return text;
}

/* Words that have no token are skipped as the token for unknown words, as PyLate does. */
static void skip_words(const struct json_file *file, struct tokenizer_draft *draft)
{
    static const char punctuation[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    const json_t *words =
        file->root != NULL ? json_typed(file, "skiplist_words", JSON_ARRAY, "an array") : NULL;
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

/* Documents are cut to their own length. Queries would be filled up with mask tokens: that is not
 * done, and said. */
void colbert_read(struct colbert *colbert, struct folder *folder, struct sentence_transformers *st,
                  struct import_tokenizer *tokenizer, struct model_config *model)
{
    const struct json_file *file = &st->prompts;
    if (!st->has_token_dense)
        return;
    read_dense(folder, &st->token_dense, model);
    st->max_seq_length =
        file->root != NULL ? json_count(file, NULL, "document_length", 1, 180) : 180;
    colbert->query_marker = marker(file, tokenizer, folder->problem, "query_prefix", "[Q] ");
    colbert->document_marker = marker(file, tokenizer, folder->problem, "document_prefix", "[D] ");
    if (tokenizer != NULL)
        skip_words(file, &tokenizer->draft);
    if (file->root == NULL || json_flag(file, NULL, "do_query_expansion", true))
        snprintf(colbert->note, sizeof colbert->note,
                 "PyLate fills queries up with mask tokens ('do_query_expansion'); here they are "
                 "taken as they are, so their scores are smaller");
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

static void set(struct weight_writer *writer, const char *key, const char *value)
{
    weight_writer_setting(writer, ENGINE_SETTINGS_METADATA, key, value, strlen(value));
}

void colbert_write(const struct colbert *colbert, struct weight_writer *writer)
{
    if (colbert->query_marker == NULL)
        return;
    set(writer, "prompt.query", colbert->query_marker);
    set(writer, "prompt.document", colbert->document_marker);
    set(writer, "default_prompt", "document");
}

void colbert_free(struct colbert *colbert)
{
    tensor_set_free(&colbert->dense);
}
