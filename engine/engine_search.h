/* engine_search.h - the part of engine.h, which includes it, for searching among many vectors: rows
 * in the formats of files, and the best rows for each query, exactly. The rules of engine.h apply.
 * No model is needed, only vectors.
 */
#ifndef ENGINE_SEARCH_H
#define ENGINE_SEARCH_H

#ifndef ENGINE_H
#error "include engine.h, which includes this"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Rows ---- */

/* Returns the bytes of a row; 0 for an unknown type, or if a size_t cannot hold them. */
ENGINE_API size_t engine_row_bytes(engine_element type, size_t width);

/* Writes rows [n, width] as n rows of the type, n * engine_row_bytes() bytes, to out, which may
 * have any alignment. Rounds to nearest, ties to even. A row with a number that is NaN, infinite,
 * or too large for f16 has no scores in a search: in int8 its scale is NaN. Bits are 0 for NaN. */
ENGINE_API void engine_rows_from_f32(const float *rows, size_t n, size_t width, engine_element type,
                                     void *out);

/* ---- Search ---- */

/* Rows [n, width], borrowed, of any alignment: they may be in a mapped file. */
typedef struct engine_vectors {
    const void *rows;
    size_t n, width;
    engine_element type;
} engine_vectors;

typedef enum engine_metric {
    ENGINE_METRIC_COSINE = 0, /* q·v / (|q| |v|); 0 where either is all zeros */
    ENGINE_METRIC_DOT = 1     /* q·v */
} engine_metric;

typedef struct engine_search_options {
    ENGINE_STRUCT_BYTES(engine_search_options);
    engine_metric metric;
    size_t n_threads;  /* as in engine_session_options; fewer if the system refuses some */
    size_t *n_skipped; /* receives the number of rows without scores, which are skipped; NULL: such
                          a row is ENGINE_ERROR_NOT_FINITE */
    engine_progress_callback progress; /* or NULL */
    void *progress_user;
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
 * ENGINE_ERROR_NOT_FINITE: a query has NaN or an infinity, or a row has no scores: the message
 * names the first such row. ENGINE_ERROR_MEMORY: no memory for the hits of each thread and some
 * blocks of rows. `out` is unspecified after a failure. */
ENGINE_API engine_status engine_search(const engine_vectors *vectors, const float *queries,
                                       size_t n_queries, size_t k,
                                       const engine_search_options *options, engine_hit *out,
                                       engine_error *error);

#ifdef __cplusplus
}
#endif
#endif
