/* tags: sizes aarch64 */
/* WordPiece against a plain twin that follows the words of the definition; the short way of ASCII
 * against the long way; settings and tables that are refused. What whole definitions do is in
 * test_reference_tokenizers.c. */
#include "model/unicode/unicode.h"
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 4096 };

/* NULL, or why the tables cannot be built. */
static const char *build(struct fixture *f, const char *const *words, size_t n,
                         const char *const *settings)
{
    *f = fixture_of(2, SETTINGS("unknown", "0"));
    fixture_set(&f->tokenizer, settings);
    return fixture_build(f, words, n);
}

/* ---- The twin ---- */

static const char *const LETTERS[] = {"a", "b", "c", "\u00E9", "\u65E5", "\U0001F600"};
enum { N_LETTERS = 6, N_WORDS = 40 };

struct random_vocabulary {
    char texts[N_WORDS][40];
    const char *words[N_WORDS];
    size_t n;
};

static void letters(uint64_t *random, size_t n, char *out)
{
    out[0] = '\0';
    for (; n > 0; n--)
        strcat(out, LETTERS[support_below(random, N_LETTERS)]);
}

static void make_vocabulary(struct random_vocabulary *v, uint64_t *random, const char *prefix)
{
    strcpy(v->texts[0], "[UNK]");
    v->n = 1;
    while (v->n < N_WORDS) {
        char *text = v->texts[v->n], word[32];
        letters(random, 1 + support_below(random, 3), word);
        snprintf(text, sizeof v->texts[0], "%s%s", support_below(random, 2) == 0 ? "" : prefix,
                 word);
        bool is_new = true;
        for (size_t i = 0; i < v->n; i++)
            is_new = is_new && strcmp(v->texts[i], text) != 0;
        v->n += is_new;
    }
    for (size_t i = 0; i < v->n; i++)
        v->words[i] = v->texts[i];
}

static int find(const struct random_vocabulary *v, const char *text)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->texts[i], text) == 0)
            return (int)i;
    return -1;
}

/* Pieces of one word; returns how many. */
static size_t plain_pieces(const struct random_vocabulary *v, const char *prefix, const char *word,
                           size_t offset, size_t max_chars, engine_token *out)
{
    const size_t len = strlen(word);
    size_t n = 0, chars = 0;
    const engine_token unknown = {.id = 0, .begin = offset, .end = offset + len};
    for (size_t i = 0; i < len; i++)
        chars += ((unsigned char)word[i] & 0xC0) != 0x80;
    for (size_t start = 0; start < len && chars <= max_chars;) {
        size_t end = len;
        int id = -1;
        for (; end > start; end--) {
            char piece[256];
            snprintf(piece, sizeof piece, "%s%.*s", start > 0 ? prefix : "", (int)(end - start),
                     word + start);
            id = utf8_valid(piece, strlen(piece)) ? find(v, piece) : -1;
            if (id >= 0)
                break;
        }
        if (id < 0) {
            n = 0;
            break;
        }
        out[n++] = (engine_token){.id = id, .begin = offset + start, .end = offset + end};
        start = end;
    }
    if (n == 0)
        out[n++] = unknown;
    return n;
}

TEST(twin)
{
    static const char *const prefixes[] = {"##", "", "@", "[a long prefix of 31 bytes ....]"};
    static engine_token expected[MOST];
    uint64_t random = 7;
    for (int round = 0; round < 400; round++) {
        struct random_vocabulary v;
        struct fixture f;
        const char *prefix = prefixes[support_below(&random, 4)];
        make_vocabulary(&v, &random, strlen(prefix) > 8 ? "" : prefix);
        const size_t max_chars = 1 + support_below(&random, 12);
        char number[16];
        snprintf(number, sizeof number, "%zu", max_chars);
        assert_null(build(&f, v.words, v.n,
                          SETTINGS("kind", "wordpiece", "splitter", "blanks", "prefix", prefix,
                                   "max_word", number)));
        for (int texts = 0; texts < 20; texts++) {
            char text[1024] = "";
            size_t n = 0, len = 0;
            for (size_t words = support_below(&random, 6); words > 0; words--) {
                char word[64];
                letters(&random, 1 + support_below(&random, 14), word);
                n += plain_pieces(&v, prefix, word, len, max_chars, expected + n);
                len += (size_t)snprintf(text + len, sizeof text - len, "%s ", word);
            }
            assert_int_equal(encode_text(&f, text, len).n, n);
            support_assert_tokens(found_tokens, expected, n);
        }
    }
}

