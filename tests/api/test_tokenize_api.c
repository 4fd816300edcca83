/* tags: numbers threads */
/* Tokens, windows and prompts at their edges: empty texts, pairs, long texts, buffers that are
 * too small, what it refuses. */
#include "tests/owned.h"
#include "tests/support.h"
#include "tests/tiny_model.h"
#include "tests/weight_surgery.h"
#include "tools/writer/weight_writer.h"

#include <string.h>

TINY_SUITE(tiny_model_bytes("learned", &len));

TEST(tokenize_edges)
{
    engine_input input = support_text("I ride a  bike"), empty = {0};
    engine_token tokens[8];
    engine_result result;
    size_t needed = 99;
    static const int32_t expected[] = {2, 4, 5, 1, 6, 3}, ids[] = {2, 3};
    engine_input ready = support_ids(ids, 2);
    assert_fails(BUFFER, engine_tokenize(session, &input, NULL, NULL, 0, &needed, NULL));
    assert_int_equal(needed, 6);
    assert_fails(BUFFER, engine_tokenize(session, &input, NULL, tokens, 5, &needed, NULL));
    assert_int_equal(needed, 6);
    assert_fails(ARGUMENT, engine_tokenize(session, &input, NULL, NULL, 6, NULL, NULL));
    assert_ok(engine_tokenize(session, &input, NULL, tokens, 6, &needed, &result));
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
    assert_ok(engine_tokenize(session, &empty, NULL, tokens, 8, &needed, NULL));
    assert_int_equal(needed, 2);
    empty.text = "";
    assert_ok(engine_tokenize(session, &empty, NULL, tokens, 8, &needed, NULL));
    assert_int_equal(needed, 2);
    assert_ok(engine_tokenize(session, &empty, &ENGINE_ENCODE_OPTIONS(.no_special = 1), NULL, 0,
                              &needed, &result));
    assert_int_equal(needed, 0);
    assert_int_equal(result.n_tokens, 0);

    assert_fails(ARGUMENT, engine_tokenize(NULL, &input, NULL, tokens, 8, NULL, NULL));
    assert_fails(ARGUMENT, engine_tokenize(session, NULL, NULL, tokens, 8, NULL, NULL));
    assert_fails(ARGUMENT, engine_tokenize(session, &ready, NULL, tokens, 8, NULL, NULL));
    assert_int_not_equal(engine_session_message(session)[0], 0);
    ready = (engine_input){.n_ids = 1};
    assert_fails(ARGUMENT, engine_tokenize(session, &ready, NULL, tokens, 8, NULL, NULL));
    ready = (engine_input){.n_tokens = 1};
    assert_fails(ARGUMENT, engine_tokenize(session, &ready, NULL, tokens, 8, NULL, NULL));
    ready.tokens = tokens;
    assert_fails(ARGUMENT, engine_tokenize(session, &ready, NULL, tokens, 8, NULL, NULL));
    empty.text = NULL;
    empty.text_len = 3;
    assert_fails(ARGUMENT, engine_tokenize(session, &empty, NULL, tokens, 8, NULL, NULL));
    assert_fails(ARGUMENT, engine_tokenize(session, &input,
                                           &ENGINE_ENCODE_OPTIONS(.on_long = (engine_on_long)3),
                                           tokens, 8, NULL, NULL));
}

TEST(tokenize_long_texts)
{
    enum { N = 5000 };
    char *text = new_bytes(2 * N);
    engine_token *tokens = new_bytes((N + 2) * sizeof *tokens);
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.max_tokens = 5, .on_long = ENGINE_ON_LONG_TRUNCATE);
    engine_input input = {.text = text, .text_len = 2 * N};
    engine_result result;
    size_t needed;
    for (size_t i = 0; i < N; i++)
        memcpy(text + 2 * i, "i ", 2);
    /* Any length is taken, also beyond the model's; a limit cuts it, or refuses. */
    assert_ok(engine_tokenize(session, &input, NULL, tokens, N + 2, &needed, &result));
    assert_int_equal(needed, N + 2);
    assert_ok(engine_tokenize(session, &input, &options, tokens, 5, &needed, &result));
    assert_int_equal(needed, 5);
    assert_int_equal(result.n_tokens, 5);
    assert_int_equal(result.n_dropped, N - 3);
    assert_int_equal(tokens[4].id, 3);
    options.on_long = ENGINE_ON_LONG_ERROR;
    assert_fails(LENGTH,
                 engine_tokenize(session, &input, &options, tokens, N + 2, &needed, &result));
    options.on_long = ENGINE_ON_LONG_MODEL; /* the file says nothing: an error */
    assert_fails(LENGTH,
                 engine_tokenize(session, &input, &options, tokens, N + 2, &needed, &result));
}

