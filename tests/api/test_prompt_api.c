/* tags: numbers threads */
/* Guarantee: prompts and windows of engine.h give the vectors of the texts and tokens that
 * they represent, bit for bit. */
#include "tests/support.h"
#include "tests/tiny_model.h"
#include "tests/tools/encode/head_models.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RIDE = 5, BIKE = 6, THE = 7 };
TINY_SUITE(tiny_model_prompts(&len));

static const float *vector_of(const char *text, const engine_encode_options *options)
{
    engine_input input = engine_text(text);
    return support_encode(session, &input, 1, options, NULL);
}

static const float *bare_vector(const char *text)
{
    return vector_of(text, &ENGINE_ENCODE_OPTIONS(.prompt = ""));
}

/* Text and prompt have the vector of `same` without a prompt. */
TEST(prompts_go_before_texts)
{
    const struct {
        engine_encode_options options;
        const char *text, *same;
    } cases[] = {
        {ENGINE_ENCODE_OPTIONS(), "i", "bike i"}, /* the file's default */
        {ENGINE_ENCODE_OPTIONS(.prompt = "query"), "i", "ride i"},
        {ENGINE_ENCODE_OPTIONS(.prompt = ""), "i", "i"},
        {ENGINE_ENCODE_OPTIONS(.role = ENGINE_ROLE_QUERY), "i", "ride i"},
        /* there is no prompt "document", and no other for it */
        {ENGINE_ENCODE_OPTIONS(.role = ENGINE_ROLE_DOCUMENT), "i", "i"},
        {ENGINE_ENCODE_OPTIONS(.prompt_text = "ride the", .prompt_len = ENGINE_NUL_TERMINATED),
         " i", "ride the i"},
        {ENGINE_ENCODE_OPTIONS(.prompt_text = "ride the", .prompt_len = 5), "i", "ride i"},
        {ENGINE_ENCODE_OPTIONS(.prompt_text = "ride the", .prompt_len = 5), "", "ride"},
        /* nothing is known of the prompts of another pooling than the model's own */
        {ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN, .normalize = 1), "i", "i"},
        {ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN, .normalize = 1, .prompt = "style"),
         "i", "bike i"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (memcmp(vector_of(cases[i].text, &cases[i].options), bare_vector(cases[i].same),
                   D * sizeof(float)) != 0)
            fail_msg("case %zu: '%s' is not '%s'", i, cases[i].text, cases[i].same);
    assert_memory_equal(vector_of("i", NULL), bare_vector("bike i"), D * sizeof(float));
    assert_memory_equal(
        vector_of("i", &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_CLS, .prompt = "style")),
        vector_of("bike i", &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_CLS)),
        D * sizeof(float));
}

TEST(prompts_that_are_refused)
{
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.prompt = "nobody");
    engine_input input = engine_text("i");
    float vector[D];
    engine_shape shape = ENGINE_SHAPE();
    engine_error error;
    assert_fails(ARGUMENT, engine_encode(session, &input, 1, &options, vector, D, NULL, NULL));
    assert_non_null(strstr(engine_session_message(session),
                           "no prompt 'nobody': choose query, passage, style"));
    assert_fails(ARGUMENT, engine_shape_of(model, &options, &shape, &error));
    options.prompt = "query";
    options.prompt_text = "x";
    assert_fails(ARGUMENT, engine_encode(session, &input, 1, &options, vector, D, NULL, NULL));
    options.prompt_text = NULL;
    options.role = (engine_role)7;
    assert_fails(ARGUMENT, engine_encode(session, &input, 1, &options, vector, D, NULL, NULL));
    options.role = ENGINE_ROLE_TEXT;
    assert_ok(engine_shape_of(model, &options, &shape, &error));
    assert_int_equal(shape.prompt_len, 5);
    assert_memory_equal(shape.prompt, "ride ", 5);
    options.prompt = "";
    assert_ok(engine_shape_of(model, &options, &shape, &error));
    assert_int_equal(shape.prompt_len, 0);
}

