/* Word splitting against a plain twin that works as Keras does, on whole texts; framing and
 * truncation; settings; texts at the limits. */
#include "model/letter_case.h"
#include "model/template.h"
#include "model/tokenizer.h"
#include "model/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_TOKENS = 4096 };

static struct token tokens[MAX_TOKENS];

/* ---- Tokenizers to test with ---- */

struct fixture {
    struct tokenizer tokenizer;
    void *section, *scratch;
};

static struct fixture fixture_new(const char *const *words, size_t n, size_t n_types,
                                  const char *const *settings)
{
    struct fixture fixture;
    size_t *lens = calloc(n + 1, sizeof *lens), bad_id;
    assert_non_null(lens);
    for (size_t i = 0; i < n; i++)
        lens[i] = strlen(words[i]);
    const size_t bytes = vocabulary_bytes(lens, n);
    fixture.section = malloc(bytes);
    assert_non_null(fixture.section);
    assert_null(vocabulary_build(fixture.section, bytes, words, lens, n, &bad_id));
    free(lens);
    tokenizer_defaults(&fixture.tokenizer, n_types);
    for (; *settings != NULL; settings += 2) {
        const char *wrong =
            tokenizer_set(&fixture.tokenizer, settings[0], settings[1], strlen(settings[1]));
        if (wrong != NULL)
            fail_msg("%s = %s: expected %s", settings[0], settings[1], wrong);
    }
    assert_null(vocabulary_view(&fixture.tokenizer.vocabulary, fixture.section, bytes));
    assert_null(tokenizer_check(&fixture.tokenizer, n_types));
    fixture.scratch = malloc(tokenizer_scratch_bytes(&fixture.tokenizer));
    assert_non_null(fixture.scratch);
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    free(fixture->section);
    free(fixture->scratch);
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct token_count encode_text(const struct fixture *fixture, const char *text, size_t len)
{
    const struct token_input input = {.text = text, .text_len = len};
    return tokenizer_encode(&fixture->tokenizer, &input, true, NULL, tokens, MAX_TOKENS,
                            fixture->scratch);
}

/* "id(begin,end) ..." of a text's tokens. */
static const char *shown(const struct fixture *fixture, const char *text, size_t len)
{
    static char line[4096];
    const struct token_count count = encode_text(fixture, text, len);
    size_t n = 0;
    line[0] = '\0';
    assert_true(count.n <= 100 && count.n_dropped == 0);
    for (size_t i = 0; i < count.n; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%d(%zu,%zu)", i > 0 ? " " : "",
                              (int)tokens[i].id, tokens[i].begin, tokens[i].end);
    return line;
}

#define assert_tokens(fixture, text, expected)                                                     \
    assert_string_equal(shown(fixture, text, sizeof(text) - 1), expected)

static const char *const WORDS[] = {"<unk>",        "i",    "ride", "bike",     "<s>", "</s>",
                                    "\xEF\xBF\xBD", "οδος", "I",    "i\xCC\x87"};
enum { N_WORDS = sizeof WORDS / sizeof *WORDS };

/* ---- Blanks ---- */

static void blanks(void **state)
{
    (void)state;
    struct fixture f = fixture_new(WORDS, N_WORDS, 0, SETTINGS("kind", "blanks", "unknown", "0"));
    assert_tokens(&f, "I ride bike", "8(0,1) 2(2,6) 3(7,11)");
    assert_tokens(&f, "", "");
    assert_tokens(&f, " \t\n\v\f\r\xC2\x85\xC2\xA0\xE1\x9A\x80\xE2\x80\x80\xE2\x80\x8A", "");
    assert_tokens(&f, "\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAF\xE2\x81\x9F\xE3\x80\x80", "");
    assert_tokens(&f, "\xE3\x80\x80i\xC2\xA0ride\r\n", "1(3,4) 2(6,10)");
    assert_tokens(&f, "i\xE2\x80\x8Bride", "0(0,8)"); /* zero width space is no White_Space */
    assert_tokens(&f, "ride\x1C", "0(0,5)");          /* nor is a file separator */
    assert_tokens(&f, "ride\0bike \0 bike", "0(0,9) 0(10,11) 3(12,16)");
    assert_tokens(&f, "\xFF bike \xE2\x82", "6(0,1) 3(2,6) 6(7,9)");
    assert_tokens(&f, "ridex rid Ride", "0(0,5) 0(6,9) 0(10,14)");
    fixture_free(&f);

    f = fixture_new(WORDS, N_WORDS, 0, SETTINGS("kind", "blanks", "lower", "yes"));
    assert_tokens(&f, "I RIDE bike", "1(0,1) 2(2,6) 3(7,11)");
    assert_tokens(&f, "\xCE\x9F\xCE\x94\xCE\x9F\xCE\xA3 no", "7(0,8)"); /* ΟΔΟΣ */
    assert_tokens(&f, "no \xC4\xB0", "9(3,5)");                         /* I with dot */
    fixture_free(&f);
}

/* ---- Keras ---- */

static void keras(void **state)
{
    (void)state;
    struct fixture f = fixture_new(
        WORDS, N_WORDS, 0,
        SETTINGS("kind", "keras", "lower", "yes", "filters", "!,.\t\n", "unknown", "0"));
    assert_tokens(&f, "I ride, BIKE.", "1(0,1) 2(2,6) 3(8,12)");
    assert_tokens(&f, "ride!bike\tI\nx", "2(0,4) 3(5,9) 1(10,11) 0(12,13)");
    assert_tokens(&f, "", "");
    assert_tokens(&f, " ,. !\t ", "");
    assert_tokens(&f, "ride\r", "0(0,5)");
    assert_tokens(&f, "ride\xC2\xA0", "0(0,6)");
    assert_tokens(&f, "ride\0 bike", "0(0,5) 3(6,10)");
    assert_tokens(&f, "\xCE\x9F\xCE\x94\xCE\x9F\xCE\xA3.", "7(0,8)");
    assert_tokens(&f, "\xC4\xB0 \xC3", "9(0,2) 6(3,4)");
    fixture_free(&f);

    f = fixture_new(WORDS, N_WORDS, 0, SETTINGS("kind", "keras", "num_words", "3"));
    assert_tokens(&f, "i ride bike I i", "1(0,1) 2(2,6) 1(14,15)");
    fixture_free(&f);
    f = fixture_new(WORDS, N_WORDS, 0, SETTINGS("kind", "keras", "num_words", "3", "unknown", "5"));
    assert_tokens(&f, "i ride bike x", "1(0,1) 2(2,6) 5(7,11) 5(12,13)");
    fixture_free(&f);
}

static void keras_characters(void **state)
{
    (void)state;
    static const char *const characters[] = {"?", "a", "i", "\xCC\x87", " ", "\xEF\xBF\xBD", "ab"};
    struct fixture f = fixture_new(characters, 7, 0,
                                   SETTINGS("kind", "keras", "lower", "yes", "char_level", "yes",
                                            "filters", "a ", "unknown", "0"));
    assert_tokens(&f, "A a", "1(0,1) 4(1,2) 1(2,3)");
    assert_tokens(&f,
                  "\xC4\xB0"
                  "ab",
                  "2(0,2) 3(0,2) 1(2,3) 0(3,4)");
    assert_tokens(&f, "\xE2\x82\xF0\x9F\x98\x80", "5(0,2) 0(2,6)");
    assert_tokens(&f, "\0a", "0(0,1) 1(1,2)");
    fixture_free(&f);
}

/* A character as Keras' own string functions see it, with the span that it came from. */
struct character {
    uint32_t code;
    size_t begin, end;
};

static size_t characters_of(const char *text, size_t len, bool lower, struct character *characters)
{
    size_t n = 0;
    for (size_t at = 0; at < len;) {
        const struct letter letter = letter_read(text, len, at, lower);
        for (size_t i = 0; i < letter.n_codes; i++)
            characters[n++] = (struct character){letter.codes[i], at, at + letter.len};
        at += letter.len;
    }
    return n;
}

static bool is_one_of(uint32_t code, const struct character *characters, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (characters[i].code == code)
            return true;
    return false;
}

static bool split_starts(const struct character *text, size_t n, const struct character *split,
                         size_t n_split)
{
    for (size_t i = 0; i < n_split; i++)
        if (i >= n || text[i].code != split[i].code)
            return false;
    return true;
}

/* Whole-text twin of keras_split: lower, translate, split, one after the other. */
static size_t keras_twin(const struct tokenizer *tokenizer, const char *text, size_t len,
                         struct token *out)
{
    static struct character lowered[512], translated[8192], filters[64], split[64];
    const size_t n_lowered = characters_of(text, len, tokenizer->lower, lowered);
    const size_t n_filters =
        characters_of(tokenizer->filters, tokenizer->filters_bytes, false, filters);
    const size_t n_split = characters_of(tokenizer->split, tokenizer->split_bytes, false, split);
    size_t n = 0, n_out = 0;
    for (size_t i = 0; i < n_lowered; i++) {
        const bool filtered = is_one_of(lowered[i].code, filters, n_filters);
        for (size_t j = 0; j < (filtered ? n_split : 1); j++) {
            translated[n] = lowered[i];
            translated[n++].code = filtered ? split[j].code : lowered[i].code;
        }
    }
    size_t start = 0;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && !split_starts(translated + i, n - i, split, n_split))
            continue;
        char word[4096];
        size_t word_len = 0;
        for (size_t j = start; j < i; j++)
            word_len += utf8_encode(translated[j].code, word + word_len);
        if (word_len > 0) {
            const int32_t id = vocabulary_find(&tokenizer->vocabulary, word, word_len);
            out[n_out++] = (struct token){.id = id < 0 ? tokenizer->unknown : id,
                                          .begin = translated[start].begin,
                                          .end = translated[i - 1].end};
        }
        start = i + n_split;
        i = start - 1;
    }
    return n_out;
}

