/* item.c - an input's name in messages, its text and tokens, its padding; see item.h. */
#include "tools/common/texts/item.h"

#include "tools/common/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void record_free(struct record *record)
{
    free(record->storage);
    free(record->members_storage);
    free(record->fault);
    *record = (struct record){0};
}

void item_free(struct item *item)
{
    record_free(&item->record);
    free(item->prompted);
    free(item->mask);
    free(item->tokens);
    free(item->entities);
    free(item->candidates);
    *item = (struct item){0};
}

bool item_is_masked(const struct item *item, size_t i)
{
    return item->mask && !item->mask[i];
}

size_t item_n_visible(const struct item *item)
{
    size_t n = item->n_skipped;
    for (size_t i = 0; i < item->n_tokens; i++)
        n += !item_is_masked(item, i);
    return n;
}

bool item_has_text(const struct item *item)
{
    return item->record.input.ids || engine_has_text(item->tokens, item->n_tokens);
}

size_t item_count(const struct item *item, int32_t id)
{
    size_t n = 0;
    for (size_t i = 0; i < item->n_tokens; i++)
        n += item->tokens[i].id == id && !item_is_masked(item, i);
    return n;
}

bool item_has_span(const struct item *item, size_t i)
{
    return !item->record.input.ids && !item->tokens[i].special;
}

const char *item_span_text(const struct item *item, size_t i, size_t *len)
{
    const engine_input *input = &item->record.input;
    const engine_token *token = &item->tokens[i];
    const char *text = token->in_pair ? input->pair : input->text;
    *len = item_has_span(item, i) && text ? token->end - token->begin : 0;
    return *len ? text + token->begin : "";
}

engine_input item_shown(const struct item *item)
{
    const struct window *window = &item->window;
    engine_input shown = item->record.input;
    if (window->of == 0 || shown.ids)
        return shown;
    const char **text = window->in_pair ? &shown.pair : &shown.text;
    *text += window->begin;
    *(window->in_pair ? &shown.pair_len : &shown.text_len) = window->end - window->begin;
    return shown;
}

const char *item_name(const struct item *item)
{
    static char name[300];
    if (item->record.line)
        snprintf(name, sizeof name, "line %zu of %s", item->record.line,
                 item->record.source ? item->record.source : "stdin");
    else if (item->number)
        snprintf(name, sizeof name, "%s %zu", item->is_query ? "query" : "text", item->number);
    else
        snprintf(name, sizeof name, "the query");
    return name;
}

void item_note_repair(const struct item *item)
{
    program_note(item->record.has_half_pair
                     ? "%s has half of a surrogate pair, as \\ud83d alone, which is read as U+FFFD"
                     : "%s is not UTF-8: each invalid part is read as U+FFFD (iconv makes UTF-8 of "
                       "other encodings)",
                 item_name(item));
}

void item_add_prompt(struct item *item, const struct prompt *prompt)
{
    engine_input *input = &item->record.input;
    if (prompt->len == 0 || input->ids)
        return;
    item->prompted = alloc_zeros(prompt->len + input->text_len, 1);
    memcpy(item->prompted, prompt->text, prompt->len);
    if (input->text_len)
        memcpy(item->prompted + prompt->len, input->text, input->text_len);
    item->prompt_len = prompt->len;
    input->text = item->prompted;
    input->text_len += prompt->len;
}

/* ---- Padding, as pad_sequences of Keras makes it. The engine gets a mask of it, computes
 * ---- nothing for them, and returns rows of zeros. ---- */

/* The id of a token, or -1; it is the first one in most vocabularies. */
static int32_t find_token(const engine_model *model, const char *wanted)
{
    const size_t wanted_len = strlen(wanted);
    engine_info info = ENGINE_INFO();
    engine_model_info(model, &info, NULL);
    for (size_t id = 0; id < info.n_vocabulary; id++) {
        const char *text;
        size_t len;
        if (engine_token_text(model, (int32_t)id, &text, &len) == ENGINE_OK && len == wanted_len &&
            memcmp(text, wanted, len) == 0)
            return (int32_t)id;
    }
    return -1;
}

void padding_choose(struct padding *padding, const engine_model *model,
                    const struct request_options *request)
{
    const bool is_used = request->padding.n || request->task == TASK_SHOW_MASK;
    int32_t named = find_token(model, "[PAD]");
    if (named < 0)
        named = find_token(model, "<pad>");
    const char *word;
    size_t len;
    const bool is_0_a_word = engine_token_text(model, 0, &word, &len) == ENGINE_OK && len > 0;
    padding->id = named < 0 ? 0 : named;
    if (request->is_json_input && (named >= 0 || !is_0_a_word))
        padding->likely = padding->id;
    if (task_is_tokens(request->task) && is_used && named < 0 && is_0_a_word)
        program_note("this vocabulary has neither [PAD] nor <pad>: padding has the id 0, which is "
                     "also that of \"%.*s\"; --pad-id takes another",
                     (int)(len < 64 ? len : 64), word);
}

bool padding_is_at_ends(const struct item *item, int32_t id)
{
    const engine_input *input = &item->record.input;
    return input->ids && !item->mask && input->n_ids > 0 &&
           (input->ids[0] == id || input->ids[input->n_ids - 1] == id);
}

void padding_find(const struct padding *padding, struct item *item)
{
    const engine_input *input = &item->record.input;
    size_t begin = 0, end = input->n_ids;
    bool is_at_ends = padding->is_named && !input->mask && padding_is_at_ends(item, padding->id);
    if (!input->mask && !is_at_ends)
        return;
    item->mask = alloc_zeros(end, 1);
    if (input->mask) {
        memcpy(item->mask, input->mask, end);
        return;
    }
    while (end > 0 && input->ids[end - 1] == padding->id)
        end--;
    while (begin < end && input->ids[begin] == padding->id)
        begin++;
    memset(item->mask + begin, 1, end - begin);
}

void padding_apply(const struct padding *padding, struct item *item)
{
    size_t n = padding->n, n_tokens = item->n_tokens;
    if (n <= n_tokens)
        return;
    engine_token *tokens = alloc_zeros(n, sizeof *tokens);
    uint8_t *mask = alloc_zeros(n, 1);
    size_t first = padding->is_left ? n - n_tokens : 0;
    for (size_t i = 0; i < n; i++)
        tokens[i] = (engine_token){.id = padding->id, .special = 1};
    for (size_t i = 0; i < n_tokens; i++) {
        tokens[first + i] = item->tokens[i];
        mask[first + i] = !item_is_masked(item, i);
    }
    free(item->tokens);
    free(item->mask);
    item->tokens = tokens;
    item->mask = mask;
    item->n_tokens = n;
}
