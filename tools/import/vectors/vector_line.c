/* vector_line.c - a line of word vectors; see vector_line.h.
 *
 * Nearly every line is a word without blanks and `width` numbers, and is read from left to right in
 * one pass. What is not is taken apart from the right, field by field, to find where its word ends
 * or what is wrong.
 */
#include "tools/import/vectors/vector_line.h"

#include "tools/common/options.h"
#include "tools/common/utf8.h"
#include "tools/import/vectors/decimal.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t skip_blanks(const struct text_span *line, size_t at)
{
    while (at < line->len && is_blank(line->text[at]))
        at++;
    return at;
}

static void cut_blanks(struct text_span *line)
{
    while (line->len > 0 && is_blank(line->text[line->len - 1]))
        line->len--;
}

/* Takes the last field off the line; false where there are only blanks. */
static bool take_last(struct text_span *line, struct text_span *field)
{
    cut_blanks(line);
    size_t end = line->len;
    while (line->len > 0 && !is_blank(line->text[line->len - 1]))
        line->len--;
    *field = (struct text_span){line->text + line->len, end - line->len};
    return field->len > 0;
}

/* Digits alone, and not too many for the type. */
static bool read_count(const struct text_span *field, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < field->len; i++) {
        if (field->text[i] < '0' || field->text[i] > '9' || i == 18)
            return false;
        *value = *value * 10 + (uint64_t)(field->text[i] - '0');
    }
    return true;
}

bool vector_line_header(struct text_span line, uint64_t *count, uint64_t *width)
{
    struct text_span first, second, none;
    return take_last(&line, &second) && take_last(&line, &first) && !take_last(&line, &none) &&
           read_count(&first, count) && read_count(&second, width);
}

size_t vector_line_width(struct text_span line)
{
    struct text_span field;
    size_t n = 0, word = skip_blanks(&line, 0);
    float value;
    while (take_last(&line, &field) && line.len > word &&
           decimal_parse(field.text, field.len, &value))
        n++;
    return n;
}

/* ---- A line ---- */

/* Exactly `width` numbers from `at`, the end of the word, on, and nothing else. */
static bool read_numbers(const struct text_span *line, size_t at, size_t width, float *values)
{
    for (size_t i = 0; i < width; i++) {
        at = skip_blanks(line, at);
        size_t n = decimal_read(line->text + at, line->len - at, &values[i]);
        if (n == 0 || (at + n < line->len && !is_blank(line->text[at + n])))
            return false;
        at += n;
    }
    return skip_blanks(line, at) == line->len;
}

static bool check_word(const struct text_span *word, char fault[VECTOR_FAULT])
{
    if (word->len > VECTOR_WORD_BYTES)
        snprintf(fault, VECTOR_FAULT, "a word of %zu bytes; at most %d are read", word->len,
                 VECTOR_WORD_BYTES);
    else if (!utf8_is_valid(word->text, word->len))
        snprintf(fault, VECTOR_FAULT, "the word is not UTF-8");
    else if (memchr(word->text, '\0', word->len) != NULL)
        snprintf(fault, VECTOR_FAULT, "the word has a NUL byte in it");
    else
        return true;
    return false;
}

/* Any line, at leisure. */
static bool read_slowly(struct text_span line, size_t width, struct text_span *word, float *values,
                        char fault[VECTOR_FAULT])
{
    size_t begin = skip_blanks(&line, 0), len = line.len, n_numbers = vector_line_width(line);
    size_t n_fields = 0, wrong_at = 0;
    struct text_span field, wrong = {"", 0};
    for (; n_fields < width && take_last(&line, &field); n_fields++)
        if (!decimal_parse(field.text, field.len, &values[width - 1 - n_fields])) {
            wrong_at = width - n_fields;
            wrong.text = field.text;
            wrong.len = field.len < 40 ? field.len : 40;
        }
    cut_blanks(&line);
    *word = (struct text_span){line.text + begin, line.len > begin ? line.len - begin : 0};
    if (begin == len)
        snprintf(fault, VECTOR_FAULT, "the line is empty");
    else if (n_fields < width || word->len == 0 || n_numbers > width)
        snprintf(fault, VECTOR_FAULT, "%zu number%s; expected %zu", n_numbers, plural(n_numbers),
                 width);
    else if (wrong_at > 0)
        snprintf(fault, VECTOR_FAULT, "number %zu is '%.*s', which is no finite number", wrong_at,
                 utf8_is_valid(wrong.text, wrong.len) ? (int)wrong.len : 0, wrong.text);
    else
        return check_word(word, fault);
    return false;
}

bool vector_line_read(struct text_span line, size_t width, struct text_span *word, float *values,
                      char fault[VECTOR_FAULT])
{
    size_t begin = skip_blanks(&line, 0), end = begin;
    while (end < line.len && !is_blank(line.text[end]))
        end++;
    *word = (struct text_span){line.text + begin, end - begin};
    return (end > begin && read_numbers(&line, end, width, values) && check_word(word, fault)) ||
           read_slowly(line, width, word, values, fault);
}
