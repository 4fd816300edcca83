/* tags: sizes */
/* Words that fill the memory, of the kinds that then take tokens from their beginning: an added
 * token that takes blanks along loses none of the letters before them, and the bytes of a character
 * stay together. Words that are cut in two where a line ends. */
#include "tests/model/tokenizer/pieces_section.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LETTERS = 5000, N_BLANKS = 20 };

static const char *const TEXTS[] = {"?", "a", "<x>", "<0xC3>", "<0xA9>"};
enum { N_TEXTS = sizeof TEXTS / sizeof *TEXTS };

struct made {
    struct tokenizer tokenizer;
    void *vocabulary, *section, *tables, *scratch;
};

static void set(struct tokenizer *tokenizer, const char *key, const char *value)
{
    assert_null(tokenizer_set(tokenizer, key, value, strlen(value)));
}

static void *no_merges(struct tokenizer *tokenizer)
{
    const struct merge_affixes affixes = {{"", 0}, {"", 0}};
    size_t bad;
    const size_t len = merges_bytes(0, N_TEXTS);
    void *section = malloc(len), *memory = malloc(merges_build_bytes(&tokenizer->vocabulary));
    assert_null(
        merges_build(section, len, NULL, 0, &tokenizer->vocabulary, &affixes, memory, &bad));
    assert_null(tokenizer_view(tokenizer, "MERG", section, len));
    free(memory);
    return section;
}

/* unknown: an id as text, or "-1" */
static void make(struct made *made, const char *kind, const char *unknown)
{
    struct tokenizer *tokenizer = &made->tokenizer;
    tokenizer_defaults(tokenizer, 1);
    set(tokenizer, "kind", kind);
    set(tokenizer, "unknown", unknown);
    set(tokenizer, "prefix", "");
    set(tokenizer, "byte_fallback", "yes");
    set(tokenizer, "added", "2:nl");
    made->vocabulary = vocabulary_section(tokenizer, TEXTS, N_TEXTS);
    made->section = tokenizer->kind == TOKENIZER_BPE ? no_merges(tokenizer)
                                                     : pieces_section(tokenizer, TEXTS, N_TEXTS);
    assert_null(tokenizer_check(tokenizer, 1));
    made->tables = malloc(tokenizer_table_bytes(tokenizer));
    assert_null(tokenizer_build(tokenizer, made->tables));
    made->scratch = malloc(tokenizer_scratch_bytes(tokenizer));
}

static void drop(struct made *made)
{
    free(made->vocabulary);
    free(made->section);
    free(made->tables);
    free(made->scratch);
}

static size_t encode(const struct made *made, const char *text, size_t len, engine_token *tokens)
{
    const struct token_input input = {.text = text, .text_len = len};
    return tokenizer_encode(&made->tokenizer, &input, false, NULL, tokens, len, made->scratch).n;
}

/* Letters, blanks, and an added token that takes the blanks before it. */
static void check_letters(const struct made *made, size_t n_letters)
{
    static char text[MOST_LETTERS + N_BLANKS + 3];
    static engine_token tokens[sizeof text];
    const size_t len = n_letters + N_BLANKS + 3;
    memset(text, 'a', n_letters);
    memset(text + n_letters, ' ', N_BLANKS);
    memcpy(text + n_letters + N_BLANKS, "<x>", 3);
    const size_t n = encode(made, text, len, tokens);
    assert_true(n > n_letters);
    for (size_t i = 0; i < n_letters; i++) {
        assert_int_equal(tokens[i].id, 1);
        assert_int_equal(tokens[i].begin, i);
    }
    assert_int_equal(tokens[n - 1].id, 2);
    assert_int_equal(tokens[n - 1].end, len);
}

TEST(blanks_are_taken_and_no_letters)
{
    static const char *const kinds[] = {"bpe", "unigram"};
    for (size_t kind = 0; kind < 2; kind++) {
        struct made made;
        make(&made, kinds[kind], "0");
        const size_t fills = kind == 0 ? 2048 : 4096;
        for (size_t n = fills - N_BLANKS - 2; n < fills + 3; n++)
            check_letters(&made, n);
        drop(&made);
    }
}

/* Nothing is left of the characters after the first one, which gives two tokens. */
TEST(bytes_of_a_character_stay_together)
{
    static char text[2 + MOST_LETTERS];
    static engine_token tokens[sizeof text];
    struct made made;
    make(&made, "bpe", "-1");
    memset(text, 'q', sizeof text);
    memcpy(text, "\xC3\xA9", 2);
    assert_int_equal(encode(&made, text, sizeof text, tokens), 2);
    assert_int_equal(tokens[0].id, 3);
    assert_int_equal(tokens[1].id, 4);
    drop(&made);
}

/* More unknown characters than are merged at a time. */
TEST(unknown_characters_in_a_row_are_one_token)
{
    static char text[MOST_LETTERS];
    static engine_token tokens[sizeof text];
    struct made made;
    make(&made, "bpe", "0");
    set(&made.tokenizer, "byte_fallback", "no");
    memset(text, 'q', sizeof text);
    text[sizeof text - 1] = 'a';
    assert_true(encode(&made, text, sizeof text, tokens) > 1000);
    set(&made.tokenizer, "fuse_unknown", "yes");
    assert_int_equal(encode(&made, text, sizeof text, tokens), 2);
    assert_int_equal(tokens[0].id, 0);
    assert_int_equal(tokens[0].begin, 0);
    assert_int_equal(tokens[0].end, MOST_LETTERS - 1);
    assert_int_equal(tokens[1].id, 1);
    drop(&made);
}

/* A text of several characters that is the unknown token's own is this token, not its bytes. */
TEST(text_of_the_unknown_token)
{
    static const char text[] = "a<0xC3>a";
    engine_token tokens[sizeof text];
    struct made made;
    make(&made, "unigram", "3");
    assert_int_equal(encode(&made, text, sizeof text - 1, tokens), 3);
    assert_int_equal(tokens[0].id, 1);
    assert_int_equal(tokens[1].id, 3);
    assert_int_equal(tokens[1].begin, 1);
    assert_int_equal(tokens[1].end, 7);
    assert_int_equal(tokens[2].id, 1);
    drop(&made);
}

/* The suffix, a letter that the vocabulary has, does not get into the blanks after the line end;
 * no character that ends a word is in the vocabulary with it. */
TEST(suffix_of_the_first_part)
{
    static const char text[] = "\n    a";
    engine_token tokens[sizeof text];
    struct made made;
    make(&made, "bpe", "0");
    set(&made.tokenizer, "pattern", "cl100k");
    set(&made.tokenizer, "suffix", "a");
    const size_t n = encode(&made, text, strlen(text), tokens);
    assert_int_equal(n, strlen(text));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(tokens[i].id, 0);
    drop(&made);
}