/* Tokens of the prompt are marked; spans count in the caller's text. */
TEST(spans_behind_a_prompt)
{
    static const int32_t ids[] = {2, THE, THE, RIDE, BIKE, 3};
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.prompt = "passage");
    engine_input input = engine_text("ride bike");
    engine_token tokens[8];
    engine_result result;
    assert_ok(engine_tokenize(session, &input, &options, tokens, 8, NULL, &result));
    assert_int_equal(result.n_tokens, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(tokens[i].id, ids[i]);
        assert_int_equal(tokens[i].in_prompt, i == 1 || i == 2);
    }
    assert_int_equal(tokens[2].end, 0);
    assert_int_equal(tokens[3].begin, 0);
    assert_int_equal(tokens[3].end, 4);
    assert_int_equal(tokens[4].begin, 5);
    assert_int_equal(tokens[4].end, 9);
    /* One word of the prompt and the text: it is of the text. */
    options = ENGINE_ENCODE_OPTIONS(.prompt_text = "bi", .prompt_len = 2);
    input = engine_text("ke");
    assert_ok(engine_tokenize(session, &input, &options, tokens, 8, NULL, &result));
    assert_int_equal(tokens[1].id, BIKE);
    assert_int_equal(tokens[1].in_prompt, 0);
    assert_int_equal(tokens[1].begin, 0);
    assert_int_equal(tokens[1].end, 2);
}

/* By default the query gets the file's prompt query, and texts would get document. */
TEST(rank_uses_the_prompts)
{
    engine_input query = engine_text("i"), texts[2] = {engine_text("bike"), engine_text("ride")};
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.query_prompt = "", .prompt = "style");
    float scores[2];
    assert_ok(engine_rank(session, &query, texts, 2, NULL, scores));
    assert_float_equal(scores[1], engine_cosine(bare_vector("ride i"), bare_vector("ride"), D), 0);
    assert_ok(engine_rank(session, &query, texts, 2, &options, scores));
    assert_float_equal(scores[1], engine_cosine(bare_vector("i"), bare_vector("bike ride"), D), 0);

    /* Pairs: a prompt goes before the first text of each, as engine_encode puts it. */
    const engine_encode_options as_query = ENGINE_ENCODE_OPTIONS(.role = ENGINE_ROLE_QUERY),
                                as_text = ENGINE_ENCODE_OPTIONS(.role = ENGINE_ROLE_DOCUMENT);
    query.pair = "the", texts[1].pair = "i i";
    query.pair_len = texts[1].pair_len = ENGINE_NUL_TERMINATED;
    assert_ok(engine_rank(session, &query, texts, 2, NULL, scores));
    const float *a = support_encode(session, &query, 1, &as_query, NULL),
                *b = support_encode(session, &texts[1], 1, &as_text, NULL);
    assert_float_equal(scores[1], engine_cosine(a, b, D), 0);
    options.pooling = ENGINE_POOLING_NONE;
    assert_fails(ARGUMENT, engine_rank(session, &query, texts, 2, &options, scores));
}

/* ---- Vectors without the prompt's tokens: pools_prompt no ---- */

enum { UNPOOLED_WIDTH = 16 };

/* The mean of the tokens' vectors from `first` on. */
static void mean_from(engine_session *of, const char *text, size_t first, float mean[])
{
    float rows[16 * UNPOOLED_WIDTH];
    size_t n = 0;
    engine_input input = engine_text(text);
    engine_encode_options every = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    assert_ok(engine_encode(of, &input, 1, &every, rows, sizeof rows / sizeof *rows, &n, 0));
    for (size_t c = 0; c < UNPOOLED_WIDTH; c++) {
        double sum = 0;
        for (size_t t = first; t < n / UNPOOLED_WIDTH; t++)
            sum += (double)rows[t * UNPOOLED_WIDTH + c];
        mean[c] = (float)(sum / (double)(n / UNPOOLED_WIDTH - first));
    }
}

