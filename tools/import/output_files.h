/* output_files.h - the output of encode-import, which must not be an input, and its sources:
 * META has the names and the SHA-256 of the files read, as source.0, sha256.0, source.1, … */
#ifndef TOOLS_IMPORT_OUTPUT_FILES_H
#define TOOLS_IMPORT_OUTPUT_FILES_H

#include "tools/import/files/folder.h"
#include "tools/import/import_options.h"
#include "tools/writer/weight_output.h"

/* Checks that the output can be written and is none of the files that options name, before anything
 * is read, which may take minutes. */
void import_check_output(const struct import_options *options);

/* Bytes of all files that the folder remembers: what import_add_sources will read. */
uint64_t import_source_bytes(const struct folder *folder);

/* Adds the files that the folder remembers, in the order in which they were first opened, then the
 * regular files that the options name. Advances the progress by their bytes. */
void import_add_sources(struct weight_output *output, const struct import_options *options,
                        const struct folder *folder);

#endif