static uint64_t seed = 1;

static size_t random_below(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % n;
}

/* Random texts over few characters, so that split strings, their beginnings and filters meet in
 * every way; the vocabulary holds all words of up to three characters. */
static void keras_twin_agrees(void **state)
{
    static const char *const alphabet[] = {"a", "b",        "\xC3\xA9", " ",
                                           "A", "\xC4\xB0", "\xCE\xA3", "\xFF"};
    static const char *const read_as[] = {"a", "b",        "\xC3\xA9", " ",
                                          "i", "\xCC\x87", "\xCF\x83", "\xEF\xBF\xBD"};
    static const char *const splits[] = {" ",     "a",        "ab",           "aab",
                                         "aa",    "aba",      "\xC3\xA9",     "\xC3\xA9\x61",
                                         "ababb", "\xCC\x87", "abaababaabaab"};
    static const char *const filter_lists[] = {"", "b", "\xC3\xA9", "i b", "\xCC\x87\xC3\xA9", "A"};
    enum { N = 8, LETTERS = 8 + 64 + 512 };
    static char strings[LETTERS][16];
    const char *words[LETTERS];
    (void)state;
    for (size_t i = 0; i < LETTERS; i++) {
        const size_t number = i < 8 ? i : i < 72 ? i - 8 : i - 72;
        size_t rest = number;
        for (size_t j = 0; j < (i < 8 ? 1u : i < 72 ? 2u : 3u); j++, rest /= N)
            strcat(strings[i], read_as[rest % N]);
        words[i] = strings[i];
    }
    for (size_t round = 0; round < 40000; round++) {
        static struct fixture f;
        if (round % 200 == 0) {
            if (round > 0)
                fixture_free(&f);
            f = fixture_new(words, LETTERS, 0,
                            SETTINGS("kind", "keras", "unknown", "0", "lower",
                                     random_below(2) ? "yes" : "no", "split",
                                     splits[random_below(11)], "filters",
                                     filter_lists[random_below(6)]));
        }
        char text[128];
        size_t len = 0;
        const size_t n_letters = random_below(N) + 1;
        for (size_t i = random_below(30); i > 0; i--) {
            const char *letter = alphabet[random_below(n_letters)];
            memcpy(text + len, letter, strlen(letter));
            len += strlen(letter);
        }
        struct token expected[256];
        const size_t n = keras_twin(&f.tokenizer, text, len, expected);
        const struct token_count count = encode_text(&f, text, len);
        assert_int_equal(count.n, n);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(tokens[i].id, expected[i].id);
            assert_int_equal(tokens[i].begin, expected[i].begin);
            assert_int_equal(tokens[i].end, expected[i].end);
        }
        if (round == 39999)
            fixture_free(&f);
    }
}

