/* tags: numbers */
/* test_answers.c - vectors of tokens, sparse weights and vectors that are cut, against the second
 * implementation, over instruction sets and threads, in ragged batches; the same bits in any
 * company; and the scores that engine_rank makes of them.
 *
 * Guarantee: sparse weights, vectors of tokens and their ranks are within 1e-5 of the second
 * implementation, and the same to the last bit in any batch and with any number of threads. */
#include "engine/plain/answers.h"
#include "tests/engine/comparison.h"
#include "tests/weight_surgery.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VOCABULARY = 300, LONGEST_TEXT = 200, N_TEXTS = 9, MOST_WIDTH = 64 };

/* Weights are up to some units, which a sum over 200 tokens makes hundreds: differences count in
 * parts of max(1, |expected|). */
static const double TOLERANCE = 1e-5;

#define XLM_R                                                                                      \
    "--layers 2 --width 48 --heads 4 --feed-forward 80 --vocabulary 300 --max-tokens 256 "         \
    "--position learned --position-offset 2 --embedding-norm layer --token-types 1 "

/* bge-m3's three answers; ColBERT's; SPLADE's with either pooling and activation, a tied decoder
 * (of narrower rows too, as ALBERT has them), a head as BERT's, and other types and layouts. */
static const char *const MODELS[] = {
    XLM_R "--pooling cls --set token_vectors=48 --set token_vector_first=no --set sparse=linear",
    XLM_R "--pooling none --set token_vectors=20 --set token_vector_bias=no",
    XLM_R "--pooling none --head mask --set sparse=mask",
    XLM_R "--head mask --head-dense gelu --head-norm yes --head-tied yes --set sparse=mask "
          "--set sparse_pooling=sum",
    XLM_R "--head mask --set sparse=mask --set sparse_activation=log_log --type f16 --layout rows",
    XLM_R "--set token_vectors=33 --set sparse=linear --type int8 --layout rows",
    XLM_R "--head mask --head-dense gelu --head-norm yes --head-tied yes --set sparse=mask "
          "--embedding-width 20",
};
enum { N_MODELS = sizeof MODELS / sizeof *MODELS };

/* 193 tokens are more than one block of SPLADE's logits, as 300 ids are. */
static const size_t LENGTHS[N_TEXTS] = {1, 2, 7, 200, 33, 5, 193, 64, 3};

static struct subject *make(const char *words)
{
    return comparison_make(NULL, "--seed 11 %s", words);
}

static engine_encode_options with(engine_pooling pooling)
{
    return ENGINE_ENCODE_OPTIONS(.pooling = pooling);
}

/* ---- Against the twin ---- */

static void compare_sparse(const struct subject *subject, const struct texts *texts,
                           engine_session *session, struct worst *worst)
{
    static double expected[VOCABULARY];
    engine_encode_options sparse = with(ENGINE_POOLING_SPARSE);
    size_t needed = 0;
    char error[256];
    const float *out = support_encode(session, texts->inputs, N_TEXTS, &sparse, &needed);
    assert_int_equal(needed, N_TEXTS * VOCABULARY);
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (!plain_sparse(&subject->weights, texts->expected[i], texts->inputs[i].ids, NULL, 0,
                          expected, error))
            fail_msg("%s", error);
        support_compare(worst, TOLERANCE, out + i * VOCABULARY, expected, VOCABULARY,
                        "%s: weights of %zu tokens", subject->words, LENGTHS[i]);
    }
}

