/* json_output.c - writing JSON; see json_output.h. */
#include "tools/common/json_output.h"

#include "tools/common/format_float.h"
#include "tools/common/utf8.h"

#include <math.h>

static void put_escaped(FILE *stream, uint32_t character)
{
    switch (character) {
    case '"': fputs("\\\"", stream); break;
    case '\\': fputs("\\\\", stream); break;
    case '\n': fputs("\\n", stream); break;
    case '\r': fputs("\\r", stream); break;
    case '\t': fputs("\\t", stream); break;
    default: fprintf(stream, "\\u%04x", (unsigned)character);
    }
}

void json_put_string(FILE *stream, const char *text, size_t len)
{
    putc('"', stream);
    for (size_t at = 0; at < len;) {
        uint32_t character;
        char bytes[4];
        at += utf8_next(text + at, len - at, &character);
        if (character < 0x20 || character == '"' || character == '\\' || character == 0x7F)
            put_escaped(stream, character);
        else
            fwrite(bytes, 1, utf8_put(character, bytes), stream);
    }
    putc('"', stream);
}

void json_put_float(FILE *stream, float value)
{
    char text[FORMAT_FLOAT_MAX];
    size_t len = format_float(value, text);
    if (isfinite(value))
        fwrite(text, 1, len, stream);
    else
        fputs("null", stream);
}

void json_put_floats(FILE *stream, const float *values, size_t n)
{
    putc('[', stream);
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputs(", ", stream);
        json_put_float(stream, values[i]);
    }
    putc(']', stream);
}

void json_put_input(FILE *stream, const engine_input *input)
{
    if (input->ids) {
        fputs("null", stream);
        return;
    }
    fputs(input->pair ? "[" : "", stream);
    json_put_string(stream, input->text, input->text_len);
    if (input->pair) {
        fputs(", ", stream);
        json_put_string(stream, input->pair, input->pair_len);
        putc(']', stream);
    }
}
