/* find.c - see find.h. Rows of texts are the engine's to search. Of sparse weights and vectors of
 * tokens every text is scored, the texts shared by the threads, and the best scores stay. Hits of
 * several files are merged. */
#include "tools/search/find.h"

#include <stdlib.h>
#include <string.h>

/* ---- Texts of several numbers or rows ---- */

/* A query as it is compared: its vectors [n, width], or its weights [n]. */
struct asked {
    const float *vectors;
    const engine_weight *weights;
    size_t n;
};

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

/* What the file holds is not aligned, so that a text's part is copied. False: ids that do not
 * rise, or no memory. */
static bool score_text(const struct vectors *vectors, size_t text, const struct asked *query,
                       float *score)
{
    const size_t begin = vectors_start(vectors, text), n = vectors_start(vectors, text + 1) - begin;
    const size_t width = vectors->width, row_bytes = width * sizeof(float);
    void *values = malloc(1 + n * (query->weights ? sizeof(engine_weight) : row_bytes));
    bool is_good = values != NULL;
    if (is_good && query->weights) {
        is_good = read_weights(vectors, begin, n, values);
        *score = (float)engine_sparse_product(query->weights, query->n, values, is_good ? n : 0);
    } else if (is_good) {
        memcpy(values, vectors->values + begin * row_bytes, n * row_bytes);
        *score = (float)engine_max_sim(query->vectors, query->n, values, n, width);
    }
    free(values);
    return is_good;
}

static void score_texts(const struct vectors *vectors, const struct asked *query, int n_threads,
                        float *scores)
{
    bool is_good = true;
#pragma omp parallel for schedule(dynamic, 64) num_threads(n_threads) reduction(&& : is_good)
    for (size_t i = 0; i < vectors->n; i++)
        is_good = score_text(vectors, i, query, &scores[i]) && is_good;
    if (!is_good)
        program_die("'%s': a text's ids do not rise, or there is no memory for its entries",
                    vectors->file.path);
}

/* Searches rows of the file, or scores of its texts. A row without scores ends the program, unless
 * such rows are to be skipped. */
static void search_rows(struct vectors *vectors, const engine_vectors *rows, const float *queries,
                        size_t n, size_t k, const engine_search_options *asked, engine_hit *out)
{
    engine_error error = {0};
    engine_search_options options = *asked;
    if (vectors->skips_rows)
        options.n_skipped = &vectors->n_skipped;
    const engine_status status = engine_search(rows, queries, n, k, &options, out, &error);
    if (status == ENGINE_ERROR_NOT_FINITE)
        program_die("'%s': %s with --on-error skip", vectors->file.path, error.message);
    if (status != ENGINE_OK)
        program_die("%s", error.message);
}

static void find_texts(struct vectors *vectors, const struct encoder *encoder,
                       const struct item *query, size_t k, engine_hit *out)
{
    struct asked asked = {.vectors = query->rows, .n = query->n_tokens};
    float *scores = alloc_zeros(vectors->n, sizeof *scores);
    engine_weight *weights = NULL;
    if (vectors->kind == VECTORS_SPARSE) {
        asked.n = engine_sparse_entries(query->rows, encoder->width, NULL, 0);
        asked.weights = weights = alloc_zeros(asked.n, sizeof *weights);
        engine_sparse_entries(query->rows, encoder->width, weights, asked.n);
    }
    score_texts(vectors, &asked, (int)engine_session_threads(encoder->session), scores);
    /* Scores are rows of one column, and the query 1 finds the best of them. */
    search_rows(vectors, &(engine_vectors){scores, vectors->n, 1, ENGINE_F32}, &(float){1}, 1, k,
                &ENGINE_SEARCH_OPTIONS(.metric = ENGINE_METRIC_DOT, .n_threads = 1), out);
    free(scores);
    free(weights);
}

/* ---- All ---- */

static void find_in_file(struct vectors *vectors, const struct encoder *encoder,
                         const struct item *queries, size_t n, size_t k, engine_metric metric,
                         engine_hit *out)
{
    const engine_search_options options =
        ENGINE_SEARCH_OPTIONS(.metric = metric, .n_threads = encoder->request.session.n_threads);
    for (size_t i = 0; i < n && vectors->kind != VECTORS_ROWS; i++)
        find_texts(vectors, encoder, &queries[i], k, out + i * k);
    for (size_t i = 0; i < n * k && vectors->kind == VECTORS_TOKENS; i++)
        if (out[i].row != UINT64_MAX) /* a text, whose first row it becomes */
            out[i].row = vectors_start(vectors, (size_t)out[i].row);
    if (vectors->kind == VECTORS_ROWS)
        search_rows(vectors, &vectors->rows, queries[0].rows, n, k, &options, out);
}

/* Merges hits [k] of the next file into `best` [k], both best first: equal scores stay in the order
 * of the rows. Rows of the file count from `first_row`. */
static void merge(engine_hit *best, const engine_hit *found, uint64_t first_row, size_t k,
                  engine_hit *merged)
{
    const engine_hit *a = best, *b = found;
    for (size_t i = 0; i < k; i++) {
        const bool is_b = b->row != UINT64_MAX && (a->row == UINT64_MAX || b->score > a->score);
        merged[i] = is_b ? *b++ : *a++;
        merged[i].row += is_b ? first_row : 0;
    }
    memcpy(best, merged, k * sizeof *best);
}

void find_rows(const struct places *places, const struct encoder *encoder,
               const struct item *queries, size_t n, size_t k, engine_metric metric,
               engine_hit *out)
{
    engine_hit *found = alloc_zeros(n * k, sizeof *found), *merged = alloc_zeros(k, sizeof *merged);
    for (size_t i = 0; i < n * k; i++)
        out[i] = (engine_hit){.row = UINT64_MAX};
    for (size_t f = 0; f < places->n_files; f++) {
        struct vector_file *file = &places->files[f];
        if (file->vectors.n == 0)
            continue;
        find_in_file(&file->vectors, encoder, queries, n, k, metric, found);
        for (size_t i = 0; i < n; i++)
            merge(out + i * k, found + i * k, file->first_row, k, merged);
    }
    free(found);
    free(merged);
}