/* ---- Templates ---- */

static void templates(void **state)
{
    (void)state;
    struct fixture f = fixture_new(
        WORDS, N_WORDS, 2,
        SETTINGS("kind", "blanks", "single", "4:0 A:1 5:0", "pair", "4:0 B:1 5:1  A:0 5:0"));
    struct token_input input = {.text = "ride bike", .text_len = 9};
    struct token_count count =
        tokenizer_encode(&f.tokenizer, &input, true, NULL, tokens, MAX_TOKENS, f.scratch);
    static const struct token one[] = {
        {.id = 4, .special = true},
        {.id = 2, .type = 1, .begin = 0, .end = 4},
        {.id = 3, .type = 1, .begin = 5, .end = 9},
        {.id = 5, .special = true},
    };
    static const struct token two[] = {
        {.id = 4, .special = true},
        {.id = 1, .type = 1, .begin = 1, .end = 2, .in_pair = true},
        {.id = 5, .type = 1, .special = true},
        {.id = 2, .begin = 0, .end = 4},
        {.id = 3, .begin = 5, .end = 9},
        {.id = 5, .special = true},
    };
    const struct token *expected = one;
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(count.n, pass == 0 ? 4 : 6);
        assert_int_equal(count.n_dropped, 0);
        for (size_t i = 0; i < count.n; i++) {
            assert_int_equal(tokens[i].id, expected[i].id);
            assert_int_equal(tokens[i].type, expected[i].type);
            assert_int_equal(tokens[i].begin, expected[i].begin);
            assert_int_equal(tokens[i].end, expected[i].end);
            assert_int_equal(tokens[i].special, expected[i].special);
            assert_int_equal(tokens[i].in_pair, expected[i].in_pair);
        }
        expected = two;
        input.pair = " i";
        input.pair_len = 2;
        count = tokenizer_encode(&f.tokenizer, &input, true, NULL, tokens, MAX_TOKENS, f.scratch);
    }
    count = tokenizer_encode(&f.tokenizer, &input, false, NULL, tokens, MAX_TOKENS, f.scratch);
    assert_int_equal(count.n, 3);
    assert_int_equal(tokens[0].id, 1);
    assert_int_equal(tokens[0].type, 1);
    assert_true(tokens[0].in_pair);
    assert_int_equal(tokens[2].id, 3);

    input = (struct token_input){.text = NULL};
    count = tokenizer_encode(&f.tokenizer, &input, true, NULL, tokens, MAX_TOKENS, f.scratch);
    assert_int_equal(count.n, 2);
    count = tokenizer_encode(&f.tokenizer, &input, false, NULL, tokens, MAX_TOKENS, f.scratch);
    assert_int_equal(count.n, 0);
    input.pair = "";
    count = tokenizer_encode(&f.tokenizer, &input, true, NULL, tokens, MAX_TOKENS, f.scratch);
    assert_int_equal(count.n, 3);
    fixture_free(&f);
}

