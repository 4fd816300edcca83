/* added_window.c - the same rules as for raw added tokens (pipeline.c), but only a window of the
 * text is known. Blanks to the left of a token have already reached the pretokenizer when the token
 * turns out to include them, so the state of the word before them is saved; the span of a token
 * that includes blanks to its right grows as they arrive.
 */
#include "model/tokenizer/added_window.h"

#include "model/tokenizer/words.h"
#include "model/unicode/unicode.h"

#include <string.h>

void added_window_carve(struct added_window *window, const struct pattern_set *set,
                        struct pretokenizer *pretokenizer, struct arena *arena)
{
    const size_t cap = 2 * (set->longest + UTF8_BYTES) + 64;
    *window = (struct added_window){.set = set, .pretokenizer = pretokenizer, .cap = cap};
    window->chars = arena_cut(arena, cap, sizeof *window->chars);
    window->bytes = arena_cut(arena, cap, UTF8_BYTES);
    if (set->strips_blanks && pretokenizer->pattern.kind == PATTERN_AFTER_BLANKS) {
        const struct pretoken *word = &pretokenizer->word;
        window->copy.bytes = arena_cut(arena, word->cap, 1);
        window->copy.chars = arena_cut(arena, word->cap_chars, sizeof *word->chars);
    }
}

void added_window_begin(struct added_window *window)
{
    window->n = window->n_bytes = 0;
    window->after_word = window->in_blanks = window->stripping = window->is_open = false;
}

/* Copies the word before blanks, or writes it back. */
static void copy_word(struct added_window *window, struct pretoken *to, const struct pretoken *from)
{
    const size_t most = window->before.cap_chars, n = window->before.n_chars;
    memcpy(to->bytes, from->bytes, window->before.len);
    memcpy(to->chars, from->chars, (n < most ? n : most) * sizeof *to->chars);
}

static void pass_on(struct added_window *window, struct normal_char c, unsigned properties)
{
    struct pretokenizer *pretokenizer = window->pretokenizer;
    const struct word_sink *sink = pretokenizer->word.sink;
    if (!(properties & UNICODE_BLANK)) {
        window->in_blanks = false;
        pretokenizer_add(pretokenizer, c);
        return;
    }
    if (!window->in_blanks) {
        window->in_blanks = true;
        window->blanks_begin = c.begin;
        window->before = pretokenizer->word;
        window->run = pretokenizer->pattern.run;
        window->has_ended = false;
        window->n_tokens = sink->n;
        if (window->copy.bytes != NULL)
            copy_word(window, &window->copy, &window->before);
    }
    pretokenizer_add(pretokenizer, c);
    if (window->copy.bytes != NULL)
        return;
    if (pretokenizer->word.n_parts != window->before.n_parts) {
        window->in_blanks = false; /* earlier characters cannot be undone */
        return;
    }
    if (!window->has_ended && pretokenizer->word.n_ended != window->before.n_ended) {
        window->has_ended = true;
        if (window->before.n_chars > 0 || window->run.phase == PATTERN_IN_LITERAL)
            window->n_tokens = sink->n;
    }
}

static void add_char(struct added_window *window, struct normal_char c)
{
    const unsigned properties = unicode_properties(c.code);
    const bool is_blank = (properties & UNICODE_BLANK) != 0;
    window->after_word = (properties & UNICODE_WORD) != 0;
    window->is_open = window->is_open && is_blank;
    window->stripping = window->stripping && is_blank;
    if (window->is_open)
        word_sink_extend(window->pretokenizer->word.sink, window->open, c.end);
    if (!window->stripping)
        pass_on(window, c, properties);
}

static size_t count_blanks(const struct normal_char *chars, size_t n)
{
    size_t blanks = 0;
    while (blanks < n && (unicode_properties(chars[blanks].code) & UNICODE_BLANK))
        blanks++;
    return blanks;
}

/* Restores the word as it was before the blanks, unless a blank has ended it, and removes tokens
 * made of the blanks. */
static void forget_blanks(struct added_window *window)
{
    struct pretokenizer *pretokenizer = window->pretokenizer;
    const bool is_ended =
        window->copy.bytes == NULL && pretokenizer->word.n_ended != window->before.n_ended;
    pretokenizer_forget(pretokenizer);
    pretokenizer->word.sink->n = window->n_tokens;
    if (!is_ended) {
        pretokenizer->word = window->before;
        if (window->copy.bytes != NULL)
            copy_word(window, &pretokenizer->word, &window->copy);
        pretokenizer->pattern.run = window->run;
    }
}

/* Adds the token of a pattern, chars[0 .. n). If the token before included blanks, the pattern's
 * own leading blanks belong to it if this one would include them, too; the pattern may become
 * empty. */
