/* tags: threads no-asan long */
/* Equal scores are hits by ascending row, whatever the number of threads: of vectors of every type,
 * few queries and many, of texts of several rows, and of sparse weights with vectors and without.
 */
#include "tests/owned.h"
#include "tests/support.h"

#include <stdlib.h>

/* The best rows are 3, 10, 17 ..., in each of many blocks. */
enum { N = 20000, WIDTH = 8, QUERIES = 29, STEP = 7, FIRST = 3, MOST = 50 };

static void assert_lowest_rows(const engine_vectors *vectors, size_t n_queries,
                               engine_search_options options, const char *what)
{
    static const size_t threads[] = {1, 2, 3, 8};
    static float queries[QUERIES * WIDTH];
    static engine_hit hits[QUERIES * MOST];
    for (size_t i = 0; i < QUERIES; i++)
        queries[i * WIDTH] = 1;
    for (size_t turn = 0; turn < 8; turn++) {
        const size_t k = 1 + turn * 19 % MOST;
        const size_t n_lists = options.text_starts ? 1 : n_queries;
        engine_error error;
        options.n_threads = threads[turn % 4];
        if (engine_search(vectors, queries, n_queries, k, &options, hits, &error) != ENGINE_OK)
            fail_msg("%s: %s", what, error.message);
        for (size_t i = 0; i < n_lists * k; i++)
            if (hits[i].row != FIRST + STEP * (i % k))
                fail_msg("%s, type %d, %zu queries, %zu threads, %zu best: hit %zu is row %zu",
                         what, (int)vectors->type, n_queries, options.n_threads, k, i % k,
                         (size_t)hits[i].row);
    }
}

TEST(the_lower_row_of_equal_scores)
{
    static float rows[N * WIDTH];
    static size_t texts[N + 1], starts[QUERIES + 1];
    static engine_weight weights[QUERIES];
    engine_index_builder *builder = engine_index_new();
    engine_index index = {0};
    void *block = new_bytes(sizeof rows);
    support_allow_threads(8);
    for (size_t i = 0; i < N; i++) {
        const bool is_best = i % STEP == FIRST;
        const engine_weight weight = {0, is_best ? 2 : 1};
        rows[i * WIDTH] = is_best ? 1 : -1;
        texts[i + 1] = i + 1;
        assert_ok(engine_index_add_weights(builder, &weight, 1, NULL));
    }
    for (size_t i = 0; i < QUERIES; i++) {
        weights[i] = (engine_weight){0, 1};
        starts[i + 1] = i + 1;
    }
    assert_ok(engine_index_bytes(builder, 0, &index.bytes, &index.len, NULL));
    assert_ok(engine_index_open(&index, NULL));
    const engine_sparse_queries sparse = {&index, weights, starts, NULL};
    const engine_search_options by_texts =
        ENGINE_SEARCH_OPTIONS(.text_starts = texts, .n_texts = N);
    const engine_search_options by_words = ENGINE_SEARCH_OPTIONS(.sparse = &sparse);
    for (size_t i = 0; i < 12; i++) {
        const engine_vectors vectors = {block, N, WIDTH, (engine_element)(i % 4)};
        const size_t n_queries = i < 4 ? 1 : i < 8 ? 5 : QUERIES;
        const engine_search_options by_metric =
            ENGINE_SEARCH_OPTIONS(.metric = (engine_metric)(ENGINE_METRIC_DOT + i % 3));
        engine_rows_from_f32(rows, N, WIDTH, vectors.type, block);
        assert_lowest_rows(&vectors, n_queries, by_metric, "vectors");
        assert_lowest_rows(&vectors, n_queries, by_texts, "texts");
        assert_lowest_rows(&vectors, n_queries, by_words, "both");
        if (i % 4 == 0)
            assert_lowest_rows(&(engine_vectors){.n = N}, n_queries, by_words, "words");
    }
    unsetenv("OMP_NUM_THREADS");
    engine_index_free(builder);
}
