/* vectors_report.h - what became of a file of word vectors, in words on stderr. */
#ifndef TOOLS_IMPORT_VECTORS_REPORT_H
#define TOOLS_IMPORT_VECTORS_REPORT_H

#include "tools/import/import_options.h"
#include "tools/import/tokenizer/tokenizer_parts.h"
#include "tools/import/vectors/vectors_table.h"

/* An import, as far as it has come. */
struct vectors_import {
    const struct import_options *options;
    const char *name; /* of the model */
    struct vectors_file file;
    struct vectors_table table;
    struct import_tokenizer tokenizer;
    struct model_config model;
};

/* The lines that were skipped: how many, and the first few with their numbers. */
void vectors_report_skipped(const struct vectors_file *file);

/* Size, splitting, words that are absent, and, unless it is a dry run, words that no text can
 * have. */
void vectors_report_words(const struct vectors_import *import);

#endif
