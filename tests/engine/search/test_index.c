/* tags: numbers threads */
/* Guarantee: scores by words are those of BM25; hybrid scores are both, fused exactly. */
#include "engine/engine.h"
#include "engine/file/crc32c.h"
#include "engine/search/index.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5000, WIDTH = 48, QUERIES = 40, WORDS = 300, MOST = 24, K = 12, LINE = 200 };

/* Texts are words "w0" to "w299", small numbers more often; one text has none. */
struct trial {
    char texts[N][LINE], queries[QUERIES][LINE];
    int counts[N][WORDS];
    double lengths[N];
    engine_index_builder *builder;
    engine_index index;
    engine_weight weights[QUERIES * MOST];
    size_t starts[QUERIES + 1];
    float vectors[QUERIES * WIDTH];
    void *rows;
};

static void write_text(uint64_t *seed, size_t n, char *text, int *counts)
{
    *text = '\0';
    for (size_t i = 0; i < n; i++) {
        const size_t word = support_below(seed, 1 + support_below(seed, WORDS));
        sprintf(text + strlen(text), "%s%zu, ", i % 2 ? "W" : "w", word);
        if (counts != NULL)
            counts[word]++;
    }
}

static double some_number(uint64_t *seed)
{
    return (double)support_below(seed, 2001) / 1000 - 1;
}

static void free_index(void *builder)
{
    engine_index_free(builder);
}

static engine_index_builder *new_index(void)
{
    return owned(engine_index_new(), free_index);
}

static struct trial *make(engine_element type)
{
    struct trial *trial = new_bytes(sizeof *trial);
    float *rows = new_floats((size_t)N * WIDTH);
    const void *bytes;
    uint64_t seed = 7;
    trial->builder = new_index();
    for (size_t i = 0; i < N; i++) {
        const size_t n = i == 5 ? 0 : 1 + support_below(&seed, 20);
        write_text(&seed, n, trial->texts[i], trial->counts[i]);
        trial->lengths[i] = (double)n;
        assert_ok(
            engine_index_add_text(trial->builder, trial->texts[i], ENGINE_NUL_TERMINATED, NULL));
    }
    assert_ok(engine_index_bytes(trial->builder, 99, &bytes, &trial->index.len, NULL));
    trial->index.bytes = bytes;
    assert_ok(engine_index_open(&trial->index, NULL));
    assert_true(trial->index.n_rows == N && trial->index.n_ids > WORDS / 2 &&
                trial->index.stamp == 99 && trial->index.has_words);
    for (size_t q = 0; q < QUERIES; q++) {
        write_text(&seed, 1 + q % 7, trial->queries[q], NULL);
        trial->starts[q + 1] =
            trial->starts[q] + engine_index_query(&trial->index, 1, 0, trial->queries[q],
                                                  ENGINE_NUL_TERMINATED,
                                                  trial->weights + trial->starts[q]);
    }
    for (size_t i = 0; i < (size_t)QUERIES * WIDTH; i++)
        trial->vectors[i] = (float)some_number(&seed);
    for (size_t i = 0; i < (size_t)N * WIDTH; i++)
        rows[i] = (float)some_number(&seed);
    trial->rows = new_bytes(N * engine_row_bytes(type, WIDTH));
    engine_rows_from_f32(rows, N, WIDTH, type, trial->rows);
    return trial;
}

/* BM25 of a text for a query, by its formula. */
static double plain_bm25(const struct trial *trial, const char *query, size_t row)
{
    double score = 0, mean = 0;
    for (size_t i = 0; i < N; i++)
        mean += trial->lengths[i] / N;
    for (const char *at = query; *at != '\0'; at = strchr(at, ',') + 2) {
        const int word = atoi(at + 1);
        double n = 0, times = trial->counts[row][word];
        for (size_t i = 0; i < N; i++)
            n += trial->counts[i][word] > 0;
        score += n > 0 ? log(1 + (N - n + 0.5) / (n + 0.5)) * times * 2.2 /
                             (times + 1.2 * (0.25 + 0.75 * trial->lengths[row] / mean))
                       : 0;
    }
    return score;
}

