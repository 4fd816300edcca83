/* mapped.c - see mapped.h. If another program cuts a mapped file off, the handler of program_begin
 * (tools/common/options.c) ends the program with a message. */
#include "tools/search/mapped.h"

#include "tools/common/alloc.h"
#include "tools/common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void mapped_open(struct mapped *mapped, const char *path)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* which a pipe would wait for */
    if (fd < 0 || fstat(fd, &status) != 0)
        program_die("cannot read '%s': %s%s", path, strerror(errno),
                    strpbrk(path, "./") ? "" : "; a query is --query TEXT");
    if (!S_ISREG(status.st_mode))
        program_die("'%s' is not a regular file: a pipe, a device or a folder cannot be mapped",
                    path);
    *mapped = (struct mapped){.path = path, .len = (size_t)status.st_size};
    if (mapped->len > 0)
        mapped->data = mmap(NULL, mapped->len, PROT_READ, MAP_SHARED, fd, 0);
    if (mapped->data == MAP_FAILED || (uintmax_t)status.st_size > SIZE_MAX)
        program_die("cannot map '%s': %s", path, strerror(errno ? errno : EFBIG));
    close(fd);
    input_remember(path);
}

void mapped_close(struct mapped *mapped)
{
    if (mapped->data != NULL)
        munmap((void *)(uintptr_t)mapped->data, mapped->len);
    *mapped = (struct mapped){0};
}

/* ---- Lines ---- */

/* Few lines, as a hit reads half as many before its own. */
enum { STRIDE = 64 };

void lines_close(struct lines *lines)
{
    mapped_close(&lines->file);
    free(lines->starts);
    *lines = (struct lines){0};
}

/* Returns the offset after up to *n lines that start at `offset`, and lowers *n by their number. */
static size_t skip_lines(const struct mapped *file, size_t offset, size_t *n)
{
    for (; *n > 0 && offset < file->len; --*n) {
        const char *end = memchr(file->data + offset, '\n', file->len - offset);
        offset = end != NULL ? (size_t)(end - file->data) + 1 : file->len;
    }
    return offset;
}

/* Stores the starts of at least n lines, or of all. */
static void index_lines(struct lines *lines, size_t n)
{
    while (lines->n < n && lines->end < lines->file.len) {
        size_t rest = STRIDE;
        if (lines->n_starts == lines->cap) {
            lines->cap = 2 * lines->cap + 64;
            lines->starts = alloc_resize(lines->starts, lines->cap, sizeof *lines->starts);
        }
        lines->starts[lines->n_starts++] = lines->end;
        lines->end = skip_lines(&lines->file, lines->end, &rest);
        lines->n += STRIDE - rest;
    }
}

static const char *line_at(const struct lines *lines, size_t offset, size_t *len)
{
    const char *begin = lines->file.data + offset, *end = lines->file.data + lines->file.len;
    const char *found = memchr(begin, '\n', (size_t)(end - begin));
    *len = (size_t)((found != NULL ? found : end) - begin);
    *len -= found != NULL && *len > 0 && begin[*len - 1] == '\r';
    return begin;
}

const char *lines_get(struct lines *lines, size_t number, size_t *len)
{
    size_t rest = (number - 1) % STRIDE;
    index_lines(lines, number);
    if (number == 0 || number > lines->n)
        return NULL;
    const size_t start = lines->starts[(number - 1) / STRIDE];
    return line_at(lines, skip_lines(&lines->file, start, &rest), len);
}

size_t lines_count(struct lines *lines)
{
    index_lines(lines, SIZE_MAX);
    return lines->n;
}

const char *lines_last(const struct lines *lines, size_t *len)
{
    const char *data = lines->file.data;
    if (lines->file.len == 0)
        return NULL;
    const size_t whole = lines->file.len - (data[lines->file.len - 1] == '\n');
    const char *before = memrchr(data, '\n', whole);
    return line_at(lines, before != NULL ? (size_t)(before - data) + 1 : 0, len);
}