TEST(vectors_without_the_prompts_tokens)
{
    engine_session *of = support_session(
        support_small_model("--pooling mean --normalize no --set pools_prompt=no"), NULL);
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.prompt_text = "I ride ", .prompt_len = ENGINE_NUL_TERMINATED);
    engine_input input = engine_text("bike dog"), given = {0};
    float got[UNPOOLED_WIDTH], expected[UNPOOLED_WIDTH];
    engine_token tokens[8];
    size_t n;
    mean_from(of, "I ride bike dog", 2, expected);
    assert_ok(engine_encode(of, &input, 1, &options, got, UNPOOLED_WIDTH, NULL, NULL));
    for (size_t c = 0; c < UNPOOLED_WIDTH; c++)
        assert_true(fabsf(got[c] - expected[c]) <= 1e-6f);
    assert_ok(engine_tokenize(of, &input, &options, tokens, 8, &n, NULL));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(tokens[i].unpooled, i < 2);
    given.tokens = tokens; /* they have their marks: options need not tell the prompt again */
    given.n_tokens = n;
    assert_ok(engine_encode(of, &given, 1, NULL, expected, UNPOOLED_WIDTH, NULL, NULL));
    assert_memory_equal(got, expected, sizeof got);
    options.pooling = ENGINE_POOLING_MEAN; /* not the model's own: of all tokens */
    mean_from(of, "I ride bike dog", 0, expected);
    assert_ok(engine_encode(of, &input, 1, &options, got, UNPOOLED_WIDTH, NULL, NULL));
    for (size_t c = 0; c < UNPOOLED_WIDTH; c++)
        assert_true(fabsf(got[c] - expected[c]) <= 1e-6f);
    input = engine_text("");
    options.pooling = ENGINE_POOLING_MODEL;
    assert_ok(engine_encode(of, &input, 1, &options, got, UNPOOLED_WIDTH, NULL, NULL));
    for (size_t c = 0; c < UNPOOLED_WIDTH; c++)
        assert_true(got[c] == 0); /* no token is left */

    /* Of ids it is not known which are the prompt's. */
    given = (engine_input){.ids = (const int32_t[]){0, 1, 2}, .n_ids = 3};
    assert_fails(ARGUMENT, engine_encode(of, &given, 1, &options, got, UNPOOLED_WIDTH, NULL, NULL));
    assert_non_null(strstr(engine_session_message(of), "has ids, of which the prompt's"));
    options.prompt_len = 0;
    assert_ok(engine_encode(of, &given, 1, &options, got, UNPOOLED_WIDTH, NULL, NULL));
}

/* ---- Tokens as inputs ---- */

TEST(tokens_are_inputs)
{
    engine_input text = engine_text("i ride"), given = {0};
    static const uint8_t mask[] = {1, 1, 0, 1, 1};
    static const int32_t without[] = {2, BIKE, RIDE, 3};
    engine_token tokens[8];
    float vector[D];
    size_t n;
    assert_ok(engine_tokenize(session, &text, NULL, tokens, 8, &n, NULL));
    given.tokens = tokens;
    given.n_tokens = n;
    assert_memory_equal(support_encode(session, &given, 1, NULL, NULL), vector_of("i ride", NULL),
                        sizeof vector);
    /* A masked token leaves its position empty, as with ids. */
    given.mask = mask;
    engine_input ids = {.ids = (const int32_t[]){2, BIKE, 4, RIDE, 3}, .n_ids = 5, .mask = mask};
    const float *expected = support_encode(session, &ids, 1, NULL, NULL);
    assert_memory_equal(support_encode(session, &given, 1, NULL, NULL), expected, sizeof vector);
    ids = support_ids(without, 4);
    assert_memory_not_equal(support_encode(session, &ids, 1, NULL, NULL), expected, sizeof vector);
    /* What cannot be. */
    given.ids = without;
    given.n_ids = 4;
    assert_fails(ARGUMENT, engine_encode(session, &given, 1, NULL, vector, D, NULL, NULL));
    given = (engine_input){.tokens = tokens, .n_tokens = n, .text = "i"};
    assert_fails(ARGUMENT, engine_encode(session, &given, 1, NULL, vector, D, NULL, NULL));
    given = (engine_input){.n_tokens = n};
    assert_fails(ARGUMENT, engine_encode(session, &given, 1, NULL, vector, D, NULL, NULL));
    tokens[1].id = TINY_VOCABULARY;
    given = (engine_input){.tokens = tokens, .n_tokens = n};
    assert_fails(ARGUMENT, engine_encode(session, &given, 1, NULL, vector, D, NULL, NULL));
    assert_non_null(strstr(engine_session_message(session), "id 8 at index 1"));
}

/* ---- Windows ---- */

