/* tags: numbers */
/* Tokenizers of bad will: a file that makes one character thousands is refused; a text that takes
 * too many steps ends soon, whatever the file has, and others do not; and the caller is asked every
 * few thousand bytes whether to go on. */
#include "model/tokenizer/tokenize.h"
#include "tests/model/tokenizer/pieces_section.h"
#include "tests/model/tokenizer/worst_case_texts.h"
#include "tests/owned.h"
#include "tests/suite.h"
#include "tools/writer/tokenizer/tokenizer_draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 6000, LEN = 400000 };

#define FDFA      "%EF%B7%BA%EF%B7%BA" /* two letters, 18 by nfkd each */
#define TEN(text) text text text text text text text text text text
#define A8        "replace:a:aaaaaaaa "
#define ALBERT                                                                                     \
    "replace:%60%60:%22 replace:'':%22 nfkd drop_marks lower charsmap replace_runs:2:%20:%20 "     \
    "prepend:%E2%96%81"

static char many_a[LEN];

/* A map from "a" to n letters. */
static void set_charsmap(struct tokenizer *tokenizer, size_t n)
{
    size_t n_units;
    uint32_t *units = trie_write((const char *const[]){"a"}, (const size_t[]){1}, 1, &n_units);
    const size_t len = 4 * (n_units + 1) + n + 1;
    char *section = new_bytes(len);
    *(uint32_t *)(void *)section = (uint32_t)(4 * n_units);
    memcpy(section + 4, units, 4 * n_units);
    memset(section + 4 + 4 * n_units, 'x', n);
    free(units);
    assert_null(tokenizer_view(tokenizer, "CMAP", section, len));
}

static struct fixture made_of(const char *kind, const char *normalizer, const char *added)
{
    return fixture_of(1, SETTINGS("kind", kind, "unknown", "0", "normalizer", normalizer, "added",
                                  added, "splitter", "blanks"));
}

/* The text of a is given up, and one of other letters is not. */
static void assert_bounded(const struct fixture *made)
{
    const char other[] = "b b b b";
    assert_true(encode_text(made, many_a, LEN).is_exceeded);
    assert_int_equal(encode_text(made, other, sizeof other - 1).n, 4);
    assert_false(encode_text(made, other, sizeof other - 1).is_exceeded);
}

SET_UP()
{
    memset(many_a, 'a', LEN);
    for (size_t i = LONG; i < LEN; i += LONG)
        many_a[i] = ' ';
}

/* ---- Growth ---- */

static const char *build_normalizer(const char *normalizer, size_t charsmap, struct fixture *made)
{
    *made = made_of("words", normalizer, "");
    set_charsmap(&made->tokenizer, charsmap);
    return fixture_build(made, (const char *const[]){"?", "b"}, 2);
}

TEST(growth_is_refused)
{
    static const char *const refused[] = {
        A8 A8 A8 A8,
        TEN(A8) TEN(A8),
        "nfkd " A8 A8 A8 A8 "lower",
        TEN("replace:a:AAAAAAAA lower "),
        TEN("replace_runs:1:a:abababab "),
        TEN("replace_blanks:1:x%20x%20x%20x%20 "),
        TEN("replace:ab:abababab "),
        TEN("replace:a:%E4%B8%80 replace:%E4%B8%80:aaaaaaaa "),
        "prepend:aaaaaaaa " A8 A8 A8 A8,
        "replace:x:" FDFA FDFA FDFA FDFA " nfkd replace:%20:" FDFA FDFA " nfkd",
    };
    struct fixture made;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *wrong = build_normalizer(refused[i], 18, &made);
        if (wrong == NULL || strstr(wrong, "thousands of characters") == NULL)
            fail_msg("%s: %s", refused[i], wrong == NULL ? "accepted" : wrong);
    }
    assert_non_null(build_normalizer("charsmap", 1000000, &made));
}

/* As published tokenizers have them: what they make of U+FDFA, 18 letters, included; and rules for
 * many letters, none of which makes another's. */