TEST(tokenize_a_pair)
{
    engine_input input = engine_text_pair("I ride", "bike");
    engine_token tokens[8];
    size_t needed;
    static const int32_t ids[] = {2, 4, 5, 3, 6, 3}, types[] = {0, 0, 0, 0, 1, 1};
    assert_ok(engine_tokenize(session, &input, NULL, tokens, 8, &needed, NULL));
    assert_int_equal(needed, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(tokens[i].id, ids[i]);
        assert_int_equal(tokens[i].type, types[i]);
        assert_int_equal(tokens[i].in_pair, i == 4);
    }
    assert_int_equal(tokens[4].end, 4);
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.max_tokens = 2, .on_long = ENGINE_ON_LONG_TRUNCATE);
    engine_result result;
    assert_fails(LENGTH, engine_tokenize(session, &input, &options, tokens, 8, &needed, &result));
    assert_non_null(strstr(engine_session_message(session),
                           "its 3 special tokens alone are more than the limit of 2"));
    input.pair_len = 0; /* an empty second text is a pair all the same */
    assert_ok(engine_tokenize(session, &input, NULL, tokens, 8, &needed, NULL));
    assert_int_equal(needed, 5);
}

/* Returns the result of engine_window_tokens, computed from every token. */
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
        assert_ok(engine_tokenize(session, &input, NULL, tokens, 16, &n_tokens, NULL));
        assert_ok(engine_windows(session, tokens, n_tokens, &options, windows, 8, &n));
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
    assert_ok(engine_tokenize(session, &input, NULL, tokens, 8, &n, NULL));
    assert_fails(ARGUMENT, engine_windows(NULL, tokens, n, NULL, windows, 2, NULL));
    assert_fails(ARGUMENT, engine_windows(session, tokens, n, NULL, NULL, 2, NULL));
    assert_fails(ARGUMENT, engine_windows(session, tokens, n, &options, windows, 2, NULL));
    assert_fails(BUFFER, engine_windows(session, NULL, 0, NULL, NULL, 0, &n));
    assert_int_equal(n, 1); /* no tokens are one window all the same */
    assert_ok(engine_windows(session, NULL, 0, NULL, windows, 2, &n));
    engine_window_tokens(&windows[0], tokens, 0, &untouched);
    engine_window_tokens(&windows[0], tokens, 4, NULL);
    const engine_window wrong[] = {{.n_tokens = 1, .first = 5},
                                   {.n_tokens = 2, .first = 3, .n = 2},
                                   {.n_tokens = 1, .first = 0, .n = 2}};
    for (size_t i = 0; i < 3; i++)
        engine_window_tokens(&wrong[i], tokens, 4, &untouched);
    assert_int_equal(untouched.id, -7);
    const engine_window large = {.n_tokens = 9, .n = 1}; /* of which 5 are nowhere */
    engine_window_tokens(&large, tokens, 3, &untouched);
    assert_int_equal(untouched.id, tokens[0].id);

    engine_encode_options tight = ENGINE_ENCODE_OPTIONS(.max_tokens = 3, .stride = 1);
    assert_fails(ARGUMENT, engine_windows(session, tokens, 4, &tight, windows, 2, &n));
    assert_non_null(strstr(engine_session_message(session), "have room for 1 token: the stride"));
    engine_session_options fewer = ENGINE_SESSION_OPTIONS(.max_tokens = 3);
    engine_session *narrow = support_session(model, &fewer);
    assert_ok(engine_windows(narrow, tokens, 4, NULL, windows, 2, &n));
    assert_int_equal(n, 2); /* of one token each, between the special ones */
}

/* Files without a model: of three words, and of none. */
TEST(a_tokenizer_alone)
{
    const char *const words[] = {"<unk>", "ride", "bike"};
    const size_t lens[] = {5, 4, 4};
    for (size_t n = 0; n <= 3; n += 3) {
        char path[SUPPORT_PATH];
        struct weight_writer *writer;
        engine_input input = support_text("ride bike");
        engine_token tokens[2];
        engine_window windows[2];
        float vector[D];
        size_t needed;
        support_path(path, support_folder(), "alone.weights");
        assert_ok(weight_writer_open(path, &writer, NULL));
        weight_writer_setting(writer, ENGINE_SETTINGS_CONFIG, "vocabulary", "3", 1);
        weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, "kind", "blanks", 6);
        assert_ok(weight_writer_vocabulary(writer, words, lens, n));
        assert_ok(weight_writer_finish(writer));
        engine_model *alone = support_open(path);
        engine_session *of_alone = support_session(alone, NULL);
        assert_fails(UNSUPPORTED,
                     engine_encode(of_alone, &input, 1, NULL, vector, D, &needed, NULL));
        assert_string_equal(engine_session_message(of_alone),
                            "the weight file holds a tokenizer alone");
        assert_fails(UNSUPPORTED,
                     engine_position_matrix(alone, NULL, 0, 1, NULL, 0, &needed, NULL));
        engine_status status = engine_tokenize(of_alone, &input, NULL, tokens, 2, &needed, NULL);
        assert_int_equal(status, n > 0 ? ENGINE_OK : ENGINE_ERROR_UNSUPPORTED);
        if (n > 0) {
            assert_true(needed == 2 && tokens[0].id == 1 && tokens[1].id == 2);
            assert_ok(engine_windows(of_alone, tokens, 2, NULL, windows, 2, &needed));
            assert_true(needed == 1 && windows[0].n == 2); /* nothing limits a text */
        } else
            assert_non_null(strstr(engine_session_message(of_alone), "must be given as ids"));
    }
}

