/* tags: numbers aarch64 threads */
/* Guarantee: the best rows of every type are those of a plain search in double precision;
 * scores have the same bits for any number of queries, hits and threads, at any address, on
 * every set of fused instructions. MaxSim is the sum of the best scores of a text's rows. */
#include "model/tensor.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WIDTH = 2050, MOST_QUERIES = 30 };

static const char *const TYPE_NAMES[] = {"f32", "f16", "int8", "binary"};

/* Rows of random numbers, queries, and room for all hits. */
struct trial {
    engine_vectors vectors;
    char *block; /* the rows begin after its first `shift` bytes */
    float *queries;
    size_t n_queries;
    engine_hit *hits; /* [n_queries, n] */
};

/* -1 .. 1, some of them zero, and some rows alike, so that scores are equal. */
static void fill(uint64_t *seed, float *rows, size_t n, size_t width)
{
    for (size_t i = 0; i < n * width; i++)
        rows[i] = support_below(seed, 9) == 0 ? 0 : (float)support_below(seed, 20001) / 1e4f - 1;
    for (size_t r = 3; r < n; r += 7)
        memcpy(rows + r * width, rows + support_below(seed, r) * width, width * sizeof *rows);
    if (n > 5)
        memset(rows + 5 * width, 0, width * sizeof *rows);
}

static struct trial make(uint64_t seed, engine_element type, size_t n, size_t width,
                         size_t n_queries, size_t shift)
{
    size_t bytes = engine_row_bytes(type, width);
    struct trial trial = {.n_queries = n_queries,
                          .block = new_bytes(n * bytes + shift),
                          .queries = new_bytes(n_queries * width * sizeof(float)),
                          .hits = new_bytes(n_queries * n * sizeof(engine_hit))};
    float *rows = new_bytes(n * width * sizeof *rows);
    fill(&seed, rows, n, width);
    fill(&seed, trial.queries, n_queries, width);
    trial.vectors = (engine_vectors){trial.block + shift, n, width, type};
    engine_rows_from_f32(rows, n, width, type, trial.block + shift);
    return trial;
}

static void search(const struct trial *trial, size_t first, size_t n_queries, size_t k,
                   engine_metric metric, size_t n_threads, engine_hit *hits)
{
    engine_search_options options = ENGINE_SEARCH_OPTIONS(.metric = metric, .n_threads = n_threads);
    engine_error error;
    if (engine_search(&trial->vectors, trial->queries + first * trial->vectors.width, n_queries, k,
                      &options, hits, &error) != ENGINE_OK)
        fail_msg("%s", error.message);
}

/* ---- The plain twin ---- */

/* A column, of int8 without the row's scale. */
static double plain_column(const char *row, engine_element type, size_t width, size_t i)
{
    float value;
    uint16_t half;
    switch (type) {
    case ENGINE_F32: memcpy(&value, row + i * sizeof value, sizeof value); return (double)value;
    case ENGINE_F16:
        memcpy(&half, row + i * sizeof half, sizeof half);
        return (double)f16_to_f32(half);
    case ENGINE_INT8: return (signed char)row[sizeof value + i];
    case ENGINE_BINARY:
        return ((unsigned char)row[i / 8] >> (7 - i % 8) & 1 ? 1 : -1) / sqrt((double)width);
    }
    return NAN;
}

