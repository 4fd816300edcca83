/* vector_files.h - one file of VECTORS: what encode wrote with -f npy or -f npz, mapped. */
#ifndef TOOLS_SEARCH_VECTORS_H
#define TOOLS_SEARCH_VECTORS_H

#include "tools/common/texts/item.h"
#include "tools/search/mapped.h"

#include <stdint.h>

enum vectors_kind { VECTORS_ROWS, VECTORS_SPARSE, VECTORS_TOKENS };

struct vectors {
    struct mapped file;
    enum vectors_kind kind;
    engine_vectors rows; /* but of VECTORS_SPARSE; the width of binary ones is that of the model */
    /* VECTORS_SPARSE: row i has the entries starts[i] to starts[i + 1] - 1. Nothing here is
     * aligned. */
    const char *values, *ids, *starts;
    size_t *text_starts; /* VECTORS_TOKENS: the first row of each text, and n_rows; owned */
    size_t n;            /* texts, or rows of texts */
    size_t n_rows;       /* of the array: tokens in VECTORS_TOKENS, else n */
    size_t width;        /* columns; bytes of a binary row */
    bool skips_rows;     /* rows without scores are counted, and do not end the program */
    size_t n_skipped;    /* by the last search */
};

/* Opens the file and checks all that can be checked without its model. Errors end the program. */
void vectors_open(struct vectors *vectors, const char *path);
void vectors_close(struct vectors *vectors);

/* Reads from the rows file of an array whether its rows are tokens, and where each text starts. */
void vectors_find_texts(struct vectors *vectors, const struct mapped *rows_file);

/* Checks that the encoder makes vectors of the same width. */
void vectors_check_width(struct vectors *vectors, const struct text_encoder *encoder);

/* Finds the k best rows for each of n queries that are encoded. out is [n, k], as engine_search
 * fills it, by words, too, if they are not NULL; rows of tokens are the first of their texts. */
void vectors_search(struct vectors *vectors, const struct text_encoder *encoder,
                    const struct item *queries, size_t n, size_t k, engine_metric metric,
                    const engine_sparse_queries *words, engine_hit *out);

/* Merges hits [k] of later rows into `best` [k], both best first: equal scores stay in the order of
 * the rows, which in `found` count from first_row. scratch: [k]. */
void hits_merge(engine_hit *best, const engine_hit *found, uint64_t first_row, size_t k,
                engine_hit *scratch);

/* starts[i] of sparse weights. */
size_t vectors_start(const struct vectors *vectors, size_t i);

/* "f16", "sparse" ..., for headings. */
const char *vectors_kind_name(const struct vectors *vectors);

#endif
