/* explained_hits.h - which words of a query and of a hit made its score. */
#ifndef TOOLS_SEARCH_EXPLAINED_HITS_H
#define TOOLS_SEARCH_EXPLAINED_HITS_H

#include "tools/common/print/rows.h"
#include "tools/common/texts/explanation.h"
#include "tools/search/collection.h"

/* Ends the program if scores of this collection cannot be explained. */
void explained_hits_check(const struct collection *collection, struct text_encoder *encoder);

/* The z-scores of vectors and of words, whose sum is the score of a hybrid search. */
struct hybrid_shares {
    float of_vectors, of_words;
};

/* Encodes the text of a hit, the record of a passage, again, and prints what its score by vectors
 * is the sum of: a line under its row of a table, or a member of its object. query: the words of
 * the query; shares: NULL unless the search is hybrid. */
void explained_hit_print(struct rows *rows, const struct collection *collection,
                         struct text_encoder *encoder, struct explained_text *query,
                         const struct passage *passage, const struct record *record,
                         const struct hybrid_shares *shares);

#endif
