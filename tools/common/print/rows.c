/* rows.c - a result as rows, JSON value by value, numbers as text; see rows.h. */
#include "tools/common/print/rows.h"

#include "tools/common/print/display.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Shortest decimals that read back as the same float32 ----
 *
 * A decimal n·10^-s with p digits reads back as x when it is closer to x than half the distance
 * to x's nearer neighbour. For p = 6 .. 9 the nearest such decimal is computed in double, which has
 * 29 bits more than a float32: with powers of ten up to 10^22 (exact in double) two roundings of
 * 2^-53 cannot exceed the 2^-25 that decide, and the test keeps a margin of 1e-6 of them. Six
 * digits or fewer survive decimal → float32 → decimal (FLT_DIG), so p starts at 6 and trailing
 * zeros are cut. Where an exponent is needed, printing the decimal's own double gives its digits
 * again. Numbers outside of that range go through printf and back. */

enum { LEAST_DIGITS = FLT_DIG, MOST_DIGITS = FLT_DECIMAL_DIG, LARGEST_POWER = 22 };

static const double POWERS[LARGEST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double times_power(double value, int power)
{
    return power >= 0 ? value * POWERS[power] : value / POWERS[-power];
}

/* Digits, of which the first counts 10^exponent and the last is no zero, with a point among
 * them and at least one decimal; written from their end. */
static size_t print_decimal(bool is_negative, uint32_t digits, int n_digits, int exponent,
                            char *out)
{
    int last = exponent - n_digits + 1;
    int lowest = last < -1 ? last : -1, highest = exponent > 0 ? exponent : 0;
    size_t len = (size_t)(is_negative + highest + 2 - lowest); /* 2: the unit and the point */
    char *at = out + len;
    *at = '\0';
    for (int power = lowest; power <= highest; power++) {
        bool is_zero = power < last || power > exponent;
        *--at = (char)('0' + (is_zero ? 0 : digits % 10));
        digits /= is_zero ? 1 : 10;
        if (power == -1)
            *--at = '.';
    }
    if (is_negative)
        *out = '-';
    return len;
}

/* The length; 0: not in the range that double decides. */
static size_t print_by_double(float value, char *out)
{
    double x = fabs((double)value);
    double half_gap = (x - (double)nextafterf(fabsf(value), 0.0f)) / 2;
    int exponent = (int)floor(log10(x));

    if (exponent < LEAST_DIGITS - LARGEST_POWER + 3 || exponent > LARGEST_POWER)
        return 0;
    for (int p = LEAST_DIGITS; p <= MOST_DIGITS; p++) {
        int scale = p - 1 - exponent;
        double n = nearbyint(times_power(x, scale));
        double decimal = times_power(n, -scale);
        if (fabs(decimal - x) >= half_gap * (1 - 1e-6))
            continue;
        /* log10 may round up to the next power, and n may too: the digits decide. */
        int carry = n >= POWERS[p] ? 1 : n < POWERS[p - 1] ? -1 : 0;
        int n_digits = p + carry;
        uint32_t digits = (uint32_t)n;
        for (exponent += carry; digits % 10 == 0; digits /= 10)
            n_digits--;
        if (exponent < -5 || exponent >= MOST_DIGITS)
            return (size_t)snprintf(out, FORMAT_FLOAT_MAX, "%.*e", n_digits - 1,
                                    copysign(decimal, (double)value));
        return print_decimal(value < 0, digits, n_digits, exponent, out);
    }
    return 0;
}

static size_t print_by_reading_back(float value, char *out)
{
    size_t len = 0;
    for (int p = 1; p <= MOST_DIGITS; p++) {
        len = (size_t)snprintf(out, FORMAT_FLOAT_MAX, "%.*e", p - 1, (double)value);
        if (strtof(out, NULL) == value)
            break;
    }
    return len;
}

size_t format_float(float value, char out[FORMAT_FLOAT_MAX])
{
    const char *name = isnan(value)   ? "nan"
                       : isinf(value) ? (value < 0 ? "-inf" : "inf")
                       : value == 0   ? (signbit(value) ? "-0.0" : "0.0")
                                      : NULL;
    if (name)
        return strlen(strcpy(out, name));
    size_t len = print_by_double(value, out);
    return len ? len : print_by_reading_back(value, out);
}

/* ---- JSON. After any value ends, its parent has at least one value, so one flag says whether a
 * ---- comma is due, and no stack is needed. ---- */

static void write_escaped(FILE *stream, uint32_t character)
{
    switch (character) {
    case '"': fputs("\\\"", stream); break;
    case '\\': fputs("\\\\", stream); break;
    case '\n': fputs("\\n", stream); break;
    case '\r': fputs("\\r", stream); break;
    case '\t': fputs("\\t", stream); break;
    default:
        if (character > 0xFFFF) { /* a surrogate pair */
            fprintf(stream, "\\u%04x", (unsigned)(0xD800 + ((character - 0x10000) >> 10)));
            character = 0xDC00 + (character & 0x3FF);
        }
        fprintf(stream, "\\u%04x", (unsigned)character);
    }
}

static void write_string(FILE *stream, const char *text, size_t len)
{
    putc('"', stream);
    for (size_t at = 0; at < len;) {
        uint32_t character;
        char bytes[4];
        at += utf8_next(text + at, len - at, &character);
        if (character == '"' || character == '\\' || display_hides(character))
            write_escaped(stream, character);
        else
            fwrite(bytes, 1, utf8_put(character, bytes), stream);
    }
    putc('"', stream);
}

/* ---- Between values ---- */

static void begin_line(const struct json_writer *json)
{
    if (json->indent)
        fprintf(json->stream, "\n%*s", json->indent * json->depth, "");
}

static void begin_value(struct json_writer *json, const char *key)
{
    if (json->has_values)
        fputs(json->indent ? "," : ", ", json->stream);
    if (json->depth)
        begin_line(json);
    if (key) {
        write_string(json->stream, key, strlen(key));
        fputs(": ", json->stream);
    }
    json->has_values = true;
}

void json_begin(struct json_writer *json, const char *key, char bracket)
{
    begin_value(json, key);
    putc(bracket, json->stream);
    json->depth++;
    json->has_values = false;
}

void json_end(struct json_writer *json, char bracket)
{
    json->depth--;
    if (json->has_values)
        begin_line(json);
    putc(bracket, json->stream);
    if (json->depth == 0)
        putc('\n', json->stream);
    json->has_values = json->depth > 0;
}

/* ---- Values ---- */

void json_write_string(struct json_writer *json, const char *key, const char *text, size_t len)
{
    begin_value(json, key);
    write_string(json->stream, text, len);
}

void json_write_text(struct json_writer *json, const char *key, const char *text)
{
    json_write_string(json, key, text, strlen(text));
}

/* Strings have no tab or line end in them, so one is a blank between values. */
void json_write_raw(struct json_writer *json, const char *key, const char *text, size_t len)
{
    begin_value(json, key);
    for (size_t at = 0; at < len;) {
        uint32_t character;
        size_t n = utf8_next(text + at, len - at, &character);
        if (character == '\t' || character == '\r' || character == '\n')
            putc(' ', json->stream);
        else if (display_hides(character))
            write_escaped(json->stream, character);
        else
            fwrite(text + at, 1, n, json->stream);
        at += n;
    }
}

void json_write_word(struct json_writer *json, const char *key, const char *word)
{
    begin_value(json, key);
    fputs(word, json->stream);
}

void json_write_integer(struct json_writer *json, const char *key, int64_t number)
{
    begin_value(json, key);
    fprintf(json->stream, "%" PRId64, number);
}

void json_write_float(struct json_writer *json, const char *key, float value)
{
    char text[FORMAT_FLOAT_MAX];
    format_float(value, text);
    json_write_word(json, key, isfinite(value) ? text : "null");
}

void json_write_floats(struct json_writer *json, const char *key, const float *values, size_t n)
{
    json_begin_array(json, key);
    for (size_t i = 0; i < n; i++)
        json_write_float(json, NULL, values[i]);
    json_end_array(json);
}

void json_write_double(struct json_writer *json, const char *key, const char *format, double value)
{
    begin_value(json, key);
    if (isfinite(value))
        fprintf(json->stream, format, value);
    else
        fputs("null", json->stream);
}

/* ---- Cells ---- */

/* Returns whether the format shows this cell, and prints what is between it and the one before. */
static bool begin_cell(struct rows *rows, unsigned where)
{
    const bool is_shown = (where & rows->format) != 0;
    if (!is_shown || rows->format == ROWS_JSON || rows->n_cells++ == 0)
        return is_shown;
    if (rows->format != ROWS_TABLE)
        putc(rows->format == ROWS_CSV ? ',' : '\t', rows->stream);
    else
        fputs(rows->cells == rows->stream ? "  " : "\t", rows->cells);
    return true;
}

static bool needs_quotes(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr(",\"\r\n", text[i]) && text[i])
            return true;
    return len > 0 && (text[0] == ' ' || text[len - 1] == ' ');
}

