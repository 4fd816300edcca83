/* engine_search.h - the part of engine.h, which includes it, for searching among many vectors: rows
 * as files hold them, and the best of them for each query, exactly. The rules of engine.h hold here
 * too. No model is needed: whoever has vectors can search.
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

/* What a row of `width` columns is made of, without gaps; numbers are little-endian. */
typedef enum engine_element {
    ENGINE_F32 = 0,
    ENGINE_F16 = 1,
    ENGINE_INT8 = 2,  /* a float32 `scale`, then width int8: column = scale * value; the scale is
                         the row's largest magnitude / 127, 0 for a row of zeros */
    ENGINE_BINARY = 3 /* a bit for each column, 1: above 0; the first one is the highest bit of the
                         first byte; zeros fill the last byte up (numpy.packbits) */
} engine_element;

/* Bytes of a row; 0 for a type that does not exist, or where they are more than a size_t holds. */
ENGINE_API size_t engine_row_bytes(engine_element type, size_t width);

/* Writes rows [n, width] as n rows of the type, n * engine_row_bytes(), to out, which may have any
 * alignment. Roundings are to nearest, ties to even. No row can be found in which a number is NaN
 * or infinite, or too large for f16: of int8 the scale is NaN. Bits are 0 for NaN. */
ENGINE_API void engine_rows_from_f32(const float *rows, size_t n, size_t width, engine_element type,
                                     void *out);

/* ---- Search ---- */

/* Rows [n, width], borrowed, of any alignment: they may lie in the map of a file. */
typedef struct engine_vectors {
    const void *rows;
    size_t n, width;
    engine_element type;
} engine_vectors;

typedef struct engine_hit {
    uint64_t row;
    float score;
} engine_hit;

typedef enum engine_metric {
    ENGINE_METRIC_COSINE = 0, /* q·v / (|q| |v|); 0 where either is all zeros */
    ENGINE_METRIC_DOT = 1     /* q·v */
} engine_metric;

typedef struct engine_search_options {
    size_t struct_bytes;
    engine_metric metric;
    size_t n_threads; /* as in engine_session_options; fewer where the system refuses some */
    /* The first version ends here. */
} engine_search_options;

/* The k rows with the best scores for each of n_queries queries, float32 [n_queries, width], among
 * all rows: out is [n_queries, k], best first, equal scores in the order of the rows. Where there
 * are fewer than k, the rest has the score -INFINITY and the row UINT64_MAX. Of binary rows a bit
 * counts as 1 or -1, divided by sqrt(width), so that rows have length 1; queries are not rounded.
 *
 * Scores are sums of float32. They depend on the query, the row and the kernels in use, and not on
 * the number of queries, rows or threads. A row whose score is not finite is no hit; by cosine, nor
 * is one whose squares add up to more than a float32 holds, and one whose squares are all too small
 * for it counts as all zeros.
 *
 * ENGINE_ERROR_NOT_FINITE: a query has NaN or an infinity. ENGINE_ERROR_MEMORY: the best of each
 * thread and some blocks of rows take memory. `out` is unspecified after a failure. */
ENGINE_API engine_status engine_search(const engine_vectors *vectors, const float *queries,
                                       size_t n_queries, size_t k,
                                       const engine_search_options *options, engine_hit *out,
                                       engine_error *error);

#ifdef __cplusplus
}
#endif
#endif
