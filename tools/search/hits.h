/* hits.h - what was found for one query: scored again by a cross-encoder, and printed. */
#ifndef TOOLS_SEARCH_HITS_H
#define TOOLS_SEARCH_HITS_H

#include "tools/common/print/rows.h"
#include "tools/common/texts/encoder.h"
#include "tools/search/places.h"
#include "tools/search/search_options.h"
#include "tools/search/vectors.h"

struct hit {
    engine_hit found;
    size_t rank; /* by vectors, from 0 */
    float score; /* in force: that of found, or the cross-encoder's */
    struct place place;
    struct record record; /* its text, if there are texts */
};

struct hits {
    const struct item *query;
    char *query_id; /* [query_id_len], as it came, without quotes; else the query's number; owned */
    size_t query_id_len;
    struct hit *hits; /* [n], best first, owned */
    size_t n;
};

/* None yet; the query names itself. */
void hits_of(struct hits *hits, const struct item *query, size_t cap);
void hits_free(struct hits *hits);

/* The texts of the best rows [k], in place of those that are there; no more than `most`. once: of
 * each text the best row alone. */
void hits_fill(struct hits *hits, const struct places *places, const engine_hit *rows, size_t k,
               size_t most, bool once);

/* The query as it came, without its prompt. */
const char *query_text(const struct item *query, size_t *len);

/* ---- Reranking ---- */

struct reranker {
    struct encoder encoder;
    size_t n_cut; /* texts */
};

/* Opens a cross-encoder for --rerank. */
void reranker_open(struct reranker *reranker, const struct search_options *options);

/* Sorts hits by the scores of the pairs of the query and each text. */
void rerank(struct reranker *reranker, struct hits *hits);

/* ---- Printing ---- */

struct hits_printer {
    struct rows rows;
    const struct search_options *options;
    const struct encoder *encoder;
    const struct places *places;
};

void hits_print_heading(struct hits_printer *printer);

/* The best of them, as many as --top says. An id that the format cannot hold ends the program. */
void hits_print(struct hits_printer *printer, const struct hits *hits);

#endif
