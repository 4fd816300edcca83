/* tags: numbers aarch64 */
/* Products of tokens and positions as blocks of scores, against their formula in double, with every
 * set of kernels; and buckets of distances as make_log_bucket_position of transformers 5.24 has
 * them. */
#include "tests/model/plain.h"

#include "model/layers/attention_position.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 24, MOST_TOKENS_HERE = 300 };

/* One head: q and k side by side in rows, and tables [2S, WIDTH] with their panels. */
struct head_case {
    struct disentangled positions;
    size_t n_tokens;
    float *wide, *keys, *queries, *key_panels, *query_panels;
};

static float *panels_of(const float *rows, size_t n)
{
    float *panels = new_floats(round_up(n, PANEL) * WIDTH);
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < WIDTH; k++)
            panels[(r / PANEL * WIDTH + k) * PANEL + r % PANEL] = rows[r * WIDTH + k];
    return panels;
}

static struct head_case new_case(struct disentangled positions, size_t n_tokens, uint64_t seed)
{
    struct head_case c = {positions, n_tokens, NULL, NULL, NULL, NULL, NULL};
    size_t n = 2 * positions.span;
    c.wide = random_floats(&seed, n_tokens * 2 * WIDTH, 1);
    c.keys = random_floats(&seed, n * WIDTH, 1);
    c.queries = random_floats(&seed, n * WIDTH, 1);
    c.positions.keys = c.key_panels = panels_of(c.keys, n);
    c.positions.queries = c.query_panels = panels_of(c.queries, n);
    return c;
}

/* What positions add to the scores [T, T], of products that count nothing. */
static double *expected(const struct head_case *c)
{
    const size_t n = c->n_tokens, n_positions = 2 * c->positions.span * WIDTH;
    const double *wide = widened(c->wide, n * 2 * WIDTH);
    const struct plain_model model = {.mask = "full",
                                      .score_scale = 0,
                                      .distances = c->positions.reach,
                                      .position_buckets = c->positions.buckets};
    const struct plain_head head = {
        .width = WIDTH,
        .stride = 2 * WIDTH,
        .queries = wide,
        .keys = wide + WIDTH,
        .position_keys = c->positions.keys ? widened(c->keys, n_positions) : NULL,
        .position_queries = c->positions.queries ? widened(c->queries, n_positions) : NULL};
    double *scores = new_doubles(n * n);
    plain_score(&model, &head, n, n, scores);
    return scores;
}

/* Every block of scores; [T, T] of them. Memory after the work stays unchanged. */
static void run(const struct kernels *kernels, const struct head_case *c, struct largest *largest)
{
    size_t n = c->n_tokens, block = n < QUERY_BLOCK ? n : QUERY_BLOCK;
    const struct model_config config = {.attention_position = ATTENTION_POSITION_DISENTANGLED,
                                        .position_buckets = c->positions.buckets,
                                        .distances = c->positions.reach};
    float *all = new_floats(n * n), *scores = new_floats(KEY_BLOCK * QUERY_BLOCK);
    struct disentangled_work work;
    struct arena arena = {0};
    disentangled_work_carve(&work, &config, n, &arena);
    size_t n_floats = arena.used / sizeof(float);
    arena = (struct arena){.base = new_bytes(arena.used + ARENA_ALIGN)};
    fill_untouched((float *)(void *)arena.base, n_floats + PANEL);
    disentangled_work_carve(&work, &config, n, &arena);
    disentangled_begin(kernels, &c->positions,
                       (struct head_rows){c->wide + WIDTH, 2 * WIDTH, WIDTH}, n, &work);
    for (size_t query = 0; query < n; query += block) {
        size_t n_queries = n - query < block ? n - query : block;
        disentangled_queries(kernels, &c->positions, (struct head_rows){c->wide, 2 * WIDTH, WIDTH},
                             query, n_queries, &work);
        for (size_t key = 0; key < n; key += KEY_BLOCK) {
            struct score_block to = {.scores = scores,
                                     .stride = row_stride(n_queries),
                                     .n_keys = n - key < KEY_BLOCK ? n - key : KEY_BLOCK,
                                     .n_queries = n_queries};
            disentangled_fill(kernels, &c->positions, &to, query, key, &work);
            for (size_t i = 0; i < n_queries; i++)
                for (size_t j = 0; j < to.n_keys; j++)
                    all[(query + i) * n + key + j] = scores[j * to.stride + i];
        }
    }
    const double *wanted = expected(c);
    for (size_t i = 0; i < n * n; i++)
        note_error(largest, fabs((double)all[i] - wanted[i]), (double)all[i], wanted[i],
                   (double)(i / n));
    assert_true(untouched((float *)(void *)arena.base + n_floats, PANEL));
}

