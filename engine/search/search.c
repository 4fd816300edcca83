/* search.c - engine_search: checks the arguments, allocates memory, and lets threads score blocks
 * of rows. Each thread keeps its own best hits for every query; at the end the hits of the other
 * threads are added to the first one's, which are in the caller's buffer.
 */
#include "engine/runtime/machine.h"
#include "engine/search/index.h"
#include "engine/status.h"
#include "model/arena.h"
#include "model/layers/search/scan.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

size_t engine_row_bytes(engine_element type, size_t width)
{
    return row_bytes(type, width);
}

void engine_rows_from_f32(const float *rows, size_t n, size_t width, engine_element type, void *out)
{
    size_t bytes = engine_row_bytes(type, width);
    for (size_t i = 0; i < n && bytes > 0; i++)
        row_encode(type, rows + i * width, width, (char *)out + i * bytes);
}

/* ---- Arguments ---- */

/* So that the floats of a block of rows are countable. */
#define MOST_WIDTH (SIZE_MAX / 1024)

/* Returns whether size_t can address all rows, queries and lists of k hits. */
static bool are_countable(const engine_vectors *vectors, size_t n_queries, size_t n_lists, size_t k)
{
    size_t width = vectors->width, row = engine_row_bytes(vectors->type, width);
    size_t rows, queries, hits;
    return width <= MOST_WIDTH && !__builtin_mul_overflow(row, vectors->n, &rows) &&
           !__builtin_mul_overflow(n_queries, width, &queries) &&
           queries <= SIZE_MAX / sizeof(float) && !__builtin_mul_overflow(n_lists, k, &hits) &&
           hits <= SIZE_MAX / sizeof(engine_hit);
}

static engine_status check(const engine_vectors *vectors, const float *queries, size_t n_queries,
                           size_t n_lists, size_t k, const engine_hit *out, engine_error *error)
{
    size_t width = vectors != NULL ? vectors->width : 0;
    if (vectors == NULL || (vectors->rows == NULL && vectors->n > 0 && width > 0) ||
        (queries == NULL && n_queries > 0 && width > 0) || (out == NULL && n_lists > 0 && k > 0))
        return misused(error, "engine_search: vectors, their rows, queries or out is NULL");
    if ((unsigned)vectors->type > ENGINE_BINARY)
        return misused(error, "the vectors' type is %d, expected 0 to %d", (int)vectors->type,
                       ENGINE_BINARY);
    if (!are_countable(vectors, n_queries, n_lists, k))
        return misused(error,
                       "%zu vectors of width %zu, %zu queries and %zu times %zu hits exceed the "
                       "address space",
                       vectors->n, width, n_queries, n_lists, k);
    for (size_t i = 0; i < n_queries; i++)
        if (!floats_are_finite(queries + i * width, width)) {
            fail(error, ENGINE_ERROR_NOT_FINITE, "query %zu has NaN or an infinity", i);
            if (error != NULL)
                error->input = i;
            return ENGINE_ERROR_NOT_FINITE;
        }
    return ENGINE_OK;
}

static engine_status read_options(const engine_search_options *given, engine_search_options *own,
                                  engine_error *error)
{
    engine_status status = read_struct("ENGINE_SEARCH_OPTIONS", given, own, sizeof *own, error);
    if (status != ENGINE_OK)
        return status;
    if ((unsigned)own->metric > ENGINE_METRIC_MANHATTAN)
        return misused(error, "metric is %d, expected 0 to %d", (int)own->metric,
                       ENGINE_METRIC_MANHATTAN);
    if (own->n_threads > MAX_THREADS)
        return misused(error, "n_threads is %zu, expected at most %d", own->n_threads, MAX_THREADS);
    return ENGINE_OK;
}