/* The score, and how large the sum would be if nothing in it cancelled. */
static double plain_score(const struct trial *trial, size_t row, const float *query,
                          engine_metric metric, double *size)
{
    const engine_vectors *vectors = &trial->vectors;
    const char *at =
        (const char *)vectors->rows + row * engine_row_bytes(vectors->type, vectors->width);
    double product = 0, of_row = 0, of_query = 0, factor = 1, sum = 0, squares = 0, sizes = 0;
    float scale = 1;
    *size = 0;
    if (vectors->type == ENGINE_INT8)
        memcpy(&scale, at, sizeof scale);
    for (size_t i = 0; i < vectors->width; i++) {
        double value = plain_column(at, vectors->type, vectors->width, i);
        product += (double)query[i] * value;
        *size += fabs((double)query[i] * value);
        of_row += value * value;
        of_query += (double)query[i] * (double)query[i];
        value *= (double)scale;
        sum += fabs((double)query[i] - value);
        squares += ((double)query[i] - value) * ((double)query[i] - value);
        sizes += fabs((double)query[i]) + fabs(value);
    }
    if (metric == ENGINE_METRIC_EUCLIDEAN || metric == ENGINE_METRIC_MANHATTAN) {
        *size = sizes;
        return metric == ENGINE_METRIC_EUCLIDEAN ? -sqrt(squares) : -sum;
    }
    factor = (double)scale;
    if (metric == ENGINE_METRIC_COSINE)
        factor = of_row == 0 || of_query == 0 ? 0 : 1 / sqrt(of_row * of_query);
    *size *= factor;
    return product * factor;
}

/* Every row is there once, in the order of scores and then of rows, and each score is near. The
 * longest chain of a score's sum has width / 16 steps; 12 more roundings are of the sums of chains,
 * of the query, the offset (of bits), the length and the factor, twice as large for bits. */
static void assert_all_rows(const struct trial *trial, size_t query, engine_metric metric,
                            const engine_hit *hits)
{
    size_t n = trial->vectors.n, width = trial->vectors.width;
    char *seen = new_bytes(n);
    for (size_t i = 0; i < n; i++) {
        double size, expected, bound;
        assert_true(hits[i].row < n && !seen[hits[i].row]);
        seen[hits[i].row] = 1;
        assert_true(i == 0 || hits[i - 1].score > hits[i].score ||
                    (hits[i - 1].score == hits[i].score && hits[i - 1].row < hits[i].row));
        expected =
            plain_score(trial, (size_t)hits[i].row, trial->queries + query * width, metric, &size);
        bound = 0x1p-24 * (double)(2 * (width / 16 + 12)) * size + 1e-35;
        if (!(fabs((double)hits[i].score - expected) <= bound))
            fail_msg("%s, width %zu, query %zu, row %zu: %.9g, expected %.9g",
                     TYPE_NAMES[trial->vectors.type], width, query, (size_t)hits[i].row,
                     (double)hits[i].score, expected);
    }
}

/* ---- Tests ---- */

static const size_t WIDTHS[] = {1,   2,   3,   5,   7,   8,   9,   15,   16,   17,   24,
                                31,  32,  33,  48,  63,  64,  65,  100,  128,  129,  200,
                                255, 256, 257, 384, 385, 513, 768, 1000, 1023, 1024, MOST_WIDTH};
enum { N_WIDTHS = sizeof WIDTHS / sizeof *WIDTHS };

static void assert_same(const engine_hit *a, const engine_hit *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a[i].row, b[i].row);
        assert_memory_equal(&a[i].score, &b[i].score, sizeof a[i].score);
    }
}

/* Many queries at once, checked; then each alone, and a few, to the bit. */
static void try_all(engine_element type, size_t width, size_t n, size_t n_queries)
{
    for (engine_metric metric = 0; metric <= ENGINE_METRIC_MANHATTAN; metric++) {
        const size_t mark = owned_mark();
        struct trial trial = make(width * 31 + n, type, n, width, n_queries, width % 5);
        engine_hit *few = new_bytes(3 * n * sizeof *few);
        search(&trial, 0, n_queries, n, metric, 1, trial.hits);
        for (size_t q = 0; q < n_queries; q++) {
            size_t n_few = n_queries - q < 3 ? n_queries - q : 1 + q % 3, k = 1 + (q * 5) % n;
            assert_all_rows(&trial, q, metric, trial.hits + q * n);
            search(&trial, q, n_few, k, metric, 1, few);
            for (size_t i = 0; i < n_few; i++)
                assert_same(few + i * k, trial.hits + (q + i) * n, k);
        }
        owned_release(mark);
    }
}