TEST(blocks)
{
    static const struct {
        size_t buckets, reach;
    } kinds[] = {{0, 1},    {0, 40},    {0, 256},   {2, 3},   {6, 9},
                 {64, 128}, {100, 300}, {256, 512}, {60, 32}, {250, 128}};
    static const size_t lens[] = {1, 2, 17, 32, 33, 97, 129, 130, MOST_TOKENS_HERE};
    struct largest largest = {0};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        for (size_t len = 0; len < sizeof lens / sizeof *lens; len++) {
            size_t span = kinds[kind].buckets > 0 ? kinds[kind].buckets : kinds[kind].reach;
            struct head_case c = new_case(
                (struct disentangled){NULL, NULL, span, kinds[kind].buckets, kinds[kind].reach},
                lens[len], kind + 100 * len);
            size_t terms = (kind + len) % 3;
            if (terms == 1)
                c.positions.keys = NULL;
            if (terms == 2)
                c.positions.queries = NULL;
            for (size_t set = 0; float_kernels(set) != NULL; set++)
                run(float_kernels(set), &c, &largest);
        }
    }
    assert_bound(&largest, 3e-6, "blocks of products"); /* of 2 · 24 numbers within ±1 */
}

/* Where buckets begin, as published: {n, its bucket}; buckets above S - 1 are all the last. */
TEST(buckets)
{
    static const struct {
        size_t buckets, reach, n, bucket;
    } cases[] = {
        {256, 512, 127, 127}, {256, 512, 128, 128}, {256, 512, 131, 131}, {256, 512, 132, 131},
        {256, 512, 200, 169}, {256, 512, 300, 207}, {256, 512, 400, 233}, {256, 512, 511, 255},
        {256, 512, 600, 256}, {64, 128, 35, 35},    {64, 128, 64, 48},    {64, 128, 100, 58},
        {64, 128, 127, 63},   {64, 128, 129, 64},   {6, 9, 8, 5},         {0, 7, 5, 5},
        {0, 7, 9, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t span = cases[i].buckets > 0 ? cases[i].buckets : cases[i].reach;
        size_t n = cases[i].n + 1, last = 2 * span - 1, ahead = span + cases[i].bucket;
        const struct model_config config = {.attention_position = ATTENTION_POSITION_DISENTANGLED,
                                            .position_buckets = cases[i].buckets,
                                            .distances = cases[i].reach};
        const struct disentangled positions = {
            .span = span, config.position_buckets, config.distances};
        struct disentangled_work work;
        struct arena arena = {0};
        do
            disentangled_work_carve(&work, &config, n, &arena);
        while (arena_allocate(&arena));
        owned(arena.base, free);
        disentangled_begin(float_kernels(0), &positions, (struct head_rows){0}, n, &work);
        const int32_t of_keys = (int32_t)(work.of_keys.skipped * PANEL);
        const int32_t of_queries = (int32_t)(work.of_queries.skipped * PANEL);
        assert_int_equal(work.of_keys.columns[2 * n - 2] + of_keys, ahead < last ? ahead : last);
        assert_int_equal(work.of_keys.columns[0] + of_keys, span - cases[i].bucket);
        assert_true(work.of_keys.columns[0] < PANEL && work.of_queries.columns[0] < PANEL);
        assert_int_equal(work.of_queries.columns[0] + of_queries,
                         last - (ahead < last ? ahead : last));
        assert_int_equal(work.of_queries.columns[2 * n - 2] + of_queries,
                         last - (span - cases[i].bucket));
    }
}
