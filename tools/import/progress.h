/* progress.h - a bar on stderr if that is a terminal, else nothing. One at a time. */
#ifndef TOOLS_IMPORT_PROGRESS_H
#define TOOLS_IMPORT_PROGRESS_H

#include <stdint.h>

/* total: bytes that will be read. */
void progress_begin(const char *what, uint64_t total);
void progress_add(uint64_t n);

/* Removes the bar, if there is one, so that the line is empty. */
void progress_end(void);

#endif
