/* weight_output.h - the weight file that encode-import writes: its place, looked at before minutes
 * of reading; what every import says about itself in META, with the names and the SHA-256 of every
 * file that was read; and putting it in its place.
 */
#ifndef TOOLS_IMPORT_WEIGHT_OUTPUT_H
#define TOOLS_IMPORT_WEIGHT_OUTPUT_H

#include "engine/file/weight_writer.h"
#include "tools/import/checkpoint/folder.h"
#include "tools/import/import_options.h"
#include "tools/import/progress.h"

/* The output must be none of the files that options name, and a place that can be written; and none
 * of the files of a directory that were read. PROGRAM_DONE, or an exit code after a message. */
int weight_output_check(const struct import_options *options);
int weight_output_check_folder(const struct import_options *options, const struct folder *folder);

struct weight_output {
    struct weight_writer *writer;
    engine_error error;     /* the writer's */
    struct problem problem; /* of whoever brings what is written */
};

/* Opens the file and says in META what it is called and what made it. False after a message. */
bool weight_output_open(struct weight_output *output, const char *path, const char *name);

/* Puts the file in its place if all went well, else leaves nothing; of two failures the one that
 * came first is told: the writer's, if it has one. An exit code. */
int weight_output_finish(struct weight_output *output);

/* Adds a setting. */
void weight_output_set(struct weight_output *output, engine_settings settings, const char *key,
                       const char *value);
void weight_output_metadata(struct weight_output *output, const char *key, const char *value);

/* ---- Where it came from: source.0, sha256.0, source.1, … ---- */

/* Bytes of all files that the folder remembers: what weight_output_sources will read. */
uint64_t weight_output_source_bytes(const struct folder *folder);

/* In the order in which the files were opened first. progress: NULL, or is told of the bytes. */
void weight_output_sources(struct weight_output *output, const struct folder *folder,
                           struct progress *progress);

/* A file that lies anywhere: source.<index> is the last part of its path. */
void weight_output_source(struct weight_output *output, size_t index, const char *path);

#endif
