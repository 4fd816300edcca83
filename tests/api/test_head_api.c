/* tags: numbers aarch64 threads */
/* The functions that answer from a head, engine_rank and engine_cosine, sparse weights and vectors
 * of tokens, at their edges: what they refuse, buffers too small, a session at work, tokens and
 * prompts instead of a text. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 16, N_LABELS = 3, MOST = 8, VECTOR = 6, VOCABULARY = 6 };

/* No head; labels of tokens; words for a mask; vectors of tokens and sparse weights. */
static engine_model *plain, *labels, *words, *rich;
static engine_session *of_plain, *of_labels, *of_words, *of_rich;
static const int32_t IDS[] = {1, 2};

SET_UP()
{
    plain = support_small_model("");
    labels = support_small_model("--head token --labels B-X,I-Y,B-Z");
    words = support_open("weights/default.weights");
    rich = support_small_model("--set token_vectors=6 --set sparse=linear");
    of_plain = support_session(plain, NULL);
    of_rich = support_session(rich, NULL);
    of_labels = support_session(labels, NULL);
    of_words = support_session(words, NULL);
}

static engine_session *session_of(const char *options)
{
    return support_session(support_small_model(options), NULL);
}

static engine_encode_options with(engine_pooling pooling)
{
    return ENGINE_ENCODE_OPTIONS(.pooling = pooling);
}

static engine_encode_options bad_options(void)
{
    return ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS, .on_long = (engine_on_long)9);
}

TEST(names_of_labels)
{
    assert_string_equal(engine_label(labels, N_LABELS - 1), "B-Z");
    assert_null(engine_label(labels, N_LABELS));
    assert_null(engine_label(plain, 0));
    assert_null(engine_label(NULL, 0));
}

TEST(classify_at_its_edges)
{
    engine_input text = support_text("I ride bike");
    engine_encode_options bad = bad_options(), labelled = with(ENGINE_POOLING_LABELS);
    float scores[MOST * N_LABELS];
    size_t needed = 0;
    assert_fails(ARGUMENT, engine_encode(NULL, &text, 1, &labelled, scores, 9, NULL, NULL));
    assert_fails(UNSUPPORTED, engine_encode(of_plain, &text, 1, &labelled, scores, 9, NULL, NULL));
    assert_fails(ARGUMENT, engine_encode(of_labels, &text, 1, &bad, scores, 9, NULL, NULL));
    assert_fails(BUFFER, engine_encode(of_labels, &text, 1, &labelled, scores, 8, &needed, NULL));
    assert_int_equal(needed, 3 * N_LABELS);
    assert_ok(engine_encode(of_labels, &text, 1, &labelled, scores, 9, &needed, NULL));
    for (size_t token = 0; token < 3; token++) /* softmax */
        assert_true(fabsf(scores[3 * token] + scores[3 * token + 1] + scores[3 * token + 2] - 1) <=
                    1e-6f);
}

TEST(entities_at_their_edges)
{
    engine_input text = support_text("I ride bike"), ids = support_ids(IDS, 2);
    engine_encode_options bad = bad_options();
    engine_entity found[MOST];
    size_t n;
    assert_fails(ARGUMENT, engine_entities(NULL, &text, NULL, found, MOST, &n, NULL));
    assert_fails(ARGUMENT, engine_entities(of_labels, NULL, NULL, found, MOST, &n, NULL));
    assert_fails(ARGUMENT, engine_entities(of_labels, &text, NULL, NULL, MOST, &n, NULL));
    assert_fails(ARGUMENT, engine_entities(of_labels, &ids, NULL, found, MOST, &n, NULL));
    assert_fails(UNSUPPORTED, engine_entities(of_plain, &text, NULL, found, MOST, &n, NULL));
    assert_fails(ARGUMENT, engine_entities(of_labels, &text, &bad, found, MOST, &n, NULL));
    assert_fails(BUFFER, engine_entities(of_labels, &text, NULL, NULL, 0, &n, NULL));
    assert_ok(engine_entities(of_labels, &text, NULL, found, n, NULL, NULL));
}

