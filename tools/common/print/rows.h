/* rows.h - a result as rows: a table, JSON objects, CSV (RFC 4180) or TSV. A function of the
 * program writes each cell once, with its name and the formats that show it:
 *
 *     struct rows rows = ROWS(stdout, ROWS_CSV);
 *     rows_titles(&rows, "index,text", 0, NULL);
 *     rows_begin(&rows, NULL, "#\ttext");
 *     row_begin(&rows);
 *     row_count(&rows, ROWS_TABLE, "#", i + 1);
 *     row_count(&rows, ROWS_JSON | ROWS_CSV, "index", i);
 *     row_text(&rows, ROWS_ALL, "text", text, len, 40);
 *     row_end(&rows);
 *     rows_end(&rows, "><");
 */
#ifndef TOOLS_ROWS_H
#define TOOLS_ROWS_H

#include "tools/common/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Numbers ---- */

enum { FORMAT_FLOAT_MAX = 32 };

/* The shortest decimal that reads back as exactly this float32 (one halfway between two
 * floats is never used, with any rounding), NUL-terminated, always with a point or an exponent:
 * "0.1", "-0.0", "3.4028235e+38"; "nan", "inf" and "-inf" for the others. Returns its length. */
size_t format_float(float value, char out[FORMAT_FLOAT_MAX]);

/* ---- JSON (RFC 8259), value by value, straight to a stream ----
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

/* ---- Rows ---- */

/* A score, and the label, id, text or row that has it. */
struct ranked {
    float score;
    size_t index;
};

/* Compares, for qsort, structs that begin with a struct ranked: larger scores first, equal ones in
 * the order of their indexes. */
int ranked_compare(const void *a, const void *b);

/* Bits: where a cell is shown. */
enum rows_format { ROWS_TABLE = 1, ROWS_JSON = 2, ROWS_CSV = 4, ROWS_TSV = 8 };
enum { ROWS_FIELDS = ROWS_CSV | ROWS_TSV, ROWS_DATA = ROWS_FIELDS | ROWS_JSON, ROWS_ALL = 15 };

struct rows {
    FILE *stream;
    enum rows_format format;
    struct json_writer json;
    FILE *cells;         /* where the cells of a table are written; text in them by display_text */
    struct written text; /* the cells of a table with titles, until rows_end */
    int count_width;     /* table: the least width of counts */
    const char *key, *titles;
    size_t n, n_cells; /* rows since rows_begin; cells of the row */
};

/* Bytes of the text that a span covers, or of the text's pair. */
struct row_span {
    size_t begin, end;
    bool in_pair, is_absent;
};

/* The initializer of a struct rows. */
#define ROWS(to, in_format)                                                                        \
    {                                                                                              \
        .stream = (to), .format = (in_format), .json = {.stream = (to) }                           \
    }

/* Prints the first line of CSV: titles, then n names: name0, name1 and so on. TSV lacks it. */
void rows_titles(struct rows *rows, const char *titles, size_t n, const char *name);

/* Begins a table with these titles, a tab between them, or in JSON an array that is the member
 * `key` of the open object. If key is NULL, each object is a line of its own; if titles is NULL,
 * the lines of a table are printed at once, two blanks between their cells. */
void rows_begin(struct rows *rows, const char *key, const char *titles);

/* Ends it. Columns of a table with titles are as wide as their widest cell; `columns` has a letter
 * for each: '<' to the left, '>' to the right, two blanks between neighbours; '.' as it is,
 * directly after the cell before it. A table with a key and no rows is "(no KEY)". */
void rows_end(struct rows *rows, const char *columns);

void row_begin(struct rows *rows);
void row_end(struct rows *rows);

/* Adds a line to a table with titles, under its last row; it takes the whole width. The text must
 * be as display_text prints it. */
void row_line(struct rows *rows, const char *text, size_t len);

/* Cells. Texts in a table take at most `most` columns; text NULL: no member in JSON, an empty
 * field. CSV and JSON have numbers that read back as the same float32. A flag is a member of JSON
 * where it is true. */
void row_text(struct rows *rows, unsigned where, const char *key, const char *text, size_t len,
              size_t most);
#define row_count(rows, where, key, count) row_integer(rows, where, key, (int64_t)(count))
void row_integer(struct rows *rows, unsigned where, const char *key, int64_t number);
void row_float(struct rows *rows, unsigned where, const char *key, float value);
void row_flag(struct rows *rows, unsigned where, const char *key, bool truth);
void row_span(struct rows *rows, unsigned where, const char *key, struct row_span span);

#endif
