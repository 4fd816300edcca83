/* tags: sizes aarch64 */
/* Words of the patterns, as HuggingFace tokenizers 0.23.2 splits by their regular expressions. */
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

/* A tokenizer that knows no character: each word is one unknown token. */
static struct fixture splitter_new(const char *const *settings)
{
    static const char *const texts[] = {"\x01", NULL};
    return fixture_new(texts, 2, 1, settings);
}

static const char *spans(const struct fixture *splitter, const char *text)
{
    static char line[1024];
    const struct token_count count = encode_text(splitter, text, strlen(text));
    size_t n = 0;
    line[0] = '\0';
    assert_true(count.n < 64);
    for (size_t i = 0; i < count.n; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%zu-%zu", i > 0 ? " " : "",
                              found_tokens[i].begin, found_tokens[i].end);
    return line;
}

static void expect_words(const char *pattern, const char *text, const char *expected)
{
    struct fixture f = splitter_new(
        SETTINGS("kind", "bpe", "unknown", "0", "fuse_unknown", "yes", "pattern", pattern));
    const char *found = spans(&f, text);
    if (strcmp(found, expected) != 0)
        fail_msg("%s: '%s' has the words %s, expected %s", pattern, text, found, expected);
}

TEST(words_of_patterns)
{
    static const char *const patterns[] = {"gpt2", "clip", "cl100k", "qwen2"};
    static const struct {
        const char *text, *expected[4];
    } cases[] = {
        {"I ride my bike.",
         {"0-1 1-6 6-9 9-14 14-15", "0-1 2-6 7-9 10-14 14-15", "0-1 1-6 6-9 9-14 14-15",
          "0-1 1-6 6-9 9-14 14-15"}},
        {"don't we'll 'tis 'sure it'S",
         {"0-3 3-5 5-8 8-11 11-13 13-16 16-18 18-22 22-25 25-26 26-27",
          "0-3 3-5 6-8 8-11 12-14 14-16 17-19 19-22 23-25 25-26 26-27",
          "0-3 3-5 5-8 8-11 11-13 13-16 16-18 18-22 22-25 25-27",
          "0-3 3-5 5-8 8-11 11-13 13-16 16-18 18-22 22-25 25-27"}},
        {"a  b   c ",
         {"0-1 1-2 2-4 4-6 6-8 8-9", "0-1 3-4 7-8", "0-1 1-2 2-4 4-6 6-8 8-9",
          "0-1 1-2 2-4 4-6 6-8 8-9"}},
        {"\n\n x\n\ty \r\n",
         {"0-2 2-4 4-5 5-6 6-7 7-10", "3-4 6-7", "0-2 2-4 4-5 5-7 7-10", "0-2 2-4 4-5 5-7 7-10"}},
        {"12345 6 x7",
         {"0-5 5-7 7-9 9-10", "0-1 1-2 2-3 3-4 4-5 6-7 8-9 9-10", "0-3 3-5 5-6 6-7 7-9 9-10",
          "0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-9 9-10"}},
        {"!!! \?a $b",
         {"0-3 3-5 5-6 6-8 8-9", "0-3 4-5 5-6 7-8 8-9", "0-3 3-5 5-6 6-8 8-9",
          "0-3 3-5 5-6 6-8 8-9"}},
        {"'", {"0-1", "0-1", "0-1", "0-1"}},
        {"''s 'r 're",
         {"0-2 2-3 3-5 5-6 6-8 8-10", "0-2 2-3 4-5 5-6 7-10", "0-2 2-3 3-5 5-6 6-8 8-10",
          "0-2 2-3 3-5 5-6 6-8 8-10"}},
        {"<|endoftext|>!<|endoftext|> <|x",
         {"0-2 2-11 11-16 16-25 25-27 27-30 30-31", "0-2 2-11 11-13 13-16 16-25 25-27 28-30 30-31",
          "0-2 2-11 11-16 16-25 25-27 27-30 30-31", "0-2 2-11 11-16 16-25 25-27 27-30 30-31"}},
        {" \n \n  !\n\nz",
         {"0-5 5-7 7-8 8-9 9-10", "6-7 9-10", "0-4 4-5 5-9 9-10", "0-4 4-5 5-9 9-10"}},
        {"e\u0301 \u00A0\u65E5\u672C \u0663\u00BD",
         {"0-1 1-3 3-4 4-6 6-12 12-17", "0-1 1-3 6-12 13-15 15-17", "0-1 1-3 3-4 4-12 12-13 13-17",
          "0-1 1-3 3-4 4-12 12-13 13-15 15-17"}},
    };
    static const char *const o200k[][2] = {
        {"I ride my bike.", "0-1 1-6 6-9 9-14 14-15"},
        {"don't WE'LL 'tis it'S", "0-5 5-11 11-13 13-16 16-21"},
        {"HTTPServer aB AbC", "0-10 10-12 12-13 13-16 16-17"},
        {"\u6F22AB \u6F22ABc", "0-3 3-5 5-12"},
        {"AB\u6F22CD's x", "0-5 5-9 9-11"},
        {"e\u0301a !\u0301 1\u0301", "0-4 4-8 8-9 9-10 10-12"},
        {"a/b !/\n/\n x", "0-1 1-3 3-9 9-11"},
        {"12345 6 x7", "0-3 3-5 5-6 6-7 7-9 9-10"},
        {" \n \n  !\n\nz", "0-4 4-5 5-9 9-10"},
        {"A'x 'r x're'", "0-1 1-3 3-5 5-6 6-11 11-12"},
        {"\u01C5a\u01C5A\u02B0B", "0-3 3-8 8-9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t p = 0; p < 4; p++)
            expect_words(patterns[p], cases[i].text, cases[i].expected[p]);
    expect_words("none", "a b", "0-3");
    for (size_t i = 0; i < sizeof o200k / sizeof *o200k; i++)
        expect_words("o200k", o200k[i][0], o200k[i][1]);
    expect_words("after_blanks", "a b  c", "0-2 2-4 4-5 5-6");
}

/* A rule cuts before the pattern sees the text, and a blank is put before each part. */
TEST(rules_before_patterns)
{
    struct fixture f =
        splitter_new(SETTINGS("kind", "bpe", "unknown", "0", "fuse_unknown", "yes", "pattern",
                              "gpt2", "splitter", "digits", "first_blank", "yes"));
    assert_string_equal(spans(&f, "a 1b"), "0-1 1-2 2-3 3-4");
}

TEST(other_kinds_have_none)
{
    struct fixture f =
        fixture_new(FEW_WORDS, N_FEW_WORDS, 1, SETTINGS("kind", "words", "unknown", "0"));
    assert_null(tokenizer_set(&f.tokenizer, "pattern", "cl100k", 6));
    assert_non_null(tokenizer_check(&f.tokenizer, 1));
    assert_non_null(tokenizer_set(&f.tokenizer, "pattern", "o300k", 5));
}

/* An unknown token whose id has no text has no blanks to trim. */
TEST(trimmed_without_a_text)
{
    struct fixture f =
        splitter_new(SETTINGS("kind", "bpe", "unknown", "1", "trim", "yes", "fuse_unknown", "yes"));
    assert_string_equal(spans(&f, " a "), "0-3");
}

/* What waits for a literal text when a blank comes is a word, which a token that takes the blank
 * along leaves. */
TEST(words_before_blanks_that_are_taken)
{
    struct fixture f = splitter_new(SETTINGS("kind", "bpe", "unknown", "1", "pattern", "gpt2",
                                             "fuse_unknown", "yes", "added", "0:nl"));
    assert_string_equal(spans(&f, "a'  \x01"), "0-1 1-2 2-5");
    assert_string_equal(spans(&f, "'r \x01"), "0-1 1-2 2-4");
    assert_string_equal(spans(&f, "!  \x01 b"), "0-1 1-4 4-6");
    /* A blank that belongs to the word before it is taken from it again. */
    f = splitter_new(SETTINGS("kind", "bpe", "unknown", "1", "pattern", "after_blanks",
                              "fuse_unknown", "yes", "added", "0:nl"));
    assert_string_equal(spans(&f, "a \x01"), "0-1 1-3");
    assert_string_equal(spans(&f, "x ab \t  \x01 b"), "0-2 2-4 4-9 9-10 10-11");
    assert_string_equal(spans(&f, "  \x01 \x01"), "0-3 3-5");
}