/* Reads the caller's sparse queries, which must be finite, and of an index of these rows. */
static engine_status read_sparse(const engine_sparse_queries *given, size_t n_rows,
                                 size_t n_queries, struct sparse_queries *own, engine_error *error)
{
    if (given->index == NULL || given->starts == NULL ||
        (given->weights == NULL && given->starts[n_queries] > 0))
        return misused(error, "sparse queries: the index, starts or weights is NULL");
    if (given->index->n_rows != n_rows)
        return misused(error, "the index has %zu rows, and there are %zu vectors",
                       given->index->n_rows, n_rows);
    *own = (struct sparse_queries){index_view(given->index->bytes).postings, given->weights,
                                   given->starts, given->fusions};
    bool is_good = own->starts[0] == 0;
    for (size_t i = 0; i < n_queries; i++)
        is_good = is_good && own->starts[i] <= own->starts[i + 1] &&
                  (own->fusions == NULL ||
                   (own->fusions[i].vector >= 0 && isfinite(own->fusions[i].vector) &&
                    isfinite(own->fusions[i].sparse) && isfinite(own->fusions[i].offset)));
    for (size_t i = 0; is_good && i < own->starts[n_queries]; i++)
        is_good = isfinite(own->weights[i].weight);
    return is_good ? ENGINE_OK
                   : misused(error, "sparse queries: starts do not rise from 0, a number is not "
                                    "finite, or a fusion's factor of vectors is below 0");
}

/* Checks that texts are rows that exist, one text after the other. */
static engine_status check_texts(const engine_search_options *options, size_t n_rows,
                                 engine_error *error)
{
    const size_t *starts = options->text_starts;
    if (starts != NULL && options->sparse != NULL)
        return misused(error, "text_starts and sparse queries are given, expected one of them");
    for (size_t i = 0; starts != NULL && i < options->n_texts; i++)
        if (starts[i] > starts[i + 1] || starts[i + 1] > n_rows)
            return misused(error,
                           "text_starts of text %zu (from 0) are %zu and %zu: they fall, or "
                           "exceed the %zu rows",
                           i, starts[i], starts[i + 1], n_rows);
    return ENGINE_OK;
}

/* ---- Memory ---- */

struct search {
    struct scan scan;
    struct sparse_queries sparse;              /* of the scan, if it has any */
    size_t n, n_blocks, block_size, n_threads; /* rows or texts */
    _Atomic size_t next_block;
    const engine_search_options *options;
    bool is_interrupted;
    struct scan_work *works;       /* [n_threads] */
    struct posting_range *cursors; /* [n_threads, n_entries()] */
    struct hits *hits;             /* [n_threads, n_queries] */
    engine_hit *others; /* [n_threads - 1, n_queries, k]; the hits of thread 0 are in out */
    engine_hit *best;   /* or, of texts, here, [n_queries]: the best row of the last text */
    float *scores;      /* of texts, [n] */
    _Atomic size_t n_skipped, first_skipped; /* rows without scores */
};

/* Returns the entries of all sparse queries. */
static size_t n_entries(const struct search *search)
{
    return search->scan.sparse != NULL ? search->sparse.starts[search->scan.n_queries] : 0;
}

static void search_carve(struct search *search, struct arena *arena)
{
    struct scan *scan = &search->scan;
    struct scan_work work;
    size_t n = scan->n_queries, n_threads = search->n_threads;
    scan_carve(scan, arena);
    search->works = arena_cut(arena, n_threads, sizeof *search->works);
    for (size_t i = 0; i < n_threads; i++)
        scan_work_carve(arena->base != NULL ? &search->works[i] : &work, scan, arena);
    search->cursors = arena_cut(arena, n_entries(search), n_threads * sizeof *search->cursors);
    search->hits = arena_cut(arena, n, n_threads * sizeof *search->hits);
    search->others = arena_matrix(arena, n, scan->k, (n_threads - 1) * sizeof *search->others);
    search->best = arena_cut(arena, n, sizeof *search->best);
    search->scores = arena_cut(arena, scan->of_texts ? search->n : 0, sizeof *search->scores);
}

/* ---- The search ---- */

/* Blocks that a thread takes at a time, as postings are read faster in order; texts of a block. */
enum { RUN_BLOCKS = 8, BLOCK_TEXTS = 64 };

