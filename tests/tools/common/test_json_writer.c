/* What the JSON writer puts between values, how it escapes, and that what it writes is JSON. */
#include "tools/common/print/rows.h"

#include "tests/support.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* Every kind of value, nested, empty and full. */
static void write_sample(struct json_writer *json)
{
    json_begin_object(json, NULL);
    json_write_text(json, "name", "bike");
    json_begin_array(json, "span");
    json_write_count(json, NULL, 0);
    json_write_integer(json, NULL, -4);
    json_end_array(json);
    json_begin_object(json, "none");
    json_end_object(json);
    json_write_null(json, "label");
    json_begin_array(json, "rows");
    json_write_floats(json, NULL, (const float[]){0.5f, 1, NAN}, 3);
    json_write_floats(json, NULL, NULL, 0);
    json_end_array(json);
    json_write_double(json, "share", "%.1f", 0.5);
    json_write_double(json, "rate", "%.4f", INFINITY);
    json_write_truth(json, "cut", true);
    json_write_float(json, "score", -2);
    json_end_object(json);
}

static char *written(int indent, void (*write)(struct json_writer *json), size_t *len)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, len);
    assert_non_null(stream);
    struct json_writer json = {.stream = stream, .indent = indent};
    write(&json);
    assert_int_equal(json.depth, 0);
    assert_int_equal(fclose(stream), 0);
    return text;
}

TEST(one_line)
{
    size_t len;
    char *text = written(0, write_sample, &len);
    assert_string_equal(text,
                        "{\"name\": \"bike\", \"span\": [0, -4], \"none\": {}, \"label\": null, "
                        "\"rows\": [[0.5, 1.0, null], []], \"share\": 0.5, \"rate\": null, "
                        "\"cut\": true, \"score\": -2.0}\n");
    free(text);
}

/* Compares with what jansson writes of the same value. */
TEST(indented)
{
    size_t len;
    char *text = written(2, write_sample, &len);
    json_t *value = json_loads(text, 0, NULL);
    char *expected = json_dumps(value, JSON_INDENT(2));
    assert_non_null(expected);
    assert_int_equal(len, strlen(expected) + 1);
    assert_memory_equal(text, expected, len - 1);
    assert_int_equal(text[len - 1], '\n');
    free(expected);
    json_decref(value);
    free(text);
}

static void write_lines(struct json_writer *json)
{
    for (int i = 0; i < 2; i++) {
        json_begin_object(json, NULL);
        json_write_count(json, "i", (uint64_t)i);
        json_end_object(json);
    }
}

TEST(a_document_per_line)
{
    size_t len;
    char *text = written(0, write_lines, &len);
    assert_string_equal(text, "{\"i\": 0}\n{\"i\": 1}\n");
    free(text);
}

static void write_strings(struct json_writer *json)
{
    json_begin_object(json, NULL);
    json_write_string(json, "\"key\"\n", "a\0b\x1b\x7f\\\t\r", 8);
    json_write_string(json, "invalid", "\xff\xc3\xa4\xe2\x82", 5);
    json_write_string(json, "tag", "\xf3\xa0\x80\x81\xf0\x9f\x98\x80", 8); /* U+E0001 hides */
    json_write_string(json, "empty", NULL, 0);
    json_end_object(json);
}

TEST(strings)
{
    size_t len;
    char *text = written(0, write_strings, &len);
    assert_string_equal(text, "{\"\\\"key\\\"\\n\": \"a\\u0000b\\u001b\\u007f\\\\\\t\\r\", "
                              "\"invalid\": \"\xEF\xBF\xBD\xc3\xa4\xEF\xBF\xBD\", "
                              "\"tag\": \"\\udb40\\udc01\xf0\x9f\x98\x80\", "
                              "\"empty\": \"\"}\n");
    free(text);
}