TEST(scores_are_those_of_the_twin)
{
    const char *isa;
    for (size_t i = 0; (isa = support_set_isa(i)) != NULL; i++) {
        for (engine_element type = 0; type <= ENGINE_BINARY; type++)
            for (size_t w = support_slow() ? i % 3 : 0; w < N_WIDTHS; w += support_slow() ? 3 : 1)
                try_all(type, WIDTHS[w], 1 + (w * 7) % 40, 1 + (w * 5 + i) % MOST_QUERIES);
    }
}

TEST(the_same_bits_on_every_set_that_fuses)
{
    const char *isa;
    for (engine_element type = 0; type <= ENGINE_BINARY; type++)
        for (size_t w = 0; w < N_WIDTHS; w += 4) {
            enum { N = 21, QUERIES = 7 };
            struct trial trial = make(w, type, N, WIDTHS[w], QUERIES, 0);
            engine_hit *other = new_bytes((size_t)N * QUERIES * sizeof *other);
            bool is_first = true;
            for (size_t i = 0; (isa = support_set_isa(i)) != NULL; i++) {
                if (strcmp(isa, "portable") == 0)
                    continue;
                search(&trial, 0, QUERIES, N, 0, 1, is_first ? trial.hits : other);
                if (!is_first)
                    assert_same(other, trial.hits, (size_t)N * QUERIES);
                is_first = false;
            }
        }
}

/* Blocks and threads: more rows than a block has, few and many queries. */
TEST(threads_share_blocks_and_change_nothing)
{
    enum { N = 5003, WIDTH = 40, K = 9 };
    static const size_t QUERIES[] = {1, 4, 5, 29};
    support_allow_threads(3);
    for (engine_element type = 0; type <= ENGINE_BINARY; type++)
        for (size_t q = 0; q < sizeof QUERIES / sizeof *QUERIES; q++) {
            struct trial trial = make(type + 7, type, N, WIDTH, QUERIES[q], 3);
            engine_hit *best = new_bytes(K * QUERIES[q] * sizeof *best);
            search(&trial, 0, QUERIES[q], N, 0, 1, trial.hits);
            for (size_t i = 0; i < QUERIES[q]; i++)
                assert_all_rows(&trial, i, 0, trial.hits + i * N);
            for (size_t n_threads = 0; n_threads <= 3; n_threads++) {
                search(&trial, 0, QUERIES[q], K, 0, n_threads, best);
                for (size_t i = 0; i < QUERIES[q]; i++)
                    assert_same(best + i * K, trial.hits + i * N, K);
            }
        }
    unsetenv("OMP_NUM_THREADS");
}

TEST(rows_at_any_address)
{
    enum { N = 37, QUERIES = 6 };
    for (engine_element type = 0; type <= ENGINE_BINARY; type++)
        for (size_t width = 60; width < 68; width++) {
            struct trial here = make(width, type, N, width, QUERIES, 0);
            search(&here, 0, QUERIES, N, 0, 1, here.hits);
            for (size_t shift = 1; shift < 9; shift++) {
                struct trial there = make(width, type, N, width, QUERIES, shift);
                search(&there, 0, QUERIES, N, 0, 1, there.hits);
                assert_same(there.hits, here.hits, (size_t)N * QUERIES);
                search(&there, 2, 2, N, 0, 1, there.hits);
                assert_same(there.hits, here.hits + (size_t)2 * N, (size_t)2 * N);
            }
        }
}

/* Many rows have the same score, as there are fewer of them than rows. */
TEST(as_many_hits_as_rows)
{
    enum { N = 100003, QUERIES = 2 };
    struct trial trial = make(11, ENGINE_F32, N, 1, QUERIES, 0);
    engine_hit *shared = new_bytes((size_t)N * QUERIES * sizeof *shared);
    support_allow_threads(3);
    search(&trial, 0, QUERIES, N, ENGINE_METRIC_DOT, 1, trial.hits);
    search(&trial, 0, QUERIES, N, ENGINE_METRIC_DOT, 3, shared);
    for (size_t q = 0; q < QUERIES; q++)
        assert_all_rows(&trial, q, ENGINE_METRIC_DOT, trial.hits + q * N);
    assert_same(shared, trial.hits, (size_t)N * QUERIES);
    unsetenv("OMP_NUM_THREADS");
}

