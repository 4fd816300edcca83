/* vectors_report.h - what became of a file of word vectors, in words on stderr. */
#ifndef TOOLS_IMPORT_VECTORS_REPORT_H
#define TOOLS_IMPORT_VECTORS_REPORT_H

#include "tools/import/tokenizer/tokenizer_file.h"
#include "tools/import/vectors/vectors.h"
#include "tools/import/vectors/vectors_table.h"

/* The lines that were skipped: how many, and the first few with their numbers. */
void vectors_report_skipped(const struct vectors_file *file);

struct vectors_result {
    const struct vectors_options *options;
    const struct vectors_file *file;
    const struct vectors_table *table;
    const struct import_tokenizer *tokenizer;
    bool is_lower; /* texts are put into lower case */
};

/* Size, splitting, words that are absent, and, of a file that was written (output not NULL), words
 * that no text can have. */
void vectors_report_words(const struct vectors_result *result, const char *output);

/* Words that the tokenizer of the weight file gives for no text, because it makes several tokens of
 * them or changes their letters: ids below n_ids. The first `cap` of them go to `ids`; SIZE_MAX:
 * the file cannot be read. */
size_t vectors_out_of_reach(const char *path, size_t n_ids, size_t *ids, size_t cap);

#endif