/* Tokens that were made before give what their text gives; a prompt is no part of an entity. */
TEST(entities_of_tokens_and_after_a_prompt)
{
    engine_input text = support_text("I ride bike"), ready = {0};
    engine_encode_options prompted = ENGINE_ENCODE_OPTIONS(.prompt_text = "dog cat ");
    engine_token tokens[MOST];
    engine_entity of_text[MOST], of_tokens[MOST];
    size_t n, n_again;
    assert_ok(engine_tokenize(of_labels, &text, NULL, tokens, MOST, &n, NULL));
    ready.tokens = tokens;
    ready.n_tokens = n;

    assert_ok(engine_entities(of_labels, &text, NULL, of_text, MOST, &n, NULL));
    assert_ok(engine_entities(of_labels, &ready, NULL, of_tokens, MOST, &n_again, NULL));
    assert_int_equal(n_again, n);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(of_tokens[i].label, of_text[i].label);
        assert_int_equal(of_tokens[i].begin, of_text[i].begin);
        assert_int_equal(of_tokens[i].end, of_text[i].end);
        assert_memory_equal(&of_tokens[i].score, &of_text[i].score, sizeof(float));
    }
    prompted.prompt_len = strlen(prompted.prompt_text);
    assert_ok(engine_entities(of_labels, &text, &prompted, of_text, MOST, &n, NULL));
    assert_true(n > 0);
    assert_int_equal(of_text[0].begin,
                     0); /* every label names an entity, so all words are in one */
    assert_int_equal(of_text[n - 1].end, 11);
}

/* Words of tokens that a host made: by blanks of the text, the end of which has none, else by
 * gaps between tokens. Each word is an entity, as its label is one of B-. */
TEST(words_of_tokens)
{
    engine_session *session = session_of("--head token --labels B-X,B-Y");
    engine_encode_options first = ENGINE_ENCODE_OPTIONS(.strategy = ENGINE_STRATEGY_FIRST);
    engine_token tokens[] = {{.id = 1, .end = 2},
                             {.id = 2, .begin = 2, .end = 2},
                             {.id = 1, .begin = 3, .end = 4},
                             {.id = 2, .begin = 4, .end = 5},
                             {.id = 1, .begin = 5, .end = 5}};
    engine_input input = {.tokens = tokens, .n_tokens = 5, .text = "ab cd ", .text_len = 5};
    engine_entity found[MOST];
    size_t n;
    for (input.text_len = 5; input.text_len < 7; input.text_len++) {
        assert_ok(engine_entities(session, &input, &first, found, MOST, &n, NULL));
        assert_int_equal(n, input.text_len == 5 ? 3 : 4);
        assert_int_equal(found[1].begin, 2);
        assert_int_equal(found[2].end, 5);
    }
    input.text = NULL;
    assert_ok(engine_entities(session, &input, &first, found, MOST, &n, NULL));
    assert_int_equal(n, 2);
}

