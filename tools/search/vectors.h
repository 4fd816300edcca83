/* vectors.h - VECTORS: what encode wrote with -f npy or -f npz, mapped and not loaded. */
#ifndef TOOLS_SEARCH_VECTORS_H
#define TOOLS_SEARCH_VECTORS_H

#include "tools/common/texts/encoder.h"
#include "tools/search/mapped.h"

enum vectors_kind { VECTORS_ROWS, VECTORS_SPARSE, VECTORS_TOKENS };

struct vectors {
    struct mapped file;
    enum vectors_kind kind;
    engine_vectors rows; /* VECTORS_ROWS; of binary ones the model says the width */
    /* The other two, of an archive: text i has the entries, or the rows of tokens, starts[i] to
     * starts[i + 1] - 1. Nothing here is aligned. */
    const char *values, *ids, *starts;
    size_t n;     /* rows or texts */
    size_t width; /* columns; bytes of a binary row */
};

/* Opens the file and checks all that can be checked without its model; what is wrong ends the
 * program. */
void vectors_open(struct vectors *vectors, const char *path);
void vectors_close(struct vectors *vectors);

/* The encoder must make vectors of the same width. */
void vectors_fit(struct vectors *vectors, const struct encoder *encoder);

/* starts[i] of an archive. */
size_t vectors_start(const struct vectors *vectors, size_t i);

/* "f16", "sparse" ..., for headings. */
const char *vectors_kind_name(const struct vectors *vectors);

#endif
