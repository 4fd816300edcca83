/* tags: numbers aarch64 threads */
/* Rows of each type, to the byte, and the search among them at its edges: nothing to find, more
 * asked for than there is, equal scores, numbers that are none, calls that make no sense. */
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 3, ROWS = 5 };

static const float NUMBERS[ROWS][WIDTH] = {
    {1, 0, 0}, {0, 2, 0}, {0.5f, 0, 0}, {0, 0, 0}, {-3, 0, 4}};

static engine_vectors numbers(void)
{
    return (engine_vectors){NUMBERS, ROWS, WIDTH, ENGINE_F32};
}

static engine_search_options by(engine_metric metric)
{
    return ENGINE_SEARCH_OPTIONS(.metric = metric);
}

#define NO_HIT                                                                                     \
    {                                                                                              \
        UINT64_MAX, -INFINITY                                                                      \
    }

static void assert_hits(const engine_hit *hits, const engine_hit *expected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (hits[i].row != expected[i].row || hits[i].score != expected[i].score)
            fail_msg("hit %zu is row %llu with %.9g", i, (unsigned long long)hits[i].row,
                     (double)hits[i].score);
}

/* The first hits, each {row, score} */
#define ASSERT_HITS(hits, ...)                                                                     \
    assert_hits(hits, (const engine_hit[]){__VA_ARGS__},                                           \
                sizeof(const engine_hit[]){__VA_ARGS__} / sizeof(engine_hit))

/* ---- Rows ---- */

static void assert_row(engine_element type, const float *numbers, size_t width, const void *bytes)
{
    unsigned char out[64];
    size_t len = engine_row_bytes(type, width);
    memset(out, 0xA5, sizeof out);
    engine_rows_from_f32(numbers, 1, width, type, out + 1); /* at no number's alignment */
    assert_memory_equal(out + 1, bytes, len);
    assert_int_equal(out[1 + len], 0xA5);
}

TEST(bytes_of_a_row)
{
    assert_int_equal(engine_row_bytes(ENGINE_F32, 9), 36);
    assert_int_equal(engine_row_bytes(ENGINE_F16, 9), 18);
    assert_int_equal(engine_row_bytes(ENGINE_INT8, 9), 13);
    assert_int_equal(engine_row_bytes(ENGINE_BINARY, 9), 2);
    assert_int_equal(engine_row_bytes(ENGINE_BINARY, 8), 1);
    assert_int_equal(engine_row_bytes((engine_element)4, 8), 0);
    assert_int_equal(engine_row_bytes(ENGINE_F32, SIZE_MAX / 4 + 1), 0);
    assert_int_equal(engine_row_bytes(ENGINE_F16, SIZE_MAX / 2 + 1), 0);
    assert_int_equal(engine_row_bytes(ENGINE_INT8, SIZE_MAX), 0);
    assert_int_equal(engine_row_bytes(ENGINE_BINARY, SIZE_MAX), SIZE_MAX / 8 + 1);
}

TEST(rows_of_each_type)
{
    /* 65520 is half way between f16's largest number and infinity; 2049 rounds to even. */
    const float mixed[] = {1, -2, 2049, 65520, 0, FLT_MIN, NAN, -0.0f, 3};
    const uint16_t halves[] = {0x3C00, 0xC000, 0x6800, 0x7C00, 0, 0, 0x7E00, 0x8000, 0x4200};
    assert_row(ENGINE_F32, mixed, 9, mixed);
    assert_row(ENGINE_F16, mixed, 9, halves);
    assert_row(ENGINE_BINARY, mixed, 9, "\xB4\x80");

    const float small[] = {127, 0.5f, 1.5f, -2.5f, -127};
    assert_row(ENGINE_INT8, small, 5, "\0\0\x80\x3F\x7F\0\x02\xFE\x81");
    const float zeros[3] = {0};
    assert_row(ENGINE_INT8, zeros, 3, "\0\0\0\0\0\0\0");
    assert_row(ENGINE_INT8, mixed, 9, "\0\0\xC0\x7F\0\0\0\0\0\0\0\0\0");
    const float tiny[] = {1e-45f, -1e-43f}; /* the scale is rounded: up, so that -1e-43 fits */
    assert_row(ENGINE_INT8, tiny, 2, "\1\0\0\0\1\xB9");
}