TEST(fill_at_its_edges)
{
    engine_input text = support_text("the [MASK] looks at the [MASK]");
    engine_input bare = support_text("the dog looks");
    engine_encode_options bad = bad_options();
    engine_info info = ENGINE_INFO();
    engine_candidate found[2 * MOST];
    size_t needed = 0;
    assert_ok(engine_model_info(words, &info, NULL));
    assert_fails(ARGUMENT, engine_fill(NULL, &text, 1, NULL, found, MOST, &needed, NULL));
    assert_fails(UNSUPPORTED, engine_fill(of_plain, &text, 1, NULL, found, MOST, &needed, NULL));
    assert_fails(ARGUMENT, engine_fill(of_words, NULL, 1, NULL, found, MOST, &needed, NULL));
    assert_fails(ARGUMENT, engine_fill(of_words, &text, 1, NULL, NULL, MOST, &needed, NULL));
    assert_fails(ARGUMENT, engine_fill(of_words, &text, 0, NULL, found, MOST, &needed, NULL));
    assert_fails(ARGUMENT, engine_fill(of_words, &text, info.n_vocabulary + 1, NULL, found, MOST,
                                       &needed, NULL));
    assert_fails(BUFFER,
                 engine_fill(of_words, &text, info.n_vocabulary, NULL, NULL, 0, &needed, NULL));
    assert_int_equal(needed, 2 * info.n_vocabulary);
    assert_fails(ARGUMENT, engine_fill(of_words, &text, 1, &bad, found, MOST, &needed, NULL));
    assert_fails(BUFFER, engine_fill(of_words, &text, 3, NULL, found, 5, &needed, NULL));
    assert_int_equal(needed, 6);
    assert_ok(engine_fill(of_words, &bare, 3, NULL, NULL, 0, &needed, NULL));
    assert_int_equal(needed, 0);
    assert_ok(engine_fill(of_words, &text, 3, NULL, found, 6, NULL, NULL));
    assert_int_equal(found[2].token, 2); /* [CLS] the [MASK] looks at the [MASK] [SEP] */
    assert_int_equal(found[3].token, 6);
    assert_true(found[0].score >= found[1].score && found[1].score >= found[2].score);
}

/* The probabilities of all words are 1 together; logits differ as their logarithms do. */
TEST(fill_with_raw_scores)
{
    engine_input text = support_text("the [MASK] looks");
    engine_encode_options raw = ENGINE_ENCODE_OPTIONS(.raw_scores = 1);
    engine_candidate found[MOST], logits[MOST];
    assert_ok(engine_fill(of_words, &text, MOST, NULL, found, MOST, NULL, NULL));
    assert_ok(engine_fill(of_words, &text, MOST, &raw, logits, MOST, NULL, NULL));
    for (size_t i = 1; i < MOST; i++) {
        double ratio = log((double)found[i].score / (double)found[0].score);
        assert_int_equal(logits[i].id, found[i].id);
        assert_true(found[i].score > 0 && found[i].score < 1);
        assert_true(fabs((double)logits[i].score - (double)logits[0].score - ratio) <= 1e-4);
    }
}

TEST(rank_at_its_edges)
{
    engine_input query = support_text("I ride"), texts[] = {support_text("bike"), {0}};
    engine_encode_options bad = bad_options(), every = ENGINE_ENCODE_OPTIONS();
    float scores[2];
    assert_fails(ARGUMENT, engine_rank(NULL, &query, texts, 2, NULL, scores));
    assert_fails(ARGUMENT, engine_rank(of_plain, NULL, texts, 2, NULL, scores));
    assert_fails(ARGUMENT, engine_rank(of_plain, &query, NULL, 2, NULL, scores));
    assert_fails(ARGUMENT, engine_rank(of_plain, &query, texts, 2, NULL, NULL));
    assert_fails(ARGUMENT, engine_rank(of_plain, &query, texts, 2, &bad, scores));
    every.pooling = ENGINE_POOLING_NONE;
    assert_fails(ARGUMENT, engine_rank(of_plain, &query, texts, 2, &every, scores));
    every.struct_bytes = 3;
    assert_fails(ARGUMENT, engine_rank(of_plain, &query, texts, 2, &every, scores));
    assert_ok(engine_rank(of_plain, &query, texts, 2, NULL, scores));
}

/* Without a pooling a model ranks by what it has: the mean of its tokens, or vectors of each. */
TEST(rank_without_pooling)
{
    static const char *const kinds[] = {"--pooling none", "--pooling none --set token_vectors=6"};
    static const engine_pooling own[] = {ENGINE_POOLING_MEAN, ENGINE_POOLING_COLBERT};
    engine_input query = support_text("I ride"), texts[] = {support_text("bike"), query};
    for (size_t i = 0; i < 2; i++) {
        engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = own[i]);
        float scores[2], expected[2];
        engine_session *session = session_of(kinds[i]);
        assert_ok(engine_rank(session, &query, texts, 2, NULL, scores));
        assert_ok(engine_rank(session, &query, texts, 2, &options, expected));
        assert_memory_equal(scores, expected, sizeof scores);
    }
}

