/* csv_writer.c - CSV field by field; see csv_writer.h. */
#include "tools/common/print/csv_writer.h"

#include "tools/common/print/display.h"
#include "tools/common/print/format_float.h"
#include "tools/common/print/utf8.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static bool needs_quotes(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr(",\"\r\n", text[i]) && text[i])
            return true;
    return len > 0 && (text[0] == ' ' || text[len - 1] == ' ');
}

static void begin_field(struct csv_writer *csv)
{
    if (csv->has_fields)
        putc(csv->has_tabs ? '\t' : ',', csv->stream);
    csv->has_fields = true;
}

/* CSV has no escapes: programs get all characters as they are, a terminal none that it obeys. */
void csv_write_string(struct csv_writer *csv, const char *text, size_t len)
{
    bool quotes = !csv->has_tabs && needs_quotes(text, len);
    begin_field(csv);
    if (quotes)
        putc('"', csv->stream);
    for (size_t at = 0; at < len;) {
        uint32_t character;
        char bytes[4];
        size_t n = utf8_next(text + at, len - at, &character);
        if (csv->has_tabs && (character == '\t' || character == '\r' || character == '\n'))
            putc(' ', csv->stream);
        else if (display_hides(character) && isatty(fileno(csv->stream)))
            display_text(csv->stream, text + at, n, sizeof "\\U000e0001");
        else
            fwrite(bytes, 1, utf8_put(character, bytes), csv->stream);
        at += n;
        if (character == '"' && !csv->has_tabs)
            putc('"', csv->stream);
    }
    if (quotes)
        putc('"', csv->stream);
}

void csv_write_integer(struct csv_writer *csv, int64_t number)
{
    begin_field(csv);
    fprintf(csv->stream, "%" PRId64, number);
}

void csv_write_float(struct csv_writer *csv, float value)
{
    char text[FORMAT_FLOAT_MAX];
    begin_field(csv);
    fwrite(text, 1, format_float(value, text), csv->stream);
}

void csv_write_fields(struct csv_writer *csv, const char *fields)
{
    begin_field(csv);
    fputs(fields, csv->stream);
}

void csv_write_numbered(struct csv_writer *csv, const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        begin_field(csv);
        fprintf(csv->stream, "%s%zu", name, i);
    }
}

void csv_end_row(struct csv_writer *csv)
{
    fputs(csv->has_tabs ? "\n" : "\r\n", csv->stream);
    csv->has_fields = false;
}