TEST(word_scores_are_bm25)
{
    struct trial *trial = make(ENGINE_F32);
    const engine_vectors none = {.n = N};
    engine_hit *hits = new_bytes(sizeof *hits * N);
    for (size_t q = 0; q < QUERIES; q++) {
        const size_t starts[] = {0, trial->starts[q + 1] - trial->starts[q]};
        const engine_sparse_queries sparse = {
            .index = &trial->index, .weights = trial->weights + trial->starts[q], .starts = starts};
        const engine_search_options options = ENGINE_SEARCH_OPTIONS(.sparse = &sparse);
        assert_ok(engine_search(&none, NULL, 1, N, &options, hits, NULL));
        for (size_t i = 0; i < N; i++) {
            assert_true(i == 0 || hits[i - 1].score >= hits[i].score);
            assert_true(engine_index_score(&trial->index, sparse.weights, starts[1], hits[i].row) ==
                        hits[i].score);
            if (i % 97 != 0)
                continue;
            const double expected = plain_bm25(trial, trial->queries[q], (size_t)hits[i].row);
            /* three roundings to float32: of both weights, and of the sum */
            assert_true(fabs((double)hits[i].score - expected) <= 3 * 0x1p-24 * expected);
        }
    }
}

/* Searches all rows for vectors alone, and fuses their scores with those of the words. */
static void plain_hybrid(const struct trial *trial, const engine_vectors *vectors, size_t q,
                         engine_fusion fusion, float *scores)
{
    engine_hit *hits = new_bytes(sizeof *hits * N);
    assert_ok(engine_search(vectors, trial->vectors + q * WIDTH, 1, N, NULL, hits, NULL));
    for (size_t i = 0; i < N; i++) {
        const float words =
            engine_index_score(&trial->index, trial->weights + trial->starts[q],
                               trial->starts[q + 1] - trial->starts[q], hits[i].row);
        scores[hits[i].row] =
            fusion.vector * hits[i].score + (fusion.sparse * words + fusion.offset);
    }
}

static void assert_hybrid(const struct trial *trial, const engine_vectors *vectors,
                          const engine_fusion *fusions, size_t n_queries, size_t n_threads)
{
    static engine_hit hits[QUERIES * K];
    static float scores[N];
    const engine_sparse_queries sparse = {&trial->index, trial->weights, trial->starts, fusions};
    const engine_search_options options =
        ENGINE_SEARCH_OPTIONS(.sparse = &sparse, .n_threads = n_threads);
    assert_ok(engine_search(vectors, trial->vectors, n_queries, K, &options, hits, NULL));
    for (size_t q = 0; q < n_queries; q++) {
        size_t n_better = 0;
        plain_hybrid(trial, vectors, q, fusions[q], scores);
        for (size_t i = 0; i < K; i++) {
            const engine_hit *hit = &hits[q * K + i];
            assert_memory_equal(&hit->score, &scores[hit->row], sizeof hit->score);
            assert_true(i == 0 || hit[-1].score > hit->score ||
                        (hit[-1].score == hit->score && hit[-1].row < hit->row));
        }
        for (size_t i = 0; i < N; i++)
            n_better += scores[i] > hits[q * K + K - 1].score;
        assert_true(n_better < K);
    }
}

TEST(hybrid_scores_are_both_fused)
{
    support_allow_threads(3);
    for (engine_element type = ENGINE_F32; type <= ENGINE_BINARY; type++) {
        struct trial *trial = make(type);
        const engine_vectors vectors = {trial->rows, N, WIDTH, type};
        engine_moments of_vectors[QUERIES] = {{0}}, of_words[QUERIES] = {{0}};
        engine_fusion fusions[QUERIES];
        const engine_sparse_queries sparse = {&trial->index, trial->weights, trial->starts, NULL};
        const engine_search_options options = ENGINE_SEARCH_OPTIONS(.sparse = &sparse);
        assert_ok(engine_search_moments(&vectors, trial->vectors, QUERIES, &options, of_vectors,
                                        of_words, NULL));
        for (size_t q = 0; q < QUERIES; q++) {
            assert_true(fabs(of_vectors[q].n - N) < 1e-6 && of_words[q].n == N);
            fusions[q] = engine_fuse(of_vectors[q], of_words[q], q == 3 ? 0 : 0.25 * (double)q);
        }
        assert_hybrid(trial, &vectors, fusions, QUERIES, 3); /* int8 and bits: by candidates */
        assert_hybrid(trial, &vectors, fusions, QUERIES, 1);
        assert_hybrid(trial, &vectors, fusions, 1, 3);
    }
}

