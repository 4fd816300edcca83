/* provenance.h - where a weight file came from: META keys with the names and the SHA-256 of every
 * file that was read.
 */
#ifndef TOOLS_IMPORT_PROVENANCE_H
#define TOOLS_IMPORT_PROVENANCE_H

#include "engine/file/weight_writer.h"
#include "tools/import/checkpoint/folder.h"

struct progress;

/* Bytes of all files that the folder remembers: what provenance_write will read. */
uint64_t provenance_bytes(const struct folder *folder);

/* source.0, sha256.0, source.1, … in the order in which the files were opened first. */
bool provenance_write(const struct folder *folder, struct weight_writer *writer,
                      struct progress *progress, struct problem *problem);

/* The same of one file that lies anywhere: source.<index> is the last part of its path. */
bool provenance_write_file(size_t index, const char *path, struct weight_writer *writer,
                           struct problem *problem);

#endif
