/* output_files.h - the file that encode-import writes and those that it reads: they must not be the
 * same, which is looked at before minutes of reading; and the names and the SHA-256 of what was
 * read stand in META of what is written, as source.0, sha256.0, source.1, …
 */
#ifndef TOOLS_IMPORT_OUTPUT_FILES_H
#define TOOLS_IMPORT_OUTPUT_FILES_H

#include "tools/import/files/folder.h"
#include "tools/import/import_options.h"
#include "tools/writer/weight_output.h"

/* The output must be none of the files that options name, and a place that can be written. Nothing
 * is read yet, and reading may take minutes. */
void import_check_output(const struct import_options *options);

/* Bytes of all files that the folder remembers: what import_add_sources will read. */
uint64_t import_source_bytes(const struct folder *folder);

/* Adds the files that the folder remembers, in the order in which they were opened first, then the
 * regular files that the options name. The progress goes on by their bytes. */
void import_add_sources(struct weight_output *output, const struct import_options *options,
                        const struct folder *folder);

#endif
