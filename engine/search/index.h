/* index.h - the bytes of an index: a header, then these arrays without gaps, little-endian:
 *
 *     keys    uint64 [n_ids]       hashes of words, ascending; of weights none: ids are 0, 1, ...
 *     starts  uint64 [n_ids + 1]   of the postings of each id
 *     sums    float64 [n_ids, 2]   of what it weighs in each row, and of the squares
 *     postings [n]                 uint32 row, ascending for each id, and float32 weight; those
 *                                  of a row add up
 */
#ifndef ENGINE_SEARCH_INDEX_H
#define ENGINE_SEARCH_INDEX_H

#include "engine/engine.h"
#include "model/layers/search/postings.h"

struct index_header {
    char magic[8];
    uint64_t n_rows, n_ids, n, stamp;
    uint32_t has_words;
    uint32_t crc; /* CRC-32C of all before it and all after it */
};

struct index_view {
    const uint64_t *keys; /* [n_keys] */
    size_t n_keys, n_rows;
    const double *sums;
    struct postings postings;
};

/* Makes a view of an index that was opened. */
struct index_view index_view(const void *bytes);

/* Adds the moments of a query's scores, as if its ids were independent. */
void index_add_moments(const struct index_view *view, const engine_weight *query, size_t n,
                       engine_moments *moments);

#endif
