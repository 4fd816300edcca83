/* search.c - engine_search: the best rows for each query, in plain loops and double precision. */
#include "engine/status.h"
#include "model/layers/search/rows.h"
#include "model/tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)ENGINE_F32 == ROWS_F32 && (int)ENGINE_BINARY == ROWS_BINARY, "row types");

size_t engine_row_bytes(engine_element type, size_t width)
{
    return row_bytes((enum row_type)type, width);
}

void engine_rows_from_f32(const float *rows, size_t n, size_t width, engine_element type, void *out)
{
    size_t bytes = engine_row_bytes(type, width);
    for (size_t i = 0; i < n && bytes > 0; i++)
        row_encode((enum row_type)type, rows + i * width, width, (char *)out + i * bytes);
}

/* Column i of a row. */
static double column(const char *row, engine_element type, size_t width, size_t i)
{
    float value;
    uint16_t half;
    switch (type) {
    case ENGINE_F32: memcpy(&value, row + i * sizeof value, sizeof value); return (double)value;
    case ENGINE_F16:
        memcpy(&half, row + i * sizeof half, sizeof half);
        return (double)f16_to_f32(half);
    case ENGINE_INT8:
        memcpy(&value, row, sizeof value);
        return (double)value * (int8_t)row[sizeof value + i];
    case ENGINE_BINARY:
        return ((uint8_t)row[i / 8] >> (7 - i % 8) & 1 ? 1 : -1) / sqrt((double)width);
    }
    return NAN;
}

static float score(const engine_vectors *vectors, size_t row, const float *query,
                   engine_metric metric)
{
    const char *at =
        (const char *)vectors->rows + row * engine_row_bytes(vectors->type, vectors->width);
    double product = 0, of_row = 0, of_query = 0;
    for (size_t i = 0; i < vectors->width; i++) {
        double value = column(at, vectors->type, vectors->width, i);
        product += (double)query[i] * value;
        of_row += value * value;
        of_query += (double)query[i] * (double)query[i];
    }
    if (metric == ENGINE_METRIC_DOT)
        return (float)product;
    return (float)(of_row == 0 || of_query == 0 ? 0 : product / sqrt(of_row * of_query));
}

/* Puts a row into the list of the best so far, [k]. */
static void take(engine_hit *best, size_t k, size_t row, float score)
{
    size_t at = k;
    for (; at > 0 && score > best[at - 1].score; at--)
        if (at < k)
            best[at] = best[at - 1];
    if (at < k)
        best[at] = (engine_hit){row, score};
}

static engine_status check(const engine_vectors *vectors, const float *queries, size_t n_queries,
                           size_t k, const engine_search_options *options, const engine_hit *out,
                           engine_error *error)
{
    size_t bytes, all;
    if (vectors == NULL || (vectors->rows == NULL && vectors->n > 0 && vectors->width > 0) ||
        (queries == NULL && n_queries > 0 && vectors->width > 0) ||
        (out == NULL && n_queries > 0 && k > 0))
        return misused(error, "engine_search: vectors, their rows, queries or out is NULL");
    bytes = engine_row_bytes(vectors->type, vectors->width);
    if ((unsigned)vectors->type > ENGINE_BINARY)
        return misused(error, "the vectors' type is %d, expected 0 to %d", (int)vectors->type,
                       ENGINE_BINARY);
    if ((unsigned)options->metric > ENGINE_METRIC_DOT)
        return misused(error, "metric is %d, expected 0 or %d", (int)options->metric,
                       ENGINE_METRIC_DOT);
    if (__builtin_mul_overflow(bytes, vectors->n, &all) || (bytes == 0 && vectors->width > 0) ||
        __builtin_mul_overflow(n_queries, vectors->width, &all) ||
        all > SIZE_MAX / sizeof *queries || __builtin_mul_overflow(n_queries, k, &all) ||
        all > SIZE_MAX / sizeof *out)
        return misused(error,
                       "%zu vectors of width %zu, %zu queries and %zu hits of each: more "
                       "than there are addresses",
                       vectors->n, vectors->width, n_queries, k);
    for (size_t i = 0; i < n_queries; i++)
        if (!floats_are_finite(queries + i * vectors->width, vectors->width))
            return fail(error, ENGINE_ERROR_NOT_FINITE, "query %zu has NaN or an infinity", i);
    return ENGINE_OK;
}

engine_status engine_search(const engine_vectors *vectors, const float *queries, size_t n_queries,
                            size_t k, const engine_search_options *options, engine_hit *out,
                            engine_error *error)
{
    engine_search_options own;
    engine_status status =
        read_struct("engine_search_options", options, sizeof own, &own, sizeof own, error);
    if (status == ENGINE_OK)
        status = check(vectors, queries, n_queries, k, &own, out, error);
    for (size_t i = 0; i < n_queries && status == ENGINE_OK; i++) {
        engine_hit *best = out + i * k;
        for (size_t at = 0; at < k; at++)
            best[at] = (engine_hit){UINT64_MAX, -INFINITY};
        for (size_t row = 0; row < vectors->n; row++) {
            float of_row = score(vectors, row, queries + i * vectors->width, own.metric);
            if (isfinite(of_row))
                take(best, k, row, of_row);
        }
    }
    return status == ENGINE_OK ? succeed(error) : status;
}
