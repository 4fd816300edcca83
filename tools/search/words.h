/* words.h - searches a collection by vectors and by words: an index of the words of a corpus beside
 * its VECTORS, VECTORS.words, and both scores, added as z-scores. */
#ifndef TOOLS_SEARCH_WORDS_H
#define TOOLS_SEARCH_WORDS_H

#include "tools/search/collection.h"

/* Maps the index of each file of VECTORS. If one is absent, or of other texts, it is made of TEXTS
 * and written. Errors of these functions end the program. */
void words_open(struct collection *collection);

/* Writes how the scores of n encoded queries are fused, and the vectors' parts of the offsets: with
 * those their scores are z-scores. */
void words_fuse(const struct collection *collection, const struct item *queries, size_t n,
                size_t n_threads, engine_fusion *fusions, float *vector_offsets);

/* Finds the k best rows, of all files, for each of n queries that are encoded. out is [n, k], as
 * engine_search fills it. fusions [n] of a hybrid search, or NULL. */
void collection_search(const struct collection *collection, const struct text_encoder *encoder,
                       const struct item *queries, size_t n, size_t k, const engine_fusion *fusions,
                       engine_hit *out);

/* Returns the score of a row by vectors alone, and stores that by words alone. */
float words_score(const struct collection *collection, const struct item *query, uint64_t row,
                  float *by_words);

#endif
