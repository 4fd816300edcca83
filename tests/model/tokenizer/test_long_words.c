/* tags: sizes */
/* Words that fill the memory, of the kinds that then take tokens from their beginning: an added
 * token that takes blanks along loses none of the letters before them, and the bytes of a character
 * stay together. Words that are cut in two where a line ends. */
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/suite.h"

#include <string.h>

enum { MOST_LETTERS = 5000, N_BLANKS = 20 };

static const char *const TEXTS[] = {"?", "a", "<x>", "<0xC3>", "<0xA9>"};
enum { N_TEXTS = sizeof TEXTS / sizeof *TEXTS };

/* unknown: an id as text, or "-1" */
static struct fixture make(const char *kind, const char *unknown)
{
    return fixture_new(TEXTS, N_TEXTS, 1,
                       SETTINGS("kind", kind, "unknown", unknown, "prefix", "", "byte_fallback",
                                "yes", "added", "2:nl"));
}

/* Letters, blanks, and an added token that takes the blanks before it. */
static void check_letters(const struct fixture *made, size_t n_letters)
{
    static char text[MOST_LETTERS + N_BLANKS + 3];
    const size_t len = n_letters + N_BLANKS + 3;
    memset(text, 'a', n_letters);
    memset(text + n_letters, ' ', N_BLANKS);
    memcpy(text + n_letters + N_BLANKS, "<x>", 3);
    const size_t n = encode_text(made, text, len).n;
    assert_true(n > n_letters);
    for (size_t i = 0; i < n_letters; i++) {
        assert_int_equal(found_tokens[i].id, 1);
        assert_int_equal(found_tokens[i].begin, i);
    }
    assert_int_equal(found_tokens[n - 1].id, 2);
    assert_int_equal(found_tokens[n - 1].end, len);
}

TEST(blanks_are_taken_and_no_letters)
{
    static const char *const kinds[] = {"bpe", "unigram"};
    for (size_t kind = 0; kind < 2; kind++) {
        struct fixture made = make(kinds[kind], "0");
        const size_t fills = kind == 0 ? 2048 : 4096;
        for (size_t n = fills - N_BLANKS - 2; n < fills + 3; n++)
            check_letters(&made, n);
    }
}

/* Nothing is left of the characters after the first one, which gives two tokens. */
TEST(bytes_of_a_character_stay_together)
{
    static char text[2 + MOST_LETTERS];
    struct fixture made = make("bpe", "-1");
    memset(text, 'q', sizeof text);
    memcpy(text, "\xC3\xA9", 2);
    assert_int_equal(encode_text(&made, text, sizeof text).n, 2);
    assert_int_equal(found_tokens[0].id, 3);
    assert_int_equal(found_tokens[1].id, 4);
}

/* More unknown characters than are merged at a time. */
TEST(unknown_characters_in_a_row_are_one_token)
{
    static char text[MOST_LETTERS];
    struct fixture made = make("bpe", "0");
    fixture_set(&made.tokenizer, SETTINGS("byte_fallback", "no"));
    memset(text, 'q', sizeof text);
    text[sizeof text - 1] = 'a';
    assert_true(encode_text(&made, text, sizeof text).n > 1000);
    fixture_set(&made.tokenizer, SETTINGS("fuse_unknown", "yes"));
    assert_int_equal(encode_text(&made, text, sizeof text).n, 2);
    assert_int_equal(found_tokens[0].id, 0);
    assert_int_equal(found_tokens[0].begin, 0);
    assert_int_equal(found_tokens[0].end, MOST_LETTERS - 1);
    assert_int_equal(found_tokens[1].id, 1);
}

/* A text of several characters that is the unknown token's own is this token, not its bytes. */
TEST(text_of_the_unknown_token)
{
    static const char text[] = "a<0xC3>a";
    struct fixture made = make("unigram", "3");
    assert_int_equal(encode_text(&made, text, sizeof text - 1).n, 3);
    assert_int_equal(found_tokens[0].id, 1);
    assert_int_equal(found_tokens[1].id, 3);
    assert_int_equal(found_tokens[1].begin, 1);
    assert_int_equal(found_tokens[1].end, 7);
    assert_int_equal(found_tokens[2].id, 1);
}

/* The suffix, a letter that the vocabulary has, does not get into the blanks after the line end;
 * no character that ends a word is in the vocabulary with it. */
TEST(suffix_of_the_first_part)
{
    static const char text[] = "\n    a";
    struct fixture made = make("bpe", "0");
    fixture_set(&made.tokenizer, SETTINGS("pattern", "cl100k"));
    fixture_set(&made.tokenizer, SETTINGS("suffix", "a"));
    const size_t n = encode_text(&made, text, strlen(text)).n;
    assert_int_equal(n, strlen(text));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(found_tokens[i].id, 0);
}