/* An added token that never occurs makes every character go the long way. */
TEST(short_way_is_long_way)
{
    static const char *const words[] = {
        "[UNK]", "a",   "##b", "ab", "the", "##ing", ".",    "\u00E9",           "e",
        "##e",   "##1", "1",   "-",  "A",   "##B",   "the-", "never here at all"};
    static const char *const normalizers[] = {"", "clean space_cjk nfd drop_nonspacing lower",
                                              "clean", "nfkd lower", "lower nfd"};
    static const char *const splitters[] = {"",
                                            "blanks",
                                            "blanks punctuation",
                                            "blanks word_runs",
                                            "digits",
                                            "punctuation_runs digit_runs",
                                            "punctuation_dropped blanks"};
    static const char *const parts[] = {
        "a", "b",      "the",     "ing",  "A",  "B",      " ",      "\t",   "\n", ".", "-", "1",
        "2", "\u00E9", "e\u0301", "\x01", "\0", "\u65E5", "\u00AD", "\xFF", "$",  "_", "E"};
    static engine_token short_way[MOST];
    uint64_t random = 3;
    for (int round = 0; round < 2 * 5 * 7; round++) {
        struct fixture f[2];
        for (int way = 0; way < 2; way++)
            assert_null(
                build(&f[way], words, sizeof words / sizeof *words,
                      SETTINGS("kind", round % 2 == 0 ? "wordpiece" : "words", "normalizer",
                               normalizers[round / 2 % 5], "splitter", splitters[round / 10],
                               "max_word", "9", "added", way == 0 ? "" : "16:n")));
        for (int texts = 0; texts < 200; texts++) {
            char text[256];
            size_t len = 0;
            for (size_t k = support_below(&random, 25); k > 0; k--) {
                const char *part = parts[support_below(&random, sizeof parts / sizeof *parts)];
                const size_t part_len = part[0] == '\0' ? 1 : strlen(part);
                memcpy(text + len, part, part_len);
                len += part_len;
            }
            const size_t n = encode_text(&f[0], text, len).n;
            memcpy(short_way, found_tokens, n * sizeof *short_way);
            assert_int_equal(encode_text(&f[1], text, len).n, n);
            support_assert_tokens(short_way, found_tokens, n);
        }
    }
}

/* ---- Words at the limits ---- */

TEST(long_words)
{
    static const char *const words[] = {"[UNK]", "a", "##a", "aaaaaaaaaa", "\u00E9", "##\u00E9"};
    static char text[100000];
    struct fixture f;
    assert_null(build(&f, words, 6, SETTINGS("kind", "wordpiece", "splitter", "blanks")));
    memset(text, 'a', sizeof text);
    assert_int_equal(encode_text(&f, text, 100).n, 1 + 90);
    assert_int_equal(found_tokens[90].begin, 99);
    assert_int_equal(encode_text(&f, text, 101).n, 1);
    assert_int_equal(encode_text(&f, text, sizeof text).n, 1);
    assert_int_equal(found_tokens[0].id, 0);
    assert_int_equal(found_tokens[0].end, sizeof text);
    for (size_t i = 0; i < 200; i += 2)
        memcpy(text + i, "\u00E9", 2);
    assert_int_equal(encode_text(&f, text, 200).n, 100);
    assert_int_equal(found_tokens[99].end, 200);
    assert_int_equal(encode_text(&f, text, 201).n, 1);

    assert_null(build(&f, words, 6, SETTINGS("kind", "words", "splitter", "blanks")));
    assert_tokens(&f, "a aa aaaaaaaaaa aaaaaaaaaaa", "1(0,1) 0(2,4) 3(5,15) 0(16,27)");
    assert_int_equal(encode_text(&f, text, sizeof text).n, 1);
}

/* ---- Added tokens ---- */

static const char *const WORDS[] = {"[UNK]", "[CLS]", "[MASK]", "ab", "##c",
                                    "a",     "Foo",   "foo",    " ",  "b"};