static void add_token(struct added_window *window, const struct added_pattern *pattern,
                      const struct normal_char *chars, size_t n)
{
    struct word_sink *sink = window->pretokenizer->word.sink;
    const bool left = (pattern->flags & ADDED_STRIP_LEFT) != 0;
    const size_t blanks = count_blanks(chars, n), taken = left && window->stripping ? blanks : 0;
    if (window->is_open && blanks > 0)
        word_sink_extend(sink, window->open, chars[blanks - 1].end);
    if (left && window->in_blanks)
        forget_blanks(window);
    pretokenizer_cut(window->pretokenizer);
    window->is_open = window->is_open && blanks == n;
    window->stripping = (pattern->flags & ADDED_STRIP_RIGHT) != 0;
    if (taken < n) {
        if (window->stripping) {
            window->is_open = sink->tokenizer->trim == TRIM_NONE;
            window->open = sink->n;
        }
        word_sink_added(sink, pattern->id,
                        left && window->in_blanks ? window->blanks_begin : chars[taken].begin,
                        chars[n - 1].end);
    }
    window->in_blanks = false;
    window->after_word = (unicode_properties(chars[n - 1].code) & UNICODE_WORD) != 0;
}

/* Returns whether no word character is next to the pattern of n characters at chars[i]. */
static bool is_single_word(const struct added_window *window, size_t i, size_t n)
{
    return !window->after_word &&
           (i + n == window->n || !(unicode_properties(window->chars[i + n].code) & UNICODE_WORD));
}

/* Processes the characters that are followed by enough others to decide. */
static void drain(struct added_window *window, bool at_end)
{
    size_t i = 0, at = 0;
    while (i < window->n) {
        char bytes[UTF8_BYTES];
        bool goes_on = false;
        const struct added_pattern *pattern =
            pattern_may_start(window->set, (uint8_t)window->bytes[at])
                ? pattern_look(window->set, window->bytes + at, window->n_bytes - at, &goes_on,
                               window->pretokenizer->word.sink->meter)
                : NULL;
        const size_t len =
            pattern != NULL ? pattern->len : utf8_encode(window->chars[i].code, bytes);
        const size_t n = pattern != NULL ? utf8_count(pattern->text, len) : 1;
        const bool is_word = pattern != NULL && (pattern->flags & ADDED_SINGLE_WORD);
        if (!at_end && (goes_on || (is_word && i + n == window->n)))
            break;
        if (pattern == NULL || (is_word && !is_single_word(window, i, n)))
            for (size_t k = 0; k < n; k++)
                add_char(window, window->chars[i + k]);
        else
            add_token(window, pattern, &window->chars[i], n);
        i += n;
        at += len;
    }
    if (i == 0)
        return;
    window->n -= i;
    window->n_bytes -= at;
    memmove(window->chars, window->chars + i, window->n * sizeof *window->chars);
    memmove(window->bytes, window->bytes + at, window->n_bytes);
}

void added_window_add(struct added_window *window, struct normal_char c)
{
    window->chars[window->n++] = c;
    window->n_bytes += utf8_encode(c.code, window->bytes + window->n_bytes);
    drain(window, false);
}

/* Returns the first offset from `at` on where a pattern may start, or a blank to be included. */
static size_t run_end(const struct added_window *window, const struct ascii_table *table,
                      const char *text, size_t at, size_t end)
{
    for (; at < end; at++) {
        const uint8_t byte = (uint8_t)text[at], value = table->value[byte];
        const uint8_t next = at + 1 < end ? table->value[(uint8_t)text[at + 1]] : 0;
        if (value == 0 || (window->set->strips_blanks && (table->properties[byte] & UNICODE_BLANK)))
            break;
        if (next == 0 ? pattern_may_start(window->set, value)
                      : pattern_may_start_with(window->set, value, next))
            break;
    }
    return at;
}

size_t added_window_add_ascii(struct added_window *window, const struct ascii_table *table,
                              const char *text, size_t at, size_t end)
{
    while (window->n == 0 && at < end && table->value[(uint8_t)text[at]] != 0) {
        const uint8_t byte = (uint8_t)text[at];
        const size_t stop = run_end(window, table, text, at, end);
        if (stop > at) {
            const uint8_t last = (uint8_t)text[stop - 1];
            window->in_blanks = window->is_open = window->stripping = false;
            window->after_word = (table->properties[last] & UNICODE_WORD) != 0;
            pretokenizer_add_ascii(window->pretokenizer, text, at, stop);
            at = stop;
            continue;
        }
        const struct normal_char c = {table->value[byte], at, at + 1};
        const uint8_t next = at + 1 < end ? table->value[(uint8_t)text[at + 1]] : 0;
        if (next != 0 && !pattern_may_start_with(window->set, table->value[byte], next))
            add_char(window, c);
        else
            added_window_add(window, c);
        at++;
    }
    return at;
}

void added_window_end(struct added_window *window)
{
    drain(window, true);
}
