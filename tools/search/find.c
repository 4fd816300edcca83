/* find.c - see find.h. Rows of texts are the engine's to search. Of archives every text is scored
 * by every query: a block of texts is shared by the threads, and of its scores the best are kept. */
#include "tools/search/find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_TEXTS = 256 };

struct scan {
    const struct vectors *vectors;
    const struct encoder *encoder;
    const struct item *queries; /* [n] */
    size_t n;
    engine_weight **weights; /* [n] of sparse queries, [n_weights[i]] */
    size_t *n_weights;
    float *scores; /* [BLOCK_TEXTS, n] */
    bool is_broken;
};

/* ---- Scores of one text ---- */

/* Ids rise, or the product would miss some. */
static bool read_weights(const struct vectors *vectors, size_t begin, size_t n, engine_weight *out)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(&out[i].id, vectors->ids + 4 * (begin + i), sizeof out[i].id);
        memcpy(&out[i].weight, vectors->values + 4 * (begin + i), sizeof out[i].weight);
        if (i > 0 && out[i].id <= out[i - 1].id)
            return false;
    }
    return true;
}

static bool score_text(const struct scan *scan, size_t text, float *scores)
{
    const struct vectors *vectors = scan->vectors;
    const size_t begin = vectors_start(vectors, text), n = vectors_start(vectors, text + 1) - begin;
    const bool is_sparse = vectors->kind == VECTORS_SPARSE;
    const size_t bytes = is_sparse ? sizeof(engine_weight) : sizeof(float) * vectors->width;
    void *values = malloc(n > 0 ? n * bytes : 1); /* aligned, as those of the archive are not */
    bool is_good = values != NULL;
    if (is_good && is_sparse)
        is_good = read_weights(vectors, begin, n, values);
    else if (is_good && n > 0)
        memcpy(values, vectors->values + begin * bytes, n * bytes);
    for (size_t i = 0; i < scan->n && is_good; i++) {
        const struct item *query = &scan->queries[i];
        scores[i] =
            (float)(is_sparse
                        ? engine_sparse_product(scan->weights[i], scan->n_weights[i], values, n)
                        : engine_max_sim(query->rows, query->n_tokens, values, n, vectors->width));
    }
    free(values);
    return is_good;
}

/* ---- The best of all texts ---- */

/* Best first; equals stay in the order of their rows. */
static void keep(engine_hit *best, size_t k, engine_hit hit)
{
    size_t at = k;
    while (at > 0 && hit.score > best[at - 1].score)
        at--;
    if (at == k)
        return;
    memmove(&best[at + 1], &best[at], (k - 1 - at) * sizeof *best);
    best[at] = hit;
}

static void scan_block(struct scan *scan, size_t from, size_t n_texts, size_t k, engine_hit *out)
{
    const int n_threads = (int)engine_session_threads(scan->encoder->session);
    bool is_broken = false;
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) reduction(|| : is_broken)
    for (size_t i = 0; i < n_texts; i++)
        is_broken = !score_text(scan, from + i, scan->scores + i * scan->n) || is_broken;
    scan->is_broken = scan->is_broken || is_broken;
    for (size_t i = 0; i < n_texts && !is_broken; i++)
        for (size_t q = 0; q < scan->n; q++)
            keep(out + q * k, k, (engine_hit){from + i, scan->scores[i * scan->n + q]});
}

static void weigh_queries(struct scan *scan)
{
    const size_t width = scan->encoder->width;
    for (size_t i = 0; i < scan->n; i++) {
        const float *row = scan->queries[i].rows;
        size_t n = engine_sparse_entries(row, width, NULL, 0);
        scan->weights[i] = alloc_zeros(n, sizeof **scan->weights);
        scan->n_weights[i] = engine_sparse_entries(row, width, scan->weights[i], n);
    }
}

static bool scan_all(struct scan *scan, size_t k, engine_hit *out)
{
    const size_t n_texts = scan->vectors->n;
    scan->weights = alloc_zeros(scan->n, sizeof *scan->weights);
    scan->n_weights = alloc_zeros(scan->n, sizeof *scan->n_weights);
    scan->scores = alloc_zeros(BLOCK_TEXTS * scan->n, sizeof *scan->scores);
    if (scan->vectors->kind == VECTORS_SPARSE)
        weigh_queries(scan);
    for (size_t i = 0; i < scan->n * k; i++)
        out[i] = (engine_hit){UINT64_MAX, -INFINITY};
    for (size_t i = 0; i < n_texts && !scan->is_broken; i += BLOCK_TEXTS)
        scan_block(scan, i, n_texts - i < BLOCK_TEXTS ? n_texts - i : BLOCK_TEXTS, k, out);
    for (size_t i = 0; i < scan->n; i++)
        free(scan->weights[i]);
    free(scan->weights);
    free(scan->n_weights);
    free(scan->scores);
    if (scan->is_broken)
        program_fail("'%s': a text's ids do not rise, or there is no memory for its entries",
                     scan->vectors->file.path);
    return !scan->is_broken;
}

bool find_rows(const struct vectors *vectors, const struct encoder *encoder,
               const struct item *queries, size_t n, size_t k, engine_metric metric,
               engine_hit *out)
{
    engine_error error = {0};
    const engine_search_options options = {
        .struct_bytes = sizeof options,
        .metric = metric,
        .n_threads = encoder->request.n_threads,
    };
    if (vectors->kind != VECTORS_ROWS) {
        struct scan scan = {.vectors = vectors, .encoder = encoder, .queries = queries, .n = n};
        return scan_all(&scan, k, out);
    }
    if (engine_search(&vectors->rows, queries[0].rows, n, k, &options, out, &error) == ENGINE_OK)
        return true;
    program_fail("%s", error.message);
    return false;
}
