/* output_file.h - writes a result so that a failure leaves no incomplete file. Not part of the
 * installed library: programs link it beside libengine.
 *
 * A regular file, or a name that does not exist yet, is written to a temporary file in the same
 * directory and renamed by output_file_finish. The mode of an existing file is kept, and until then
 * no user has more rights to the new one; a symbolic link is followed. Anything else (/dev/full,
 * /dev/stdout, a FIFO) is written directly. Directories, and files that the user may not write, are
 * refused, and so is an output that another program is writing (flock). exit() and the signals that
 * end a program, except SIGKILL, remove temporary files.
 *
 * Every function returns ENGINE_OK or a status with the message in `error` (path, reason); after a
 * failure the other calls return the same status and do nothing.
 *
 *     open, (write | the stream | rewrite | keep | sync | cut)*, finish or abort
 */
#ifndef TOOLS_OUTPUT_FILE_H
#define TOOLS_OUTPUT_FILE_H

#include "engine/engine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct output_file;

enum output_kind {
    OUTPUT_STREAM,   /* written from start to end: pipes and devices are allowed */
    OUTPUT_REWRITES, /* output_file_rewrite will be called: refuses at once what cannot seek */
    OUTPUT_RESUMES,  /* continues a file left by output_file_keep, from output_file_cut's len */
    OUTPUT_SHARED    /* programs may write the same bytes at a time; the last one replaces it */
};

/* *file is NULL on failure. error (may be NULL) must outlive the file. */
engine_status output_file_open(const char *path, enum output_kind kind, struct output_file **file,
                               engine_error *error);

engine_status output_file_write(struct output_file *file, const void *data, size_t len);

/* Overwrites len bytes from `offset` (from the start of the written data); the end of the file does
 * not change. */
engine_status output_file_rewrite(struct output_file *file, uint64_t offset, const void *data,
                                  size_t len);

/* For fprintf and the like; the next function reports a failed write. Do not close it. */
FILE *output_file_stream(struct output_file *file);

/* Flushes, syncs to the disk, replaces the target, frees. On failure no file is left. */
engine_status output_file_finish(struct output_file *file);

/* ---- Files that outlive the process ---- */

/* Returns whether the file is written beside its target, so that it can be kept. */
bool output_file_has_place(const struct output_file *file);

/* Renames the unfinished file to "<path>.part"; from here on an abort leaves it. */
engine_status output_file_keep(struct output_file *file);

/* Reverts this: an abort removes the file again. */
void output_file_release(struct output_file *file);

/* Flushes, and syncs the written data to the disk. */
engine_status output_file_sync(struct output_file *file);

/* Syncs the directory of `path`, so that a power cut undoes no creation, renaming or removal of a
 * file in it. Ignores failures. */
void output_file_sync_folder(const char *path);

/* Truncates the file to `len` bytes and continues there. Refuses a shorter file. */
engine_status output_file_cut(struct output_file *file, uint64_t len);

/* Removes the temporary files of all outputs; for signal handlers before _exit. */
void output_file_unlink_unfinished(void);

/* Removes what was written, unless it is kept, and frees. NULL is a harmless no-op. */
void output_file_abort(struct output_file *file);

#endif