enum { N_WORDS = 20, ROOM = 9 }; /* 12 tokens less [CLS], the prompt's "bike" and [SEP] */

/* Every window has the prompt, is full but for the last, shares `stride` tokens with the one before
 * it, and its span is that of its words: "the " 20 times. */
static void check_windows(const engine_token *tokens, size_t n_tokens, size_t stride)
{
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.stride = stride);
    engine_window windows[32];
    engine_token out[16];
    size_t n, word = 0;
    assert_ok(engine_windows(session, tokens, n_tokens, &options, windows, 32, &n));
    for (size_t w = 0; w < n; w++) {
        bool is_last = w + 1 == n;
        assert_int_equal(windows[w].first, 2 + word);
        if (!is_last)
            assert_int_equal(windows[w].n, ROOM);
        assert_int_equal(windows[w].n_tokens, windows[w].n + 3);
        assert_int_equal(windows[w].begin, 4 * word);
        assert_int_equal(windows[w].end, 4 * (word + windows[w].n) - 1);
        engine_window_tokens(&windows[w], tokens, n_tokens, out);
        assert_int_equal(out[0].id, 2);
        assert_int_equal(out[1].id, BIKE);
        assert_int_equal(out[2].begin, 4 * word);
        assert_int_equal(out[windows[w].n_tokens - 1].id, 3);
        word += is_last ? windows[w].n : ROOM - stride;
    }
    assert_int_equal(word, N_WORDS);
}

TEST(windows_of_a_long_text)
{
    char text[4 * N_WORDS + 1] = "", *end = text;
    engine_input input = engine_text(text);
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.stride = ROOM);
    engine_token tokens[32], out[16];
    engine_window windows[8];
    size_t n_tokens, n;
    float vector[D];
    for (size_t i = 0; i < N_WORDS; i++)
        end += sprintf(end, "the ");
    assert_ok(engine_tokenize(session, &input, NULL, tokens, 32, &n_tokens, NULL));
    assert_int_equal(n_tokens, N_WORDS + 3);
    for (size_t stride = 0; stride < ROOM; stride++)
        check_windows(tokens, n_tokens, stride);

    /* A window's vector is that of its words as a text. */
    assert_ok(engine_windows(session, tokens, n_tokens, NULL, windows, 8, &n));
    assert_int_equal(n, 3);
    engine_window_tokens(&windows[1], tokens, n_tokens, out);
    input = (engine_input){.tokens = out, .n_tokens = windows[1].n_tokens};
    assert_ok(engine_encode(session, &input, 1, NULL, vector, D, NULL, NULL));
    text[windows[1].end] = '\0';
    assert_memory_equal(vector, bare_vector("bike the the the the the the the the the"),
                        sizeof vector);

    /* The edges: too small a buffer, a stride that leaves no way on, no room, a short text. */
    assert_fails(BUFFER, engine_windows(session, tokens, n_tokens, NULL, windows, 2, &n));
    assert_int_equal(n, 3);
    assert_fails(ARGUMENT, engine_windows(session, tokens, n_tokens, &options, windows, 8, &n));
    options = ENGINE_ENCODE_OPTIONS(.max_tokens = 3);
    assert_fails(LENGTH, engine_windows(session, tokens, n_tokens, &options, windows, 8, &n));
    assert_ok(engine_windows(session, tokens, 3, &options, windows, 8, &n));
    assert_int_equal(n, 1);
    assert_int_equal(windows[0].n_tokens, 3);
    assert_fails(ARGUMENT, engine_windows(session, NULL, 3, NULL, windows, 8, &n));
    engine_window_tokens(NULL, tokens, n_tokens, out);
    engine_window_tokens(&windows[0], NULL, 0, out);

    /* Tokens that no tokenizer gave: no window is longer than it says. */
    tokens[4].in_prompt = tokens[6].special = tokens[8].in_pair = 1;
    assert_ok(engine_windows(session, tokens, n_tokens, NULL, windows, 8, &n));
    for (size_t i = 0; i < n; i++) {
        engine_token guarded[TINY_MAX_TOKENS + 1];
        assert_true(windows[i].n_tokens <= TINY_MAX_TOKENS);
        memset(guarded, 0x5a, sizeof guarded);
        engine_window_tokens(&windows[i], tokens, n_tokens, guarded);
        assert_int_equal(guarded[windows[i].n_tokens].id, 0x5a5a5a5a);
    }
}