TEST(several_rows_and_none)
{
    unsigned char out[ROWS];
    engine_rows_from_f32(NUMBERS[0], ROWS, WIDTH, ENGINE_BINARY, out);
    assert_memory_equal(out, "\x80\x40\x80\0\x20", ROWS);
    engine_rows_from_f32(NULL, 0, WIDTH, ENGINE_F32, NULL);
    engine_rows_from_f32(NULL, 3, 0, ENGINE_F16, NULL);
    engine_rows_from_f32(NULL, 3, SIZE_MAX / 2, ENGINE_F32, NULL);
}

/* ---- Search ---- */

TEST(best_first_and_equals_in_the_order_of_rows)
{
    engine_vectors vectors = numbers();
    engine_search_options dot = by(ENGINE_METRIC_DOT);
    const float queries[2][WIDTH] = {{2, 0, 0}, {0, -1, 1}};
    engine_hit hits[2 * ROWS];
    assert_ok(engine_search(&vectors, queries[0], 2, ROWS, &dot, hits, NULL));
    ASSERT_HITS(hits, {0, 2}, {2, 1}, {1, 0}, {3, 0}, {4, -6}, {4, 4}, {0, 0}, {2, 0}, {3, 0},
                {1, -2});
    assert_ok(engine_search(&vectors, queries[0], 1, 3, NULL, hits, NULL));
    ASSERT_HITS(hits, {0, 1}, {2, 1}, {1, 0}); /* cosines: length does not count */
}

TEST(more_than_there_are)
{
    engine_vectors vectors = numbers(), none = {NULL, 0, WIDTH, ENGINE_INT8};
    engine_hit hits[ROWS + 2];
    assert_ok(engine_search(&vectors, NUMBERS[0], 1, ROWS + 2, NULL, hits, NULL));
    ASSERT_HITS(hits, {0, 1});
    ASSERT_HITS(hits + ROWS, NO_HIT, NO_HIT);
    assert_ok(engine_search(&none, NUMBERS[0], 1, 2, NULL, hits, NULL));
    ASSERT_HITS(hits, NO_HIT, NO_HIT);
}

TEST(nothing_is_asked_for)
{
    engine_vectors vectors = numbers(), flat = {NULL, 2, 0, ENGINE_F32};
    engine_hit hits[3];
    assert_ok(engine_search(&vectors, NULL, 0, 3, NULL, NULL, NULL));
    assert_ok(engine_search(&vectors, NUMBERS[0], 1, 0, NULL, NULL, NULL));
    assert_ok(engine_search(&flat, NULL, 1, 3, NULL, hits, NULL));
    ASSERT_HITS(hits, {0, 0}, {1, 0}, NO_HIT); /* all vectors of no columns are alike */
}

/* Rows and what becomes of them, by the path of one query or of seven. */
static engine_status search_floats(const float *rows, size_t n, engine_element type,
                                   engine_metric metric, size_t n_queries, size_t *n_skipped,
                                   engine_hit *hits, engine_error *error)
{
    static const float queries[7 * 2] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    unsigned char bytes[8 * 8];
    engine_vectors vectors = {bytes, n, 2, type};
    engine_search_options options = by(metric);
    options.n_skipped = n_skipped;
    engine_rows_from_f32(rows, n, 2, type, bytes);
    return engine_search(&vectors, queries, n_queries, n, &options, hits, error);
}

