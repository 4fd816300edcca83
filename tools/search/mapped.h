/* mapped.h - files that are mapped into memory, and their lines by number. */
#ifndef TOOLS_SEARCH_MAPPED_H
#define TOOLS_SEARCH_MAPPED_H

#include <stddef.h>

struct mapped {
    const char *path;
    const char *data; /* [len]; NULL if the file is empty */
    size_t len;
};

/* Ends the program if the file cannot be opened, or is a pipe, a folder or a device, which cannot
 * be mapped. Remembers it as one that is read (output.h). */
void mapped_open(struct mapped *mapped, const char *path);
void mapped_close(struct mapped *mapped);

/* Lines by number, of a file that is mapped. The start of every 64th line is stored when needed. */
struct lines {
    struct mapped file;
    size_t *starts; /* [n_starts] offsets */
    size_t n_starts, cap;
    size_t n, end; /* lines before the offset `end`, up to which starts are stored */
};

void lines_close(struct lines *lines);

/* Line `number`, from 1, without its end (\n or \r\n); NULL if the file has no such line. */
const char *lines_get(struct lines *lines, size_t number, size_t *len);

/* The number of lines; reads the file to its end. */
size_t lines_count(struct lines *lines);

/* The last line; NULL if the file is empty. */
const char *lines_last(const struct lines *lines, size_t *len);

#endif
