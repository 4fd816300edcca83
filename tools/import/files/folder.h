/* folder.h - the directory of a checkpoint: opens the files in it and remembers which were read, so
 * that the weight file can say what it was made from. */
#ifndef TOOLS_IMPORT_FOLDER_H
#define TOOLS_IMPORT_FOLDER_H

#include "tools/common/options.h"

#include <stddef.h>
#include <stdint.h>

enum { FOLDER_PATH = 4096 };

/* The release of transformers that is followed where they differ; AS_ANY: none, refuse. */
enum reference_release { AS_ANY, AS_TRANSFORMERS_4, AS_TRANSFORMERS_5 };

struct folder {
    const char *path; /* borrowed */
    char **names;     /* [n] files that were opened, relative, each once, in that order */
    size_t n;
    uint64_t n_bytes; /* of all of them */
    enum reference_release as;
    char unread[1024]; /* keys of JSON files that no code reads ("FILE: KEY, KEY; FILE: KEY") */
};

/* The path must be that of a directory. */
void folder_open(struct folder *folder, const char *path);

/* Joins place ("" or "2_Dense/") and name. Returns `path`, cut if it is too long: folder_join then
 * refuses it. */
const char *folder_name(char path[FOLDER_PATH], const char *place, const char *name);

/* Returns whether a file of that name exists below `place`. */
bool folder_has(const struct folder *folder, const char *place, const char *name);

/* "directory/name" in `path`. Names that lead out of the directory are refused. */
const char *folder_join(const struct folder *folder, const char *name, char path[FOLDER_PATH]);

/* Opens a regular file; -1 if it is absent and not needed. */
int folder_file(struct folder *folder, const char *name, bool needed, uint64_t *n_bytes);

/* All of such a file, at most `most` bytes. NULL if it is absent and not needed. */
char *folder_text(struct folder *folder, const char *name, bool needed, size_t most, size_t *len);

/* ---- Files ---- */

/* The same as folder_file of any path. */
int file_open(const char *path, bool needed, uint64_t *n_bytes);

/* The bytes from `offset` on; a file that ends before is refused. name is for messages. */
void file_read_at(int fd, const char *name, uint64_t offset, void *data, size_t len);

/* The n_bytes of a file from `offset` on, at most `most`. */
char *file_text(int fd, const char *name, uint64_t offset, uint64_t n_bytes, size_t most);

#endif
