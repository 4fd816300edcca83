/* Tokens, windows and prompts at their edges: empty texts, pairs, long texts, buffers that are
 * too small, what it refuses. */
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <stdlib.h>
#include <string.h>

static void *model_bytes;
static size_t model_len;
static engine_model *model;
static engine_session *session;

SET_UP()
{
    model_bytes = tiny_model_bytes("learned", &model_len);
    model = support_open_memory(model_bytes, model_len);
    session = support_session(model, NULL);
}

TEAR_DOWN()
{
    engine_session_free(session);
    engine_model_close(model);
    free(model_bytes);
}

TEST(tokenize_edges)
{
    engine_input input = support_text("I ride a  bike"), empty = {0};
    engine_token tokens[8];
    engine_result result;
    size_t needed = 99;
    static const int32_t expected[] = {2, 4, 5, 1, 6, 3}, ids[] = {2, 3};
    engine_input ready = support_ids(ids, 2);
    engine_encode_options options = ENGINE_ENCODE_OPTIONS();

    assert_int_equal(engine_tokenize(session, &input, NULL, NULL, 0, &needed, NULL),
                     ENGINE_ERROR_BUFFER);
    assert_int_equal(needed, 6);
    assert_int_equal(engine_tokenize(session, &input, NULL, tokens, 5, &needed, NULL),
                     ENGINE_ERROR_BUFFER);
    assert_int_equal(needed, 6);
    assert_int_equal(engine_tokenize(session, &input, NULL, NULL, 6, NULL, NULL),
                     ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_tokenize(session, &input, NULL, tokens, 6, &needed, &result), 0);
    assert_int_equal(needed, 6);
    assert_int_equal(result.n_tokens, 6);
    assert_int_equal(result.n_dropped, 0);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(tokens[i].id, expected[i]);
        assert_int_equal(tokens[i].special, i == 0 || i == 5);
        assert_int_equal(tokens[i].type, 0);
    }
    assert_int_equal(tokens[4].begin, 10);
    assert_int_equal(tokens[4].end, 14);
    assert_int_equal(tokens[5].begin, tokens[5].end);

    /* The empty text, in both spellings, with and without special tokens. */
    assert_int_equal(engine_tokenize(session, &empty, NULL, tokens, 8, &needed, NULL), 0);
    assert_int_equal(needed, 2);
    empty.text = "";
    assert_int_equal(engine_tokenize(session, &empty, NULL, tokens, 8, &needed, NULL), 0);
    assert_int_equal(needed, 2);
    options.no_special = 1;
    assert_int_equal(engine_tokenize(session, &empty, &options, NULL, 0, &needed, &result), 0);
    assert_int_equal(needed, 0);
    assert_int_equal(result.n_tokens, 0);

    assert_int_equal(engine_tokenize(NULL, &input, NULL, tokens, 8, NULL, NULL),
                     ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_tokenize(session, NULL, NULL, tokens, 8, NULL, NULL),
                     ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_tokenize(session, &ready, NULL, tokens, 8, NULL, NULL),
                     ENGINE_ERROR_ARGUMENT);
    assert_int_not_equal(engine_session_message(session)[0], 0);
    ready = (engine_input){.n_ids = 1};
    assert_int_equal(engine_tokenize(session, &ready, NULL, tokens, 8, NULL, NULL),
                     ENGINE_ERROR_ARGUMENT);
    ready = (engine_input){.n_tokens = 1};
    assert_int_equal(engine_tokenize(session, &ready, NULL, tokens, 8, NULL, NULL),
                     ENGINE_ERROR_ARGUMENT);
    ready.tokens = tokens;
    assert_int_equal(engine_tokenize(session, &ready, NULL, tokens, 8, NULL, NULL),
                     ENGINE_ERROR_ARGUMENT);
    empty.text = NULL;
    empty.text_len = 3;
    assert_int_equal(engine_tokenize(session, &empty, NULL, tokens, 8, NULL, NULL),
                     ENGINE_ERROR_ARGUMENT);
    options = ENGINE_ENCODE_OPTIONS();
    options.on_long = (engine_on_long)3;
    assert_int_equal(engine_tokenize(session, &input, &options, tokens, 8, NULL, NULL),
                     ENGINE_ERROR_ARGUMENT);
}

