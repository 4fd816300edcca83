/* find.c - see find.h. Rows of texts are the engine's to search. Of archives every text is scored,
 * the texts shared by the threads, and of the scores the best are kept. */
#include "tools/search/find.h"

#include <stdlib.h>
#include <string.h>

/* ---- Texts of archives ---- */

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

/* What the archive holds is not aligned, so that a text's part is copied. False: ids that do not
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

/* Scores are rows of one column, and the query 1 finds the best of them. */
static void best_scores(const float *scores, size_t n, size_t k, engine_hit *out)
{
    engine_error error = {0};
    const engine_vectors rows = {.rows = scores, .n = n, .width = 1, .type = ENGINE_F32};
    const engine_search_options by_product = {sizeof by_product, ENGINE_METRIC_DOT, 1};
    const float one = 1;
    if (engine_search(&rows, &one, 1, k, &by_product, out, &error) != ENGINE_OK)
        program_die("%s", error.message);
}

static void find_texts(const struct vectors *vectors, const struct encoder *encoder,
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
    best_scores(scores, vectors->n, k, out);
    free(scores);
    free(weights);
}

/* ---- All ---- */

void find_rows(const struct vectors *vectors, const struct encoder *encoder,
               const struct item *queries, size_t n, size_t k, engine_metric metric,
               engine_hit *out)
{
    engine_error error = {0};
    const engine_search_options options = {
        .struct_bytes = sizeof options,
        .metric = metric,
        .n_threads = encoder->request.n_threads,
    };
    for (size_t i = 0; i < n && vectors->kind != VECTORS_ROWS; i++)
        find_texts(vectors, encoder, &queries[i], k, out + i * k);
    if (vectors->kind == VECTORS_ROWS &&
        engine_search(&vectors->rows, queries[0].rows, n, k, &options, out, &error) != ENGINE_OK)
        program_die("%s", error.message);
}