TEST(moments_are_those_of_the_scores)
{
    struct trial *trial = make(ENGINE_F32);
    engine_moments of_vectors = {0}, of_words = {0};
    engine_vectors vectors = {trial->rows, N, WIDTH, ENGINE_F32};
    const size_t starts[] = {0, trial->starts[1]};
    const engine_sparse_queries sparse = {&trial->index, trial->weights, starts, NULL};
    const engine_search_options options = ENGINE_SEARCH_OPTIONS(.sparse = &sparse);
    assert_int_equal(starts[1], 1); /* a query of one word, which is independent */
    double sum = 0, squares = 0;
    for (size_t i = 0; i < N; i++) {
        const double score = (double)engine_index_score(&trial->index, trial->weights, 1, i);
        sum += score;
        squares += score * score;
    }
    assert_ok(
        engine_search_moments(&vectors, trial->vectors, 1, &options, &of_vectors, &of_words, NULL));
    assert_true(fabs(of_words.sum - sum) <= 1e-6 * sum);
    assert_true(fabs(of_words.squares - squares) <= 1e-6 * squares);
    const engine_fusion fusion = engine_fuse(of_vectors, of_words, 2);
    const double mean = sum / N, deviation = sqrt(squares / N - mean * mean);
    assert_true(fabs((double)fusion.sparse - 2 / deviation) <= 1e-5 * (double)fusion.sparse);
    const engine_fusion equal = engine_fuse((engine_moments){3, 6, 12}, of_words, 0);
    assert_true(equal.vector == 0 && equal.sparse == 0 && equal.offset == 0);
}

TEST(weights_are_rows_too)
{
    engine_index_builder *builder = new_index();
    const engine_weight rows[] = {{70000, 2}, {3, 1}, {3, 0.5F}, {3, -1}, {-1, 4}, {0, NAN}};
    const void *bytes;
    engine_index index = {0};
    engine_hit hits[3];
    assert_ok(engine_index_add_text(builder, "a", 1, NULL));
    assert_fails(ARGUMENT, engine_index_add_weights(builder, rows, 2, NULL));
    builder = new_index(); /* what is refused does not say of which kind rows are */
    assert_fails(ARGUMENT, engine_index_add_weights(builder, rows + 3, 2, NULL));
    const engine_weight large = {INT32_MAX - 1, 1}; /* the largest id is one less */
    engine_error error = {0};
    assert_fails(ARGUMENT, engine_index_add_weights(builder, &large, 1, &error));
    assert_non_null(strstr(error.message, "an id is not from 0 to 2147483645"));
    assert_fails(ARGUMENT, engine_index_add_weights(builder, NULL, 1, NULL));
    assert_ok(engine_index_add_text(builder, "a", 1, NULL));
    builder = new_index(); /* ids in any order, one of them twice */
    assert_ok(engine_index_add_weights(builder, rows, 3, NULL));
    assert_ok(engine_index_add_weights(builder, NULL, 0, NULL));
    assert_fails(ARGUMENT, engine_index_add_weights(builder, rows + 5, 1, NULL));
    assert_fails(ARGUMENT, engine_index_add_text(builder, "a", 1, NULL));
    assert_ok(engine_index_add_weights(builder, rows + 3, 1, NULL));
    assert_ok(engine_index_bytes(builder, 0, &bytes, &index.len, NULL));
    assert_fails(ARGUMENT, engine_index_add_weights(builder, rows, 1, NULL));
    index.bytes = bytes;
    assert_ok(engine_index_open(&index, NULL));
    assert_int_equal(index.n_ids, 70001);
    const engine_weight query[] = {{3, 2}, {70000, 1}, {70001, 5}, {-1, 1}};
    const size_t starts[] = {0, 4};
    const engine_sparse_queries sparse = {&index, query, starts, NULL};
    const engine_search_options options = ENGINE_SEARCH_OPTIONS(.sparse = &sparse);
    const engine_vectors none = {.n = 3};
    assert_ok(engine_search(&none, NULL, 1, 3, &options, hits, NULL));
    assert_true(hits[0].row == 0 && hits[0].score == 5);
    assert_true(hits[1].row == 1 && hits[1].score == 0);
    assert_true(hits[2].row == 2 && hits[2].score == -2);
    const engine_sparse_queries of_3 = {&index, query, (size_t[]){0, 1}, NULL}; /* 3, 0 and -2 */
    const engine_search_options only = ENGINE_SEARCH_OPTIONS(.sparse = &of_3);
    engine_moments of_vectors = {0}, found = {0};
    engine_search_moments(&none, NULL, 1, &only, &of_vectors, &found, NULL);
    assert_true(found.n == 3 && fabs(found.sum - 1) < 1e-9 && fabs(found.squares - 13) < 1e-9);
}