/* Returns the next block of a thread; n_blocks or more at the end. *run: the last one, at first
 * 0. */
static size_t next_block(struct search *search, size_t *run)
{
    const size_t of = search->scan.sparse != NULL ? RUN_BLOCKS : 1;
    if (*run % of == 0)
        *run = of * atomic_fetch_add(&search->next_block, 1);
    return (*run)++;
}

static void search_blocks(void *user, struct team team)
{
    struct search *search = user;
    struct hits *hits = search->hits + team.rank * search->scan.n_queries;
    const struct scan_work *work = &search->works[team.rank];
    struct posting_range *cursors = search->cursors + team.rank * n_entries(search);
    const size_t *starts = search->options->text_starts, n = search->n;
    size_t block, run = 0, first = SIZE_MAX, before = SIZE_MAX;
    for (size_t i = 0; i < n_entries(search); i++)
        cursors[i] = postings_find(&search->sparse.postings, search->sparse.weights[i].id);
    while ((block = next_block(search, &run)) < search->n_blocks) {
        const size_t n_taken = (block + 1) * search->block_size;
        for (size_t i = block * search->block_size; starts != NULL && i < n_taken && i < n; i++)
            search->scores[i] = scan_text(&search->scan, starts[i], starts[i + 1], hits, work);
        if (starts == NULL)
            search->n_skipped += scan_block(&search->scan, block, hits, cursors, work, &first);
        if (team.rank == 0 && search->options->progress != NULL &&
            search->options->progress(n_taken < n ? n_taken : n, n,
                                      search->options->progress_user) != 0) {
            search->is_interrupted = true;
            search->next_block = search->n_blocks; /* no thread gets another run */
        }
    }
    while (first < before && !atomic_compare_exchange_weak(&search->first_skipped, &before, first))
        ;
}

/* Finds the best scores of texts: rows of one column, by the query 1. One thread does so. */
static engine_status search_scores(const struct search *search, engine_hit *out, size_t k,
                                   size_t *n_skipped, engine_error *error)
{
    const engine_vectors scores = {search->scores, search->n, 1, ENGINE_F32};
    const engine_search_options options =
        ENGINE_SEARCH_OPTIONS(.metric = ENGINE_METRIC_DOT, .n_threads = 1, .n_skipped = n_skipped);
    return engine_search(&scores, &(float){1}, 1, k, &options, out, error);
}

static engine_status report_skipped(const struct search *search, size_t *n_skipped,
                                    engine_error *error)
{
    const size_t n = search->n_skipped;
    if (n_skipped != NULL)
        *n_skipped = n;
    if (n == 0 || n_skipped != NULL)
        return succeed(error);
    return fail(error, ENGINE_ERROR_NOT_FINITE,
                "row %zu (counted from 0) has no scores: it has NaN or an infinity%s (%zu such "
                "row%s); the others can be searched",
                (size_t)search->first_skipped,
                search->scan.metric == ENGINE_METRIC_COSINE
                    ? ", or its length is neither 0 nor from 2.4e-35 to 4.2e37"
                    : "",
                n, n == 1 ? "" : "s");
}

/* Adds the other threads' hits of query `query` to the first thread's, and fills the rest of the
 * k. */
static void finish_hits(struct search *search, size_t query, size_t k)
{
    struct hits *best = &search->hits[query];
    for (size_t thread = 1; thread < search->n_threads; thread++) {
        const struct hits *others = best + thread * search->scan.n_queries;
        for (size_t i = 0; i < others->n; i++)
            hits_add(best, others->heap[i]);
    }
    hits_sort(best);
    for (size_t i = best->n; i < k; i++)
        best->heap[i] = (engine_hit){UINT64_MAX, -INFINITY};
}

