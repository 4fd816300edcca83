/* item.c - an input's name in messages, what it shows of itself, its end; see item.h. */
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
    static char name[48];
    if (item->record.line)
        snprintf(name, sizeof name, "line %zu of stdin", item->record.line);
    else if (item->number)
        snprintf(name, sizeof name, "text %zu", item->number);
    else
        snprintf(name, sizeof name, "the query");
    return name;
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
