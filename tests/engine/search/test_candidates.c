/* tags: numbers threads long */
/* Bounds of scores lose no hit and change no bit, for all rows, scales and queries: searches
 * that score only candidates (many queries, rows of int8 and of bits) against searches that score
 * every row (four queries at a time), on every instruction set; rows are made whose scores reach
 * the bound. */
#include "model/kernels/kernels.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUERIES = 101, FEW = 4, SCALE = sizeof(float) };

struct trial {
    engine_vectors vectors;
    char *rows;
    float *queries;
    size_t n_queries;
};

static struct trial make(engine_element type, size_t n, size_t width, size_t n_queries)
{
    struct trial trial = {.rows = new_bytes(n * engine_row_bytes(type, width)),
                          .queries = new_bytes(n_queries * width * sizeof(float)),
                          .n_queries = n_queries};
    trial.vectors = (engine_vectors){trial.rows, n, width, type};
    return trial;
}

static char *row_at(const struct trial *trial, size_t row)
{
    return trial->rows + row * engine_row_bytes(trial->vectors.type, trial->vectors.width);
}

static void set_row(const struct trial *trial, size_t row, const float *x)
{
    engine_rows_from_f32(x, 1, trial->vectors.width, trial->vectors.type, row_at(trial, row));
}

/* Searches, n queries from `first` on, and returns the number of skipped rows. */
static size_t search(const struct trial *trial, engine_metric metric, size_t first, size_t n,
                     size_t k, engine_hit *hits)
{
    size_t n_skipped = 0;
    engine_search_options options =
        ENGINE_SEARCH_OPTIONS(.metric = metric, .n_threads = 1, .n_skipped = &n_skipped);
    engine_error error;
    if (engine_search(&trial->vectors, trial->queries + first * trial->vectors.width, n, k,
                      &options, hits, &error) != ENGINE_OK)
        fail_msg("%s", error.message);
    return n_skipped;
}

/* All queries at once find what a few at a time find; the hits of those are returned. */
static engine_hit *assert_same_hits(const struct trial *trial, engine_metric metric, size_t k,
                                    const char *what)
{
    const size_t n = trial->n_queries;
    engine_hit *many = new_bytes(n * k * sizeof *many), *few = new_bytes(n * k * sizeof *few);
    const size_t n_skipped = search(trial, metric, 0, n, k, many);
    for (size_t q = 0; q < n; q += FEW)
        assert_int_equal(search(trial, metric, q, n - q < FEW ? n - q : FEW, k, few + q * k),
                         n_skipped);
    for (size_t i = 0; i < n * k; i++)
        if (many[i].row != few[i].row ||
            memcmp(&many[i].score, &few[i].score, sizeof few[i].score) != 0)
            fail_msg("%s, type %d, width %zu, metric %d, %zu best: query %zu, hit %zu: row %zu of "
                     "%.9g, expected %zu of %.9g",
                     what, (int)trial->vectors.type, trial->vectors.width, (int)metric, k, i / k,
                     i % k, (size_t)many[i].row, (double)many[i].score, (size_t)few[i].row,
                     (double)few[i].score);
    return few;
}

/* ---- Rows and queries of many kinds ---- */

enum kind { RANDOM, TIED, NEAR, SPIKES, WILD_ROWS, WILD_QUERIES, N_KINDS };
static const char *const KINDS[] = {"random", "tied",      "near",
                                    "spikes", "wild rows", "wild queries"};

static float some_number(uint64_t *seed)
{
    return support_below(seed, 9) == 0 ? 0 : (float)support_below(seed, 20001) / 1e4f - 1;
}