static engine_status run(struct search *search, const float *queries, engine_hit *out, size_t k,
                         size_t *n_skipped, engine_error *error)
{
    struct barrier barrier = {0};
    struct arena arena = {0};
    do
        search_carve(search, &arena);
    while (arena_allocate(&arena));
    if (arena.base == NULL)
        return fail(error, ENGINE_ERROR_MEMORY,
                    "no memory for a search of %zu queries, %zu hits of each and %zu threads (%zu "
                    "bytes): search for fewer at a time",
                    search->scan.n_queries, search->scan.k, search->n_threads, arena.used);
    scan_queries(&search->scan, queries);
    const bool of_texts = search->scan.of_texts;
    const size_t n = search->scan.n_queries;
    for (size_t i = 0; i < n * search->n_threads; i++) { /* the first thread's in the answer */
        engine_hit *heap = i >= n     ? search->others + (i - n) * search->scan.k
                           : of_texts ? search->best + i
                                      : out + i * k;
        search->hits[i] = (struct hits){.heap = heap, .k = search->scan.k};
    }
    region_run(search->n_threads, &barrier, search_blocks, search);
    for (size_t i = 0; i < n && !of_texts; i++)
        finish_hits(search, i, k);
    engine_status status = search->is_interrupted ? fail(error, ENGINE_ERROR_INTERRUPTED,
                                                         "interrupted by the progress callback")
                           : of_texts             ? search_scores(search, out, k, n_skipped, error)
                                                  : report_skipped(search, n_skipped, error);
    free(arena.base);
    return status;
}

engine_status engine_search(const engine_vectors *vectors, const float *queries, size_t n_queries,
                            size_t k, const engine_search_options *given, engine_hit *out,
                            engine_error *error)
{
    engine_search_options options;
    engine_status status = read_options(given, &options, error);
    if (status == ENGINE_OK)
        status =
            check(vectors, queries, n_queries, options.text_starts ? 1 : n_queries, k, out, error);
    if (status == ENGINE_OK)
        status = check_texts(&options, vectors->n, error);
    if (status != ENGINE_OK)
        return status;
    if (options.n_skipped != NULL)
        *options.n_skipped = 0;
    const bool of_texts = options.text_starts != NULL;
    const size_t most = of_texts ? 1 : vectors->n;
    if ((n_queries == 0 && !of_texts) || k == 0)
        return succeed(error);
    const bool is_rounded = vectors->type == ENGINE_INT8 || vectors->type == ENGINE_BINARY;
    struct search search = {.scan = {.kernels = machine_kernels(is_rounded, error),
                                     .type = vectors->type,
                                     .metric = options.metric,
                                     .rows = vectors->rows,
                                     .n = vectors->n,
                                     .width = vectors->width,
                                     .n_queries = n_queries,
                                     .of_texts = of_texts,
                                     .k = k < most ? k : most},
                            .n = of_texts ? options.n_texts : vectors->n,
                            .options = &options,
                            .first_skipped = SIZE_MAX};
    if (search.scan.kernels == NULL)
        return ENGINE_ERROR_ARGUMENT;
    if (options.sparse != NULL) {
        search.scan.sparse = &search.sparse;
        status = read_sparse(options.sparse, vectors->n, n_queries, &search.sparse, error);
        if (status != ENGINE_OK)
            return status;
    }
    int cancel_state; /* a cancelled thread would leak memory, and other threads of the region */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    search.block_size = of_texts ? BLOCK_TEXTS : scan_block_rows(&search.scan);
    search.n_blocks = search.n / search.block_size + (search.n % search.block_size > 0);
    size_t n_threads = threads_choose(options.n_threads);
    search.n_threads =
        region_threads(n_threads < search.n_blocks ? n_threads : search.n_blocks, NULL);
    status = run(&search, queries, out, k, options.n_skipped, error);
    pthread_setcancelstate(cancel_state, NULL);
    return status;
}

/* ---- Moments ---- */

enum { SAMPLE_ROWS = 1024, SAMPLE_QUERIES = 64 };