TEST(a_row_that_is_not_finite_is_an_error)
{
    const float rows[4][2] = {{1, 1}, {0, -INFINITY}, {NAN, 0}, {INFINITY, 1}};
    for (engine_element type = ENGINE_F32; type < ENGINE_BINARY; type++)
        for (engine_metric metric = 0; metric <= ENGINE_METRIC_MANHATTAN; metric++)
            for (size_t n = 1; n <= 7; n += 6) {
                engine_hit hits[7 * 4];
                engine_error error;
                size_t n_skipped = 7;
                assert_fails(NOT_FINITE,
                             search_floats(rows[0], 4, type, metric, n, NULL, hits, &error));
                assert_non_null(strstr(error.message, "row 1 (counted from 0) has no scores"));
                assert_non_null(strstr(error.message, "3 such rows"));
                assert_ok(search_floats(rows[0], 4, type, metric, n, &n_skipped, hits, &error));
                assert_int_equal(n_skipped, 3);
                for (size_t q = 0; q < n; q++) {
                    assert_int_equal(hits[4 * q].row, 0);
                    ASSERT_HITS(hits + 4 * q + 1, NO_HIT);
                }
                assert_ok(search_floats(rows[0], 1, type, metric, n, &n_skipped, hits, NULL));
                assert_int_equal(n_skipped, 0);
            }
}

/* Cosines of 1, 0.8 and 0.6 times the square root of 1/2, for every length. */
TEST(rows_whose_squares_float32_cannot_hold)
{
    static const float LENGTHS[] = {3e-35F, 1e-30F, 1e-21F, 1e-19F, 1, 1e19F, 1e25F, 3e37F};
    const float lost[2][2] = {{1e-36F, 1e-36F}, {1e38F, 1e38F}};
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++)
        for (size_t n = 1; n <= 7; n += 6) {
            const float l = LENGTHS[i], rows[3][2] = {{l, 0}, {0.8F * l, 0.6F * l}, {0, 0}};
            engine_hit hits[7 * 3];
            assert_ok(search_floats(rows[0], 3, ENGINE_F32, 0, n, NULL, hits, NULL));
            assert_int_equal(hits[0].row, 1);
            assert_true(fabs((double)hits[0].score - 1.4 * sqrt(0.5)) <= 2e-7);
            assert_true(fabs((double)hits[1].score - sqrt(0.5)) <= 2e-7);
            ASSERT_HITS(hits + 2, {2, 0});
        }
    for (size_t i = 0; i < 2; i++) {
        engine_hit hit;
        assert_fails(NOT_FINITE, search_floats(lost[i], 1, ENGINE_F32, 0, 1, NULL, &hit, NULL));
        assert_ok(search_floats(lost[i], 1, ENGINE_F32, 1, 1, NULL, &hit, NULL));
    }
}

TEST(products_that_float32_cannot_hold)
{
    const float rows[4][2] = {{-3e38F, -3e38F}, {1, 0}, {3e38F, 3e38F}, {3e38F, -3e38F}};
    for (size_t n = 1; n <= 7; n += 6) {
        engine_hit hits[7 * 4];
        assert_ok(search_floats(rows[0], 4, ENGINE_F32, 1, n, NULL, hits, NULL));
        for (size_t q = 0; q < n; q++)
            ASSERT_HITS(hits + 4 * q, {2, FLT_MAX}, {1, 1}, {3, 0}, {0, -FLT_MAX});
    }
}

/* A product whose sum passes -infinity on its way, in a block whose other rows cannot be hits. */
TEST(sums_that_pass_minus_infinity)
{
    enum { N = 3000, W = 64, AT = 2500 };
    static float rows[N][W], queries[7 * W];
    for (size_t i = 0; i < 7 * W; i++)
        queries[i] = 1;
    for (size_t i = 1; i < N; i++)
        rows[i][0] = -1;
    rows[AT][0] = rows[AT][16] = -3e38F;
    rows[AT][32] = rows[AT][48] = 3e38F;
    rows[AT][1] = 1e38F;
    for (size_t n = 1; n <= 7; n += 6) {
        const engine_vectors vectors = {rows, N, W, ENGINE_F32};
        engine_search_options options = by(ENGINE_METRIC_DOT);
        engine_hit hits[7];
        assert_ok(engine_search(&vectors, queries, n, 1, &options, hits, NULL));
        ASSERT_HITS(hits, {AT, 1e38F});
        ASSERT_HITS(hits + n - 1, {AT, 1e38F});
    }
}

