/* vectors.h - VECTORS: what encode wrote with -f npy or -f npz, mapped and not loaded. */
#ifndef TOOLS_SEARCH_VECTORS_H
#define TOOLS_SEARCH_VECTORS_H

#include "tools/common/texts/encoder.h"
#include "tools/search/mapped.h"

#include <stdint.h>

enum vectors_kind { VECTORS_ROWS, VECTORS_SPARSE, VECTORS_TOKENS };

struct vectors {
    struct mapped file;
    enum vectors_kind kind;
    engine_vectors rows; /* VECTORS_ROWS; of binary ones the model says the width */
    /* The other two: text i has the entries, or the rows of tokens, starts[i] to starts[i + 1] - 1.
     * Nothing here is aligned. */
    const char *values, *ids, *starts;
    int64_t *token_starts; /* of VECTORS_TOKENS, owned */
    size_t n;              /* texts, or rows of texts */
    size_t n_rows;         /* of the array: of VECTORS_TOKENS, tokens; else n */
    size_t width;          /* columns; bytes of a binary row */
    bool skips_rows;       /* rows without scores are counted, and do not end the program */
    size_t n_skipped;      /* by the last search */
};

/* Opens the file and checks all that can be checked without its model; what is wrong ends the
 * program. */
void vectors_open(struct vectors *vectors, const char *path);

/* Reads from the rows file of an array whether its rows are tokens, and where each text starts. */
void vectors_find_texts(struct vectors *vectors, const struct mapped *rows_file);
void vectors_close(struct vectors *vectors);

/* Whether they are of one kind, type and width, or one has no rows. */
bool vectors_are_alike(const struct vectors *a, const struct vectors *b);

/* The encoder must make vectors of the same width. */
void vectors_fit(struct vectors *vectors, const struct encoder *encoder);

/* starts[i] of sparse weights or vectors of tokens. */
size_t vectors_start(const struct vectors *vectors, size_t i);

/* "f16", "sparse" ..., for headings. */
const char *vectors_kind_name(const struct vectors *vectors);

#endif