/* Without words of their own texts come last, as text or as tokens, and a query finds nothing: else
 * the vector of [CLS] and [SEP] would be compared, which is near to many. */
TEST(rank_of_texts_without_words)
{
    engine_input query = support_text("I ride"), empty = support_text(" "),
                 texts[] = {empty, support_text("bike"), {0}, support_text("")};
    float scores[4];
    engine_token tokens[8];
    size_t n;
    engine_session *session = support_session(support_open("weights/default.weights"), NULL);
    assert_ok(engine_tokenize(session, &empty, NULL, tokens, 8, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(engine_has_text(tokens, n), 0);
    texts[2].tokens = tokens;
    texts[2].n_tokens = n;
    assert_ok(engine_rank(session, &query, texts, 4, NULL, scores));
    assert_true(scores[0] == -1 && scores[1] > 0 && scores[2] == -1 && scores[3] == -1);
    assert_ok(engine_rank(session, &empty, texts, 4, NULL, scores));
    assert_true(scores[0] == -1 && scores[1] == -1 && scores[2] == -1 && scores[3] == -1);
    static const struct {
        const char *options;
        engine_pooling pooling;
    } kinds[] = {{"--set token_vectors=6", ENGINE_POOLING_COLBERT},
                 {"--set sparse=linear", ENGINE_POOLING_SPARSE}};
    for (size_t i = 0; i < 2; i++) {
        engine_session *of_small = session_of(kinds[i].options);
        engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = kinds[i].pooling);
        assert_ok(engine_rank(of_small, &query, texts, 2, &options, scores));
        assert_true(scores[0] == (i == 0 ? -2 : 0) && scores[1] >= scores[0]);
    }
    tokens[1].special = 0;
    assert_int_equal(engine_has_text(tokens, n), 1);
    tokens[1].in_prompt = 1;
    assert_int_equal(engine_has_text(tokens, n), 0);
    assert_int_equal(engine_has_text(NULL, n), 0);
}

/* If no token is left, the pooler has nothing to read. */
TEST(pooler_without_tokens)
{
    static const uint8_t mask[] = {0, 0};
    engine_input input = {.ids = IDS, .n_ids = 2, .mask = mask};
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_POOLER);
    float out[WIDTH], zeros[WIDTH] = {0};
    engine_session *session = session_of("--head pooler --head-dense tanh");
    assert_ok(engine_encode(session, &input, 1, &options, out, WIDTH, NULL, NULL));
    assert_memory_equal(out, zeros, sizeof out);
}

/* The message that a model labels texts names its labels as far as there is room. */
TEST(names_of_many_labels_are_cut)
{
    static const char begin[] = "the model labels texts (LABEL_0, LABEL_1, ";
    engine_session *session = session_of("--head sequence --labels 40");
    engine_input text = support_text("I ride");
    float vector[MOST];
    assert_fails(UNSUPPORTED, engine_encode(session, &text, 1, NULL, vector, MOST, NULL, NULL));
    const char *message = engine_session_message(session);
    assert_memory_equal(message, begin, sizeof begin - 1);
    assert_true(strcspn(message, ")") < sizeof "the model labels texts (" + 120);
}

/* A cross-encoder takes two plain texts, of which either may be empty. */
TEST(rank_by_pairs_at_its_edges)
{
    engine_token token = {.id = 1};
    engine_input query = support_text("I ride"), empty = {0};
    const engine_input wrong[] = {{.tokens = &token},
                                  {.n_tokens = 1},
                                  support_ids(IDS, 2),
                                  {.n_ids = 1},
                                  engine_text_pair("cat", "dog"),
                                  {.text = "cat", .text_len = 3, .pair_len = 1},
                                  {.text_len = 1}};
    float scores[2];
    engine_session *session = session_of("--head sequence --labels 1");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_fails(ARGUMENT, engine_rank(session, &query, &wrong[i], 1, NULL, scores));
        assert_fails(ARGUMENT, engine_rank(session, &wrong[i], &query, 1, NULL, scores));
    }
    assert_ok(engine_rank(session, &query, &empty, 1, NULL, &scores[0]));
    empty.text = "";
    assert_ok(engine_rank(session, &query, &empty, 1, NULL, &scores[1]));
    assert_memory_equal(&scores[0], &scores[1], sizeof(float));
}