static void compare_vectors(const struct subject *subject, const struct texts *texts,
                            engine_session *session, struct worst *worst)
{
    static float out[N_TEXTS * LONGEST_TEXT * MOST_WIDTH];
    static double expected[LONGEST_TEXT * MOST_WIDTH];
    size_t width = subject->info.token_vectors, needed = 0, row = 0;
    bool has_first = !strstr(subject->words, "token_vector_first=no");
    engine_encode_options many = with(ENGINE_POOLING_COLBERT);
    engine_result results[N_TEXTS];
    char error[256];
    assert_ok(engine_encode(session, texts->inputs, N_TEXTS, &many, out, sizeof out / sizeof *out,
                            &needed, results));
    for (size_t i = 0; i < N_TEXTS; i++) {
        size_t n = LENGTHS[i] - !has_first;
        if (!plain_token_vectors(&subject->weights, texts->expected[i], expected, error))
            fail_msg("%s", error);
        assert_int_equal(results[i].row, row);
        assert_int_equal(results[i].n_tokens, LENGTHS[i]);
        support_compare(worst, TOLERANCE, out + row * width, expected + !has_first * width,
                        n * width, "%s: vectors of %zu tokens", subject->words, LENGTHS[i]);
        row += n;
    }
    assert_int_equal(needed, row * width);
}

TEST(as_the_second_implementation)
{
    struct worst worst = {0};
    support_allow_threads(3);
    for (size_t i = 0; i < N_MODELS; i++) {
        struct subject *subject = make(MODELS[i]);
        const struct texts *texts = comparison_texts(subject, LENGTHS, N_TEXTS, 5 + i, NULL);
        for (size_t isa = 0; support_isa(isa); isa++) {
            comparison_reopen(subject, support_isa(isa));
            for (size_t n_threads = 1; n_threads <= 3; n_threads += 2) {
                engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
                engine_session *session = support_session(subject->model, &options);
                if (subject->info.has_sparse)
                    compare_sparse(subject, texts, session, &worst);
                if (subject->info.token_vectors > 0)
                    compare_vectors(subject, texts, session, &worst);
            }
        }
    }
    support_assert_within(&worst, TOLERANCE, "vectors of tokens and sparse weights");
}

/* Queries that fillers follow, which attention does not see: few tokens, and many; with windows.
 * Fillers alone see each other. */
TEST(fillers_of_queries)
{
    static const char *const made[] = {
        "", "--norm-place pre --set attention_position=rotary --set window=130",
        "--set attention_position=alibi", "--type f16 --layout rows",
        "--set attention_position=disentangled --set distances=20 --type int8"};
    static const size_t n_fillers[] = {1, 20, 120};
    static float got[128 * 20];
    static double expected[128 * 20];
    engine_encode_options query = with(ENGINE_POOLING_COLBERT), text = query;
    struct worst worst = {0};
    query.role = ENGINE_ROLE_QUERY;
    for (size_t i = 0; i < 3 * sizeof made / sizeof *made; i++) {
        engine_token tokens[128] = {{0}};
        int32_t ids[128];
        const size_t fill = n_fillers[i % 3], own = i % 4 > 0 ? 8 : 0, n = own + fill;
        uint64_t seed = i;
        char error[256], words[400];
        snprintf(words, sizeof words,
                 XLM_R "--pooling none --set token_vectors=20 --set query_tokens=%zu "
                       "--set query_filler=299 --set query_filler_seen=no %s",
                 n, made[i / 3]);
        struct subject *subject = make(words);
        support_random_ids(&seed, ids, 8, VOCABULARY);
        ids[7] = 299; /* a text may have that token, too */
        for (size_t t = own; t < n; t++)
            ids[t] = 299;
        for (size_t t = 0; t < n; t++)
            tokens[t] = (engine_token){.id = ids[t], .special = t >= own};
        const engine_input input = {.tokens = tokens, .n_tokens = n};
        for (size_t isa = 0; support_isa(isa); isa++)
            for (size_t is_text = 0; is_text < 2; is_text++) {
                comparison_reopen(subject, support_isa(isa));
                engine_session *session = support_session(subject->model, NULL);
                const struct plain_input plain = {
                    .n = n, .ids = ids, .n_unseen = is_text ? 0 : fill};
                assert_ok(engine_encode(session, &input, 1, is_text ? &text : &query, got, n * 20,
                                        NULL, NULL));
                const struct plain_output *output = comparison_expected(
                    &subject->weights, &plain, &(struct plain_options){.int8_rows = true});
                if (!plain_token_vectors(&subject->weights, output, expected, error))
                    fail_msg("%s: %s", subject->words, error);
                support_compare(&worst, TOLERANCE, got, expected, n * 20, "%s: %zu fillers",
                                subject->words, fill);
            }
    }
    support_assert_within(&worst, TOLERANCE, "vectors of queries with fillers");
}