/* CSV has no escapes: programs get all characters as they are, a terminal none that it obeys. In
 * TSV tabs and line ends become blanks. Invalid parts of UTF-8 become U+FFFD. */
static void write_field(const struct rows *rows, const char *text, size_t len)
{
    FILE *stream = rows->stream;
    const bool has_tabs = rows->format == ROWS_TSV, quotes = !has_tabs && needs_quotes(text, len);
    if (quotes)
        putc('"', stream);
    for (size_t at = 0; at < len;) {
        uint32_t character;
        char bytes[4];
        size_t n = utf8_next(text + at, len - at, &character);
        if (has_tabs && (character == '\t' || character == '\r' || character == '\n'))
            putc(' ', stream);
        else if (display_hides(character) && isatty(fileno(stream)))
            display_text(stream, text + at, n, sizeof "\\U000e0001");
        else
            fwrite(bytes, 1, utf8_put(character, bytes), stream);
        at += n;
        if (character == '"' && !has_tabs)
            putc('"', stream);
    }
    if (quotes)
        putc('"', stream);
}

void row_text(struct rows *rows, unsigned where, const char *key, const char *text, size_t len,
              size_t most)
{
    if (!begin_cell(rows, where))
        return;
    if (rows->format == ROWS_TABLE)
        display_text(rows->cells, text, len, most);
    else if (rows->format != ROWS_JSON)
        write_field(rows, text, len);
    else if (text)
        json_write_string(&rows->json, key, text, len);
}