TEST(bits_count_as_signs)
{
    const unsigned char bits[] = {0xC0, 0x30}; /* ++-- and --++ */
    engine_vectors vectors = {bits, 2, 4, ENGINE_BINARY};
    engine_search_options dot = by(ENGINE_METRIC_DOT);
    const float query[] = {1, 2, 3, -10};
    engine_hit hits[2];
    assert_ok(engine_search(&vectors, query, 1, 2, &dot, hits, NULL));
    ASSERT_HITS(hits, {0, 5}, {1, -5});
}

/* ---- Refused ---- */

static void assert_refused(const engine_vectors *vectors, const float *queries, size_t n_queries,
                           size_t k, const engine_search_options *options, engine_status status,
                           const char *message)
{
    engine_hit out[ROWS];
    engine_error error;
    assert_int_equal(engine_search(vectors, queries, n_queries, k, options, out, &error), status);
    assert_int_equal(error.status, status);
    if (strstr(error.message, message) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, message);
}

TEST(calls_that_make_no_sense)
{
    const engine_status argument = ENGINE_ERROR_ARGUMENT;
    const engine_vectors sound = numbers(), no_rows = {NULL, ROWS, WIDTH, ENGINE_F32},
                         one = {NULL, 1, 1, ENGINE_F32}, typed = {NUMBERS, ROWS, WIDTH, 7},
                         many = {NUMBERS, SIZE_MAX / 2, WIDTH, ENGINE_F32},
                         wide = {NUMBERS, ROWS, SIZE_MAX / 2, ENGINE_F32},
                         bits = {NUMBERS, ROWS, SIZE_MAX / 1024, ENGINE_BINARY};
    engine_search_options metric = by((engine_metric)4), threads = by(ENGINE_METRIC_DOT),
                          other = threads;
    threads.n_threads = 1025;
    other.struct_bytes = 3;
    const struct {
        const engine_vectors *vectors;
        const float *queries;
        size_t n_queries, k;
        const engine_search_options *options;
        const char *message;
    } cases[] = {{NULL, NUMBERS[0], 1, 1, NULL, "engine_search: vectors"},
                 {&sound, NULL, 1, 1, NULL, "is NULL"},
                 {&no_rows, NUMBERS[0], 1, 1, NULL, "is NULL"},
                 {&one, NUMBERS[0], 1, 1, NULL, "is NULL"},
                 {&sound, NUMBERS[0], 1, 1, &metric, "metric is 4, expected 0 to 3"},
                 {&sound, NUMBERS[0], 1, 1, &threads, "n_threads is 1025, expected at most 1024"},
                 {&sound, NUMBERS[0], 1, 1, &other, "struct_bytes is 3"},
                 {&typed, NUMBERS[0], 1, 1, NULL, "type is 7, expected 0 to 3"},
                 {&many, NUMBERS[0], 1, 1, NULL, "exceed the address space"},
                 {&wide, NUMBERS[0], 1, 1, NULL, "exceed the address space"},
                 {&sound, NUMBERS[0], SIZE_MAX / 2, 1, NULL, "address space"},
                 {&sound, NUMBERS[0], 2, SIZE_MAX / 2, NULL, "address space"},
                 {&sound, NUMBERS[0], SIZE_MAX / 8, 1, NULL, "address space"},
                 {&sound, NUMBERS[0], 2, SIZE_MAX, NULL, "address space"},
                 {&bits, NUMBERS[0], 2048, 1, NULL, "address space"},
                 {&bits, NUMBERS[0], 512, 1, NULL, "address space"}};
    engine_hit hit;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i].vectors, cases[i].queries, cases[i].n_queries, cases[i].k,
                       cases[i].options, argument, cases[i].message);
    assert_fails(ARGUMENT, engine_search(&sound, NUMBERS[0], 1, 1, NULL, NULL, NULL));
    threads.n_threads = 1024;
    assert_ok(engine_search(&sound, NUMBERS[0], 1, 1, &threads, &hit, NULL));
    const float infinite[2][WIDTH] = {{1, 2, 3}, {0, INFINITY, 0}};
    assert_refused(&sound, infinite[0], 2, 1, NULL, ENGINE_ERROR_NOT_FINITE,
                   "query 1 has NaN or an infinity");
}

