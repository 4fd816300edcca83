/* import_output.h - what encode-import writes besides tensors: a bar on stderr if that is a
 * terminal, the sources in META (names and SHA-256 of the files read, as source.0, sha256.0,
 * source.1, …), the report of --dry-run. */
#ifndef TOOLS_IMPORT_OUTPUT_H
#define TOOLS_IMPORT_OUTPUT_H

#include "tools/import/checkpoint/checkpoint.h"
#include "tools/import/files/folder.h"
#include "tools/import/import_options.h"
#include "tools/writer/weight_output.h"

#include <stdint.h>

/* total: bytes that will be read. */
void progress_begin(const char *what, uint64_t total);
void progress_add(uint64_t n);

/* Removes the bar, if there is one, so that the line is empty. */
void progress_end(void);

/* Checks that the output can be written and is none of the files that options name, before anything
 * is read, which may take minutes. */
void import_check_output(const struct import_options *options);

/* Adds the files that the folder remembers, in the order in which they were first opened, those of
 * the adapter's, then the regular files that the options name. Advances the progress by their
 * bytes. */
void import_add_sources(struct weight_output *output, const struct import_options *options,
                        const struct folder *folder, const struct folder *adapter);

void report_checkpoint(const struct checkpoint *checkpoint, const char *name);

void report_tokenizer(const struct import_tokenizer *tokenizer, const char *name);

#endif