/* A row of that kind. */
static void fill_row(uint64_t *seed, enum kind kind, const struct trial *trial, size_t row,
                     float *x)
{
    const size_t width = trial->vectors.width;
    const float *query = trial->queries + support_below(seed, trial->n_queries) * width;
    for (size_t i = 0; i < width; i++)
        x[i] = some_number(seed);
    for (size_t i = 0; kind == NEAR && i < width; i++)
        x[i] = query[i] + x[i] / 500;
    for (size_t i = 0; kind == TIED && i < width; i++)
        x[i] = (row % 3 == 0 ? -1.0F : 1.0F) * trial->queries[i + row % 2 * width];
    if (kind == SPIKES)
        x[width / 2] *= 1000;
    if (row % 50 == 7)
        memset(x, 0, width * sizeof *x);
}

/* Scales that no rounding gives, and -128. */
static void make_wild(uint64_t *seed, char *row, size_t width)
{
    const float scales[] = {NAN,    INFINITY, 0,       -0.0F,     -0.01F, 1e38F,    FLT_MAX, 1e-44F,
                            1e-30F, 1e-18F,   0x1p50F, 0x1.8p50F, -1e38F, 0x1p-60F, 0x1p-61F};
    const size_t n = sizeof scales / sizeof *scales, which = support_below(seed, 4 * n);
    if (which < n)
        memcpy(row, &scales[which], SCALE);
    row[SCALE + support_below(seed, width)] = (char)-128;
}

static void fill(struct trial *trial, uint64_t seed, enum kind kind)
{
    static const float factors[] = {1, 0, 1e38F, 1e-42F, 1e-30F, 1e15F, 1e-12F, -1, 3e-45F};
    const size_t width = trial->vectors.width;
    float *x = new_bytes(width * sizeof *x);
    for (size_t i = 0; i < trial->n_queries * width; i++)
        trial->queries[i] = some_number(&seed);
    for (size_t r = 0; r < trial->vectors.n; r++) {
        fill_row(&seed, kind, trial, r, x);
        set_row(trial, r, x);
        if (kind == WILD_ROWS && trial->vectors.type == ENGINE_INT8)
            make_wild(&seed, row_at(trial, r), width);
    }
    for (size_t q = 0; q < trial->n_queries; q++) {
        for (size_t i = 0; kind == WILD_QUERIES && i < width; i++)
            trial->queries[q * width + i] *= factors[q % (sizeof factors / sizeof *factors)];
        if (kind == SPIKES || (kind == WILD_QUERIES && q % 4 == 0))
            trial->queries[q * width + width / 2] *= factors[q % 9] > 1 ? 0.5F : 1000;
    }
}

/* Three blocks and more of rows: a block of narrow ones has 1,024. With n hits none are candidates.
 */
static void try_kind(engine_element type, size_t width, enum kind kind, size_t turn)
{
    const size_t mark = owned_mark();
    static const size_t queries[] = {5, MOST_QUERIES, 13, 12};
    const size_t n = 2100, best[] = {1, 9, 13, n};
    struct trial trial = make(type, n, width, queries[turn % 4]);
    fill(&trial, turn * 1000 + width, kind);
    assert_same_hits(&trial, turn % 2, best[turn / 2 % (width > 8 ? 3 : 4)], KINDS[kind]);
    owned_release(mark);
}

TEST(the_hits_of_every_kind_of_rows)
{
    static const size_t widths[] = {1, 7, 8, 17, 31, 64, 100, 129, 384, 1000};
    const char *isa;
    size_t turn = 0;
    for (size_t i = 0; (isa = support_set_isa(i)) != NULL; i++) {
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w += support_slow() ? 4 : 1)
            for (enum kind kind = 0; kind < N_KINDS; kind++, turn++) {
                try_kind(ENGINE_INT8, widths[w], kind, turn);
                try_kind(ENGINE_BINARY, widths[w], kind, turn + turn / 8);
            }
    }
}

/* ---- Rows that reach the bound ---- */

