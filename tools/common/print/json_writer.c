/* json_writer.c - JSON value by value; see json_writer.h. After any value ends, its parent has at
 * least one value, so one flag says whether a comma is due, and no stack is needed. */
#include "tools/common/print/json_writer.h"

#include "tools/common/print/display.h"
#include "tools/common/print/format_float.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Strings ---- */

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
