/* replace.c - see replace.h. As in the reference, a replacement gets the span of the last character
 * that it replaces. */
#include "model/tokenizer/steps/replace.h"

#include "model/unicode/unicode.h"

#include <string.h>

/* ---- Reading ---- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *digit = memchr(digits, c, sizeof digits - 1);
    return digit != NULL ? (int)(digit - digits) : -1;
}

bool replacement_text(struct text_view text, uint32_t codes[REPLACE_CHARS], uint8_t *n)
{
    char bytes[REPLACE_CHARS * UTF8_BYTES];
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        const bool is_hex = text.text[i] == '%';
        const int high = is_hex && i + 2 < text.len ? hex_digit(text.text[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(text.text[i + 2]) : -1;
        if (len == sizeof bytes || (is_hex && low < 0))
            return false;
        bytes[len++] = is_hex ? (char)(16 * high + low) : text.text[i];
        i += is_hex ? 2 : 0;
    }
    *n = 0;
    for (size_t at = 0; at < len; ++*n) {
        const struct utf8_char c = utf8_decode(bytes + at, len - at);
        if (*n == REPLACE_CHARS)
            return false;
        codes[*n] = c.code;
        at += c.len;
    }
    return utf8_valid(bytes, len);
}

bool replacement_parse(struct replacement *replacement, struct text_view text, bool runs,
                       bool of_blanks)
{
    struct text_view first, rest, from = text;
    *replacement = (struct replacement){.of_blanks = of_blanks};
    if (runs) {
        const bool has_rest = list_split(text, &first, &from);
        const int32_t least = list_number(first);
        if (!has_rest || least < 1 || least >= REPLACE_CHARS)
            return false;
        replacement->least = (uint8_t)least;
    }
    if (of_blanks)
        return replacement_text(from, replacement->to, &replacement->n_to);
    return list_split(from, &first, &rest) &&
           replacement_text(first, replacement->from, &replacement->n_from) &&
           replacement_text(rest, replacement->to, &replacement->n_to) &&
           (runs ? replacement->n_from == 1 : replacement->n_from > 0);
}

bool replacement_has(const struct replacement *replacement, uint32_t code)
{
    if (replacement->of_blanks)
        return unicode_properties(code) & UNICODE_BLANK;
    for (size_t i = 0; i < replacement->n_from; i++)
        if (replacement->from[i] == code)
            return true;
    return false;
}

/* ---- A text ---- */

static void emit_replacement(struct replace_stage *stage)
{
    const struct normal_char last = stage->held[stage->n - 1];
    stage->n = 0;
    stage->is_run = false;
    for (size_t i = 0; i < stage->replacement->n_to; i++)
        stage->emit(stage->user,
                    (struct normal_char){stage->replacement->to[i], last.begin, last.end});
}

/* Emits the first n held characters. */
static void emit_held(struct replace_stage *stage, size_t n)
{
    for (size_t i = 0; i < n; i++)
        stage->emit(stage->user, stage->held[i]);
    stage->n -= n;
    memmove(stage->held, stage->held + n, stage->n * sizeof *stage->held);
}

static void add_to_run(struct replace_stage *stage, struct normal_char c)
{
    if (!replacement_has(stage->replacement, c.code)) {
        replace_end(stage);
        stage->emit(stage->user, c);
        return;
    }
    stage->n -= stage->is_run;
    stage->held[stage->n++] = c;
    stage->is_run = stage->n == stage->replacement->least;
}

/* Returns how many of the held characters cannot start the searched text. */
static size_t count_passed(const struct replace_stage *stage)
{
    size_t passed = 0, same = 0;
    for (; passed < stage->n; passed++) {
        for (same = 0; passed + same < stage->n; same++)
            if (stage->held[passed + same].code != stage->replacement->from[same])
                break;
        if (passed + same == stage->n)
            break;
    }
    return passed;
}

void replace_add(struct replace_stage *stage, struct normal_char c)
{
    if (stage->replacement->least > 0) {
        add_to_run(stage, c);
        return;
    }
    stage->held[stage->n++] = c;
    emit_held(stage, count_passed(stage));
    if (stage->n == stage->replacement->n_from)
        emit_replacement(stage);
}

void replace_end(struct replace_stage *stage)
{
    if (stage->is_run)
        emit_replacement(stage);
    else
        emit_held(stage, stage->n);
}