/* ---- The same bits in any company ---- */

/* All texts at once, one at a time, and with other numbers of threads; also with int8 panels, which
 * multiply rounded rows. */
TEST(the_same_bits_in_any_batch)
{
    static const char *const types[] = {"", " --type int8", " --type bf16"};
    const engine_encode_options sparse = with(ENGINE_POOLING_SPARSE);
    support_allow_threads(3);
    for (size_t i = 0; i < 3; i++) {
        char words[600];
        snprintf(words, sizeof words, "%s%s", MODELS[2], types[i]);
        struct subject *subject = make(words);
        const struct texts *texts = comparison_texts(subject, LENGTHS, N_TEXTS, 3, NULL);
        engine_session *first = support_session(subject->model, NULL);
        const float *all = support_encode(first, texts->inputs, N_TEXTS, &sparse, NULL);
        for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
            engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
            engine_session *session = support_session(subject->model, &options);
            for (size_t t = 0; t < N_TEXTS; t++)
                assert_memory_equal(support_encode(session, &texts->inputs[t], 1, &sparse, NULL),
                                    all + t * VOCABULARY, VOCABULARY * sizeof *all);
        }
    }
}

/* ---- Which tokens count ---- */

/* The file with a setting of its tokenizer added. */
static engine_model *open_with(const char *path, const char *key, const char *value)
{
    const struct patient file = patient_read(path);
    struct patient changed = patient_copy(&file, 4096);
    replace_setting(&changed, "TOKN", key, value, strlen(value));
    return support_open_memory(changed.data, changed.len);
}

TEST(skipped_tokens)
{
    float none;
    const int32_t ids[] = {9, 5, 6, 5, 7, 8};
    const uint8_t mask[] = {0, 1, 1, 1, 1, 0};
    engine_input text = support_ids(ids, 6), padded = text;
    engine_encode_options many = with(ENGINE_POOLING_COLBERT), query = many,
                          sparse = with(ENGINE_POOLING_SPARSE);
    size_t needed;
    query.role = ENGINE_ROLE_QUERY;
    padded.mask = mask;
    struct subject *subject = make(MODELS[5]);
    engine_model *model = open_with(subject->path, "skip_vectors", "5 7");
    engine_session *plain = support_session(subject->model, NULL),
                   *session = support_session(model, NULL);
    size_t width = subject->info.token_vectors;
    const float *whole = support_encode(plain, &text, 1, &many, &needed);
    assert_int_equal(needed, 6 * width);
    /* A document has the vectors of ids 9, 6 and 8; a query those of all. */
    const float *some = support_encode(session, &text, 1, &many, &needed);
    assert_int_equal(needed, 3 * width);
    assert_memory_equal(some, whole, width * sizeof *some);
    assert_memory_equal(some + width, whole + 2 * width, width * sizeof *some);
    assert_memory_equal(some + 2 * width, whole + 5 * width, width * sizeof *some);
    some = support_encode(session, &text, 1, &query, &needed);
    assert_int_equal(needed, 6 * width);
    assert_memory_equal(some, whole, 6 * width * sizeof *some);
    /* Padding gives no numbers; with a buffer that is too small, the size is counted. */
    assert_fails(BUFFER, engine_encode(session, &padded, 1, &many, &none, 0, &needed, NULL));
    assert_int_equal(needed, width);
    /* Weights of skipped ids are 0, all others as without. */
    model = open_with(subject->path, "skip_weights", "9 299");
    session = support_session(model, NULL);
    float *weights = support_encode(plain, &text, 1, &sparse, NULL);
    const float *fewer = support_encode(session, &text, 1, &sparse, NULL);
    weights[9] = 0;
    assert_memory_equal(weights, fewer, VOCABULARY * sizeof *weights);
}