/* A query's rounding error, e of candidates.h; false if this set scores every row. */
static bool rounding_error(const char *isa, const float *query, size_t width, float *error)
{
    const struct kernels *kernels = kernels_select(isa, true);
    int8_t *values = new_bytes(width + QUANTIZED_STEP);
    struct quantization rounding = kernels->quantize(
        query, width, kernels->candidate_bits == 7 ? ROUND_7_BITS : ROUND_SYMMETRIC, NULL, values);
    for (size_t i = 0; i < width; i++)
        error[i] = (float)((double)query[i] - (double)rounding.scale * (values[i] - rounding.zero));
    return kernels->candidate_bits > 0;
}

/* The product of a query and row `row`, of int8 without the scale. */
static double product(const struct trial *trial, size_t row)
{
    double sum = 0;
    for (size_t i = 0; i < trial->vectors.width; i++)
        sum += (double)trial->queries[i] * (signed char)row_at(trial, row)[SCALE + i];
    return sum;
}

/* Makes row 0 score just below the last row: of int8 by its scale, of bits by one bit that differs,
 * where the query has its least number. */
static void set_rival(const struct trial *trial, const float *last)
{
    const size_t width = trial->vectors.width;
    size_t least = SIZE_MAX;
    if (trial->vectors.type == ENGINE_INT8) {
        float scale;
        set_row(trial, 0, trial->queries);
        memcpy(&scale, row_at(trial, trial->vectors.n - 1), SCALE);
        scale *= (float)((1 - 1e-5) * product(trial, trial->vectors.n - 1) / product(trial, 0));
        memcpy(row_at(trial, 0), &scale, SCALE);
        return;
    }
    for (size_t i = 0; i < width; i++)
        if (trial->queries[i] != 0 && (trial->queries[i] > 0) == (last[i] > 0) &&
            (least == SIZE_MAX || fabsf(trial->queries[i]) < fabsf(trial->queries[least])))
            least = i;
    set_row(trial, 0, last);
    row_at(trial, 0)[least / 8] ^= (char)(0x80 >> least % 8);
}

/* The last row is along the query's rounding error, so that its score is above the score of its
 * rounded query by nearly all that the bound allows; row 0 has a score between the two, and the
 * others the opposite one. Returns whether the last row is the best, as it must be found then. */
static bool try_hidden(engine_element type, const char *isa, uint64_t seed)
{
    enum { N = 1000, WIDTH = 256 };
    const size_t mark = owned_mark();
    struct trial trial = make(type, N, WIDTH, FEW + 1);
    float error[WIDTH], opposite[WIDTH];
    for (size_t i = 0; i < WIDTH * (FEW + 1); i++)
        trial.queries[i] = i < WIDTH ? some_number(&seed) : trial.queries[i % WIDTH];
    bool has_candidates = rounding_error(isa, trial.queries, WIDTH, error), is_best = false;
    for (size_t i = 0; i < WIDTH; i++)
        opposite[i] = -error[i];
    for (size_t r = 0; r < N; r++)
        set_row(&trial, r, r == N - 1 ? error : opposite);
    set_rival(&trial, error);
    engine_hit *hits = assert_same_hits(&trial, ENGINE_METRIC_DOT, 1, isa);
    is_best = hits[0].row == N - 1 && hits[0].score > 0;
    owned_release(mark);
    return is_best || !has_candidates;
}

TEST(a_row_that_the_rounding_of_the_query_hides)
{
    enum { SEEDS = 40 };
    const char *isa;
    for (size_t i = 0; (isa = support_set_isa(i)) != NULL; i++) {
        size_t n_best = 0;
        for (uint64_t seed = 0; seed < 2 * SEEDS; seed++)
            n_best += try_hidden(seed % 2 != 0 ? ENGINE_INT8 : ENGINE_BINARY, isa, seed) ? 1 : 0;
        assert_true(n_best > SEEDS / 2);
    }
}

/* ---- Scores that differ by the rounding of sums alone ---- */

enum { SHUFFLED = 1000, SHUFFLED_BEST = 5 };