/* Adds the moments of n queries' scores of all of a sample's rows, each for `share` rows. */
static engine_status add_moments(const engine_vectors *sample, const float *queries, size_t n,
                                 const engine_search_options *options, engine_hit *hits,
                                 double share, engine_moments *out, engine_error *error)
{
    size_t n_skipped;
    engine_search_options plain =
        ENGINE_SEARCH_OPTIONS(.metric = options->metric, .n_threads = options->n_threads,
                              .n_skipped = &n_skipped);
    engine_status status = engine_search(sample, queries, n, sample->n, &plain, hits, error);
    for (size_t i = 0; i < n * sample->n && status == ENGINE_OK; i++) {
        const double score = (double)hits[i].score;
        engine_moments *moments = &out[i / sample->n];
        if (hits[i].row == UINT64_MAX)
            continue;
        moments->n += share;
        moments->sum += share * score;
        moments->squares += share * score * score;
    }
    return status;
}

engine_status engine_search_moments(const engine_vectors *vectors, const float *queries,
                                    size_t n_queries, const engine_search_options *given,
                                    engine_moments *vectors_out, engine_moments *sparse_out,
                                    engine_error *error)
{
    engine_search_options options;
    struct sparse_queries sparse;
    engine_status status = read_options(given, &options, error);
    if (status == ENGINE_OK)
        status = check(vectors, queries, n_queries, 0, 0, NULL, error);
    if (status == ENGINE_OK &&
        (options.sparse == NULL || vectors_out == NULL || sparse_out == NULL))
        status = misused(error, "engine_search_moments: sparse queries or an output is NULL");
    if (status == ENGINE_OK)
        status = read_sparse(options.sparse, vectors->n, n_queries, &sparse, error);
    if (status != ENGINE_OK)
        return status;
    const size_t bytes = row_bytes(vectors->type, vectors->width), n = vectors->n;
    engine_vectors sample = *vectors;
    sample.n = n < SAMPLE_ROWS ? n : SAMPLE_ROWS;
    char *rows = malloc(1 + sample.n * bytes);
    engine_hit *hits = malloc((1 + SAMPLE_QUERIES * sample.n) * sizeof *hits);
    if (rows == NULL || hits == NULL)
        status = fail(error, ENGINE_ERROR_MEMORY, "no memory for a sample of %zu rows", sample.n);
    for (size_t i = 0; i < sample.n && status == ENGINE_OK && bytes > 0; i++)
        memcpy(rows + i * bytes, (const char *)vectors->rows + i * n / sample.n * bytes, bytes);
    sample.rows = rows;
    for (size_t q = 0, taken; q < n_queries && n > 0 && status == ENGINE_OK; q += taken) {
        taken = n_queries - q < SAMPLE_QUERIES ? n_queries - q : SAMPLE_QUERIES;
        status = add_moments(&sample, queries + q * sample.width, taken, &options, hits,
                             (double)n / (double)sample.n, vectors_out + q, error);
    }
    const struct index_view view = index_view(options.sparse->index->bytes);
    for (size_t q = 0; q < n_queries && status == ENGINE_OK; q++)
        index_add_moments(&view, sparse.weights + sparse.starts[q],
                          sparse.starts[q + 1] - sparse.starts[q], &sparse_out[q]);
    free(hits);
    free(rows);
    return status == ENGINE_OK ? succeed(error) : status;
}

/* Returns the mean; the deviation is 0 if all scores are equal but for rounding. */
static double mean_of(engine_moments moments, double *deviation)
{
    const double n = moments.n > 0 ? moments.n : 1, mean = moments.sum / n;
    const double square = moments.squares / n, variance = square - mean * mean;
    *deviation = variance > 1e-12 * square ? sqrt(variance) : 0;
    return mean;
}

engine_fusion engine_fuse(engine_moments vectors, engine_moments sparse, double weight)
{
    double deviation, sparse_deviation;
    const double mean = mean_of(vectors, &deviation);
    const double sparse_mean = mean_of(sparse, &sparse_deviation);
    const double factor = deviation > 0 ? 1 / deviation : 0;
    const double sparse_factor = sparse_deviation > 0 ? weight / sparse_deviation : 0;
    return (engine_fusion){(float)factor, (float)sparse_factor,
                           (float)(-(mean * factor + sparse_mean * sparse_factor))};
}