/* Bits that fill up the last byte do not count. */
TEST(bits_behind_the_last_column)
{
    enum { N = 9, WIDTH = 21, QUERIES = 5 };
    struct trial trial = make(1, ENGINE_BINARY, N, WIDTH, QUERIES, 0);
    engine_hit before[N * QUERIES];
    for (size_t n = 1; n <= QUERIES; n += QUERIES - 1) {
        search(&trial, 0, n, N, 0, 1, before);
        for (size_t r = 0; r < N; r++)
            trial.block[r * 3 + 2] ^= 7;
        search(&trial, 0, n, N, 0, 1, trial.hits);
        assert_same(trial.hits, before, n * N);
    }
}

TEST(another_set_of_instructions_is_refused)
{
    struct trial trial = make(1, ENGINE_F32, 2, 2, 1, 0);
    engine_error error;
    setenv("ENGINE_ISA", "avx1024", 1);
    assert_fails(ARGUMENT,
                 engine_search(&trial.vectors, trial.queries, 1, 1, NULL, trial.hits, &error));
    unsetenv("ENGINE_ISA");
    assert_non_null(strstr(error.message, "ENGINE_ISA is 'avx1024'"));
}

/* ---- Texts of several rows ---- */

enum { TEXT_ROWS = 3000, MOST_TEXTS = TEXT_ROWS };

/* Texts of 0 to 29 rows, and one of 1,500, more than a block has. Returns their number. */
static size_t split_rows(uint64_t seed, size_t *starts)
{
    size_t n = 0;
    for (starts[0] = 0; starts[n] < TEXT_ROWS; n++) {
        const size_t end = starts[n] + (n == 20 ? 1500 : support_below(&seed, 30));
        starts[n + 1] = end < TEXT_ROWS ? end : TEXT_ROWS;
    }
    return n;
}

static engine_status search_texts(const struct trial *trial, const size_t *starts, size_t n_texts,
                                  size_t k, engine_metric metric, size_t n_threads,
                                  size_t *n_skipped, engine_error *error)
{
    const engine_search_options options =
        ENGINE_SEARCH_OPTIONS(.metric = metric, .n_threads = n_threads, .n_skipped = n_skipped,
                              .text_starts = starts, .n_texts = n_texts);
    return engine_search(&trial->vectors, trial->queries, trial->n_queries, k, &options,
                         trial->hits, error);
}

/* A text's score is, to the bit, the sum of the best hits among its rows alone; and near
 * engine_max_sim of the rows as float32, of products whose bound is that of assert_all_rows. */
static void assert_text(const struct trial *trial, const size_t *starts, engine_hit hit,
                        engine_metric metric)
{
    const size_t width = trial->vectors.width, n = starts[hit.row + 1] - starts[hit.row];
    struct trial text = *trial;
    engine_hit best[MOST_QUERIES];
    double sum = 0, plain_sum = 0, bound = 1e-35;
    text.vectors.n = n;
    text.vectors.rows = (const char *)trial->vectors.rows +
                        starts[hit.row] * engine_row_bytes(trial->vectors.type, width);
    search(&text, 0, trial->n_queries, 1, metric, 1, best);
    for (size_t q = 0; q < trial->n_queries && n > 0; q++) {
        double size, largest = 0, plain = -INFINITY;
        for (size_t row = 0; row < n; row++) {
            plain = fmax(plain, plain_score(&text, row, text.queries + q * width, metric, &size));
            largest = fmax(largest, size);
        }
        sum += (double)best[q].score;
        plain_sum += plain;
        bound += 0x1p-24 * (double)(2 * (width / 16 + 12) + trial->n_queries) * largest;
    }
    assert_true(hit.score == (float)sum);
    assert_true(fabs((double)hit.score - plain_sum) <= bound);
}