/* A cross-encoder of two labels ranks by the second: softmax of both logits. */
TEST(pairs_of_two_labels)
{
    static const char *const made[] = {
        "--labels no,yes --scores none --metadata cross_encoder=yes",
        "--labels no,yes --scores softmax --metadata cross_encoder=yes", "--labels no,yes",
        "--labels a,b,c --metadata cross_encoder=yes"};
    engine_input query = support_text("I ride"), texts[] = {support_text("bike dog"), {0}},
                 pair = engine_text_pair("I ride", "bike dog");
    engine_encode_options raw = ENGINE_ENCODE_OPTIONS(.raw_scores = 1);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        float scores[2], logits[3], score, difference;
        engine_info info = ENGINE_INFO();
        engine_shape shape = ENGINE_SHAPE();
        engine_error error;
        engine_model *model = support_small_model(made[i]);
        engine_session *session = support_session(model, NULL);
        assert_ok(engine_model_info(model, &info, NULL));
        assert_int_equal(info.ranks_pairs, i < 2);
        assert_fails(UNSUPPORTED, engine_shape_of(model, NULL, &shape, &error));
        assert_non_null(strstr(error.message, i < 3 ? "('no', 'yes')" : "('a', 'b', 'c')"));
        assert_fails(UNSUPPORTED, engine_encode(session, &query, 1, NULL, scores, 2, NULL, NULL));
        const engine_status status = engine_rank(session, &query, texts, 2, NULL, scores);
        assert_int_equal(status, i < 2 ? ENGINE_OK : ENGINE_ERROR_UNSUPPORTED);
        assert_int_equal(engine_score_pairs(session, &pair, 1, NULL, &score, 1, NULL, NULL),
                         status);
        if (status == ENGINE_OK) {
            raw.pooling = ENGINE_POOLING_LABELS;
            assert_ok(engine_encode(session, &pair, 1, &raw, logits, 2, NULL, NULL));
            assert_ok(engine_score_pairs(session, &pair, 1, &raw, &difference, 1, NULL, NULL));
            assert_float_equal(score, scores[0], 0);
            assert_float_equal(difference, logits[1] - logits[0], 0);
            assert_true(fabs((double)score - 1 / (1 + exp(-(double)difference))) <= 1e-7);
        }
    }
    float score;
    assert_fails(UNSUPPORTED, engine_score_pairs(of_plain, &pair, 1, NULL, &score, 1, NULL, NULL));
    assert_non_null(strstr(engine_session_message(of_plain), "no head for pairs of texts"));
    assert_fails(ARGUMENT, engine_score_pairs(NULL, &pair, 1, NULL, &score, 1, NULL, NULL));
}

/* A rank cuts long texts as the file says if it can report how many. */
TEST(rank_counts_what_it_cuts)
{
    engine_input query = support_text("I ride"),
                 texts[] = {support_text("bike"), support_text("I ride bike dog cat I ride bike"),
                            support_text("I ride bike dog cat I")};
    const char *const made[] = {"--max-tokens 5 --truncate yes",
                                "--max-tokens 5 --truncate yes --head sequence --labels 1"};
    for (size_t i = 0; i < 2; i++) {
        float scores[3], cut[3];
        size_t n_cut = 7;
        engine_encode_options seen = ENGINE_ENCODE_OPTIONS(.n_cut = &n_cut),
                              asked = ENGINE_ENCODE_OPTIONS(.on_long = ENGINE_ON_LONG_TRUNCATE);
        engine_session *session = session_of(made[i]);
        assert_fails(LENGTH, engine_rank(session, &query, texts, 3, NULL, scores));
        assert_ok(engine_rank(session, &query, texts, 3, &seen, scores));
        assert_int_equal(n_cut, 2);
        assert_ok(engine_rank(session, &texts[1], texts, 1, &seen, scores));
        assert_int_equal(n_cut, 1);
        assert_ok(engine_rank(session, &query, texts, 3, &seen, scores));
        assert_ok(engine_rank(session, &query, texts, 3, &asked, cut));
        assert_memory_equal(scores, cut, sizeof cut);
    }
}

