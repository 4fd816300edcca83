/* folder.h - the directory of a checkpoint: opens the files in it and remembers which were read, so
 * that the weight file can say what it was made from.
 */
#ifndef TOOLS_IMPORT_FOLDER_H
#define TOOLS_IMPORT_FOLDER_H

#include "tools/common/weights/problem.h"

#include <stddef.h>
#include <stdint.h>

enum { FOLDER_PATH = 4096 };

struct folder {
    const char *path; /* borrowed */
    char **names;     /* [n] files that were opened, relative, each once, in that order */
    size_t n;
};

/* The path must be that of a directory. */
bool folder_open(struct folder *folder, const char *path, struct problem *problem);
void folder_close(struct folder *folder);

/* Whether there is something of that name. */
bool folder_has(const struct folder *folder, const char *name);

/* "directory/name" in `path`. Names that lead out of the directory are refused. */
bool folder_join(const struct folder *folder, const char *name, char path[FOLDER_PATH],
                 struct problem *problem);

/* Opens a regular file; *fd is -1 where it is absent and not needed. */
bool folder_file(struct folder *folder, const char *name, bool needed, int *fd, uint64_t *n_bytes,
                 struct problem *problem);

/* Remembers a file that was read by other means. */
bool folder_note(struct folder *folder, const char *name, struct problem *problem);

#endif
