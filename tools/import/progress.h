/* progress.h - a bar on stderr where that is a terminal, and nothing elsewhere. There is one at a
 * time. */
#ifndef TOOLS_IMPORT_PROGRESS_H
#define TOOLS_IMPORT_PROGRESS_H

#include <stdint.h>

/* total: bytes that will be read. */
void progress_begin(const char *what, uint64_t total);
void progress_add(uint64_t n);

/* Wipes the bar, if there is one, so that what follows stands on a clean line. */
void progress_end(void);

#endif