TEST(tokenize_long_texts)
{
    enum { N = 5000 };
    char *text = malloc(2 * N);
    engine_token *tokens = malloc((N + 2) * sizeof *tokens);
    engine_encode_options options = ENGINE_ENCODE_OPTIONS();
    engine_input input = {0};
    engine_result result;
    size_t needed;

    assert_true(text && tokens);
    for (size_t i = 0; i < N; i++)
        memcpy(text + 2 * i, "i ", 2);
    input.text = text;
    input.text_len = 2 * N;
    /* Any length is taken, also beyond the model's; a limit cuts it, or refuses. */
    assert_int_equal(engine_tokenize(session, &input, NULL, tokens, N + 2, &needed, &result), 0);
    assert_int_equal(needed, N + 2);
    options.max_tokens = 5;
    options.on_long = ENGINE_ON_LONG_TRUNCATE;
    assert_int_equal(engine_tokenize(session, &input, &options, tokens, 5, &needed, &result), 0);
    assert_int_equal(needed, 5);
    assert_int_equal(result.n_tokens, 5);
    assert_int_equal(result.n_dropped, N - 3);
    assert_int_equal(tokens[4].id, 3);
    options.on_long = ENGINE_ON_LONG_ERROR;
    assert_int_equal(engine_tokenize(session, &input, &options, tokens, N + 2, &needed, &result),
                     ENGINE_ERROR_LENGTH);
    options.on_long = ENGINE_ON_LONG_MODEL; /* the file says nothing: an error */
    assert_int_equal(engine_tokenize(session, &input, &options, tokens, N + 2, &needed, &result),
                     ENGINE_ERROR_LENGTH);
    free(text);
    free(tokens);
}

TEST(tokenize_a_pair)
{
    engine_input input = support_text("I ride");
    engine_token tokens[8];
    size_t needed;
    static const int32_t ids[] = {2, 4, 5, 3, 6, 3}, types[] = {0, 0, 0, 0, 1, 1};

    input.pair = "bike";
    input.pair_len = 4;
    assert_int_equal(engine_tokenize(session, &input, NULL, tokens, 8, &needed, NULL), 0);
    assert_int_equal(needed, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(tokens[i].id, ids[i]);
        assert_int_equal(tokens[i].type, types[i]);
        assert_int_equal(tokens[i].in_pair, i == 4);
    }
    assert_int_equal(tokens[4].end, 4);
    input.pair_len = 0; /* an empty second text is a pair all the same */
    assert_int_equal(engine_tokenize(session, &input, NULL, tokens, 8, &needed, NULL), 0);
    assert_int_equal(needed, 5);
}

/* What engine_window_tokens gives, by looking at every token. */
static void check_window(const engine_window *window, const engine_token *tokens, size_t n_tokens)
{
    engine_token out[16];
    size_t n = 0;
    engine_window_tokens(window, tokens, n_tokens, out);
    for (size_t i = 0; i < n_tokens; i++)
        if (tokens[i].special || tokens[i].in_pair != window->in_pair ||
            i - window->first < window->n)
            assert_memory_equal(&out[n++], &tokens[i], sizeof tokens[i]);
    assert_int_equal(n, window->n_tokens);
}

/* Of the first text, and of the second. */
TEST(windows_look_at_no_more_than_they_need)
{
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.max_tokens = 6);
    static const char *const texts[] = {"I ride bike I ride", "bike", "I ride bike I ride"};
    for (size_t i = 0; i < 2; i++) {
        engine_input input = support_text(texts[i]);
        engine_token tokens[16];
        engine_window windows[8];
        size_t n_tokens, n;
        input.pair = texts[i + 1];
        input.pair_len = strlen(texts[i + 1]);
        assert_int_equal(engine_tokenize(session, &input, NULL, tokens, 16, &n_tokens, NULL), 0);
        assert_int_equal(engine_windows(session, tokens, n_tokens, &options, windows, 8, &n), 0);
        assert_int_equal(n, 3);
        for (size_t w = 0; w < n; w++)
            check_window(&windows[w], tokens, n_tokens);
    }
}

