/* vectors_line.c - a line of word vectors; see vectors_line.h.
 *
 * Nearly every line is a word without blanks and `width` numbers, and is read from left to right in
 * one pass. What is not is looked at from the right: first to find the word, then to say what is
 * wrong.
 */
#include "tools/import/vectors/vectors_line.h"

#include "tools/common/utf8.h"
#include "tools/import/vectors/decimal.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t skip_blanks(const char *line, size_t len, size_t at)
{
    while (at < len && is_blank(line[at]))
        at++;
    return at;
}

static size_t skip_field(const char *line, size_t len, size_t at)
{
    while (at < len && !is_blank(line[at]))
        at++;
    return at;
}

/* The last field of line[0..len), which ends with it; its start. */
static size_t last_field(const char *line, size_t len)
{
    while (len > 0 && !is_blank(line[len - 1]))
        len--;
    return len;
}

static size_t drop_blanks(const char *line, size_t len)
{
    while (len > 0 && is_blank(line[len - 1]))
        len--;
    return len;
}

/* ---- Header and width ---- */

/* Digits alone, and not too many for the type. */
static bool read_whole(const char *text, size_t len, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || i == 18)
            return false;
        *value = *value * 10 + (uint64_t)(text[i] - '0');
    }
    return len > 0;
}

bool vector_line_header(const char *line, size_t len, uint64_t *count, uint64_t *width)
{
    size_t first = skip_blanks(line, len, 0), first_end = skip_field(line, len, first);
    size_t second = skip_blanks(line, len, first_end), end = skip_field(line, len, second);
    return skip_blanks(line, len, end) == len &&
           read_whole(line + first, first_end - first, count) &&
           read_whole(line + second, end - second, width);
}

size_t vector_line_width(const char *line, size_t len)
{
    size_t begin = skip_blanks(line, len, 0), n = 0;
    float value;
    for (size_t end = drop_blanks(line, len); end > begin;) {
        size_t field = last_field(line, end);
        if (field <= begin || !decimal_parse(line + field, end - field, &value))
            break;
        n++;
        end = drop_blanks(line, field);
    }
    return n;
}

/* ---- A line ---- */

/* From `at`: exactly `width` numbers and nothing else. */
static bool read_numbers(const char *line, size_t len, size_t at, size_t width, float *values)
{
    for (size_t i = 0; i < width; i++) {
        at = skip_blanks(line, len, at);
        size_t n = decimal_read(line + at, len - at, &values[i]);
        if (n == 0 || (at + n < len && !is_blank(line[at + n])))
            return false;
        at += n;
    }
    return skip_blanks(line, len, at) == len;
}

/* The start of the last `width` fields; *n is how many there are, at most that. */
static size_t find_numbers(const char *line, size_t len, size_t width, size_t *n)
{
    size_t at = drop_blanks(line, len);
    for (*n = 0; *n < width && at > 0; ++*n) {
        at = last_field(line, at);
        if (*n + 1 < width)
            at = drop_blanks(line, at);
    }
    return at;
}

static bool check_word(const struct vector_word *word, char fault[VECTOR_FAULT])
{
    float value;
    size_t last = last_field(word->text, word->len);
    if (word->len > VECTOR_WORD_BYTES)
        snprintf(fault, VECTOR_FAULT, "a word of %zu bytes; at most %d are read", word->len,
                 VECTOR_WORD_BYTES);
    else if (!utf8_is_valid(word->text, word->len))
        snprintf(fault, VECTOR_FAULT, "the word is not UTF-8");
    else if (memchr(word->text, '\0', word->len) != NULL)
        snprintf(fault, VECTOR_FAULT, "the word has a NUL byte in it");
    else if (last > 0 && decimal_parse(word->text + last, word->len - last, &value))
        snprintf(fault, VECTOR_FAULT, "too many numbers");
    else
        return true;
    return false;
}

/* The first of `n` fields from `at` that is no number. */
static bool say_field(const char *line, size_t len, size_t at, size_t n, char fault[VECTOR_FAULT])
{
    for (size_t i = 0; i < n; i++) {
        at = skip_blanks(line, len, at);
        size_t end = skip_field(line, len, at), shown = end - at < 40 ? end - at : 40;
        float value;
        if (!decimal_parse(line + at, end - at, &value)) {
            if (!utf8_is_valid(line + at, shown))
                shown = 0;
            snprintf(fault, VECTOR_FAULT, "number %zu is '%.*s', which is no finite number", i + 1,
                     (int)shown, line + at);
            return false;
        }
        at = end;
    }
    snprintf(fault, VECTOR_FAULT, "not a line of word vectors");
    return false;
}

/* Any line, at leisure. */
static bool read_slowly(const char *line, size_t len, size_t width, struct vector_word *word,
                        float *values, char fault[VECTOR_FAULT])
{
    size_t begin = skip_blanks(line, len, 0), n_numbers = vector_line_width(line, len), n;
    if (begin == len) {
        snprintf(fault, VECTOR_FAULT, "the line is empty");
        return false;
    }
    size_t numbers = find_numbers(line, len, width, &n), end = drop_blanks(line, numbers);
    if (n < width || end <= begin) {
        snprintf(fault, VECTOR_FAULT, "%zu number%s; expected %zu", n_numbers,
                 n_numbers == 1 ? "" : "s", width);
        return false;
    }
    *word = (struct vector_word){line + begin, end - begin};
    if (!read_numbers(line, len, numbers, width, values))
        return say_field(line, len, numbers, width, fault);
    if (check_word(word, fault))
        return true;
    if (n_numbers > width)
        snprintf(fault, VECTOR_FAULT, "%zu numbers; expected %zu", n_numbers, width);
    return false;
}

bool vector_line_read(const char *line, size_t len, size_t width, struct vector_word *word,
                      float *values, char fault[VECTOR_FAULT])
{
    size_t begin = skip_blanks(line, len, 0), end = skip_field(line, len, begin);
    *word = (struct vector_word){line + begin, end - begin};
    return (end > begin && read_numbers(line, len, end, width, values) &&
            check_word(word, fault)) ||
           read_slowly(line, len, width, word, values, fault);
}
