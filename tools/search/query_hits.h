/* query_hits.h - the hits of one query: their texts, reranking, printing. */
#ifndef TOOLS_SEARCH_QUERY_HITS_H
#define TOOLS_SEARCH_QUERY_HITS_H

#include "tools/common/print/rows.h"
#include "tools/common/texts/item.h"
#include "tools/search/collection.h"
#include "tools/search/search_options.h"

struct query_hit {
    struct ranked ranked; /* the score of found, or the cross-encoder's; rank by vectors, from 0 */
    engine_hit found;
    float by_vector, by_words; /* of a hybrid search; else by_vector is that of found */
    struct passage passage;
    struct record record; /* its text, if there are TEXTS */
};

struct query_hits {
    struct item *query;
    char *query_id; /* [query_id_len], of id_text, owned */
    size_t query_id_len;
    struct query_hit *hits; /* [n], best first, owned */
    size_t n;
    const engine_fusion *fusion; /* of a hybrid search, or NULL */
    float vector_offset;         /* the vectors' part of its offset */
};

void query_hits_free(struct query_hits *hits);

/* Replaces the hits by those of the best rows [k], at most `most`: one for each text, its best row,
 * and with --dedup one for equal texts. Rows of empty texts are no hits. */
void query_hits_fill(struct query_hits *hits, const struct collection *collection,
                     const engine_hit *rows, size_t k, size_t most,
                     const struct search_options *options);

/* ---- Reranking ---- */

struct reranker {
    struct text_encoder encoder;
    size_t n_cut; /* texts */
};

/* Opens the cross-encoder of --rerank. */
void reranker_open(struct reranker *reranker, const struct search_options *options);

/* Sorts hits by the cross-encoder's scores of the pairs of the query and each text. */
void query_hits_rerank(struct query_hits *hits, struct reranker *reranker);

/* ---- Printing ---- */

struct hits_printer {
    struct rows rows;
    const struct search_options *options;
    struct text_encoder *encoder;
    const struct collection *collection;
};

void hits_print_heading(struct hits_printer *printer);

/* Prints the best hits, at most --top. An id that the format cannot hold ends the program. */
void hits_print(struct hits_printer *printer, const struct query_hits *hits);

#endif