/* Of a pair the longer text, or the named one, is split into windows; the other is in each. */
TEST(windows_of_a_pair)
{
    engine_input input = engine_text_pair("i ride", "the bike the bike the bike the bike");
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.prompt = "");
    engine_token tokens[32], out[16];
    engine_window windows[8];
    size_t n_tokens, n;
    assert_ok(engine_tokenize(session, &input, &options, tokens, 32, &n_tokens, NULL));
    assert_int_equal(n_tokens, 13);
    assert_ok(engine_windows(session, tokens, n_tokens, &options, windows, 8, &n));
    assert_int_equal(n, 2);
    assert_int_equal(windows[1].in_pair, 1);
    assert_int_equal(windows[1].n, 1);
    assert_int_equal(windows[1].begin, strlen(input.pair) - 4);
    engine_window_tokens(&windows[1], tokens, n_tokens, out);
    static const int32_t expected[] = {2, 4, RIDE, 3, BIKE, 3};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(out[i].id, expected[i]);
    options.truncation = ENGINE_TRUNCATE_ONLY_FIRST;
    assert_ok(engine_windows(session, tokens, n_tokens, &options, windows, 8, &n));
    assert_int_equal(n, 2);
    assert_int_equal(windows[1].in_pair, 0);
    assert_int_equal(windows[1].begin, 2);
    input.text = ""; /* has nothing to cut, and the second text alone is too long */
    options.max_tokens = 5;
    assert_ok(engine_tokenize(session, &input, NULL, tokens, 32, &n_tokens, NULL));
    assert_fails(LENGTH, engine_windows(session, tokens, n_tokens, &options, windows, 8, &n));
}

/* ---- One session, two threads ---- */

enum { N_CALLS = 3000 };

struct caller {
    pthread_t thread;
    const char *text;
    float expected[D];
    size_t n_ok, n_other, n_wrong;
};

static void *call_often(void *user)
{
    struct caller *caller = user;
    engine_input input = engine_text(caller->text);
    while (caller->n_ok + caller->n_other < N_CALLS) {
        float vector[D];
        engine_status status = engine_encode(session, &input, 1, NULL, vector, D, NULL, NULL);
        caller->n_ok += status == ENGINE_OK;
        caller->n_other += status != ENGINE_OK && status != ENGINE_ERROR_BUSY;
        if (status == ENGINE_OK && memcmp(vector, caller->expected, sizeof vector) != 0)
            caller->n_wrong++;
    }
    return NULL;
}

/* Two threads that share a session get a right vector or ENGINE_ERROR_BUSY, nothing else. */
TEST(two_threads_never_get_wrong_numbers)
{
    struct caller callers[2] = {{.text = "i ride bike"}, {.text = "the bike the ride"}};
    for (size_t i = 0; i < 2; i++) {
        engine_input input = engine_text(callers[i].text);
        assert_ok(engine_encode(session, &input, 1, NULL, callers[i].expected, D, NULL, NULL));
    }
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]), 0);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(callers[i].thread, NULL);
        assert_int_equal(callers[i].n_wrong, 0);
        assert_int_equal(callers[i].n_other, 0);
    }
}

/* engine_rank uses the file's prompts also if the pooling is named in the options. */
TEST(ranks_by_name)
{
    const engine_input cat = support_text("cat"), stop = support_text(".");
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_COLBERT);
    engine_shape shape = ENGINE_SHAPE();
    float own, named;
    assert_int_equal(chdir(support_folder()), 0);
    head_models_write();
    engine_model *late = support_open("colbert.emb");
    engine_session *of_late = support_session(late, NULL);
    assert_ok(engine_rank(of_late, &cat, &stop, 1, NULL, &own));
    assert_ok(engine_rank(of_late, &cat, &stop, 1, &options, &named));
    assert_float_equal(own, 2.6, 1e-6);
    assert_float_equal(named, own, 0);
    assert_ok(engine_shape_of(late, &options, &shape, NULL));
    assert_int_equal(shape.prompt_len, strlen("bad "));
}
