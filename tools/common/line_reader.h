/* line_reader.h - lines of a file descriptor, without waiting for more than the next one.
 *
 * Memory is one buffer as long as the longest line seen (at most LINE_BYTES_MAX), however long the
 * input. A line's end, \n or \r\n, is not part of it; the last line need not have one. */
#ifndef TOOLS_LINE_READER_H
#define TOOLS_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_BYTES_MAX ((size_t)64 << 20)

enum line_state {
    LINE_READ,
    LINE_PENDING,  /* no whole line yet, and reading more would wait, or `wake` can be read */
    LINE_END,      /* no more lines */
    LINE_TOO_LONG, /* longer than LINE_BYTES_MAX */
    LINE_FAILED    /* read failed or memory is short: error is an errno value */
};

/* The end of the lines that were handed out. */
struct line_place {
    uint64_t bytes;
    uint32_t sum; /* CRC-32C of them, where has_sum asks for it */
};

struct line_reader {
    int fd;
    int wake; /* a descriptor that ends waiting when it can be read; -1: none */
    bool has_sum;
    struct line_place place;
    size_t last_begin; /* of the last line handed out, with its line_place */
    struct line_place last_place;
    char *data; /* [cap] */
    size_t cap;
    size_t begin, end; /* bytes that are read and not yet handed out */
    size_t searched;   /* no \n in begin .. searched-1 */
    size_t n_lines;    /* lines handed out: the number of the last one, from 1 */
    bool at_end;
    int error;
};

void line_reader_begin(struct line_reader *reader, int fd);
void line_reader_free(struct line_reader *reader);

/* The next line, borrowed until the next call, and free to be changed; the byte after it is \r, \n
 * or NUL. With `wait` false, LINE_PENDING instead of waiting for the other end. */
enum line_state line_reader_next(struct line_reader *reader, bool wait, char **line, size_t *len);

/* Takes the last line back: it is the next one again. Only before the next call. */
void line_reader_undo(struct line_reader *reader);

/* Passes by the next line, however long it is, after LINE_TOO_LONG. LINE_READ or LINE_FAILED. */
enum line_state line_reader_pass(struct line_reader *reader);

#endif