TEST(added)
{
    struct fixture f;
    assert_null(build(&f, WORDS, 10,
                      SETTINGS("kind", "wordpiece", "normalizer", "lower", "splitter", "blanks",
                               "added", "1 2:lr 3:w")));
    assert_tokens(&f, "ab[CLS]a  [MASK] b", "3(0,2) 1(2,7) 5(7,8) 2(8,17) 9(17,18)");
    assert_tokens(&f, "abc ab,[cls]", "3(0,2) 4(2,3) 3(4,6) 0(6,12)");

    /* "Foo" is no word of the model, and is looked for as "foo". */
    assert_null(build(
        &f, WORDS, 10,
        SETTINGS("kind", "words", "normalizer", "lower", "splitter", "blanks", "added", "6:nx")));
    assert_tokens(&f, "aFOOb foo", "5(0,1) 6(1,4) 9(4,5) 6(6,9)");
    assert_null(
        build(&f, WORDS, 10, SETTINGS("kind", "words", "splitter", "blanks", "added", "6:xw")));
    assert_tokens(&f, "Foo aFoo", "6(0,3) 0(4,8)");

    /* The longest is found in every order of the list; of equal ones the first of the list. */
    static const char *const lists[] = {"3 5 6:n 7:n", "5 3 7:n 6:n"};
    for (int i = 0; i < 2; i++) {
        assert_null(build(&f, WORDS, 10,
                          SETTINGS("kind", "words", "normalizer", "lower", "splitter", "blanks",
                                   "added", lists[i])));
        assert_tokens(&f, "ab a FOO", i == 0 ? "3(0,2) 5(3,4) 6(5,8)" : "3(0,2) 5(3,4) 7(5,8)");
    }
}

/* What a step drops between two characters does not keep them apart in the next step. */
TEST(dropped_between)
{
    static const char *const words[] = {"<unk>", "xx\u00E9"};
    struct fixture f;
    assert_null(build(&f, words, 2,
                      SETTINGS("kind", "words", "unknown", "0", "normalizer", "replace:|: nfc",
                               "splitter", "blanks")));
    assert_tokens(&f, "xxe||\u0301", "1(0,3)");
    assert_null(build(&f, words, 2,
                      SETTINGS("kind", "words", "unknown", "0", "normalizer",
                               "replace:|:\u0301 nfc", "splitter", "blanks")));
    assert_tokens(&f, "xxe|", "1(0,3)"); /* nor what it makes of one */
}

