/* tokenizer_parts.c - see tokenizer_parts.h. */
#include "tools/import/tokenizer/tokenizer_parts.h"

#include "tools/common/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More than any public vocabulary has, and few enough that a wrong number takes little memory. */
enum { MOST_IDS = 1 << 22 };

bool tokenizer_refuse(const struct import_tokenizer *tokenizer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    problem_in(tokenizer->problem, tokenizer->name, format, arguments);
    va_end(arguments);
    return false;
}

bool parts_place(struct import_tokenizer *tokenizer, uint64_t id, const char *text, size_t len)
{
    struct word_list *words = &tokenizer->draft.words;
    size_t other = word_list_find(words, text, len);
    if (id >= MOST_IDS)
        return tokenizer_refuse(tokenizer, "a token has the id %" PRIu64 "; expected at most %d",
                                id, MOST_IDS - 1);
    if (id < words->n && words->texts[id] != NULL)
        return tokenizer_refuse(tokenizer,
                                "two tokens have the id %" PRIu64 ": '%.100s' and '%.100s'", id,
                                words->texts[id], text);
    if (other != WORD_NONE)
        return tokenizer_refuse(tokenizer,
                                "'%.100s' is there twice, as token %zu and token %" PRIu64,
                                words->texts[other], other, id);
    word_list_place(words, (size_t)id, text, len);
    return true;
}

/* ---- Settings ---- */

void list_open(struct blank_list *list)
{
    *list = (struct blank_list){.n = 0};
    list->stream = alloc_open(&list->text, &list->len);
}

void list_add(struct blank_list *list, const char *format, ...)
{
    va_list arguments;
    if (list->n++ > 0)
        fputc(' ', list->stream);
    va_start(arguments, format);
    vfprintf(list->stream, format, arguments);
    va_end(arguments);
}

void list_set(struct blank_list *list, struct tokenizer_draft *draft, const char *key)
{
    alloc_close(list->stream);
    if (list->n > 0)
        draft_set(draft, key, list->text, list->len);
    free(list->text);
}

/* ---- Added tokens ---- */

/* x: a new token, outside the model's vocabulary. */
static void add_to_list(struct blank_list *list, const struct added_token *token, bool outside)
{
    char flags[8];
    snprintf(flags, sizeof flags, "%s%s%s%s%s", token->normalized ? "n" : "",
             token->lstrip ? "l" : "", token->rstrip ? "r" : "", token->single_word ? "w" : "",
             outside ? "x" : "");
    list_add(list, "%" PRId64 "%s%s", token->id, flags[0] != '\0' ? ":" : "", flags);
}

/* Where added tokens get their ids: texts of the model keep theirs, new ones come behind. */
struct added_ids {
    int64_t n_model; /* texts of the model */
    int64_t highest; /* id of an added token so far, or -1 */
};

static bool place_token(struct import_tokenizer *tokenizer, const struct added_token *token,
                        struct added_ids *ids, bool *outside)
{
    size_t found = word_list_find(&tokenizer->draft.words, token->content, token->len);
    int64_t id = ids->highest >= ids->n_model ? ids->highest + 1 : ids->n_model;
    *outside = found == WORD_NONE;
    if (!*outside)
        id = (int64_t)found;
    if (token->id != id)
        return tokenizer_refuse(tokenizer,
                                "the added token '%.100s' has the id %" PRId64 "; expected %" PRId64
                                ", from the vocabulary",
                                token->content, token->id, id);
    if (id > ids->highest)
        ids->highest = id;
    return !*outside || parts_place(tokenizer, (uint64_t)id, token->content, token->len);
}

/* Ids are given in the order of the file; in the list special tokens come first, as the reference
 * looks for them. */
bool parts_add_tokens(struct import_tokenizer *tokenizer, const struct added_token *tokens,
                      size_t n)
{
    struct added_ids ids = {.highest = -1};
    bool *outside = calloc(n + 1, sizeof *outside), ok = true;
    struct blank_list list;
    if (outside == NULL)
        return problem_memory(tokenizer->problem);
    for (size_t id = 0; id < tokenizer->draft.words.n; id++)
        ids.n_model += tokenizer->draft.words.texts[id] != NULL;
    for (size_t i = 0; ok && i < n; i++)
        ok = place_token(tokenizer, &tokens[i], &ids, &outside[i]);
    list_open(&list);
    for (int special = 1; special >= 0; special--)
        for (size_t i = 0; ok && i < n; i++)
            if (tokens[i].special == (special == 1))
                add_to_list(&list, &tokens[i], outside[i]);
    free(outside);
    list_set(&list, &tokenizer->draft, "added");
    return ok;
}

/* ---- BERT's own ---- */

void parts_bert_template(struct import_tokenizer *tokenizer, uint64_t cls, uint64_t sep)
{
    snprintf(tokenizer->single, TEMPLATE_BYTES, "%" PRIu64 ":0 A:0 %" PRIu64 ":0", cls, sep);
    snprintf(tokenizer->pair, TEMPLATE_BYTES, "%" PRIu64 ":0 A:0 %" PRIu64 ":0 B:1 %" PRIu64 ":1",
             cls, sep, sep);
}

void parts_bert_normalizer(struct blank_list *steps, const struct bert_switches *switches)
{
    if (switches->clean_text)
        list_add(steps, "clean");
    if (switches->handle_chinese_chars)
        list_add(steps, "space_cjk");
    if (switches->strip_accents) {
        list_add(steps, "nfd");
        list_add(steps, "drop_nonspacing");
    }
    if (switches->lowercase)
        list_add(steps, "lower");
}
