/* json_writer.h - writes JSON (RFC 8259) value by value, straight to a stream.
 *
 *     struct json_writer json = {.stream = stdout};
 *     json_begin_object(&json, NULL);
 *     json_write_text(&json, "name", "bike");
 *     json_begin_array(&json, "span");
 *     json_write_count(&json, NULL, 0);
 *     json_write_count(&json, NULL, 4);
 *     json_end_array(&json);
 *     json_end_object(&json);                         {"name": "bike", "span": [0, 4]}
 *
 * Every value takes its key: a name inside an object, NULL inside an array and for the outermost
 * value, which ends with a line end. After it the writer can begin the next line. Commas, quotes
 * and escapes are the writer's; errors are left to ferror of the stream.
 */
#ifndef TOOLS_JSON_WRITER_H
#define TOOLS_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer {
    FILE *stream;
    int indent;      /* blanks per level, each value on a line of its own; 0: all on one line */
    int depth;       /* objects and arrays that are open */
    bool has_values; /* the innermost of them has some */
};

void json_begin(struct json_writer *json, const char *key, char bracket);
void json_end(struct json_writer *json, char bracket);
#define json_begin_object(json, key) json_begin(json, key, '{')
#define json_end_object(json)        json_end(json, '}')
#define json_begin_array(json, key)  json_begin(json, key, '[')
#define json_end_array(json)         json_end(json, ']')

/* Always valid UTF-8: each invalid part becomes U+FFFD. What a terminal would obey is an escape,
 * which reads back exactly. The second takes a NUL-terminated text. */
void json_write_string(struct json_writer *json, const char *key, const char *text, size_t len);
void json_write_text(struct json_writer *json, const char *key, const char *text);

/* A value that is JSON already, on one line and in UTF-8. */
void json_write_raw(struct json_writer *json, const char *key, const char *text, size_t len);

void json_write_word(struct json_writer *json, const char *key, const char *word);
#define json_write_null(json, key)         json_write_word(json, key, "null")
#define json_write_truth(json, key, truth) json_write_word(json, key, (truth) ? "true" : "false")
#define json_write_count(json, key, count) json_write_integer(json, key, (int64_t)(count))
void json_write_integer(struct json_writer *json, const char *key, int64_t number);

/* The shortest number that reads back as the same float32; null where it is not finite. */
void json_write_float(struct json_writer *json, const char *key, float value);
void json_write_floats(struct json_writer *json, const char *key, const float *values, size_t n);

/* A number in a printf format of one double, such as "%.6g"; null where it is not finite. */
void json_write_double(struct json_writer *json, const char *key, const char *format, double value);

#endif