TEST(metrics_of_models)
{
    static const float a[2] = {1, 2}, b[2] = {4, -2};
    static const char *const made[] = {
        "",
        "--metadata similarity=dot",
        "--metadata similarity=euclidean",
        "--metadata similarity=manhattan",
        "--metadata similarity=other",
        "--set sparse=linear",
        "--set sparse=linear --pooling none",
        "--set sparse=linear --pooling none --metadata similarity=cosine"};
    static const engine_metric of_model[] = {0, 1, 2, 3, 0, 0, 1, 0},
                               of_sparse[] = {0, 0, 0, 0, 0, 1, 1, 0};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        engine_model *model = support_small_model(made[i]);
        engine_shape shape = ENGINE_SHAPE();
        assert_ok(engine_shape_of(model, NULL, &shape, NULL));
        assert_int_equal(shape.metric, of_model[i]);
        const engine_status status = engine_shape_of(
            model, &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_SPARSE), &shape, NULL);
        assert_int_equal(status, i < 5 ? ENGINE_ERROR_UNSUPPORTED : ENGINE_OK);
        assert_int_equal(shape.metric, of_sparse[i]); /* 0 if it is not set */
    }
    assert_true(engine_similarity(ENGINE_METRIC_DOT, a, b, 2) == 0);
    assert_true(engine_similarity(ENGINE_METRIC_EUCLIDEAN, a, b, 2) == -5);
    assert_true(engine_similarity(ENGINE_METRIC_MANHATTAN, a, b, 2) == -7);
    assert_true(!signbit(engine_similarity(ENGINE_METRIC_EUCLIDEAN, a, a, 2)));
    assert_true(engine_similarity(ENGINE_METRIC_DOT, NULL, b, 2) < -1e38);
    assert_true(engine_cosine(a, a, 0) == 0 && engine_cosine(a, NULL, 2) == -1);
}

/* ---- Sparse weights, vectors of tokens, vectors that are cut ---- */

static void refused(engine_session *session, const engine_encode_options *options,
                    engine_status status, const char *message)
{
    engine_input text = support_text("I ride bike");
    float out[4 * WIDTH], score;
    assert_int_equal(engine_encode(session, &text, 1, options, out, 4 * WIDTH, NULL, NULL), status);
    assert_non_null(strstr(engine_session_message(session), message));
    assert_int_equal(engine_rank(session, &text, &text, 1, options, &score), status);
}

TEST(models_without)
{
    engine_encode_options sparse = with(ENGINE_POOLING_SPARSE), many = with(ENGINE_POOLING_COLBERT);
    refused(of_plain, &sparse, ENGINE_ERROR_UNSUPPORTED,
            "the model has no sparse weights, as SPLADE has");
    refused(of_plain, &many, ENGINE_ERROR_UNSUPPORTED,
            "the model has no layer for tokens' vectors, as ColBERT has");
    for (size_t i = 0; i < 2; i++) {
        engine_info info = ENGINE_INFO();
        assert_ok(engine_model_info(i == 0 ? plain : rich, &info, NULL));
        assert_true(info.token_vectors == i * VECTOR && info.has_sparse == (int)i);
    }
}

