/* line_reader.c - lines from read(2); see line_reader.h. stdio is not used because it cannot say
 * whether the next read would wait. */
#include "tools/common/line_reader.h"

#include "engine/file/crc32c.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_CAP = 64 << 10 };

void line_reader_begin(struct line_reader *reader, int fd)
{
    *reader = (struct line_reader){0};
    reader->fd = fd;
    reader->wake = -1;
}

void line_reader_free(struct line_reader *reader)
{
    free(reader->data);
    reader->data = NULL;
}

/* Makes room for more bytes after `end`: moves the unread ones to the front, else grows. */
static bool make_room(struct line_reader *reader)
{
    if (reader->begin > 0 && reader->end == reader->cap) {
        memmove(reader->data, reader->data + reader->begin, reader->end - reader->begin);
        reader->end -= reader->begin;
        reader->searched -= reader->begin;
        reader->begin = 0;
    }
    if (reader->end < reader->cap)
        return true;
    size_t cap = reader->cap ? 2 * reader->cap : FIRST_CAP;
    char *data = realloc(reader->data, cap + 1);
    if (!data) {
        reader->error = ENOMEM;
        return false;
    }
    reader->data = data;
    reader->cap = cap;
    return true;
}

/* Waits up to timeout milliseconds, or without end if that is -1. Returns whether the input can be
 * read, and `wake` cannot. A descriptor of -1 is ignored. */
static bool wait_for_input(int fd, int wake, int timeout)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    int n;
    while ((n = poll(fds, 2, timeout)) < 0 && errno == EINTR)
        ;
    return n != 0 && fds[1].revents == 0;
}

static bool read_more(struct line_reader *reader)
{
    ssize_t n;
    if (!make_room(reader))
        return false;
    do
        n = read(reader->fd, reader->data + reader->end, reader->cap - reader->end);
    while (n < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_input(reader->fd, -1, -1))));
    if (n < 0) {
        reader->error = errno;
        return false;
    }
    reader->at_end = n == 0;
    reader->end += (size_t)n;
    reader->data[reader->end] = '\0';
    return true;
}

/* Counts the bytes up to `next` as handed out. */
static void advance(struct line_reader *reader, size_t next)
{
    const size_t n = next - reader->begin;
    if (reader->has_sum)
        reader->place.sum = crc32c(reader->place.sum, reader->data + reader->begin, n);
    reader->place.bytes += n;
    reader->begin = reader->searched = next;
}

static enum line_state hand_out(struct line_reader *reader, size_t end, size_t next, char **line,
                                size_t *len)
{
    if (end - reader->begin > LINE_BYTES_MAX)
        return LINE_TOO_LONG;
    *line = reader->data + reader->begin;
    *len = end - reader->begin;
    reader->last_begin = reader->begin;
    reader->last_place = reader->place;
    advance(reader, next);
    reader->n_lines++;
    return LINE_READ;
}

void line_reader_undo(struct line_reader *reader)
{
    reader->begin = reader->searched = reader->last_begin;
    reader->place = reader->last_place;
    reader->n_lines--;
}

enum line_state line_reader_pass(struct line_reader *reader)
{
    for (;;) {
        const size_t n = reader->end - reader->begin;
        const char *end = n ? memchr(reader->data + reader->begin, '\n', n) : NULL;
        advance(reader, end ? (size_t)(end - reader->data) + 1 : reader->end);
        if (end || reader->at_end) {
            reader->n_lines++;
            return LINE_READ;
        }
        if (!read_more(reader))
            return LINE_FAILED;
    }
}

enum line_state line_reader_next(struct line_reader *reader, bool wait, char **line, size_t *len)
{
    for (;;) {
        char *end = reader->searched < reader->end ? memchr(reader->data + reader->searched, '\n',
                                                            reader->end - reader->searched)
                                                   : NULL;
        if (end) {
            size_t at = (size_t)(end - reader->data);
            bool carriage_return = at > reader->begin && reader->data[at - 1] == '\r';
            return hand_out(reader, carriage_return ? at - 1 : at, at + 1, line, len);
        }
        reader->searched = reader->end;
        if (reader->at_end)
            return reader->begin == reader->end
                       ? LINE_END
                       : hand_out(reader, reader->end, reader->end, line, len);
        if (reader->end - reader->begin > LINE_BYTES_MAX + 1)
            return LINE_TOO_LONG;
        if (!wait && !wait_for_input(reader->fd, -1, 0))
            return LINE_PENDING;
        if (reader->wake >= 0 && !wait_for_input(reader->fd, reader->wake, -1))
            return LINE_PENDING;
        if (!read_more(reader))
            return LINE_FAILED;
    }
}