/* The formula of weights/FORMAT.md, in signed numbers as it stands there. */
static void formula(long a, long b, long r, long kept[2])
{
    kept[0] = a;
    kept[1] = b;
    if (a + b <= r)
        return;
    long n1 = a < b ? a : b;
    long n2 = n1 > r - n1 ? n1 : r - n1;
    if (n1 + n2 > r) {
        n1 = r / 2;
        n2 = n1 + r % 2;
    }
    kept[a > b] = n1;
    kept[a <= b] = n2;
}

static void truncation_formula(void **state)
{
    (void)state;
    for (long a = 0; a < 24; a++)
        for (long b = 0; b < 24; b++)
            for (long r = 0; r < 50; r++) {
                size_t kept[2];
                long expected[2];
                const size_t counts[2] = {(size_t)a, (size_t)b};
                assert_null(
                    template_truncate(TRUNCATE_LONGEST_FIRST, true, counts, (size_t)r, kept));
                formula(a, b, r, expected);
                assert_int_equal(kept[0], expected[0]);
                assert_int_equal(kept[1], expected[1]);
                assert_true(kept[0] <= (size_t)a && kept[1] <= (size_t)b);
                assert_int_equal(kept[0] + kept[1], a + b < r ? a + b : r);
            }
    size_t kept[2];
    static const size_t halves[2] = {SIZE_MAX / 2, SIZE_MAX / 2}, wholes[2] = {SIZE_MAX, SIZE_MAX};
    assert_null(template_truncate(TRUNCATE_LONGEST_FIRST, true, halves, SIZE_MAX, kept));
    assert_true(kept[0] == SIZE_MAX / 2 && kept[1] == SIZE_MAX / 2);
    assert_null(template_truncate(TRUNCATE_LONGEST_FIRST, true, wholes, SIZE_MAX, kept));
    assert_true(kept[0] == SIZE_MAX / 2 && kept[1] == SIZE_MAX / 2 + 1);
}

