/* vector_line.c - a line of word vectors; see vector_line.h.
 *
 * Nearly every line is a word without blanks and `width` numbers, and is read from left to right in
 * one pass. What is not is taken apart from the right, field by field, to find where its word ends
 * or what is wrong.
 */
#include "tools/import/vectors/vector_line.h"

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

/* Takes the last field off line[0..len); false where there are only blanks. */
static bool take_last(const char *line, size_t *len, struct vector_word *field)
{
    size_t end = *len;
    while (end > 0 && is_blank(line[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && !is_blank(line[begin - 1]))
        begin--;
    *field = (struct vector_word){line + begin, end - begin};
    *len = begin;
    return end > begin;
}

static bool is_number(const struct vector_word *field)
{
    float value;
    return decimal_parse(field->text, field->len, &value);
}

/* Digits alone, and not too many for the type. */
static bool read_whole(const struct vector_word *field, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < field->len; i++) {
        if (field->text[i] < '0' || field->text[i] > '9' || i == 18)
            return false;
        *value = *value * 10 + (uint64_t)(field->text[i] - '0');
    }
    return true;
}

bool vector_line_header(const char *line, size_t len, uint64_t *count, uint64_t *width)
{
    struct vector_word first, second, none;
    return take_last(line, &len, &second) && take_last(line, &len, &first) &&
           !take_last(line, &len, &none) && read_whole(&first, count) && read_whole(&second, width);
}

size_t vector_line_width(const char *line, size_t len)
{
    struct vector_word field;
    size_t n = 0, word = skip_blanks(line, len, 0);
    while (take_last(line, &len, &field) && len > word && is_number(&field))
        n++;
    return n;
}

/* ---- A line ---- */

static bool check_word(const struct vector_word *word, char fault[VECTOR_FAULT])
{
    size_t len = word->len;
    struct vector_word last;
    if (word->len > VECTOR_WORD_BYTES)
        snprintf(fault, VECTOR_FAULT, "a word of %zu bytes; at most %d are read", word->len,
                 VECTOR_WORD_BYTES);
    else if (!utf8_is_valid(word->text, word->len))
        snprintf(fault, VECTOR_FAULT, "the word is not UTF-8");
    else if (memchr(word->text, '\0', word->len) != NULL)
        snprintf(fault, VECTOR_FAULT, "the word has a NUL byte in it");
    else if (take_last(word->text, &len, &last) && len > 0 && is_number(&last))
        snprintf(fault, VECTOR_FAULT, "too many numbers");
    else
        return true;
    return false;
}

/* From the end of the word: exactly `width` numbers and nothing else. */
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

static void say_field(size_t number, const struct vector_word *field, char fault[VECTOR_FAULT])
{
    size_t shown = field->len < 40 ? field->len : 40;
    if (!utf8_is_valid(field->text, shown))
        shown = 0;
    snprintf(fault, VECTOR_FAULT, "number %zu is '%.*s', which is no finite number", number,
             (int)shown, field->text);
}

/* Any line, at leisure. */
static bool read_slowly(const char *line, size_t len, size_t width, struct vector_word *word,
                        float *values, char fault[VECTOR_FAULT])
{
    size_t begin = skip_blanks(line, len, 0), n_numbers = vector_line_width(line, len);
    struct vector_word field, wrong = {NULL, 0};
    size_t n_fields = 0, wrong_at = 0, end = len;
    for (; n_fields < width && take_last(line, &end, &field); n_fields++)
        if (!decimal_parse(field.text, field.len, &values[width - 1 - n_fields])) {
            wrong = field;
            wrong_at = width - n_fields;
        }
    while (end > begin && is_blank(line[end - 1]))
        end--;
    *word = (struct vector_word){line + begin, end > begin ? end - begin : 0};
    if (begin == len)
        snprintf(fault, VECTOR_FAULT, "the line is empty");
    else if (n_fields < width || word->len == 0)
        snprintf(fault, VECTOR_FAULT, "%zu number%s; expected %zu", n_numbers,
                 n_numbers == 1 ? "" : "s", width);
    else if (wrong.text != NULL)
        say_field(wrong_at, &wrong, fault);
    else if (check_word(word, fault))
        return true;
    else if (n_numbers > width)
        snprintf(fault, VECTOR_FAULT, "%zu numbers; expected %zu", n_numbers, width);
    return false;
}

bool vector_line_read(const char *line, size_t len, size_t width, struct vector_word *word,
                      float *values, char fault[VECTOR_FAULT])
{
    size_t begin = skip_blanks(line, len, 0), end = begin;
    while (end < len && !is_blank(line[end]))
        end++;
    *word = (struct vector_word){line + begin, end - begin};
    return (end > begin && read_numbers(line, len, end, width, values) &&
            check_word(word, fault)) ||
           read_slowly(line, len, width, word, values, fault);
}
