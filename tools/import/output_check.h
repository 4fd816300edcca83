/* output_check.h - the output of encode-import, looked at before minutes of reading: it must be no
 * input, and a place that can be written. */
#ifndef TOOLS_IMPORT_OUTPUT_CHECK_H
#define TOOLS_IMPORT_OUTPUT_CHECK_H

#include "tools/import/checkpoint/folder.h"
#include "tools/import/import_options.h"

/* The files that options name, and the place. PROGRAM_DONE, or an exit code after a message. */
int import_output_check(const struct import_options *options);

/* The files of a directory that were read. */
int import_output_check_folder(const struct import_options *options, const struct folder *folder);

#endif
