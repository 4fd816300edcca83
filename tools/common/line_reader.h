/* line_reader.h - lines of a file descriptor, without waiting for more than the next one.
 *
 * Memory is one buffer as long as the longest line seen (at most LINE_BYTES_MAX), however long the
 * input. A line's end, \n or \r\n, is not part of it; the last line need not have one. */
#ifndef TOOLS_LINE_READER_H
#define TOOLS_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_BYTES_MAX ((size_t)64 << 20)

enum line_state {
    LINE_READ,
    LINE_PENDING,  /* no whole line yet, and reading more would wait */
    LINE_END,      /* no more lines */
    LINE_TOO_LONG, /* longer than LINE_BYTES_MAX */
    LINE_FAILED    /* read failed or memory is short: error is an errno value */
};

struct line_reader {
    int fd;
    char *data; /* [cap] */
    size_t cap;
    size_t begin, end; /* bytes that are read and not yet handed out */
    size_t searched;   /* no \n in begin .. searched-1 */
    size_t n_lines;    /* lines handed out: the number of the last one, from 1 */
    bool at_end;
    bool keeps; /* lines that are handed out stay in memory, for line_reader_return */
    int error;
};

void line_reader_begin(struct line_reader *reader, int fd);
void line_reader_free(struct line_reader *reader);

/* The next line, borrowed until the next call, and free to be changed. With `wait` false,
 * LINE_PENDING instead of waiting for the other end. */
enum line_state line_reader_next(struct line_reader *reader, bool wait, char **line, size_t *len);

/* Back to byte `at` of the input, with which the next line begins; it is the first again. Only
 * while everything that was read is kept. */
void line_reader_return(struct line_reader *reader, size_t at);

#endif
