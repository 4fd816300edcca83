/* tokenizer_parts.c - see tokenizer_parts.h. */
#include "tools/import/tokenizer/tokenizer_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any public vocabulary has, and few enough that a wrong number takes little memory. */
enum { MOST_IDS = 1 << 22 };

bool text_add(struct growing_text *text, const char *bytes, size_t len, struct problem *problem)
{
    if (text->cap - text->len <= len) {
        const size_t cap = 2 * (text->len + len) + 64;
        char *grown = realloc(text->bytes, cap);
        if (grown == NULL)
            return problem_memory(problem);
        text->bytes = grown;
        text->cap = cap;
    }
    memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
    text->bytes[text->len] = '\0';
    return true;
}

bool text_format(struct growing_text *text, struct problem *problem, const char *format, ...)
{
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return text_add(text, line,
                    n < 0                     ? 0
                    : (size_t)n < sizeof line ? (size_t)n
                                              : sizeof line - 1,
                    problem);
}

/* ---- Texts ---- */

bool parts_reserve(struct import_tokenizer *tokenizer, const char *name, uint64_t n,
                   struct problem *problem)
{
    if (n <= tokenizer->n)
        return true;
    if (n > MOST_IDS)
        return problem_say(problem, "%s: a token has the id %" PRIu64 "; expected at most %d", name,
                           n - 1, MOST_IDS - 1);
    char **texts = realloc(tokenizer->texts, (size_t)n * sizeof *texts);
    if (texts == NULL)
        return problem_memory(problem);
    tokenizer->texts = texts;
    size_t *lens = realloc(tokenizer->lens, (size_t)n * sizeof *lens);
    if (lens == NULL)
        return problem_memory(problem);
    tokenizer->lens = lens;
    memset(texts + tokenizer->n, 0, ((size_t)n - tokenizer->n) * sizeof *texts);
    memset(lens + tokenizer->n, 0, ((size_t)n - tokenizer->n) * sizeof *lens);
    tokenizer->n = (size_t)n;
    return true;
}

bool parts_set_text(struct import_tokenizer *tokenizer, const char *name, uint64_t id,
                    const char *text, size_t len, struct problem *problem)
{
    if (!parts_reserve(tokenizer, name, id + 1, problem))
        return false;
    if (tokenizer->texts[id] != NULL)
        return problem_say(problem, "%s: two tokens have the id %" PRIu64 ": '%.100s' and '%.100s'",
                           name, id, tokenizer->texts[id], text);
    char *copy = malloc(len + 1);
    if (copy == NULL)
        return problem_memory(problem);
    memcpy(copy, text, len);
    copy[len] = '\0';
    tokenizer->texts[id] = copy;
    tokenizer->lens[id] = len;
    return true;
}

static bool has_text(const struct import_tokenizer *tokenizer, size_t id, const char *text,
                     size_t len)
{
    return tokenizer->texts[id] != NULL && tokenizer->lens[id] == len &&
           memcmp(tokenizer->texts[id], text, len) == 0;
}

int32_t parts_find(const struct import_tokenizer *tokenizer, const char *text)
{
    for (size_t id = 0; id < tokenizer->n; id++)
        if (has_text(tokenizer, id, text, strlen(text)))
            return (int32_t)id;
    return -1;
}

/* The slot of the text, or the free one where it belongs. FNV-1a. */
static uint32_t *find_slot(const struct text_index *index, const struct import_tokenizer *tokenizer,
                           const char *text, size_t len)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    size_t slot = (size_t)(hash ^ hash >> 32) & (index->n_slots - 1);
    while (index->slots[slot] != 0 && !has_text(tokenizer, index->slots[slot] - 1, text, len))
        slot = (slot + 1) & (index->n_slots - 1);
    return &index->slots[slot];
}

bool text_index_build(struct text_index *index, const struct import_tokenizer *tokenizer,
                      const char *name, size_t n_more, struct problem *problem)
{
    index->n_slots = 16;
    while (index->n_slots / 2 < tokenizer->n + n_more)
        index->n_slots *= 2;
    index->slots = calloc(index->n_slots, sizeof *index->slots);
    if (index->slots == NULL)
        return problem_memory(problem);
    for (size_t id = 0; id < tokenizer->n; id++) {
        if (tokenizer->texts[id] == NULL)
            continue;
        uint32_t *slot = find_slot(index, tokenizer, tokenizer->texts[id], tokenizer->lens[id]);
        if (*slot != 0) {
            problem_say(problem, "%s: '%.100s' is there twice, as token %u and token %zu", name,
                        tokenizer->texts[id], *slot - 1, id);
            text_index_free(index);
            return false;
        }
        *slot = (uint32_t)id + 1;
    }
    return true;
}

void text_index_free(struct text_index *index)
{
    free(index->slots);
    index->slots = NULL;
}

int32_t text_index_find(const struct text_index *index, const struct import_tokenizer *tokenizer,
                        const char *text, size_t len)
{
    return (int32_t)*find_slot(index, tokenizer, text, len) - 1;
}

/* ---- Settings ---- */

bool parts_set(struct import_tokenizer *tokenizer, const char *key, struct growing_text *value,
               struct problem *problem)
{
    if (value->bytes == NULL && !text_add(value, "", 0, problem))
        return false;
    if (tokenizer->n_settings == IMPORT_TOKENIZER_SETTINGS) {
        free(value->bytes);
        *value = (struct growing_text){.bytes = NULL};
        return problem_say(problem, "the tokenizer has more than %d settings",
                           IMPORT_TOKENIZER_SETTINGS);
    }
    tokenizer->settings[tokenizer->n_settings++] =
        (struct import_tokenizer_setting){.key = key, .value = value->bytes, .len = value->len};
    *value = (struct growing_text){.bytes = NULL};
    return true;
}

