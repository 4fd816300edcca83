/* output_file.h - writing a result so that a failure leaves nothing half done. Not part of the
 * installed library: programs link it beside libengine.
 *
 * A regular file, or a name that does not exist yet, is written beside its place (without a name
 * where the file system can) and put there whole by output_file_finish. Mode, owner and group of a
 * file that stood there are kept, as far as the user may, and until then nobody has more rights to
 * the new one; a symbolic link is followed. Anything else (/dev/full, /dev/stdout, a FIFO)
 * is written to directly. Directories, and files that the user may not write, are refused.
 *
 * Every function returns ENGINE_OK or a status with the words in `error` (path, reason); after a
 * failure the other calls return the same status and do nothing.
 *
 *     open, (write | the stream | rewrite | keep | sync | cut)*, finish or abort
 */
#ifndef ENGINE_OUTPUT_FILE_H
#define ENGINE_OUTPUT_FILE_H

#include "engine/engine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct output_file;

enum output_kind {
    OUTPUT_STREAM,   /* written from start to end: pipes and devices will do */
    OUTPUT_REWRITES, /* output_file_rewrite will be called: what cannot seek is refused at once */
    OUTPUT_RESUMES   /* goes on with what output_file_keep left; output_file_cut says from where */
};

/* *file is NULL on failure. error (may be NULL) must outlive the file. */
engine_status output_file_open(const char *path, enum output_kind kind, struct output_file **file,
                               engine_error *error);

engine_status output_file_write(struct output_file *file, const void *data, size_t len);

/* Overwrites len bytes from `offset` (from the start of what was written) and leaves the end of
 * the file where it was. */
engine_status output_file_rewrite(struct output_file *file, uint64_t offset, const void *data,
                                  size_t len);

/* For fprintf and the like; a write through it that failed is reported by the next function. Do
 * not close it. */
FILE *output_file_stream(struct output_file *file);

/* Flushes, syncs to the disk, puts the file in its place, frees. On failure nothing is left. */
engine_status output_file_finish(struct output_file *file);

/* ---- Work that outlives the process ---- */

/* Whether the file is written beside its place: it can be kept. */
bool output_file_has_place(const struct output_file *file);

/* From here on the unfinished file is "<path>.part", and an abort leaves it. */
engine_status output_file_keep(struct output_file *file);

/* An abort removes it again. */
void output_file_release(struct output_file *file);

/* Flushes, and has the disk hold what was written so far. */
engine_status output_file_sync(struct output_file *file);

/* Drops what is behind the first `len` bytes and goes on there. A shorter file is refused. */
engine_status output_file_cut(struct output_file *file, uint64_t len);

/* Removes what was written, unless it is kept, and frees. NULL is a harmless no-op. */
void output_file_abort(struct output_file *file);

#endif
