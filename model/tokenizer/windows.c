/* windows.c - where the windows of a long text begin and end.
 *
 * With whole_words, both move back to the nearest token that starts a word. Only a word of more
 * pieces than fit is split.
 */
#include "model/tokenizer/windows.h"

static bool is_of_text(const engine_token *token, bool in_pair)
{
    return !token->special && !token->in_prompt && token->in_pair == in_pair;
}

static size_t count_tokens(const struct windows *windows, bool in_pair)
{
    size_t n = 0;
    for (size_t i = 0; i < windows->n_tokens; i++)
        n += is_of_text(&windows->tokens[i], in_pair);
    return n;
}

void windows_begin(struct windows *windows, engine_truncation truncation, size_t most)
{
    size_t n_first = count_tokens(windows, false), n_second = count_tokens(windows, true);
    windows->in_pair = truncation == ENGINE_TRUNCATE_LONGEST_FIRST
                           ? n_second > n_first
                           : truncation == ENGINE_TRUNCATE_ONLY_SECOND && n_second > 0;
    windows->n = windows->in_pair ? n_second : n_first;
    windows->first = 0;
    while (windows->first < windows->n_tokens &&
           !is_of_text(&windows->tokens[windows->first], windows->in_pair))
        windows->first++;
    size_t n_around = windows->n_tokens - windows->n;
    windows->room = n_around < most ? most - n_around : 0;
    windows->at = 0;
}

/* Indexes count the tokens of the text. */
static bool begins_word(const struct windows *windows, size_t i)
{
    const engine_token *token = &windows->tokens[windows->first + i];
    return i == 0 || token->begin != token[-1].end ||
           !tokenizer_continues_word(windows->tokenizer, token->id);
}

/* Returns the last index in (after, at] where a word begins, else `at`. */
static size_t back_to_word(const struct windows *windows, size_t after, size_t at)
{
    for (size_t i = at; windows->whole_words && i > after; i--)
        if (begins_word(windows, i))
            return i;
    return at;
}

bool windows_next(struct windows *windows, struct window *window)
{
    size_t begin = windows->at, end = windows->n;
    const engine_token *tokens = windows->tokens + windows->first;
    if (begin == SIZE_MAX)
        return false;
    if (end - begin > windows->room)
        end = back_to_word(windows, begin, begin + windows->room);
    *window = (struct window){.first = windows->first + begin, .n = end - begin};
    if (end > begin) {
        window->begin = tokens[begin].begin;
        window->end = tokens[end - 1].end;
    }
    size_t next = end - begin > windows->stride ? end - windows->stride : begin + 1;
    windows->at = end < windows->n ? back_to_word(windows, begin, next) : SIZE_MAX;
    return true;
}
