/* rows.c - a result as rows; see rows.h. */
#include "tools/common/print/rows.h"

#include "tools/common/print/display.h"
#include "tools/common/print/format_float.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
