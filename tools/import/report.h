/* report.h - encode-import --dry-run: what would be written. */
#ifndef TOOLS_IMPORT_REPORT_H
#define TOOLS_IMPORT_REPORT_H

#include "tools/import/checkpoint/checkpoint.h"

void report_checkpoint(const struct checkpoint *checkpoint, const char *name);

void report_tokenizer(const struct import_tokenizer *tokenizer, const char *name);

#endif
