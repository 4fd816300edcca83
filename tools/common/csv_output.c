/* csv_output.c - writing CSV; see csv_output.h. */
#include "tools/common/csv_output.h"

#include "tools/common/format_float.h"
#include "tools/common/utf8.h"

#include <string.h>

static bool needs_quotes(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr(",\"\r\n", text[i]) && text[i])
            return true;
    return len > 0 && (text[0] == ' ' || text[len - 1] == ' ');
}

void csv_put_field(FILE *stream, const char *text, size_t len)
{
    bool quotes = needs_quotes(text, len);
    if (quotes)
        putc('"', stream);
    for (size_t at = 0; at < len;) {
        uint32_t character;
        char bytes[4];
        at += utf8_next(text + at, len - at, &character);
        fwrite(bytes, 1, utf8_put(character, bytes), stream);
        if (character == '"')
            putc('"', stream);
    }
    if (quotes)
        putc('"', stream);
}

void csv_put_float(FILE *stream, float value)
{
    char text[FORMAT_FLOAT_MAX];
    fwrite(text, 1, format_float(value, text), stream);
}

void csv_end_row(FILE *stream)
{
    fputs("\r\n", stream);
}