static size_t words_of(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(text + 2 * i, "i ", 2);
    return 2 * n;
}

struct cut {
    size_t a, b, limit, cap;
    bool two, special, left;
};

/* With the template "4:0 A:0 5:0 B:1 5:1" (one text: its beginning), each word being "i ". */
static void check_token(const struct token *token, const struct cut *cut, const size_t kept[2],
                        size_t i)
{
    const size_t skipped[2] = {cut->left ? cut->a - kept[0] : 0, cut->left ? cut->b - kept[1] : 0};
    const size_t place = cut->special ? i : i + 1 + (i >= kept[0]); /* with special tokens */
    const size_t start_b = kept[0] + 2;
    const bool in_a = place >= 1 && place <= kept[0];
    const bool in_b = cut->two && place >= start_b && place < start_b + kept[1];
    const size_t word = in_a ? skipped[0] + place - 1 : in_b ? skipped[1] + place - start_b : 0;
    assert_int_equal(token->id, in_a || in_b ? 1 : place == 0 ? 4 : 5);
    assert_int_equal(token->type, place >= start_b);
    assert_int_equal(token->special, !in_a && !in_b);
    assert_int_equal(token->in_pair, in_b);
    assert_int_equal(token->begin, 2 * word);
    assert_int_equal(token->end, in_a || in_b ? 2 * word + 1 : 0);
}

static void check_cut(const struct fixture *f, const struct cut *cut)
{
    char text[64], pair[64];
    const struct token_input input = {text, words_of(text, cut->a), cut->two ? pair : NULL,
                                      words_of(pair, cut->b)};
    const size_t n_special = cut->special ? 2 + (size_t)cut->two : 0;
    const size_t room = cut->limit > n_special ? cut->limit - n_special : 0;
    /* The reference reads as many words of a text as the limit has. */
    size_t kept[2], read[2] = {cut->a < cut->limit ? cut->a : cut->limit,
                               cut->b < cut->limit ? cut->b : cut->limit};
    read[1] = cut->two ? read[1] : 0;
    if (cut->a + (cut->two ? cut->b : 0) <= room) {
        kept[0] = cut->a;
        kept[1] = cut->two ? cut->b : 0;
    } else {
        assert_null(template_truncate(TRUNCATE_LONGEST_FIRST, cut->two, read, room, kept));
    }
    const size_t n = n_special + kept[0] + kept[1];

    struct token *out = cut->cap > 0 ? calloc(cut->cap, sizeof *out) : NULL;
    const struct token_limit limit = {.most = cut->limit, .left = cut->left};
    const struct token_count count =
        tokenizer_encode(&f->tokenizer, &input, cut->special, &limit, out, cut->cap, f->scratch);
    assert_null(count.wrong);
    assert_int_equal(count.n, n);
    assert_int_equal(count.n_dropped, cut->a + (cut->two ? cut->b : 0) - kept[0] - kept[1]);
    for (size_t i = 0; i < cut->cap && i < n; i++)
        check_token(&out[i], cut, kept, i);
    free(out);
}