TEST(shapes_without_arguments)
{
    const engine_encode_options other = {.struct_bytes = SIZE_MAX};
    engine_shape shape = ENGINE_SHAPE(), unset = {0};
    assert_ok(engine_shape_of(model, NULL, &shape, NULL));
    assert_int_equal(shape.prompt_len, 0);
    assert_fails(ARGUMENT, engine_shape_of(NULL, NULL, &shape, NULL));
    assert_fails(ARGUMENT, engine_shape_of(model, NULL, NULL, NULL));
    assert_fails(ARGUMENT, engine_shape_of(model, NULL, &unset, NULL));
    assert_fails(ARGUMENT, engine_shape_of(model, &other, &shape, NULL));
}

/* Files whose default is no prompt, or one that they do not have; and a message with no room for
 * all names. */
TEST(default_prompts)
{
    struct patient file;
    engine_error error;
    engine_shape shape = ENGINE_SHAPE();
    file.data = tiny_model_prompts(&file.len);
    file.cap = file.len;
    for (size_t i = 0; i < 2; i++) {
        struct patient copy = patient_copy(&file, 8192);
        replace_setting(&copy, "META", "default_prompt", i == 0 ? "" : "none", i == 0 ? 0 : 4);
        for (char key[] = "prompt.a_name_that_is_quite_long_0"; key[33] <= '9'; key[33]++)
            replace_setting(&copy, "META", key, "i ", 2);
        engine_model *other = support_open_memory(copy.data, copy.len);
        engine_status status = engine_shape_of(other, NULL, &shape, &error);
        assert_int_equal(status, i == 0 ? ENGINE_OK : ENGINE_ERROR_FORMAT);
        if (i == 0)
            assert_int_equal(shape.prompt_len, 0);
        else
            assert_non_null(strstr(error.message, "default_prompt is 'none', and it has no "));
        engine_encode_options options = ENGINE_ENCODE_OPTIONS(.prompt = "nobody");
        assert_fails(ARGUMENT, engine_shape_of(other, &options, &shape, &error));
        assert_non_null(strstr(error.message, "choose query, passage, style, a_name"));
    }
}

static engine_word_counts count(const char *text)
{
    engine_input input = support_text(text);
    engine_token tokens[32];
    engine_word_counts counts;
    size_t n;
    assert_ok(engine_tokenize(session, &input, NULL, tokens, 32, &n, NULL));
    assert_ok(engine_count_words(model, &input, tokens, n, &counts));
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
    assert_fails(ARGUMENT, engine_count_words(model, &input, &token, 1, &counts));
    assert_fails(ARGUMENT, engine_count_words(model, &input, NULL, 1, &counts));
    assert_fails(ARGUMENT, engine_count_words(NULL, &input, NULL, 0, &counts));
    assert_fails(ARGUMENT, engine_count_words(model, NULL, NULL, 0, &counts));
    assert_fails(ARGUMENT, engine_count_words(model, &input, NULL, 0, NULL));
    assert_ok(engine_count_words(model, &input, NULL, 0, &counts));
    assert_int_equal(counts.n, 0);
    assert_ok(engine_count_words(model, &pair, &second, 1, &counts));
    assert_int_equal(counts.n, 1);
    const engine_token both[] = {{.id = 4, .end = 3}, {.id = 5, .begin = 3, .end = 7}};
    assert_ok(engine_count_words(model, &mixed, both, 2, &counts));
    assert_int_equal(counts.n, 2);
}

/* By tokens with and without blanks of their own, in a text and its pair; 1 is the unknown one. */
TEST(words_of_tokens_are_counted)
{
    engine_input input = {.text = "  \u1E0Dog 12x ngau nh\u0129xabc", .pair = "ride"};
    input.text_len = input.pair_len = ENGINE_NUL_TERMINATED;
    const engine_token tokens[] = {{.id = 4, .begin = 0, .end = 2}, /* blanks alone */
                                   {.id = 4, .begin = 1, .end = 7},
                                   {.id = 4, .begin = 7, .end = 11}, /* no letter is first */
                                   {.id = 4, .begin = 11, .end = 13},
                                   {.id = 1, .begin = 13, .end = 16},
                                   {.id = 1, .begin = 17, .end = 22},
                                   {.id = 1, .begin = 22, .end = 22}, /* empty */
                                   {.id = 4, .end = 4, .in_pair = 1},
                                   {.id = 4, .end = 4, .in_prompt = 1, .in_pair = 1}};
    engine_word_counts counts;
    assert_ok(engine_count_words(model, &input, tokens, 9, &counts));
    assert_int_equal(counts.n, 5);
    assert_int_equal(counts.n_unknown, 1);
    assert_int_equal(counts.n_latin, 3);
    assert_int_equal(counts.n_whole, 2);
    const engine_token letter = {.id = 4, .begin = 24, .end = 25}; /* shorter than a word */
    assert_ok(engine_count_words(model, &input, &letter, 1, &counts));
    assert_true(counts.n == 1 && counts.n_latin == 0);
}
