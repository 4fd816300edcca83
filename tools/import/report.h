/* report.h - encode-import --dry-run: what would be written. */
#ifndef TOOLS_IMPORT_REPORT_H
#define TOOLS_IMPORT_REPORT_H

#include "tools/import/checkpoint/checkpoint.h"

void report_checkpoint(const struct checkpoint *checkpoint, const char *name);

/* A tokenizer alone, or, with their settings, that of word vectors. */
void report_tokenizer(const struct import_tokenizer *tokenizer, const struct model_config *vectors,
                      const char *name);

#endif