/* Every length of both texts, limit and room for the answer, with and without special tokens. */
static void truncation(void **state)
{
    static const size_t caps[] = {0, 1, 2, 3, 5, 8, 30};
    (void)state;
    struct fixture f = fixture_new(
        WORDS, N_WORDS, 2,
        SETTINGS("kind", "keras", "single", "4:0 A:0 5:0", "pair", "4:0 A:0 5:0 B:1 5:1"));
    struct cut cut;
    for (cut.a = 0; cut.a < 8; cut.a++)
        for (cut.b = 0; cut.b < 8; cut.b++)
            for (cut.limit = 0; cut.limit < 20; cut.limit++)
                for (size_t i = 0; i < 8 * 7; i++) {
                    cut.two = i % 2 == 1;
                    cut.special = i / 2 % 2 == 1;
                    cut.left = i / 4 % 2 == 1;
                    cut.cap = caps[i / 8];
                    check_cut(&f, &cut);
                }
    fixture_free(&f);
}

/* ---- Settings ---- */

static void good_settings(void **state)
{
    (void)state;
    struct tokenizer tokenizer;
    tokenizer_defaults(&tokenizer, 0);
    assert_int_equal(tokenizer.pair.pieces[1].type, 0);
    tokenizer_defaults(&tokenizer, 2);
    assert_int_equal(tokenizer.pair.pieces[1].type, 1);
    assert_int_equal(tokenizer.unknown, -1);
    assert_int_equal(tokenizer.split_bytes, 1);
    assert_non_null(tokenizer_check(&tokenizer, 2));
    assert_null(tokenizer_set(&tokenizer, "kind", "keras", 5));
    assert_null(tokenizer_check(&tokenizer, 2));
    assert_null(tokenizer_set(&tokenizer, "filters", "\0\xC3\xA9", 3));
    assert_int_equal(tokenizer.filters_bytes, 3);
    assert_null(tokenizer_set(&tokenizer, "split", "12345678901234567890123456789012", 32));
    assert_int_equal(tokenizer.split_bytes, 32);
    assert_null(tokenizer_set(&tokenizer, "num_words", "2147483647", 10));
    assert_int_equal(tokenizer.num_words, 2147483647);
    assert_null(tokenizer_set(&tokenizer, "unknown", "-1", 2));
    assert_null(tokenizer_set(&tokenizer, "truncate", "yes", 3));
    assert_true(tokenizer.truncate);
    assert_null(tokenizer_set(&tokenizer, "single", " 1:0   A:2 ", 11));
    assert_int_equal(tokenizer.single.n_pieces, 2);
    assert_int_equal(tokenizer.single.n_special, 1);
    assert_int_equal(tokenizer.single.pieces[1].id, TEMPLATE_A);
    assert_int_equal(tokenizer.single.pieces[1].type, 2);
}