/* Returns the rows among `texts` that have a word of the query. */
static unsigned found(const char *const *texts, size_t n, const char *query)
{
    engine_index_builder *builder = new_index();
    engine_weight weights[LINE];
    engine_index index = {0};
    unsigned rows = 0;
    for (size_t i = 0; i < n; i++)
        assert_ok(engine_index_add_text(builder, texts[i], ENGINE_NUL_TERMINATED, NULL));
    assert_ok(engine_index_bytes(builder, 0, &index.bytes, &index.len, NULL));
    assert_ok(engine_index_open(&index, NULL));
    const size_t n_weights =
        engine_index_query(&index, 1, 0, query, ENGINE_NUL_TERMINATED, weights);
    for (size_t i = 0; i < n; i++)
        rows |= (unsigned)(engine_index_score(&index, weights, n_weights, i) > 0) << i;
    return rows;
}

TEST(words_are_lower_case_letters_and_digits)
{
    const char *const texts[] = {"Don't panic: x_1, 42!", "CAF\xC3\x89 \xCE\xA3\xCE\x91",
                                 "\xE4\xB8\xAD\xE6\x96\x87\xE5\xAD\x97", "", "\xFF caf"};
    assert_int_equal(found(texts, 5, "PANIC"), 1);
    assert_int_equal(found(texts, 5, "x_1"), 1);
    assert_int_equal(found(texts, 5, "x 1 4 2 pan"), 0);
    assert_int_equal(found(texts, 5, "cafe\xCC\x81"), 2); /* composed and decomposed */
    assert_int_equal(found(texts, 5, "\xCF\x83\xCE\xB1"), 2);
    assert_int_equal(found(texts, 5, "\xE6\x96\x87"), 4);
    assert_int_equal(found(texts, 5, "caf"), 16);
    assert_int_equal(found(texts, 5, ""), 0);
    assert_int_equal(found(texts, 0, "caf"), 0);
}

static double limited(double x)
{
    return fmax(-(double)FLT_MAX, fmin(x, (double)FLT_MAX));
}