/* ---- Ranks ---- */

/* A query's weights are those of its ids, as the second implementation has them; special tokens
 * have none, and other texts those of the model. Ranks are by both. */
TEST(weights_of_queries)
{
    static const int32_t ids[] = {7, 3, 7, 299, 12};
    static float got[3 * VOCABULARY], texts[2 * VOCABULARY];
    static double expected[VOCABULARY];
    engine_token tokens[6] = {{.id = 5, .special = 1}};
    engine_encode_options query = with(ENGINE_POOLING_MODEL), text = with(ENGINE_POOLING_MODEL);
    float scores[2];
    struct subject *subject =
        make(XLM_R "--pooling none --head mask --set sparse=mask --set query_weights=yes");
    engine_session *session = support_session(subject->model, NULL);
    for (size_t i = 0; i < 5; i++)
        tokens[i + 1] = (engine_token){.id = ids[i]};
    const engine_input inputs[] = {
        support_ids(ids, 5), {.tokens = tokens, .n_tokens = 6}, support_ids(ids, 2)};
    query.role = ENGINE_ROLE_QUERY;
    assert_ok(engine_encode(session, inputs, 3, &query, got, 3 * VOCABULARY, NULL, NULL));
    for (size_t i = 0; i < 5; i++)
        expected[ids[i]] = plain_tensor(&subject->weights, "query.weight")->values[ids[i]];
    for (size_t id = 0; id < VOCABULARY; id++)
        assert_true((double)got[id] == expected[id]);
    assert_memory_equal(got, got + VOCABULARY, VOCABULARY * sizeof *got);
    assert_int_equal(engine_sparse_entries(got + 2 * VOCABULARY, VOCABULARY, NULL, 0), 2);
    assert_ok(engine_encode(session, inputs, 2, &text, texts, 2 * VOCABULARY, NULL, NULL));
    assert_memory_not_equal(texts, got, VOCABULARY * sizeof *got);
    assert_ok(engine_rank(session, &inputs[0], inputs, 2, NULL, scores));
    for (size_t i = 0; i < 2; i++) {
        double product = 0;
        for (size_t id = 0; id < VOCABULARY; id++)
            product += (double)got[id] * (double)texts[i * VOCABULARY + id];
        assert_true(fabs((double)scores[i] - product) <= 1e-5 * (1 + fabs(product)));
    }
}

/* The scores are those of the vectors that engine_encode gives, of more texts than one batch. */
TEST(rank_by_them)
{
    enum { N = 40 };
    static float rows[(N + 1) * VOCABULARY], many[(N + 1) * 16 * MOST_WIDTH];
    static const engine_pooling poolings[] = {ENGINE_POOLING_SPARSE, ENGINE_POOLING_COLBERT};
    engine_input inputs[N + 1];
    int32_t ids[N + 1][16];
    float scores[N];
    engine_result results[N + 1];
    uint64_t seed = 9;
    struct subject *subject = make(MODELS[0]);
    engine_session *session = support_session(subject->model, NULL);
    for (size_t i = 0; i <= N; i++) {
        support_random_ids(&seed, ids[i], 16, VOCABULARY);
        inputs[i] = support_ids(ids[i], 1 + i % 16); /* some have no vector at all */
    }
    inputs[0] = support_ids(ids[0], 7);
    for (size_t p = 0; p < 2; p++) {
        engine_encode_options options = with(poolings[p]);
        bool is_sparse = p == 0;
        size_t width = is_sparse ? VOCABULARY : subject->info.token_vectors, needed;
        float *out = is_sparse ? rows : many;
        assert_ok(engine_rank(session, &inputs[0], inputs + 1, N, &options, scores));
        assert_ok(engine_encode(session, inputs, N + 1, &options, out,
                                is_sparse ? sizeof rows / 4 : sizeof many / 4, &needed, results));
        for (size_t i = 1; i <= N; i++) {
            engine_weight query[VOCABULARY], text[VOCABULARY];
            size_t end = i < N ? results[i + 1].row : needed / width;
            double expected =
                is_sparse ? engine_sparse_product(
                                query, engine_sparse_entries(out, width, query, VOCABULARY), text,
                                engine_sparse_entries(out + i * width, width, text, VOCABULARY))
                          : engine_max_sim(out, results[1].row, out + results[i].row * width,
                                           end - results[i].row, width);
            assert_true(fabs((double)scores[i - 1] - expected) <= 1e-5 * (1 + fabs(expected)));
        }
        assert_true(is_sparse || scores[15] == 0); /* the text of one token, without a vector */
    }
}