TEST(refused)
{
    static const char *const lists[] = {"x", "1:z", "1:", "-1", "1,2", "1 :n", "99999999999"};
    struct tokenizer tokenizer;
    struct fixture f;
    tokenizer_defaults(&tokenizer, 2);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_int_equal(tokenizer_set(&tokenizer, "added", lists[i], strlen(lists[i])) == NULL,
                         i == 2);
    assert_non_null(tokenizer_set(&tokenizer, "splitter", "blank", 5));
    assert_non_null(tokenizer_set(&tokenizer, "max_word", "0", 1));
    assert_non_null(tokenizer_set(&tokenizer, "max_word", "10001", 5));
    assert_non_null(tokenizer_set(&tokenizer, "prefix", "123456789012345678901234567890123", 33));
    assert_non_null(tokenizer_set(&tokenizer, "prefix", "\xFF", 1));
    assert_non_null(tokenizer_set(&tokenizer, "kind", "byte", 4));

    assert_non_null(build(&f, WORDS, 10, SETTINGS("kind", "words", "added", "10")));
    assert_non_null(
        build(&f, WORDS, 10, SETTINGS("kind", "words", "normalizer", "strip_end", "added", "8:n")));
    assert_non_null(
        build(&f, WORDS, 10, SETTINGS("kind", "words", "added", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1")));
    assert_string_equal(build(&f, WORDS, 10, SETTINGS("kind", "words", "added", "10:n")),
                        "an added token is not in the vocabulary");
    assert_string_equal(build(&f, WORDS, 10,
                              SETTINGS("kind", "words", "added",
                                       "1:n 1:n 1:n 1:n 1:n 1:n 1:n 1:n 1:n 1:n 1:n 1:n 1:n")),
                        "a token is in the list of added tokens twice");
    assert_string_equal(build(&f, WORDS, 10,
                              SETTINGS("kind", "words", "added", "5:n", "normalizer",
                                       "replace:a:bbbbbbbb replace:b:cccccccc")),
                        "an added token is far longer after normalization");

    assert_null(build(&f, WORDS, 10, SETTINGS("kind", "wordpiece")));
    f.tokenizer.unknown = -1;
    assert_non_null(tokenizer_check(&f.tokenizer, 2));
    f.tokenizer.unknown = 0;
    f.tokenizer.mask_token = 10;
    assert_non_null(tokenizer_check(&f.tokenizer, 2));
}

/* The tokens that a piece, a word and an added token would become are skipped, and the tokens
 * around them are cut, counted and placed as if the text lacked them. */
TEST(dropped)
{
    static const char *const words[] = {"[UNK]", "a", "##b", "[X]"};
    struct fixture f;
    assert_null(build(&f, words, 4,
                      SETTINGS("kind", "wordpiece", "splitter", "blanks", "added", "0", "dropped",
                               "0", "single", "3:0 A:0")));
    assert_tokens(&f, "a z ab [UNK] zz a", "3(0,0) 1(0,1) 1(4,5) 2(5,6) 1(16,17)");
    assert_tokens(&f, "z [UNK]", "3(0,0)");
    const struct token_input input = {.text = "z a z a a", .text_len = 9};
    const struct token_limit limit = {.most = 3, .left = true};
    const struct token_count count = encode_input(&f, &input, true, &limit);
    assert_int_equal(count.n, 3);
    assert_int_equal(count.n_dropped, 1);
    assert_int_equal(found_tokens[1].begin, 6);
}

/* As model2vec cuts a text at its end: characters, then tokens with the dropped ones. */
TEST(cut_as_model2vec)
{
    static const char *const words[] = {"[UNK]", "a", "##b"};
    static const struct {
        const char *text;
        size_t most, n, n_dropped;
    } cases[] = {
        {"z z a a", 3, 1, 1},      {"a z a", 3, 2, 0},   {"z z z a", 3, 0, 1}, {"a abbb", 3, 3, 2},
        {"a \u00e9 a a", 9, 2, 1}, {"a a a a", 9, 3, 1}, {"a a a ", 9, 3, 0},  {"z a a a", 0, 3, 0},
    };
    struct fixture f;
    assert_null(build(&f, words, 3,
                      SETTINGS("kind", "wordpiece", "splitter", "blanks", "unknown", "0", "dropped",
                               "0", "max_chars", "6")));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct token_input input = {.text = cases[i].text, .text_len = strlen(cases[i].text)};
        const struct token_limit limit = {.most = cases[i].most};
        const struct token_count count =
            encode_input(&f, &input, true, cases[i].most > 0 ? &limit : NULL);
        if (count.n != cases[i].n || count.n_dropped != cases[i].n_dropped)
            fail_msg("'%s': %zu tokens, %zu cut", cases[i].text, count.n, count.n_dropped);
    }
}

/* Many tokens, among them all prefixes of a long one: the longest is found, and in linear time. */
TEST(many_added)
{
    enum { N = 2000, LEN = 100000 };
    static char texts[N][N / 4 + 8];
    static const char *words[N];
    char *list = new_bytes(N * 8), *text = new_bytes(LEN);
    size_t n = 0;
    struct fixture f;
    for (int i = 0; i < N; i++) {
        if (i < N / 4)
            memset(texts[i], 'x', (size_t)i + 1);
        else
            snprintf(texts[i], sizeof texts[i], "<token %d>", i);
        words[i] = texts[i];
        n += (size_t)sprintf(list + n, "%d:%s ", i, i % 2 == 0 || i < N / 4 ? "" : "n");
        if (list[n - 2] == ':')
            list[n - 2] = ' ';
    }
    assert_null(
        build(&f, words, N, SETTINGS("kind", "words", "splitter", "blanks", "added", list)));
    memset(text, 'x', LEN);
    assert_int_equal(encode_text(&f, text, LEN).n, LEN / (N / 4));
    assert_tokens(&f, "xxx<token 1001> <token 1000><token 1>",
                  "2(0,3) 1001(3,15) 1000(16,28) 0(28,34) 0(35,37)");
}