TEST(options_that_make_no_sense)
{
    static const struct {
        engine_encode_options options;
        const char *message;
    } cases[] = {{{.pooling = (engine_pooling)13}, "pooling is 13, expected 0 to 12"},
                 {{.pooling = ENGINE_POOLING_SPARSE, .normalize = 1}, "pooling is 'sparse'"},
                 {{.pooling = ENGINE_POOLING_SPARSE, .dimensions = 3},
                  "dimensions is 3, but only vectors of texts"},
                 {{.pooling = ENGINE_POOLING_COLBERT, .dimensions = VECTOR + 1},
                  "dimensions is 7, the vectors have 6"},
                 {{.pooling = ENGINE_POOLING_MEAN, .dimensions = WIDTH + 1},
                  "dimensions is 17, the vectors have 16"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        engine_encode_options options = cases[i].options;
        options.struct_bytes = sizeof options;
        refused(of_rich, &options, ENGINE_ERROR_ARGUMENT, cases[i].message);
    }
}

TEST(texts_without_tokens)
{
    engine_encode_options sparse = with(ENGINE_POOLING_SPARSE), many = with(ENGINE_POOLING_COLBERT);
    engine_input texts[] = {support_text(""), support_text("ride")};
    engine_result results[2];
    float out[2 * VOCABULARY], scores[2];
    size_t needed;
    out[0] = 1;
    assert_ok(engine_encode(of_rich, texts, 1, &sparse, out, VOCABULARY, &needed, NULL));
    assert_int_equal(needed, VOCABULARY);
    assert_int_equal(engine_sparse_entries(out, VOCABULARY, NULL, 0), 0);
    assert_ok(engine_encode(of_rich, texts, 2, &many, out, 2 * VOCABULARY, &needed, results));
    assert_int_equal(needed, VECTOR);
    assert_int_equal(results[1].row, 0);
    assert_ok(engine_rank(of_rich, &texts[1], texts, 2, &many, scores));
    assert_true(scores[0] == -1 && fabsf(scores[1] - 1) < 1e-6f);
    assert_ok(engine_rank(of_rich, &texts[0], texts, 2, &many, scores));
    assert_true(scores[0] == 0 && scores[1] == 0 && !signbit(scores[0]));
}

TEST(entries)
{
    const float row[] = {0, 2, 0, 3, 4};
    const engine_weight other[] = {{0, 5}, {3, 7}, {4, 1}, {9, 8}};
    engine_weight out[4] = {{0}};
    assert_int_equal(engine_sparse_entries(row, 5, out, 2), 3);
    assert_true(out[0].id == 1 && out[0].weight == 2 && out[1].id == 3 && out[1].weight == 3);
    assert_int_equal(out[2].id, 0);
    assert_int_equal(engine_sparse_entries(row, 5, out, 4), 3);
    assert_int_equal(engine_sparse_entries(NULL, 5, out, 4), 0);
    assert_int_equal(engine_sparse_entries(row, 5, NULL, 0), 3);
    assert_true(engine_sparse_product(out, 3, other, 4) == 3 * 7 + 4 * 1);
    assert_true(engine_sparse_product(other, 4, out, 3) == 3 * 7 + 4 * 1);
    assert_true(engine_sparse_product(out, 0, other, 4) == 0);
    assert_true(engine_sparse_product(NULL, 3, other, 4) == 0);
    assert_true(engine_sparse_product(other, 4, NULL, 3) == 0);
}

TEST(max_sim)
{
    const float query[] = {1, 0, 0, 1}, text[] = {0.5f, -2, 0.25f, 3, -1, -1};
    assert_true(engine_max_sim(query, 2, text, 3, 2) == 0.5 + 3);
    assert_true(engine_max_sim(query, 1, text + 4, 1, 2) == -1);
    assert_true(engine_max_sim(query, 2, text, 0, 2) == 0);
    assert_true(engine_max_sim(query, 0, text, 3, 2) == 0);
    assert_true(engine_max_sim(NULL, 2, text, 3, 2) == 0);
    assert_true(engine_max_sim(query, 2, NULL, 3, 2) == 0);
    assert_false(engine_token_has_vector(NULL, 1, 1, ENGINE_ROLE_QUERY));
}