TEST(texts_have_the_sums_of_their_best_rows)
{
    static const size_t QUERIES[] = {1, 4, 5, 30}, WIDTHS_OF[] = {24, 128, 7, 40};
    static size_t starts[MOST_TEXTS + 1];
    support_allow_threads(3);
    for (size_t i = 0; i < 32; i++) {
        const engine_element type = (engine_element)(i % 4);
        const engine_metric metric = (engine_metric)(i / 16);
        struct trial trial =
            make(i, type, TEXT_ROWS, WIDTHS_OF[i / 4 % 4], QUERIES[i / 4 % 4], i % 5);
        const size_t n = split_rows(i, starts);
        engine_hit *shared = new_bytes(n * sizeof *shared);
        assert_ok(search_texts(&trial, starts, n, n, metric, 3, NULL, NULL));
        memcpy(shared, trial.hits, n * sizeof *shared);
        for (size_t h = 0; h < n; h++) {
            assert_text(&trial, starts, shared[h], metric);
            assert_true(
                h == 0 || shared[h - 1].score > shared[h].score ||
                (shared[h - 1].score == shared[h].score && shared[h - 1].row < shared[h].row));
        }
        assert_ok(search_texts(&trial, starts, n, 9, metric, 1, NULL, NULL));
        assert_same(trial.hits, shared, 9);
    }
    unsetenv("OMP_NUM_THREADS");
}

TEST(texts_without_scores_and_wrong_texts)
{
    enum { N = 300 };
    for (size_t n_queries = 0; n_queries <= 7; n_queries += 7) {
        struct trial trial = make(5, ENGINE_INT8, N, 16, n_queries, 0);
        const engine_hit unset = {3, 1};
        size_t starts[] = {0, 100, 299, N, N}, n_skipped = 0;
        const float nan = NAN;
        engine_error error;
        trial.hits = new_bytes(5 * sizeof *trial.hits);
        memcpy(trial.block + 150 * engine_row_bytes(ENGINE_INT8, 16), &nan, sizeof nan);
        const size_t n_without = n_queries > 0; /* nothing is read for no vectors */
        assert_ok(search_texts(&trial, starts, 4, 5, 1, 1, &n_skipped, &error));
        assert_int_equal(n_skipped, n_without);
        assert_true(trial.hits[4 - n_without].row == UINT64_MAX &&
                    trial.hits[3 - n_without].row < 4);
        if (n_queries > 0) {
            assert_fails(NOT_FINITE, search_texts(&trial, starts, 4, 5, 1, 1, NULL, &error));
            assert_non_null(strstr(error.message, "row 1 (counted from 0) has no scores"));
        }
        assert_ok(search_texts(&trial, starts, 0, 1, 1, 1, NULL, NULL));
        assert_int_equal(trial.hits[0].row, UINT64_MAX);
        trial.hits[0] = unset;
        assert_ok(search_texts(&trial, starts, 4, 0, 1, 1, NULL, NULL));
        assert_int_equal(trial.hits[0].row, unset.row);
        starts[4] = N + 1; /* of texts, k hits are countable whatever n_queries is */
        assert_fails(ARGUMENT, search_texts(&trial, starts, 4, SIZE_MAX / 32, 1, 1, NULL, &error));
        assert_non_null(strstr(error.message, "text 3 (from 0) are 300 and 301: they fall, or "));
        assert_fails(ARGUMENT, search_texts(&trial, starts, 4, SIZE_MAX / 8, 1, 1, NULL, &error));
        assert_non_null(strstr(error.message, SIZE_MAX > UINT32_MAX
                                                  ? "1 times 2305843009213693951 hits exceed the"
                                                  : "1 times 536870911 hits exceed the"));
        starts[4] = N - 2;
        assert_fails(ARGUMENT, search_texts(&trial, starts, 4, 5, 1, 1, NULL, NULL));
    }
}