TEST(usual_growth_is_not_refused)
{
    static const char *const usual[] = {
        ALBERT,
        "nmt nfkc lower charsmap replace_runs:2:%20:%20",
        "nfkc replace:.:%20.%20 replace:,:%20,%20 replace:!:%20!%20 replace:?:%20?%20 "
        "replace:(:%20(%20 replace:):%20)%20 replace:;:%20;%20 replace:-:%20-%20 "
        "replace:/:%20/%20 replace:*:%20*%20 replace:+:%20+%20 replace:=:%20=%20",
        "clean space_cjk nfd drop_nonspacing lower",
    };
    static char text[30000];
    struct fixture made;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        assert_null(build_normalizer(usual[i], 18, &made));
        for (size_t t = 0; worst_case_text_name(t) != NULL; t++) {
            worst_case_text(t, text, sizeof text);
            assert_false(encode_text(&made, text, sizeof text).is_exceeded);
        }
    }
}

/* A little less than what is refused, in a text of such letters alone. */
TEST(growth_of_a_text_is_bounded)
{
    struct fixture made;
    assert_null(build_normalizer("charsmap", LONG / 2, &made));
    assert_true(encode_text(&made, many_a, LEN).is_exceeded);
    assert_null(build_normalizer(A8 A8 A8, 1, &made));
    assert_bounded(&made);
}

/* ---- Added tokens ---- */

static const char *build_added(size_t len, const char *flags, struct fixture *made)
{
    char *added = new_bytes(len + 2);
    memset(added, 'a', len);
    added[len] = 'c';
    *made = made_of("words", "lower", flags);
    return fixture_build(made, (const char *const[]){"?", "b", added}, 3);
}

TEST(added_tokens)
{
    struct fixture made;
    assert_string_equal(build_added(100000, "2", &made), "an added token has more than 4096 bytes");
    for (int normalized = 0; normalized < 2; normalized++) {
        assert_null(build_added(4000, normalized ? "2:n" : "2", &made));
        assert_bounded(&made);
        assert_null(build_added(100, normalized ? "2:n" : "2", &made));
        assert_false(encode_text(&made, many_a, LEN).is_exceeded);
    }
}

/* An added token that would grow is given up when the file is opened. */
TEST(added_tokens_that_grow)
{
    struct fixture made = made_of("words", "nfkd " A8 A8 A8, "2:n");
    char letters[1001] = "";
    memset(letters, 'a', 1000);
    assert_string_equal(fixture_build(&made, (const char *const[]){"?", "b", letters}, 3),
                        "an added token is far longer after normalization");
}

/* ---- Words ---- */

TEST(wordpiece)
{
    static char begin[LONG + 2], next[LONG + 4] = "##";
    struct fixture made = made_of("wordpiece", "", "");
    memset(begin, 'a', LONG);
    memset(next + 2, 'a', LONG);
    begin[LONG] = next[LONG + 2] = 'c';
    fixture_set(&made.tokenizer, SETTINGS("max_word", "10000"));
    assert_null(fixture_build(&made, (const char *const[]){"?", "b", "a", "##a", begin, next}, 6));
    assert_bounded(&made);
}

/* Texts whose hashes lead to the same slots: too many are not written; a table without an empty
 * slot, or of many that collide, is not searched to its end. */
TEST(hash_tables)
{
    enum { N = 1 << 16, SLOTS = 1 << 12 };
    static uint32_t section[4 + N + 2];
    static char texts[HASH_TABLE_TRIES + 1][12];
    const char *words[HASH_TABLE_TRIES + 1];
    size_t lens[HASH_TABLE_TRIES + 1], n = 0, bad;
    memcpy(section, (uint32_t[]){1, N, 0, 0}, 16);
    memset(section + 4, 0xFF, N * sizeof *section);
    struct vocabulary vocabulary;
    assert_null(vocabulary_view(&vocabulary, section, sizeof section));
    vocabulary.longest_bytes = 9;
    struct meter meter = {.left = 4 * HASH_TABLE_TRIES};
    assert_int_equal(vocabulary_find_hashed(&vocabulary, 1, "a", 1, &meter, NULL), -1);
    assert_in_range(meter.left, 2 * HASH_TABLE_TRIES, 3 * HASH_TABLE_TRIES);
    for (unsigned i = 0; n <= HASH_TABLE_TRIES; i++) {
        lens[n] = (size_t)snprintf(texts[n], sizeof texts[n], "%u", i);
        const uint64_t hash = vocabulary_hash(VOCABULARY_HASH_START, texts[n], lens[n]);
        words[n] = texts[n];
        n += ((hash ^ hash >> 32) & (SLOTS - 1)) == 0;
    }
    const size_t n_bytes = vocabulary_bytes(lens, n);
    void *built = new_bytes(n_bytes);
    assert_string_equal(vocabulary_build(built, n_bytes, words, lens, n, &bad),
                        "1,024 tokens have hashes that are nearly the same");
    assert_null(vocabulary_build(built, vocabulary_bytes(lens, n - 1), words, lens, n - 1, &bad));
}

