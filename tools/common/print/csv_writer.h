/* csv_writer.h - writes CSV (RFC 4180) field by field, straight to a stream. Commas, quotes and
 * line ends are the writer's. */
#ifndef TOOLS_CSV_WRITER_H
#define TOOLS_CSV_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct csv_writer {
    FILE *stream;
    bool has_tabs;   /* between fields, in which tabs and line ends become blanks: no quotes */
    bool has_fields; /* the row has some already */
};

/* In quotes where it needs them; always valid UTF-8: each invalid part becomes U+FFFD. No bytes:
 * an empty field. On a terminal hidden characters are escapes. */
void csv_write_string(struct csv_writer *csv, const char *text, size_t len);

void csv_write_integer(struct csv_writer *csv, int64_t number);

/* The shortest number that reads back as the same float32. */
void csv_write_float(struct csv_writer *csv, float value);

/* Several fields that need no quotes, with the commas between them: "text,pair". */
void csv_write_fields(struct csv_writer *csv, const char *fields);

/* Titles of n columns of one kind: "v0,v1,v2". */
void csv_write_numbered(struct csv_writer *csv, const char *name, size_t n);

void csv_end_row(struct csv_writer *csv);

#endif