static void refused_settings(void **state)
{
    static const char *const refused[][2] = {
        {"kind", "Keras"},
        {"kind", ""},
        {"lower", "Yes"},
        {"lower", "1"},
        {"char_level", "true"},
        {"truncate", ""},
        {"filters", "\xFF"},
        {"split", ""},
        {"split", "\xC3"},
        {"num_words", "-1"},
        {"num_words", ""},
        {"num_words", "1 "},
        {"num_words", "0x10"},
        {"unknown", "-2"},
        {"unknown", "+1"},
        {"unknown", "1.0"},
        {"unknown", "-"},
        {"unknown", "none"},
        {"single", ""},
        {"single", "A"},
        {"single", "A:"},
        {"single", "A:-1"},
        {"single", ":0 A:0"},
        {"single", "A:0 A:0"},
        {"single", "A:0 B:0"},
        {"single", "1:0"},
        {"single", "B:0"},
        {"single", "-1:0 A:0"},
        {"single", "C:0 A:0"},
        {"single", "a:0"},
        {"single", "A:0,1:0"},
        {"single", "A:0\t1:0"},
        {"single", "1:0: A:0"},
        {"pair", "A:0"},
        {"pair", "B:0"},
        {"pair", "A:0 B:0 B:1"},
        {"pair", "A:0 B:2147483648"},
        {"pair", "2147483648:0 A:0 B:0"},
        {"split", "123456789012345678901234567890123"},
        {"num_words", "2147483648"},
        {"unknown", "99999999999999999999999999"},
        {"single", "1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 A:0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct tokenizer tokenizer, before;
        tokenizer_defaults(&tokenizer, 2);
        memcpy(&before, &tokenizer, sizeof before);
        const char *wrong =
            tokenizer_set(&tokenizer, refused[i][0], refused[i][1], strlen(refused[i][1]));
        if (wrong == NULL || wrong == TOKENIZER_UNKNOWN_KEY)
            fail_msg("%s = '%s' was taken", refused[i][0], refused[i][1]);
        assert_memory_equal(&tokenizer, &before, sizeof before);
    }
    struct tokenizer tokenizer;
    tokenizer_defaults(&tokenizer, 0);
    assert_ptr_equal(tokenizer_set(&tokenizer, "Lower", "yes", 3), TOKENIZER_UNKNOWN_KEY);
    assert_ptr_equal(tokenizer_set(&tokenizer, "", "", 0), TOKENIZER_UNKNOWN_KEY);
    assert_non_null(tokenizer_set(&tokenizer, "lower", "no\0", 3));
    assert_non_null(tokenizer_set(&tokenizer, "num_words", "1\0", 2));
    assert_non_null(tokenizer_set(&tokenizer, "single", "A:0\0", 4));
}

static void refused_wholes(void **state)
{
    (void)state;
    struct fixture f = fixture_new(WORDS, N_WORDS, 2, SETTINGS("kind", "keras"));
    static const char *const refused[][2] = {{"unknown", "10"},
                                             {"single", "10:0 A:0"},
                                             {"pair", "A:0 B:0 10:0"},
                                             {"single", "A:2"},
                                             {"pair", "A:0 B:2"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct tokenizer tokenizer = f.tokenizer;
        assert_null(tokenizer_set(&tokenizer, refused[i][0], refused[i][1], strlen(refused[i][1])));
        assert_non_null(tokenizer_check(&tokenizer, 2));
    }
    assert_non_null(tokenizer_check(&f.tokenizer, 1)); /* its pair template has B:1 */
    assert_null(tokenizer_set(&f.tokenizer, "unknown", "9", 1));
    assert_null(tokenizer_check(&f.tokenizer, 2));
    fixture_free(&f);
}

/* ---- Large and strange texts ---- */

static void large_texts(void **state)
{
    enum { LARGE = 10000000, MANY = 1000000 };
    static const char *const kinds[][2] = {
        {"blanks", "no"}, {"blanks", "yes"}, {"keras", "no"}, {"keras", "yes"}};
    (void)state;
    char *text = malloc(LARGE);
    struct token *out = malloc(MANY * sizeof *out);
    assert_true(text != NULL && out != NULL);
    for (size_t i = 0; i < 4; i++) {
        struct fixture f = fixture_new(WORDS, N_WORDS, 0,
                                       SETTINGS("kind", kinds[i][0], "lower", kinds[i][1],
                                                "unknown", "0", "single", "4:0 A:0"));
        memset(text, 'x', LARGE);
        struct token_count count = encode_text(&f, text, LARGE);
        assert_int_equal(count.n, 2);
        assert_int_equal(tokens[1].id, 0);
        assert_int_equal(tokens[1].end, LARGE);
        for (size_t at = 0; at + 2 <= LARGE; at += 2)
            memcpy(text + at, "\xCE\xA3", 2);
        count = encode_text(&f, text, LARGE);
        assert_int_equal(count.n, 2);
        assert_int_equal(tokens[1].end, LARGE);
        memset(text, 0x80, LARGE);
        assert_int_equal(encode_text(&f, text, LARGE).n, 2);

        const struct token_input many = {.text = text, .text_len = words_of(text, MANY)};
        count = tokenizer_encode(&f.tokenizer, &many, true, NULL, out, MANY, f.scratch);
        assert_int_equal(count.n, MANY + 1);
        assert_int_equal(out[MANY - 1].id, 1);
        assert_int_equal(out[MANY - 1].begin, 2 * (MANY - 2));
        const struct token_limit limit = {.most = 128};
        count = tokenizer_encode(&f.tokenizer, &many, true, &limit, out, MANY, f.scratch);
        assert_int_equal(count.n, 128);
        assert_int_equal(count.n_dropped, MANY + 1 - 128);
        fixture_free(&f);
    }
    free(out);
    free(text);
}

/* Words as long as the longest of the vocabulary, and one byte longer, before split strings that
 * fit the scratch memory just so. */
static void longest_words(void **state)
{
    static const char *const splits[] = {" ", "--", "abcdefghijklmnopqrstuvwxyz123456"};
    char word[41] = "", text[200];
    (void)state;
    memset(word, 'w', 40);
    for (size_t i = 0; i < 3; i++) {
        const char *words[] = {"?", word};
        struct fixture f =
            fixture_new(words, 2, 0, SETTINGS("kind", "keras", "split", splits[i], "unknown", "0"));
        const size_t split = strlen(splits[i]);
        const size_t len = (size_t)snprintf(text, sizeof text, "%s%s%sw%s%s", word, splits[i], word,
                                            splits[i], word);
        char expected[100];
        snprintf(expected, sizeof expected, "1(0,40) 0(%zu,%zu) 1(%zu,%zu)", 40 + split, 81 + split,
                 81 + 2 * split, 121 + 2 * split);
        assert_string_equal(shown(&f, text, len), expected);
        fixture_free(&f);
    }
}

static void random_bytes(void **state)
{
    static const char *const filters = "!\xC3\xA9\xE2\x82\xAC ";
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        struct fixture f = fixture_new(WORDS, N_WORDS, 0,
                                       SETTINGS("kind", kind == 0 ? "blanks" : "keras",
                                                "char_level", kind == 1 ? "yes" : "no", "split",
                                                kind == 2 ? "\xE2\x82\xAC" : " ", "filters",
                                                filters, "lower", "yes", "unknown", "0"));
        for (size_t round = 0; round < 20000; round++) {
            const size_t len = random_below(40);
            char *text = malloc(len + 1);
            assert_non_null(text);
            for (size_t i = 0; i < len; i++)
                text[i] = (char)(random_below(2) ? random_below(256)
                                                 : (unsigned char)filters[random_below(7)]);
            char *just = len > 0 ? malloc(len) : NULL;
            if (len > 0)
                memcpy(just, text, len);
            const struct token_count count = encode_text(&f, just, len);
            size_t end = 0;
            for (size_t i = 0; i < count.n; i++) {
                assert_true(tokens[i].begin < tokens[i].end && tokens[i].end <= len);
                assert_true(tokens[i].begin >= end || kind == 1);
                end = tokens[i].end;
            }
            free(just);
            free(text);
        }
        fixture_free(&f);
    }
}

/* A vocabulary with flipped bytes gives other ids, and nothing worse. */
static void damaged_vocabulary(void **state)
{
    (void)state;
    struct fixture f = fixture_new(WORDS, N_WORDS, 0, SETTINGS("kind", "keras", "unknown", "0"));
    const struct vocabulary *vocabulary = &f.tokenizer.vocabulary;
    unsigned char *from = (unsigned char *)f.section + 16;
    const size_t bytes = 4 * ((size_t)vocabulary->n_slots + vocabulary->n + 1);
    for (size_t i = 0; i < bytes; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            from[i] ^= (unsigned char)(1u << bit);
            const struct token_count count = encode_text(&f, "i ride bike \xFF I <s>", 19);
            assert_int_equal(count.n, 6);
            for (size_t t = 0; t < count.n; t++)
                assert_true(tokens[t].id >= 0 && tokens[t].id < N_WORDS);
            from[i] ^= (unsigned char)(1u << bit);
        }
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks),           cmocka_unit_test(keras),
        cmocka_unit_test(keras_characters), cmocka_unit_test(keras_twin_agrees),
        cmocka_unit_test(templates),        cmocka_unit_test(truncation_formula),
        cmocka_unit_test(truncation),       cmocka_unit_test(good_settings),
        cmocka_unit_test(refused_settings), cmocka_unit_test(refused_wholes),
        cmocka_unit_test(large_texts),      cmocka_unit_test(longest_words),
        cmocka_unit_test(random_bytes),     cmocka_unit_test(damaged_vocabulary),
    };
    return cmocka_run_group_tests_name("tokenizer", tests, NULL, NULL);
}