TEST(sparse_queries_that_make_no_sense)
{
    static const engine_weight weight = {0, 1}, infinite = {0, INFINITY};
    static const engine_fusion good[2], first[2] = {{-1, 0, 0}},
                                        fusions[] = {{1, 0, 0}, {1, 0, NAN}};
    static const engine_fusion negative[] = {{1, 1, 0}, {-1, 1, 0}};
    static const struct {
        const engine_weight *weights;
        size_t starts[5]; /* of two queries, and what is after them */
        const engine_fusion *fusions;
        engine_status status;
    } cases[] = {
        {&weight, {0, 0, 0}, good, ENGINE_OK},
        {NULL, {0, 0, 0}, good, ENGINE_OK},
        {&weight, {0, 0, 1}, NULL, ENGINE_OK},
        {NULL, {0, 0, 1}, good, ENGINE_ERROR_ARGUMENT},
        {&weight, {0, 2, 1, 9, 9}, good, ENGINE_ERROR_ARGUMENT},
        {&weight, {1, 1, 1}, good, ENGINE_ERROR_ARGUMENT},
        {&weight, {0, 0, 0}, first, ENGINE_ERROR_ARGUMENT},
        {&weight, {0, 0, 0}, fusions, ENGINE_ERROR_ARGUMENT},
        {&infinite, {0, 0, 1}, good, ENGINE_ERROR_ARGUMENT},
        {&weight, {0, 0, 0}, negative, ENGINE_ERROR_ARGUMENT},
    };
    const engine_vectors vectors = {.n = 1};
    engine_index_builder *builder = engine_index_new();
    engine_index index = {0};
    engine_hit hits[2];
    assert_ok(engine_index_add_weights(builder, &weight, 1, NULL));
    assert_ok(engine_index_bytes(builder, 0, &index.bytes, &index.len, NULL));
    assert_ok(engine_index_open(&index, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const engine_sparse_queries sparse = {&index, cases[i].weights, cases[i].starts,
                                              cases[i].fusions};
        const engine_search_options options = ENGINE_SEARCH_OPTIONS(.sparse = &sparse);
        assert_int_equal(engine_search(&vectors, NULL, 2, 1, &options, hits, NULL),
                         cases[i].status);
    }
    engine_sparse_queries sparse = {NULL, &weight, cases[0].starts, NULL};
    const size_t texts[] = {0, 1};
    const engine_search_options of_none = ENGINE_SEARCH_OPTIONS(.sparse = &sparse),
                                of_texts = ENGINE_SEARCH_OPTIONS(.sparse = &sparse, .n_texts = 1,
                                                                 .text_starts = texts);
    assert_refused(&vectors, NULL, 2, 1, &of_none, ENGINE_ERROR_ARGUMENT, "");
    sparse.index = &index;
    assert_refused(&vectors, NULL, 2, 1, &of_texts, ENGINE_ERROR_ARGUMENT,
                   "text_starts and sparse queries");
    assert_refused(&(engine_vectors){.n = 2}, NULL, 2, 1, &of_none, ENGINE_ERROR_ARGUMENT, "");
    engine_index misaligned = {.bytes = (const char *)index.bytes + 1, .len = index.len - 1};
    assert_fails(ARGUMENT, engine_index_open(&misaligned, NULL));
    engine_index_free(NULL);
    engine_index_free(builder);
}
