/* engine_search.h - the part of engine.h, which includes it, for searching among many vectors: rows
 * in the formats of files, and the best rows for each query, exactly. The rules of engine.h apply.
 * No model is needed, only vectors.
 */
#ifndef ENGINE_SEARCH_H
#define ENGINE_SEARCH_H

#ifndef ENGINE_H
#error "include engine.h, which includes this"
#endif

/* ---- Rows ---- */

/* Returns the bytes of a row; 0 for an unknown type, or if a size_t cannot hold them. */
ENGINE_API size_t engine_row_bytes(engine_element type, size_t width);

/* Writes rows [n, width] as n rows of the type, n * engine_row_bytes() bytes, to out, which may
 * have any alignment. Rounds to nearest, ties to even. A row with a number that is NaN, infinite,
 * or too large for f16 has no scores in a search: in int8 its scale is NaN. Bits are 0 for NaN. */
ENGINE_API void engine_rows_from_f32(const float *rows, size_t n, size_t width, engine_element type,
                                     void *out);

/* ---- Sparse rows, by id ---- */

/* An index of rows of sparse weights: for each id the rows that have it. Rows are texts, whose ids
 * stand for words, or weights as ENGINE_POOLING_SPARSE makes them. Words are runs of letters,
 * marks, digits and connectors, in lower case; ideographs are single. A word that a text has f
 * times has the weight of BM25,
 *
 *     f (k1 + 1) / (f + k1 (1 - b + b length / mean length)),  k1 = 1.2, b = 0.75,
 *
 * lengths in words; in a query it has log(1 + (N - n + 1/2) / (n + 1/2)) for each time, where n of
 * N rows have the word. Words are known by 64-bit hashes. */
typedef struct engine_index_builder engine_index_builder;
ENGINE_API engine_index_builder *engine_index_new(void);          /* NULL: no memory */
ENGINE_API void engine_index_free(engine_index_builder *builder); /* NULL is allowed */

/* Adds the next row: a text, or n finite weights, of ids from 0 to 2147483645, in any order; those
 * of an id add up. All rows are of one kind. After a failure nothing is added. */
ENGINE_API engine_status engine_index_add_text(engine_index_builder *builder, const char *text,
                                               size_t len, engine_error *error);
ENGINE_API engine_status engine_index_add_weights(engine_index_builder *builder,
                                                  const engine_weight *weights, size_t n,
                                                  engine_error *error);

/* Makes the index, *len bytes for a file, with a stamp for the caller. The builder owns them, takes
 * no more rows, and needs 40 bytes for each weight until then. */
ENGINE_API engine_status engine_index_bytes(engine_index_builder *builder, uint64_t stamp,
                                            const void **bytes, size_t *len, engine_error *error);

/* An index whose bytes are borrowed, for example of a mapped file, aligned to 8. */
typedef struct engine_index {
    const void *bytes;
    size_t len, n_rows, n_ids;
    uint64_t stamp;
    uint8_t has_words;
} engine_index;

/* Fills in the other members from bytes and len. Reads all bytes: a damaged index is refused. */
ENGINE_API engine_status engine_index_open(engine_index *index, engine_error *error);

/* Writes the weights of a query's words in indexes[which], of n that are searched together, in
 * ascending order of ids, to out, which has room for (len + 1) / 2: a text of len bytes has no more
 * words. Returns their number. Unknown words have none. */
ENGINE_API size_t engine_index_query(const engine_index *indexes, size_t n, size_t which,
                                     const char *text, size_t len, engine_weight *out);

/* Returns the sum of the query's weights times the row's, of ascending ids, as searches do. A sum
 * that float32 cannot hold becomes its largest number with the sum's sign, and so in searches. */
ENGINE_API float engine_index_score(const engine_index *index, const engine_weight *query, size_t n,
                                    uint64_t row);

/* Queries of sparse weights: those of query i are weights[starts[i]] to weights[starts[i + 1] - 1],
 * of ascending ids. */
