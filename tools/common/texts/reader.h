/* reader.h - the inputs of the program, one after the other: its arguments, or the lines of stdin
 * or of files as text, as JSON or as a table. Line k is input k, but for the names of columns. */
#ifndef TOOLS_READER_H
#define TOOLS_READER_H

#include "tools/common/line_reader.h"
#include "tools/common/texts/item.h"

#include <stdbool.h>
#include <stddef.h>

enum reader_state {
    READER_RECORD,
    READER_PENDING, /* none yet, and reading would wait */
    READER_END,
    READER_FAILED /* message says why */
};

struct reader {
    const struct request_options *request; /* the texts, or the files and their kind */
    bool two_by_two;                       /* two arguments are a pair */
    size_t file, lines_before;             /* the file that is read; lines of those before it */
    /* Of a table, CSV as RFC 4180 has it, or values between tabs, which have no quotes: which
     * column has the texts, from 0, once the first line, with the columns' names, is read. */
    size_t column;
    bool has_columns;
    bool keeps_going;  /* an invalid line becomes a record with `fault`, it does not end reading */
    bool has_bad_line; /* the message is about an invalid line */
    size_t n_read;     /* arguments */
    bool empty_line;   /* the JSON line before this one was empty */
    struct line_place place; /* after the last record */
    struct line_reader lines;
    char message[512];
};

/* Reads the texts of a request, its files, or stdin, and remembers files (output.h). */
void reader_open(struct reader *reader, const struct request_options *request);

/* Opens a file as stdin. Ends the program on failure. */
void reader_open_file(const char *path);
#define reader_free(reader) line_reader_free(&(reader)->lines)

/* Skips lines until so many bytes are read; not interrupted by `wake`. Returns LINE_READ, LINE_END
 * if there are fewer, or LINE_FAILED with the message. */
enum line_state reader_skip_lines(struct reader *reader, uint64_t n_bytes);

/* Skips what an earlier run has read. Returns false if the input differs, with the message. */
bool reader_skip(struct reader *reader, struct line_place done);

/* The next input; the caller frees it. With `wait` false, READER_PENDING instead of waiting;
 * else where the lines' `wake` ends it. */
enum reader_state reader_next(struct reader *reader, bool wait, struct record *record);

#endif