/* Every row has the same numbers in another order, all of one query's are the same. */
static struct trial make_shuffled(engine_element type, uint64_t seed)
{
    enum { N = SHUFFLED, WIDTH = 8000 };
    struct trial trial = make(type, N, WIDTH, FEW + 1);
    float *x = new_bytes(WIDTH * sizeof *x);
    for (size_t i = 0; i < WIDTH; i++)
        x[i] = i < WIDTH / 4 ? -1 : (float)(1 + i % 127);
    for (size_t r = 0; r < N; r++) {
        for (size_t i = 0; i < WIDTH; i += r == 0 ? 1 : 4) {
            size_t other = support_below(&seed, WIDTH);
            float moved = x[i];
            x[i] = x[other];
            x[other] = moved;
        }
        set_row(&trial, r, x);
    }
    for (size_t q = 0; q <= FEW; q++) {
        float number = (float)(1 + support_below(&seed, 1 << 24)) * 0x1p-24F;
        for (size_t i = 0; i < WIDTH; i++)
            trial.queries[q * WIDTH + i] = number;
    }
    return trial;
}

TEST(scores_that_differ_by_roundings)
{
    const char *isa;
    for (size_t i = 0; (isa = support_set_isa(i)) != NULL; i++) {
        size_t n = support_slow() ? 4 : 8, n_distinct = 0;
        for (size_t turn = 0; turn < n; turn++) {
            const size_t mark = owned_mark();
            struct trial trial = make_shuffled(turn % 2 != 0 ? ENGINE_INT8 : ENGINE_BINARY, turn);
            engine_hit hits[SHUFFLED];
            assert_same_hits(&trial, turn / 2 % 2, SHUFFLED_BEST, isa);
            search(&trial, turn / 2 % 2, 0, 1, SHUFFLED, hits);
            n_distinct += hits[0].score > hits[SHUFFLED - 1].score ? 1 : 0;
            owned_release(mark);
        }
        assert_true(n_distinct > n / 2);
    }
}

/* ---- Numbers that float32 rounds otherwise, or not at all ---- */

/* All rows have the integers of `row`, and queries are alike; the last row scores `last`, all
 * others a bit less. */
static void try_scores(const float *query, const float *row, double last, const char *what)
{
    enum { N = 1000, WIDTH = 256 };
    const size_t mark = owned_mark();
    struct trial trial = make(ENGINE_INT8, N, WIDTH, FEW + 1);
    for (size_t q = 0; q <= FEW; q++)
        memcpy(trial.queries + q * WIDTH, query, WIDTH * sizeof *query);
    for (size_t r = 0; r < N; r++) {
        set_row(&trial, r, row);
        double score = r == N - 1 ? last : last - fabs(last) * 1e-5;
        float scale = (float)(score / product(&trial, r));
        memcpy(row_at(&trial, r), &scale, SCALE);
    }
    engine_hit *hits = assert_same_hits(&trial, ENGINE_METRIC_DOT, 1, what);
    assert_int_equal(hits[0].row, N - 1);
    owned_release(mark);
}

TEST(scores_at_the_ends_of_float32)
{
    enum { WIDTH = 256 };
    float query[WIDTH], row[WIDTH];
    const char *isa;
    for (size_t i = 0; (isa = support_set_isa(i)) != NULL; i++) {
        for (uint64_t turn = 0, seed = 1; turn < (support_slow() ? 6 : 30); turn++) {
            for (size_t k = 0; k < WIDTH; k++) {
                query[k] = some_number(&seed);
                row[k] = some_number(&seed) / 4 - query[k];
            }
            try_scores(query, row, (double)-FLT_MAX * 0.9999, "the bound overflows");
            for (size_t k = 0; k < WIDTH; k++) {
                query[k] = (k % 15 != 0 ? 3e-45F : 1e-44F) * (float)(turn + 1);
                row[k] = query[k] * 1e30F;
            }
            try_scores(query, row, 1e-28, "the query is subnormal");
        }
    }
}