TEST(windows_that_are_refused)
{
    engine_input input = support_text("I ride");
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.role = (engine_role)9);
    engine_token tokens[8], untouched = {.id = -7};
    engine_window windows[2];
    size_t n;

    assert_int_equal(engine_tokenize(session, &input, NULL, tokens, 8, &n, NULL), 0);
    assert_int_equal(engine_windows(NULL, tokens, n, NULL, windows, 2, NULL),
                     ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_windows(session, tokens, n, NULL, NULL, 2, NULL),
                     ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_windows(session, tokens, n, &options, windows, 2, NULL),
                     ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_windows(session, NULL, 0, NULL, NULL, 0, &n), ENGINE_ERROR_BUFFER);
    assert_int_equal(n, 1); /* no tokens are one window all the same */
    assert_int_equal(engine_windows(session, NULL, 0, NULL, windows, 2, &n), 0);
    engine_window_tokens(&windows[0], tokens, 0, &untouched);
    engine_window_tokens(&windows[0], tokens, 4, NULL);
    const engine_window wrong[] = {{.n_tokens = 1, .first = 5},
                                   {.n_tokens = 2, .first = 3, .n = 2},
                                   {.n_tokens = 1, .first = 0, .n = 2}};
    for (size_t i = 0; i < 3; i++)
        engine_window_tokens(&wrong[i], tokens, 4, &untouched);
    assert_int_equal(untouched.id, -7);
}

TEST(prompts_without_arguments)
{
    engine_encode_options other = {.struct_bytes = SIZE_MAX};
    const char *text;
    size_t len;

    assert_int_equal(engine_prompt(model, NULL, &text, &len, NULL), 0);
    assert_int_equal(len, 0);
    assert_int_equal(engine_prompt(NULL, NULL, &text, &len, NULL), ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_prompt(model, NULL, NULL, &len, NULL), ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_prompt(model, NULL, &text, NULL, NULL), ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_prompt(model, &other, &text, &len, NULL), ENGINE_ERROR_ARGUMENT);
}

static engine_word_counts count(const char *text)
{
    engine_input input = support_text(text);
    engine_token tokens[32];
    engine_word_counts counts;
    size_t n;
    assert_int_equal(engine_tokenize(session, &input, NULL, tokens, 32, &n, NULL), ENGINE_OK);
    assert_int_equal(engine_count_words(model, &input, tokens, n, &counts), ENGINE_OK);
    return counts;
}

/* Punctuation is no word, whether it is known or not; from U+2E80 on each token is one. */
TEST(words_are_counted)
{
    engine_word_counts counts = count("I ride a  bike xyz !");
    assert_int_equal(counts.n, 5);
    assert_int_equal(counts.n_unknown, 2);
    assert_int_equal(counts.n_latin, 2); /* ride, bike */
    assert_int_equal(counts.n_whole, 2);
    assert_int_equal(count("\u0438\u0433\u0440\u0430\u0435\u0442 .").n_unknown, 1);
    assert_int_equal(count("\u5409 \u4ed6").n, 2);
    assert_int_equal(count("?! ,").n, 0);
    assert_int_equal(count("").n, 0);

    engine_input input = support_text("a"), mixed = support_text("\u5409ride"),
                 pair = {.text = "x", .text_len = 1, .pair = "ride", .pair_len = 4};
    const engine_token token = {.id = 4, .begin = 0, .end = 2},
                       second = {.id = 5, .end = 4, .in_pair = 1};
    assert_int_equal(engine_count_words(model, &input, &token, 1, &counts), ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_count_words(model, &input, NULL, 1, &counts), ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_count_words(NULL, &input, NULL, 0, &counts), ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_count_words(model, NULL, NULL, 0, &counts), ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_count_words(model, &input, NULL, 0, NULL), ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_count_words(model, &input, NULL, 0, &counts), ENGINE_OK);
    assert_int_equal(counts.n, 0);
    assert_int_equal(engine_count_words(model, &pair, &second, 1, &counts), ENGINE_OK);
    assert_int_equal(counts.n, 1);
    const engine_token both[] = {{.id = 4, .end = 3}, {.id = 5, .begin = 3, .end = 7}};
    assert_int_equal(engine_count_words(model, &mixed, both, 2, &counts), ENGINE_OK);
    assert_int_equal(counts.n, 2);
}
