/* windows.c - where the windows of a long text begin and end.
 *
 * With whole_words, both move back to the nearest token that starts a word: an end after a blank,
 * if there is one in the last eighth of what the window adds, so that a full stop stays with its
 * word. Only a word is split of which more pieces follow the stride than fit. The last window
 * begins earlier if it would be less than half full: a full stop alone is near to any text.
 */
#include "model/tokenizer/windows.h"

#include "model/tokenizer/words.h"
#include "model/unicode/unicode.h"

static size_t count_tokens(const struct windows *windows, bool in_pair)
{
    size_t n = 0;
    for (size_t i = 0; i < windows->n_tokens; i++)
        n += token_is_of_text(&windows->tokens[i], in_pair);
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
           !token_is_of_text(&windows->tokens[windows->first], windows->in_pair))
        windows->first++;
    size_t n_around = windows->n_tokens - windows->n;
    windows->room = n_around < most ? most - n_around : 0;
    windows->at = 0;
}

/* Indexes count the tokens of the text. Pieces of one character have the same span. */
static bool begins_word(const struct windows *windows, size_t i)
{
    const engine_token *token = &windows->tokens[windows->first + i];
    return i == 0 || token->begin > token[-1].end ||
           (token->begin == token[-1].end &&
            !tokenizer_continues_word(windows->tokenizer, token->id));
}

/* Returns whether a blank is before the token, or in it as byte-level tokens have it. */
static bool follows_blank(const struct windows *windows, size_t i)
{
    const engine_token *token = &windows->tokens[windows->first + i];
    const struct tokenizer *tokenizer = windows->tokenizer;
    size_t len = 0;
    const char *text = vocabulary_text(&tokenizer->vocabulary, token->id, &len);
    return token->begin > token[-1].end || (tokenizer->byte_level && text != NULL &&
                                            utf8_decode(text, len).code == BYTE_LEVEL_BLANK);
}

/* Returns the last index in (after, at] where a word begins, else `at`. */
static size_t back_to_word(const struct windows *windows, size_t after, size_t at)
{
    const size_t far = at - (at - after) / 8;
    size_t word = after;
    for (size_t i = at; windows->whole_words && i > after && (word == after || i >= far); i--) {
        if (!begins_word(windows, i))
            continue;
        if (follows_blank(windows, i))
            return i;
        word = word == after ? i : word;
    }
    return word > after ? word : at;
}

bool windows_next(struct windows *windows, engine_window *window)
{
    size_t begin = windows->at, end = windows->n;
    const engine_token *tokens = windows->tokens + windows->first;
    if (begin == SIZE_MAX)
        return false;
    if (end - begin > windows->room)
        end = back_to_word(windows, begin + windows->stride, begin + windows->room);
    *window = (engine_window){.n_tokens = windows->n_tokens - windows->n + end - begin,
                              .first = windows->first + begin,
                              .n = end - begin,
                              .in_pair = windows->in_pair};
    if (end > begin) {
        window->begin = tokens[begin].begin;
        window->end = tokens[end - 1].end;
    }
    windows->at = SIZE_MAX;
    if (end < windows->n) {
        size_t next = end - windows->stride, latest = windows->n - windows->room / 2;
        if (windows->whole_words && next > latest)
            next = latest > begin ? latest : begin + 1;
        windows->at = back_to_word(windows, begin, next);
    }
    return true;
}