/* The merges go on from the right, by three, into one token of any length, which two letters are
 * before in each window of 2,048: that token is taken, too, or each window would give two letters
 * alone. */
TEST(bpe_windows)
{
    enum { N = 4000, FIRST = 1, PAIRS = FIRST + N, ALL = PAIRS + N, N_IDS = ALL + 1 };
    static char texts[N_IDS][12], text[8 * N * 3];
    static const char *words[N_IDS];
    static struct merge merges[2 * N + 1];
    struct fixture made = made_of("bpe", "", "");
    size_t n = 0, len = 0;
    for (uint32_t id = 0; id < N_IDS; id++) {
        const uint32_t code = 0x4E00 + id - FIRST;
        if (id >= FIRST && id < PAIRS)
            snprintf(texts[id], sizeof texts[id], "%c%c%c", (char)(0xE0 | code >> 12),
                     (char)(0x80 | (code >> 6 & 63)), (char)(0x80 | (code & 63)));
        else
            snprintf(texts[id], sizeof texts[id], "id %u", (unsigned)id);
        words[id] = texts[id];
    }
    for (uint32_t i = N; i-- > 0;) {
        const uint32_t pair = PAIRS + i;
        merges[n++] = (struct merge){.left = FIRST + i, .right = FIRST + (i + 1) % N, .id = pair};
        merges[n++] = (struct merge){.left = FIRST + (i + N - 1) % N, .right = pair, .id = ALL};
    }
    merges[n++] = (struct merge){.left = ALL, .right = ALL, .id = ALL};
    fixture_set(&made.tokenizer, SETTINGS("prefix", ""));
    made.merges = merges;
    made.n_merges = n;
    assert_null(fixture_build(&made, words, N_IDS));
    for (size_t i = 0; i < 8 * N; i++, len += 3)
        memcpy(text + len, texts[FIRST + i % N], 3);
    assert_in_range(encode_text(&made, text, len).n, 1, 8 * N / 100);
}

/* ---- Interruption ---- */

struct asked {
    size_t n, most;
};

static bool is_over(void *user)
{
    struct asked *asked = user;
    return ++asked->n == asked->most;
}

/* Every tokenizer with every text: asked for each 4,096 bytes, but that Keras' rules and blanks
 * read letters at once; told to end, it is not asked again. */
TEST(the_caller_is_asked)
{
    static char text[1 << 16];
    struct worst_case_tokenizer worst;
    for (size_t i = 0; worst_case_tokenizer_open(&worst, i); i++) {
        const bool has_pipeline = worst.fixture.tokenizer.kind >= TOKENIZER_WORDPIECE;
        for (size_t t = 0; worst_case_text_name(t) != NULL; t++) {
            worst_case_text(t, text, sizeof text);
            struct asked asked = {.most = SIZE_MAX}, ended = {.most = 2};
            struct token_input input = {
                .text = text, .text_len = sizeof text, .is_over = is_over, .user = &asked};
            struct token_count all = encode_input(&worst.fixture, &input, true, NULL);
            assert_false(all.is_interrupted);
            assert_false(all.is_exceeded);
            if (has_pipeline)
                assert_in_range(asked.n, sizeof text / 4096 * 3 / 4, sizeof text / 4096 * 4);
            input.user = &ended;
            all = encode_input(&worst.fixture, &input, true, NULL);
            assert_int_equal(all.is_interrupted, asked.n >= 2);
            assert_int_equal(ended.n, asked.n < 2 ? asked.n : 2);
        }
    }
}
