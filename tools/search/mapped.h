/* mapped.h - a file that is read where it lies, and its lines by their numbers. */
#ifndef TOOLS_SEARCH_MAPPED_H
#define TOOLS_SEARCH_MAPPED_H

#include <stddef.h>

struct mapped {
    const char *path;
    const char *data; /* [len]; NULL: the file is empty */
    size_t len;
};

/* Ends the program where it cannot be opened, or is a pipe, a folder or a device, which cannot be
 * mapped. Remembers it as one that is read (inputs.h). */
void mapped_open(struct mapped *mapped, const char *path);
void mapped_close(struct mapped *mapped);

/* Lines by number. How many end before each block of the file is counted once, and as far as lines
 * were asked for. */
struct lines {
    struct mapped file;
    size_t *before; /* [n_counted + 1] line ends before block i; that of the first is 0 */
    size_t n_counted, cap;
};

void lines_open(struct lines *lines, const char *path);
void lines_close(struct lines *lines);

/* Line `number`, from 1, without its end (\n or \r\n); NULL: the file has fewer. */
const char *lines_get(struct lines *lines, size_t number, size_t *len);

/* How many there are: the file is read to its end. */
size_t lines_count(struct lines *lines);

/* The last line; NULL: there is none. */
const char *lines_last(const struct lines *lines, size_t *len);

#endif
