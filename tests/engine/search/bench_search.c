/* bench_search - milliseconds of engine_search among vectors of random numbers, of every type.
 *
 *     make bench-kernels [ARGS=...]
 *     build/tests/engine/search/bench_search [N WIDTH QUERIES THREADS RUNS TYPE METRIC]
 *
 * The best 10 of N rows (100000) of WIDTH (384) for QUERIES (1); the median and the least of RUNS
 * (5); TYPE: f32, f16, int8, binary or all; METRIC: dot or cosine. Beside faiss and NumPy:
 * tools/peers/bench_search.py. */
#include "engine/engine.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { K = 10, MOST_RUNS = 100 };

static const char *const TYPES[] = {"f32", "f16", "int8", "binary"};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *memory(size_t n, size_t bytes)
{
    void *block = calloc(n, bytes);
    if (block == NULL) {
        fprintf(stderr, "no memory for %zu x %zu bytes\n", n, bytes);
        exit(1);
    }
    return block;
}

/* A vector of length 1, of numbers that are equally frequent. */
static void fill_row(uint64_t *seed, float *row, size_t width)
{
    double squares = 0;
    for (size_t i = 0; i < width; i++) {
        row[i] = (float)support_below(seed, 65536) / 65536 - 0.5f;
        squares += (double)row[i] * (double)row[i];
    }
    for (size_t i = 0; i < width; i++)
        row[i] = (float)((double)row[i] / sqrt(squares));
}

static void *random_rows(uint64_t seed, size_t n, size_t width, engine_element type)
{
    size_t bytes = engine_row_bytes(type, width);
    char *rows = memory(n, bytes);
    float *row = memory(width, sizeof *row);
    for (size_t i = 0; i < n; i++) {
        fill_row(&seed, row, width);
        engine_rows_from_f32(row, 1, width, type, rows + i * bytes);
    }
    free(row);
    return rows;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const engine_vectors *vectors, const float *queries, size_t n_queries,
                    const engine_search_options *options, size_t n_runs)
{
    double ms[MOST_RUNS];
    engine_hit *hits = memory(n_queries * K, sizeof *hits);
    for (size_t i = 0; i < n_runs; i++) {
        engine_error error;
        double begin = now_ms();
        if (engine_search(vectors, queries, n_queries, K, options, hits, &error) != ENGINE_OK) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        ms[i] = now_ms() - begin;
    }
    qsort(ms, n_runs, sizeof *ms, compare);
    printf("%-6s %8zu x %-4zu %5zu queries %zu threads %-6s  median %9.2f ms  least %9.2f ms\n",
           TYPES[vectors->type], vectors->n, vectors->width, n_queries, options->n_threads,
           options->metric == ENGINE_METRIC_DOT ? "dot" : "cosine", ms[n_runs / 2], ms[0]);
    fflush(stdout);
    free(hits);
}

static size_t number(int argc, char **argv, int index, size_t otherwise)
{
    return argc > index ? strtoul(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    size_t n = number(argc, argv, 1, 100000), width = number(argc, argv, 2, 384);
    size_t n_queries = number(argc, argv, 3, 1), n_runs = number(argc, argv, 5, 5);
    const char *asked = argc > 6 ? argv[6] : "all";
    engine_search_options options = {.struct_bytes = sizeof options,
                                     .metric = argc > 7 && strcmp(argv[7], "cosine") == 0
                                                   ? ENGINE_METRIC_COSINE
                                                   : ENGINE_METRIC_DOT,
                                     .n_threads = number(argc, argv, 4, 1)};
    if (n_runs < 1 || n_runs > MOST_RUNS)
        n_runs = 1;
    float *queries = random_rows(2, n_queries, width, ENGINE_F32);
    for (engine_element type = ENGINE_F32; type <= ENGINE_BINARY; type++) {
        if (strcmp(asked, "all") != 0 && strcmp(asked, TYPES[type]) != 0)
            continue;
        engine_vectors vectors = {random_rows(1, n, width, type), n, width, type};
        measure(&vectors, queries, n_queries, &options, n_runs);
        free((void *)(uintptr_t)vectors.rows);
    }
    free(queries);
    return 0;
}
