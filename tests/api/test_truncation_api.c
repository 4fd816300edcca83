/* tags: numbers threads */
/* Truncation through the public functions: which text is cut, at which end, and what cannot be
 * done. */
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

static engine_session *session;

/* A session of a model with these options, and eight words. */
static engine_session *session_of(const char *options)
{
    return support_session(
        support_new_model("a b c d e f g h", "--width 8 --heads 2 --layers 1 %s", options), NULL);
}

SET_UP()
{
    session = session_of("");
}

/* Returns the remaining words, with a bar before the second text's; or "status N". */
static const char *cut(const char *text, const char *pair, size_t max_tokens,
                       engine_truncation truncation, int left)
{
    static char line[256];
    engine_token tokens[32];
    size_t n, at = 0;
    engine_result result;
    engine_input input = {.text = text, .text_len = strlen(text), .pair = pair};
    input.pair_len = pair != NULL ? strlen(pair) : 0;
    const engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.max_tokens = max_tokens, .on_long = ENGINE_ON_LONG_TRUNCATE,
                              .truncation = truncation, .truncate_left = left, .no_special = 1);
    const engine_status status =
        engine_tokenize(session, &input, &options, tokens, 32, &n, &result);
    if (status != ENGINE_OK) {
        assert_true(engine_session_message(session)[0] != '\0');
        snprintf(line, sizeof line, "status %d", (int)status);
        return line;
    }
    const size_t n_all = (strlen(text) + 1) / 2 + (input.pair_len + 1) / 2;
    assert_int_equal(result.n_tokens, n);
    assert_int_equal(result.n_dropped, n_all - n);
    int in_pair = 0;
    for (size_t i = 0; i < n; i++) {
        if (tokens[i].in_pair && !in_pair++)
            at += (size_t)snprintf(line + at, sizeof line - at, "|");
        at += (size_t)snprintf(line + at, sizeof line - at, "%.*s",
                               (int)(tokens[i].end - tokens[i].begin),
                               (tokens[i].in_pair ? pair : text) + tokens[i].begin);
    }
    line[at] = '\0';
    return line;
}

TEST(strategies)
{
    assert_string_equal(cut("a b c d", NULL, 3, ENGINE_TRUNCATE_LONGEST_FIRST, 0), "abc");
    assert_string_equal(cut("a b c d", NULL, 3, ENGINE_TRUNCATE_LONGEST_FIRST, 1), "bcd");
    assert_string_equal(cut("a b c d", NULL, 3, ENGINE_TRUNCATE_ONLY_FIRST, 1), "bcd");
    assert_string_equal(cut("a b c d", "e f", 4, ENGINE_TRUNCATE_LONGEST_FIRST, 0), "ab|ef");
    assert_string_equal(cut("a b c d", "e f", 4, ENGINE_TRUNCATE_LONGEST_FIRST, 1), "cd|ef");
    assert_string_equal(cut("a b c d", "e f g", 5, ENGINE_TRUNCATE_ONLY_FIRST, 0), "ab|efg");
    assert_string_equal(cut("a b c d", "e f g", 5, ENGINE_TRUNCATE_ONLY_SECOND, 0), "abcd|e");
    assert_string_equal(cut("a b c d", "e f g", 5, ENGINE_TRUNCATE_ONLY_SECOND, 1), "abcd|g");
    assert_string_equal(cut("a b c d", "e f g", 9, ENGINE_TRUNCATE_ONLY_SECOND, 1), "abcd|efg");
}

TEST(refused)
{
    char length[32], argument[32];
    snprintf(length, sizeof length, "status %d", ENGINE_ERROR_LENGTH);
    snprintf(argument, sizeof argument, "status %d", ENGINE_ERROR_ARGUMENT);
    assert_string_equal(cut("a b c d", "e f g h", 4, ENGINE_TRUNCATE_ONLY_FIRST, 0), length);
    assert_string_equal(cut("a b c d", "e f g h", 4, ENGINE_TRUNCATE_ONLY_SECOND, 0), length);
    assert_string_equal(cut("a b c d", NULL, 3, ENGINE_TRUNCATE_ONLY_SECOND, 0), length);
    assert_non_null(strstr(engine_session_message(session), "second"));
    assert_string_equal(cut("a b", NULL, 3, (engine_truncation)3, 0), argument);
    assert_string_equal(cut("a b", NULL, 3, (engine_truncation)-1, 0), argument);
    assert_string_equal(cut("a b", NULL, 1, ENGINE_TRUNCATE_LONGEST_FIRST, 0),
                        "a"); /* and the session still works */
}

/* A text is cut if the caller asked for it, or sees it: the file's own setting alone is not enough
 * where `results` is NULL. */
TEST(no_text_is_cut_unseen)
{
    engine_input text = engine_text("a b c d e f g h");
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.max_tokens = 3, .pooling = ENGINE_POOLING_MEAN);
    engine_token tokens[8];
    engine_result result;
    float vector[8], score;
    engine_session *cuts = session_of("--truncate yes");
    assert_fails(LENGTH, engine_encode(cuts, &text, 1, &options, vector, 8, NULL, NULL));
    assert_int_equal(engine_session_error(cuts)->reason, ENGINE_REASON_LONG_TEXT);
    assert_fails(LENGTH, engine_tokenize(cuts, &text, &options, tokens, 8, NULL, NULL));
    assert_fails(LENGTH, engine_rank(cuts, &text, &text, 1, &options, &score));
    assert_ok(engine_encode(cuts, &text, 1, &options, vector, 8, NULL, &result));
    assert_int_equal(result.n_dropped, 5);
    assert_ok(engine_tokenize(cuts, &text, &options, tokens, 8, NULL, &result));
    assert_int_equal(result.n_dropped, 5);
    options.on_long = ENGINE_ON_LONG_TRUNCATE;
    assert_ok(engine_encode(cuts, &text, 1, &options, vector, 8, NULL, NULL));
    assert_ok(engine_rank(cuts, &text, &text, 1, &options, &score));
}