typedef struct engine_sparse_queries {
    const engine_index *index;
    const engine_weight *weights;
    const size_t *starts;         /* [n_queries + 1], the first is 0 */
    const engine_fusion *fusions; /* [n_queries]; NULL: both scores are added as they are */
} engine_sparse_queries;

/* ---- Search ---- */

/* Rows [n, width], borrowed, of any alignment: they may be in a mapped file. */
typedef struct engine_vectors {
    const void *rows;
    size_t n, width;
    engine_element type;
} engine_vectors;

typedef struct engine_search_options {
    ENGINE_STRUCT_BYTES(engine_search_options);
    engine_metric metric;
    size_t n_threads;  /* as in engine_session_options; fewer if the system refuses some */
    size_t *n_skipped; /* receives the number of rows without scores, which are skipped; NULL: such
                          a row is ENGINE_ERROR_NOT_FINITE */
    engine_progress_callback progress; /* or NULL */
    void *progress_user;
    const engine_sparse_queries *sparse; /* or NULL. The index has a row for each of the vectors,
                                            whose width may be 0: then they score 0 */
    const size_t *text_starts; /* [n_texts + 1], or NULL; not with sparse. Rows are vectors of
                                  tokens: text i has those from text_starts[i] to
                                  text_starts[i + 1] - 1 */
    size_t n_texts;
} engine_search_options;
#define ENGINE_SEARCH_OPTIONS(...) ENGINE_STRUCT(engine_search_options, __VA_ARGS__)

/* Finds the k rows with the best scores for each of n_queries queries, float32 [n_queries, width],
 * among all rows: out is [n_queries, k], best first, equal scores by ascending row. If there are
 * fewer than k rows, the rest of out has the score -INFINITY and the row UINT64_MAX. In binary rows
 * a bit counts as ±1/sqrt(width), so that rows have length 1; queries are not rounded.
 *
 * Scores are sums of float32. They depend on the query, the row and the kernels in use, and not on
 * the number of queries, rows or threads. Rows with NaN or an infinity have no scores, nor, by
 * cosine, rows whose length is neither 0 nor from 2^-115 to 2^125 (2.4e-35 to 4.2e37). A product
 * q·v that float32 cannot hold becomes its largest number with the product's sign.
 *
 * With text_starts the queries are all vectors of one query, and out, [k], has the texts with the
 * best MaxSim: the sum over the query's vectors of the best score that a row of the text has, 0
 * without rows. `row` is then the text, here and in messages, and a text has no score if a row of
 * it has none.
 *
 * ENGINE_ERROR_NOT_FINITE: a query has NaN or an infinity, or a row has no scores: the message
 * names the first such row. ENGINE_ERROR_MEMORY: no memory for the hits of each thread and some
 * blocks of rows. `out` is unspecified after a failure. */
ENGINE_API engine_status engine_search(const engine_vectors *vectors, const float *queries,
                                       size_t n_queries, size_t k,
                                       const engine_search_options *options, engine_hit *out,
                                       engine_error *error);

/* The sums that a mean and a standard deviation need, of n scores. */
typedef struct engine_moments {
    double n, sum, squares;
} engine_moments;

/* Adds the moments of each query's scores, to be searched with options->sparse, to vectors_out and
 * sparse_out [n_queries]: of the vectors by at most 1,024 rows, evenly spaced, which stand for all;
 * of sparse scores as if a query's ids were independent. Vectors that are searched together add
 * theirs up. Rows without scores are left out. */
ENGINE_API engine_status engine_search_moments(const engine_vectors *vectors, const float *queries,
                                               size_t n_queries,
                                               const engine_search_options *options,
                                               engine_moments *vectors_out,
                                               engine_moments *sparse_out, engine_error *error);

/* Returns the fusion that adds the z-scores of both, (score - mean) / deviation, the sparse ones
 * times `weight`. If all scores are equal, their z-scores are 0. */
ENGINE_API engine_fusion engine_fuse(engine_moments vectors, engine_moments sparse, double weight);

#endif