/* Weights whose products, sums and fusions exceed float32, in rows that are equal by vector. */
TEST(sums_that_float32_cannot_hold_are_its_largest)
{
    enum { ROWS = 3000, MANY = 40 };
    const engine_weight large[] = {{1, FLT_MAX}, {2, FLT_MAX}}, negative[] = {{1, -FLT_MAX}};
    const engine_fusion trials[] = {{1, 1, 0},
                                    {1, -1, 0},
                                    {0, 0, 1},
                                    {0, -1e-38F, 0},
                                    {1, FLT_MAX, -FLT_MAX},
                                    {FLT_MAX, -FLT_MAX, 1}};
    engine_index_builder *builder = new_index();
    engine_index index = {0};
    static float rows[ROWS * 16], queries[MANY * 16];
    static engine_weight weights[2 * MANY];
    static engine_hit hits[MANY * ROWS];
    static engine_fusion fusions[MANY];
    size_t starts[MANY + 1] = {0};
    for (size_t i = 0; i < ROWS; i++) {
        const size_t kind = i * 7 % ROWS % 1000; /* few rows have weights */
        rows[16 * i] = kind == 1 ? -1 : 1;
        assert_ok(engine_index_add_weights(builder, kind == 2 ? negative : large,
                                           kind == 2  ? 1
                                           : kind < 2 ? 2
                                                      : 0,
                                           NULL));
    }
    assert_ok(engine_index_bytes(builder, 0, &index.bytes, &index.len, NULL));
    assert_ok(engine_index_open(&index, NULL));
    for (size_t q = 0; q < MANY; q++) {
        queries[16 * q] = 1;
        memcpy(weights + 2 * q, large, sizeof large);
        starts[q + 1] = 2 * q + 2;
    }
    assert_true(engine_index_score(&index, large, 2, 0) == FLT_MAX);
    for (size_t t = 0; t < 4 * (sizeof trials / sizeof *trials); t++) {
        const engine_element type = t % 2 ? ENGINE_INT8 : ENGINE_F32;
        const size_t n = t / 2 % 2 ? MANY : 1, k = 5;
        const engine_fusion fusion = trials[t / 4];
        const engine_sparse_queries sparse = {&index, weights, starts, fusions};
        const engine_search_options options = ENGINE_SEARCH_OPTIONS(.sparse = &sparse);
        void *own = new_bytes(ROWS * engine_row_bytes(type, 16));
        engine_rows_from_f32(rows, ROWS, 16, type, own);
        for (size_t q = 0; q < MANY; q++)
            fusions[q] = fusion;
        assert_ok(engine_search(&(engine_vectors){own, ROWS, 16, type}, queries, n, k, &options,
                                hits, NULL));
        size_t n_better = 0;
        for (size_t row = 0; row < ROWS; row++) {
            const double words = (double)engine_index_score(&index, large, 2, row);
            const double by_words = limited((double)fusion.sparse * words + (double)fusion.offset);
            const double vector = (double)fusion.vector * (double)rows[16 * row];
            const double score = limited(vector + by_words), bound = 1e-6 * (1 + fabs(score));
            n_better += score - bound > (double)hits[k - 1].score;
            for (size_t i = 0; i < k; i++)
                assert_true(hits[i].row != row || fabs((double)hits[i].score - score) <= bound);
        }
        assert_true(n_better < k && hits[k - 1].row < ROWS);
        for (size_t i = 0, last = (n - 1) * k; i < k; i++)
            assert_true(hits[last + i].row == hits[i].row && hits[last + i].score == hits[i].score);
    }
}

/* Changes bytes of a copy at random: it is refused, and searched if its checksum is made again. A
 * sanitizer sees other reads. */
TEST(damaged_indexes_are_refused)
{
    struct trial *trial = make(ENGINE_BINARY);
    const engine_vectors none = {.n = N};
    uint64_t seed = 3;
    engine_hit hits[K];
    char *copy = new_bytes(trial->index.len);
    engine_index index = {.bytes = copy, .len = trial->index.len};
    for (size_t len = 0; len < trial->index.len; len += 1 + len / 3) {
        const engine_index cut = {.bytes = trial->index.bytes, .len = len};
        engine_index own = cut;
        assert_fails(FORMAT, engine_index_open(&own, NULL));
    }
    for (size_t i = 0; i < 200; i++) {
        memcpy(copy, trial->index.bytes, index.len);
        for (size_t k = 0; k < 50; k++)
            copy[56 + support_below(&seed, i % 2 ? index.len - 56 : 64 + 24 * WORDS)] =
                (char)support_random(&seed);
        assert_fails(FORMAT, engine_index_open(&index, NULL));
        struct index_header *header = (struct index_header *)(void *)copy;
        header->crc = crc32c(crc32c(0, copy, offsetof(struct index_header, crc)), header + 1,
                             index.len - sizeof *header);
        const engine_sparse_queries sparse = {&index, trial->weights, trial->starts, NULL};
        const engine_search_options options = ENGINE_SEARCH_OPTIONS(.sparse = &sparse);
        assert_ok(engine_index_open(&index, NULL));
        assert_ok(engine_search(&none, NULL, 1, K, &options, hits, NULL));
        engine_index_query(&index, 1, 0, trial->queries[6], ENGINE_NUL_TERMINATED,
                           (engine_weight[LINE]){{0}});
    }
    copy[9] ^= 1; /* in the header */
    assert_fails(FORMAT, engine_index_open(&index, NULL));
}
