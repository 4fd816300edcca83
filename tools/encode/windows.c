/* windows.c - the library cuts them, here they become items; see windows.h. */
#include "tools/encode/windows.h"

#include <stdlib.h>
#include <string.h>

static bool check_ids(struct encoder *encoder, const struct item *item)
{
    const size_t limit = encoder->options.max_tokens;
    return item_n_visible(item) <= limit ||
           encoder_fail(
               encoder, item,
               " has %zu ids and the limit is %zu; ids are taken as they are, not in windows",
               item->n_tokens, limit);
}

bool windows_begin(struct windows *windows, struct encoder *encoder, struct item *item)
{
    *windows = (struct windows){.item = item, .of = 1};
    if (item->record.input.ids)
        return check_ids(encoder, item);
    prompt_mark(item);
    windows->cuts = encoder_windows(encoder, item, &windows->of);
    return windows->cuts != NULL;
}

void windows_end(struct windows *windows)
{
    free(windows->cuts);
}

/* All tokens, and the mask if ids have one. */
static bool copy_ids(const struct item *item, struct item *window)
{
    memcpy(window->tokens, item->tokens, item->n_tokens * sizeof *window->tokens);
    if (!item->mask)
        return true;
    window->mask = calloc(item->n_tokens + 1, 1);
    if (window->mask)
        memcpy(window->mask, item->mask, item->n_tokens);
    return window->mask != NULL;
}

bool windows_next(struct windows *windows, struct item *window)
{
    const struct item *item = windows->item;
    const engine_window whole = {.n_tokens = item->n_tokens};
    const engine_window *cut = windows->cuts ? &windows->cuts[windows->index] : &whole;

    *window = (struct item){
        .number = item->number,
        .record = item->record,
        .prompt_len = item->prompt_len,
        .window = {windows->index++, windows->of, cut->begin, cut->end, cut->in_pair},
        .tokens = calloc(cut->n_tokens + 1, sizeof *window->tokens),
        .n_tokens = cut->n_tokens,
    };
    window->record.storage = NULL; /* the item's */
    if (!window->tokens)
        return false;
    if (!windows->cuts)
        return copy_ids(item, window);
    engine_window_tokens(cut, item->tokens, item->n_tokens, window->tokens);
    return true;
}