bool parts_set_number(struct import_tokenizer *tokenizer, const char *key, int64_t number,
                      struct problem *problem)
{
    struct growing_text text = {.bytes = NULL};
    return text_format(&text, problem, "%" PRId64, number) &&
           parts_set(tokenizer, key, &text, problem);
}

bool parts_set_steps(struct import_tokenizer *tokenizer, const char *key,
                     struct growing_text *steps, struct problem *problem)
{
    if (steps->len == 0)
        return true;
    steps->bytes[--steps->len] = '\0';
    return parts_set(tokenizer, key, steps, problem);
}

/* ---- Added tokens ---- */

static bool add_to_list(struct growing_text *list, const struct added_token *token, bool outside,
                        struct problem *problem)
{
    char flags[8];
    snprintf(flags, sizeof flags, "%s%s%s%s%s", token->normalized ? "n" : "",
             token->lstrip ? "l" : "", token->rstrip ? "r" : "", token->single_word ? "w" : "",
             outside ? "x" : "");
    return text_format(list, problem, "%s%" PRIu64 "%s%s", list->len > 0 ? " " : "", token->id,
                       flags[0] != '\0' ? ":" : "", flags);
}

/* Where added tokens get their ids: texts of the model keep theirs, new ones come behind. */
struct added_ids {
    struct text_index index;
    size_t n_model;  /* texts of the model */
    int64_t highest; /* id of an added token so far, or -1 */
};

static bool place_token(struct import_tokenizer *tokenizer, const char *name,
                        const struct added_token *token, struct added_ids *ids, bool *outside,
                        struct problem *problem)
{
    const int32_t found = text_index_find(&ids->index, tokenizer, token->content, token->len);
    const int64_t n_model = (int64_t)ids->n_model;
    const int64_t id = found >= 0 ? found : ids->highest >= n_model ? ids->highest + 1 : n_model;
    if ((int64_t)token->id != id)
        return problem_say(problem,
                           "%s: the added token '%.100s' has the id %" PRIu64 "; expected %" PRId64
                           ", from the vocabulary",
                           name, token->content, token->id, id);
    *outside = found < 0;
    if (id > ids->highest)
        ids->highest = id;
    if (found >= 0)
        return true;
    if (!parts_set_text(tokenizer, name, token->id, token->content, token->len, problem))
        return false;
    *find_slot(&ids->index, tokenizer, token->content, token->len) = (uint32_t)id + 1;
    return true;
}

static size_t count_texts(const struct import_tokenizer *tokenizer)
{
    size_t n = 0;
    for (size_t id = 0; id < tokenizer->n; id++)
        n += tokenizer->texts[id] != NULL;
    return n;
}

/* Ids are given in the order of the file; in the list special tokens come first, as the reference
 * looks for them. */
static bool list_tokens(struct import_tokenizer *tokenizer, const char *name,
                        const struct added_token *tokens, size_t n, struct added_ids *ids,
                        bool *outside, struct problem *problem)
{
    struct growing_text list = {.bytes = NULL};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = place_token(tokenizer, name, &tokens[i], ids, &outside[i], problem);
    for (int special = 1; special >= 0; special--)
        for (size_t i = 0; ok && i < n; i++)
            if (tokens[i].special == (special == 1))
                ok = add_to_list(&list, &tokens[i], outside[i], problem);
    if (ok && list.len > 0)
        return parts_set(tokenizer, "added", &list, problem);
    free(list.bytes);
    return ok;
}

bool parts_add_tokens(struct import_tokenizer *tokenizer, const char *name,
                      const struct added_token *tokens, size_t n, struct problem *problem)
{
    struct added_ids ids = {.n_model = count_texts(tokenizer), .highest = -1};
    bool *outside = calloc(n + 1, sizeof *outside);
    if (outside == NULL)
        return problem_memory(problem);
    bool ok = text_index_build(&ids.index, tokenizer, name, n, problem);
    if (ok) {
        ok = list_tokens(tokenizer, name, tokens, n, &ids, outside, problem);
        text_index_free(&ids.index);
    }
    free(outside);
    return ok;
}

/* ---- BERT's own ---- */

bool parts_bert_template(struct import_tokenizer *tokenizer, uint64_t cls, uint64_t sep,
                         struct problem *problem)
{
    struct growing_text single = {.bytes = NULL}, pair = {.bytes = NULL};
    const bool ok = text_format(&single, problem, "%" PRIu64 ":0 A:0 %" PRIu64 ":0", cls, sep) &&
                    text_format(&pair, problem, "%" PRIu64 ":0 A:0 %" PRIu64 ":0 B:1 %" PRIu64 ":1",
                                cls, sep, sep);
    tokenizer->single = single.bytes;
    tokenizer->pair = pair.bytes;
    return ok;
}

bool parts_bert_normalizer(struct growing_text *steps, const struct bert_switches *switches,
                           struct problem *problem)
{
    return text_format(steps, problem, "%s%s%s%s", switches->clean_text ? "clean " : "",
                       switches->handle_chinese_chars ? "space_cjk " : "",
                       switches->strip_accents ? "nfd drop_nonspacing " : "",
                       switches->lowercase ? "lower " : "");
}