/* Without a pooling, a model's own answer is the one that it was made for. */
TEST(own_answers)
{
    static const struct {
        size_t model;
        engine_pooling same;
        size_t width;
    } cases[] = {{0, ENGINE_POOLING_CLS, 48},
                 {1, ENGINE_POOLING_COLBERT, 20},
                 {2, ENGINE_POOLING_SPARSE, VOCABULARY}};
    const int32_t ids[] = {9, 5, 6};
    engine_input text = support_ids(ids, 3);
    for (size_t i = 0; i < 3; i++) {
        float a, b;
        struct subject *subject = make(MODELS[cases[i].model]);
        engine_session *session = support_session(subject->model, NULL);
        engine_encode_options options = with(cases[i].same);
        size_t n_own, n_named;
        options.normalize = i == 0;
        assert_int_equal(subject->info.pooling, cases[i].same);
        assert_int_equal(subject->info.output_width, cases[i].width);
        const float *own = support_encode(session, &text, 1, NULL, &n_own);
        const float *named = support_encode(session, &text, 1, &options, &n_named);
        assert_int_equal(n_own, n_named);
        assert_memory_equal(own, named, n_own * sizeof *own);
        assert_ok(engine_rank(session, &text, &text, 1, NULL, &a));
        assert_ok(engine_rank(session, &text, &text, 1, &options, &b));
        assert_true(a == b);
    }
}

/* ---- Dimensions ---- */

TEST(dimensions)
{
    const int32_t ids[] = {9, 5, 6, 7};
    engine_input text = support_ids(ids, 4);
    struct subject *subject = make(MODELS[0]);
    engine_session *session = support_session(subject->model, NULL);
    engine_encode_options options = with(ENGINE_POOLING_MEAN);
    size_t needed;
    const float *whole = support_encode(session, &text, 1, &options, NULL);
    options.dimensions = 17;
    const float *cut = support_encode(session, &text, 1, &options, &needed);
    assert_int_equal(needed, 17);
    assert_memory_equal(cut, whole, 17 * sizeof *cut); /* it had no length of 1 to have again */
    for (size_t pass = 0; pass < 2; pass++) {          /* the model's own; asked for */
        double square = 0;
        options.pooling = pass == 0 ? ENGINE_POOLING_MODEL : ENGINE_POOLING_MEAN;
        options.normalize = pass == 1;
        cut = support_encode(session, &text, 1, &options, &needed);
        for (size_t i = 0; i < 17; i++)
            square += (double)cut[i] * (double)cut[i];
        assert_true(fabs(square - 1) < 1e-6);
        if (pass == 1)
            assert_true(fabs(engine_cosine(cut, whole, 17) - 1) < 1e-6);
    }
    /* Vectors of tokens too, and the scores that they make. */
    engine_encode_options many = with(ENGINE_POOLING_COLBERT);
    float score;
    const float *vectors = support_encode(session, &text, 1, &many, &needed);
    assert_int_equal(needed, 3 * 48);
    many.dimensions = 10;
    const float *cut_vectors = support_encode(session, &text, 1, &many, &needed);
    assert_int_equal(needed, 3 * 10);
    for (size_t t = 0; t < 3; t++)
        assert_true(fabs(engine_cosine(cut_vectors + t * 10, vectors + t * 48, 10) - 1) < 1e-6);
    assert_ok(engine_rank(session, &text, &text, 1, &many, &score));
    assert_true(fabsf(score - 3) < 1e-5f); /* each of its three vectors meets itself */
}
