/* progress.h - a bar on stderr where that is a terminal, and nothing elsewhere. */
#ifndef TOOLS_IMPORT_PROGRESS_H
#define TOOLS_IMPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool is_shown;
    uint64_t done, total; /* bytes */
    unsigned percent;     /* on the screen */
    const char *what;
};

void progress_begin(struct progress *progress, const char *what, uint64_t total);
void progress_add(struct progress *progress, uint64_t n);

/* Wipes the bar, so that what follows stands on a clean line. */
void progress_end(struct progress *progress);

#endif
