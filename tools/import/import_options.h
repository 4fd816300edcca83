/* import_options.h - the options of encode-import. */
#ifndef TOOLS_IMPORT_OPTIONS_H
#define TOOLS_IMPORT_OPTIONS_H

#include "model/tensor.h"
#include "tools/common/texts/request_options.h"
#include "tools/import/files/folder.h"

#include <stdbool.h>
#include <stddef.h>

/* --vectors. */
struct vectors_options {
    const char *path;          /* NULL: a checkpoint or a tokenizer is imported */
    const char *only_words_of; /* file of texts, one per line; NULL: all words */
    size_t limit;              /* only the first `limit` words of the file; 0: all */
    const char *lower;         /* "yes", "no"; NULL: "yes" if no word has a capital */
    bool splits_at_blanks;     /* texts are split at blanks, not at punctuation */
    size_t max_tokens;         /* the longest text */
    struct position_options positions;
};

enum sandbox_use { SANDBOX_AUTO, SANDBOX_OFF, SANDBOX_REQUIRE };

struct import_options {
    const char *directory;          /* a checkpoint; or NULL */
    const char *tokenizer;          /* a tokenizer alone, from this file or directory; or NULL */
    const char *output;             /* NULL only with is_dry_run */
    const char *name;               /* NULL: the name of the source */
    enum tensor_type type;          /* of matrices; 0: as in the checkpoint */
    enum tensor_type table_type;    /* of embedding tables; 0: as matrices, but f16 with int8 */
    struct vectors_options vectors; /* word vectors; or their path is NULL */
    const char *adapter;            /* a directory, or a task's name; NULL: none */
    enum reference_release as;
    bool is_dry_run;
    enum sandbox_use sandbox;
};

/* Reads the command line. The help, the version or a mistake ends the program. */
void import_options_read(struct import_options *options, int argc, char **argv);

#endif
