/* windows.c - cutting long texts into windows; see windows.h.
 *
 * A window has at most `room` tokens of the text, and the next one begins `stride` tokens before
 * its end. With at_words, for texts that are read again as they stand, ends and beginnings move
 * back to the nearest token that is not a further piece of a word: read again, a window then gives
 * the tokens that it was cut from. Only within a word of more pieces than fit is there no such
 * place.
 */
#include "tools/encode/windows.h"

#include <stdlib.h>
#include <string.h>

/* ---- Where they lie; places count in the tokens of the text ---- */

static bool begins_word(const struct windows *windows, size_t i)
{
    const engine_token *token = &windows->item->tokens[windows->first + i];
    return i == 0 || token->begin != token[-1].end ||
           !encoder_continues_word(windows->encoder, token->id);
}

/* The last place in (after, at] where a word begins; `at` where there is none. */
static size_t back_to_word(const struct windows *windows, size_t after, size_t at)
{
    if (!windows->at_words)
        return at;
    for (size_t i = at; i > after; i--)
        if (begins_word(windows, i))
            return i;
    return at;
}

static size_t end_of(const struct windows *windows, size_t begin)
{
    if (windows->n - begin <= windows->room)
        return windows->n;
    return back_to_word(windows, begin, begin + windows->room);
}

static size_t begin_after(const struct windows *windows, size_t begin, size_t end)
{
    size_t next = end - begin > windows->stride ? end - windows->stride : begin + 1;
    return back_to_word(windows, begin, next);
}

static size_t count_windows(const struct windows *windows)
{
    size_t n = 1;
    for (size_t begin = 0, end; (end = end_of(windows, begin)) < windows->n; n++)
        begin = begin_after(windows, begin, end);
    return n;
}

/* ---- Which text ---- */

static bool is_of(const engine_token *token, bool in_pair)
{
    return !token->special && token->in_pair == in_pair;
}

static size_t count_tokens(const struct item *item, bool in_pair)
{
    size_t n = 0;
    for (size_t i = 0; i < item->n_tokens; i++)
        n += is_of(&item->tokens[i], in_pair);
    return n;
}

static bool takes_pair(const struct encoder *encoder, const struct item *item)
{
    if (!item->record.input.pair)
        return false;
    if (encoder->options.truncation != ENGINE_TRUNCATE_LONGEST_FIRST)
        return encoder->options.truncation == ENGINE_TRUNCATE_ONLY_SECOND;
    return count_tokens(item, true) > count_tokens(item, false);
}

bool windows_begin(struct windows *windows, struct encoder *encoder, const struct item *item)
{
    size_t limit = encoder->options.max_tokens;
    *windows = (struct windows){
        .item = item, .encoder = encoder, .stride = encoder->request.stride, .of = 1};
    if (item->record.input.ids) {
        if (item_n_visible(item) <= limit)
            return true;
        return encoder_fail(
            encoder, item,
            " has %zu ids and the limit is %zu; ids are taken as they are, not in windows",
            item->n_tokens, limit);
    }
    windows->in_pair = takes_pair(encoder, item);
    windows->at_words = encoder->request.task == TASK_ENTITIES;
    windows->n = count_tokens(item, windows->in_pair);
    while (windows->first < item->n_tokens &&
           !is_of(&item->tokens[windows->first], windows->in_pair))
        windows->first++;
    size_t n_others = item->n_tokens - windows->n;
    windows->room = n_others < limit ? limit - n_others : 0;
    if (windows->n <= windows->room)
        return true;
    if (windows->room == 0)
        return encoder_fail(
            encoder, item,
            " has %zu tokens that are in every window, and the limit is %zu: that leaves no room",
            n_others, limit);
    if (windows->stride >= windows->room)
        return encoder_fail(encoder, item,
                            ": its windows have room for %zu token%s: --stride must be smaller",
                            windows->room, plural(windows->room));
    windows->of = count_windows(windows);
    return true;
}

/* ---- Making one ---- */

static void append(struct item *window, const engine_token *tokens, size_t n)
{
    memcpy(window->tokens + window->n_tokens, tokens, n * sizeof *tokens);
    window->n_tokens += n;
}

bool windows_next(struct windows *windows, struct item *window)
{
    const struct item *item = windows->item;
    size_t begin = windows->begin, end = end_of(windows, begin);
    size_t n_tokens = item->n_tokens - windows->n + end - begin;

    *window = (struct item){.number = item->number, .record = item->record};
    window->record.storage = NULL; /* the item's */
    window->prompt_len =
        windows->index == 0 ? item->prompt_len : 0; /* the first alone begins with it */
    window->window =
        (struct window){.index = windows->index++, .of = windows->of, .in_pair = windows->in_pair};
    window->tokens = malloc((n_tokens + 1) * sizeof *window->tokens);
    if (!window->tokens)
        return false;
    const engine_token *tokens = item->tokens + windows->first;
    append(window, item->tokens, windows->first);
    append(window, tokens + begin, end - begin);
    append(window, tokens + windows->n, item->n_tokens - windows->first - windows->n);
    if (end > begin) {
        window->window.begin = tokens[begin].begin;
        window->window.end = tokens[end - 1].end;
    }
    if (end < windows->n)
        windows->begin = begin_after(windows, begin, end);
    return true;
}