void row_integer(struct rows *rows, unsigned where, const char *key, int64_t number)
{
    if (!begin_cell(rows, where))
        return;
    if (rows->format == ROWS_JSON)
        json_write_integer(&rows->json, key, number);
    else if (rows->format == ROWS_TABLE)
        fprintf(rows->cells, "%*" PRId64, rows->count_width, number);
    else
        fprintf(rows->stream, "%" PRId64, number);
}

void row_float(struct rows *rows, unsigned where, const char *key, float value)
{
    char text[FORMAT_FLOAT_MAX];
    if (!begin_cell(rows, where))
        return;
    if (rows->format == ROWS_JSON)
        json_write_float(&rows->json, key, value);
    else if (rows->format == ROWS_TABLE)
        display_number(rows->cells, (double)value);
    else
        fwrite(text, 1, format_float(value, text), rows->stream);
}

void row_flag(struct rows *rows, unsigned where, const char *key, bool truth)
{
    if (rows->format != ROWS_JSON)
        row_count(rows, where, key, truth);
    else if (truth && where & ROWS_JSON)
        json_write_truth(&rows->json, key, true);
}

void row_span(struct rows *rows, unsigned where, const char *key, struct row_span span)
{
    const size_t fields[] = {span.begin, span.end, span.in_pair};
    char json[64] = "null";
    for (size_t i = 0; rows->format & ROWS_FIELDS && i < 3; i++)
        if (span.is_absent)
            row_text(rows, where, key, NULL, 0, 0);
        else
            row_count(rows, where, key, fields[i]);
    if (rows->format & ROWS_FIELDS || !begin_cell(rows, where))
        return;
    if (rows->format == ROWS_TABLE && !span.is_absent)
        fprintf(rows->cells, "%s%zu-%zu", span.in_pair ? "pair " : "", span.begin, span.end);
    if (rows->format == ROWS_TABLE)
        return;
    if (!span.is_absent)
        snprintf(json, sizeof json, "[%zu, %zu]", span.begin, span.end);
    json_write_raw(&rows->json, key, json, strlen(json));
    row_flag(rows, ROWS_JSON, "in_pair", span.in_pair);
}

