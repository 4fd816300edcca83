/* vectors_report.h - what became of a file of word vectors, in words on stderr. */
#ifndef TOOLS_IMPORT_VECTORS_REPORT_H
#define TOOLS_IMPORT_VECTORS_REPORT_H

#include "tools/import/import_options.h"
#include "tools/import/vectors/vectors_table.h"

/* The lines that were skipped: how many, and the first few with their numbers. */
void vectors_report_skipped(const struct vectors_file *file);

struct vectors_result {
    const struct vectors_options *options;
    const struct vectors_file *file;
    const struct vectors_table *table;
    const struct word_list *words;
    bool is_lower; /* texts are put into lower case */
};

/* Size, splitting, words that are absent, and, of a file that was written (output not NULL), words
 * that no text can have. */
void vectors_report_words(const struct vectors_result *result, const char *output);

#endif
