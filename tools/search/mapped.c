/* mapped.c - see mapped.h. What happens when a mapped file is cut off by somebody else, options.c
 * of tools/common tells. */
#include "tools/search/mapped.h"

#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/common/options.h"

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
        program_die("cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        program_die("'%s' is no regular file: it is mapped, which a pipe, a device or a folder "
                    "cannot be",
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

enum { BLOCK_BYTES = 8 << 10 };

void lines_open(struct lines *lines, const char *path)
{
    *lines = (struct lines){0};
    mapped_open(&lines->file, path);
}

void lines_close(struct lines *lines)
{
    mapped_close(&lines->file);
    free(lines->before);
    *lines = (struct lines){0};
}

/* Of a block, whose sum 16 bits hold: compilers make vectors of that. */
static size_t count_line_ends(const char *bytes, size_t n)
{
    uint16_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = (uint16_t)(sum + (bytes[i] == '\n'));
    return sum;
}

static size_t block_len(const struct lines *lines, size_t block)
{
    size_t rest = lines->file.len - block * BLOCK_BYTES;
    return rest < BLOCK_BYTES ? rest : BLOCK_BYTES;
}

/* Counts blocks until n line ends are behind, or all of the file. */
static void count_to(struct lines *lines, size_t n)
{
    while (lines->n_counted * BLOCK_BYTES < lines->file.len &&
           (lines->n_counted == 0 || lines->before[lines->n_counted] < n)) {
        if (lines->n_counted + 2 > lines->cap) {
            lines->cap = 2 * lines->cap + 64;
            lines->before = alloc_resize(lines->before, lines->cap, sizeof *lines->before);
            lines->before[0] = 0;
        }
        size_t block = lines->n_counted++;
        lines->before[block + 1] =
            lines->before[block] +
            count_line_ends(lines->file.data + block * BLOCK_BYTES, block_len(lines, block));
    }
}

/* Where the n-th line end is, n from 1; NULL: there are fewer. */
static const char *find_line_end(struct lines *lines, size_t n)
{
    count_to(lines, n);
    if (lines->n_counted == 0 || lines->before[lines->n_counted] < n)
        return NULL;
    size_t low = 0, high = lines->n_counted; /* before[low] < n <= before[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(lines->before[middle] < n ? &low : &high) = middle;
    }
    const char *at = lines->file.data + low * BLOCK_BYTES, *end = at + block_len(lines, low);
    for (n -= lines->before[low]; at != NULL && n > 0; n--) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at == NULL || n == 1 ? at : at + 1;
    }
    return at; /* NULL where another program writes into the file */
}

static const char *line_at(const struct lines *lines, const char *begin, size_t *len)
{
    const char *end = lines->file.data + lines->file.len;
    const char *found = memchr(begin, '\n', (size_t)(end - begin));
    *len = (size_t)((found != NULL ? found : end) - begin);
    *len -= found != NULL && *len > 0 && begin[*len - 1] == '\r';
    return begin;
}

const char *lines_get(struct lines *lines, size_t number, size_t *len)
{
    const char *begin = lines->file.data, *end = begin + lines->file.len;
    if (number > 1) {
        const char *before = find_line_end(lines, number - 1);
        begin = before != NULL ? before + 1 : end;
    }
    return begin != end ? line_at(lines, begin, len) : NULL;
}

size_t lines_count(struct lines *lines)
{
    const struct mapped *file = &lines->file;
    if (file->len == 0)
        return 0;
    count_to(lines, SIZE_MAX);
    return lines->before[lines->n_counted] + (file->data[file->len - 1] != '\n');
}

const char *lines_last(const struct lines *lines, size_t *len)
{
    const char *data = lines->file.data;
    if (lines->file.len == 0)
        return NULL;
    size_t whole = lines->file.len - (data[lines->file.len - 1] == '\n');
    const char *before = memrchr(data, '\n', whole);
    return line_at(lines, before != NULL ? before + 1 : data, len);
}