/* ---- Rows ---- */

int ranked_compare(const void *a, const void *b)
{
    const struct ranked *first = a, *second = b;
    if (first->score != second->score)
        return first->score > second->score ? -1 : 1;
    return first->index < second->index ? -1 : first->index > second->index;
}

void rows_titles(struct rows *rows, const char *titles, size_t n, const char *name)
{
    if (rows->format != ROWS_CSV)
        return;
    fputs(titles, rows->stream);
    for (size_t i = 0; i < n; i++)
        fprintf(rows->stream, ",%s%zu", name, i);
    row_end(rows);
}

void rows_begin(struct rows *rows, const char *key, const char *titles)
{
    rows->key = key;
    rows->titles = titles;
    rows->n = 0;
    rows->cells = rows->stream;
    if (rows->format == ROWS_JSON && key)
        json_begin_array(&rows->json, key);
}

void row_begin(struct rows *rows)
{
    rows->n_cells = 0;
    if (rows->format == ROWS_JSON)
        json_begin_object(&rows->json, NULL);
    if (rows->n++ == 0 && rows->format == ROWS_TABLE && rows->titles) {
        rows->cells = alloc_open(&rows->text);
        fprintf(rows->cells, "%s\n", rows->titles);
    }
}

void row_end(struct rows *rows)
{
    if (rows->format == ROWS_JSON)
        json_end_object(&rows->json);
    else if (rows->format == ROWS_TABLE)
        putc('\n', rows->cells);
    else
        fputs(rows->format == ROWS_CSV ? "\r\n" : "\n", rows->stream);
}

static const char LINE = '\f'; /* begins a line of row_line, among the cells */

void row_line(struct rows *rows, const char *text, size_t len)
{
    if (rows->format == ROWS_TABLE)
        fprintf(rows->cells, "%c%.*s\n", LINE, (int)len, text);
}

enum { COLUMNS_MOST = 8, WIDEST_CELL = 1000 };

/* Prints the cells of a table, which have tabs between them, and frees them: goes through them once
 * to measure, once to print. The last cell of a row has no blanks after it. */
void rows_end(struct rows *rows, const char *columns)
{
    FILE *stream = rows->stream;
    const char *text;
    size_t widths[COLUMNS_MOST] = {0};
    if (rows->format == ROWS_JSON && rows->key)
        json_end_array(&rows->json);
    if (rows->format != ROWS_TABLE || rows->cells == stream) {
        if (rows->format == ROWS_TABLE && rows->key)
            fprintf(stream, "(no %s)\n", rows->key);
        return;
    }
    text = alloc_close(rows->cells, &rows->text);
    for (int pass = 0; pass < 2; pass++) {
        size_t column = 0, len;
        for (const char *cell = text; cell < text + rows->text.len; cell += len + 1) {
            len = strcspn(cell, "\t\n");
            if (*cell == LINE) {
                fprintf(stream, "%.*s", pass == 1 ? (int)len : 0, cell + 1); /* with its end */
                continue;
            }
            const char side = columns[column], end = cell[len];
            const size_t width = side == '.' ? 0 : display_width(cell, len, WIDEST_CELL);
            if (pass == 0) {
                widths[column] = width > widths[column] ? width : widths[column];
            } else {
                const int blanks = (int)(widths[column] - width);
                fputs(column > 0 && side != '.' ? "  " : "", stream);
                fprintf(stream, "%*s", side == '>' ? blanks : 0, "");
                fwrite(cell, 1, len, stream);
                fprintf(stream, "%*s", side == '<' && end == '\t' ? blanks : 0, "");
                fputs(end == '\n' ? "\n" : "", stream);
            }
            column = end == '\t' ? column + 1 : 0;
        }
    }
    free(rows->text.bytes);
}
