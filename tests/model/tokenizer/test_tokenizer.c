/* tags: sizes aarch64 */
/* Word splitting at blanks and as Keras does; texts, words and vocabularies at the limits. */
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/owned.h"
#include "tests/suite.h"
#include "tests/support.h"

#include "model/tokenizer/word.h"
#include "model/unicode/unicode.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

TEST(blanks)
{
    struct fixture f =
        fixture_new(FEW_WORDS, N_FEW_WORDS, 0, SETTINGS("kind", "blanks", "unknown", "0"));
    assert_tokens(&f, "I ride bike", "8(0,1) 2(2,6) 3(7,11)");
    assert_tokens(&f, "", "");
    assert_tokens(&f, " \t\n\v\f\r\xC2\x85\u00A0\u1680\u2000\u200A", "");
    assert_tokens(&f, "\u2028\u2029\u202F\u205F\u3000", "");
    assert_tokens(&f, "\u3000i\u00A0ride\r\n", "1(3,4) 2(6,10)");
    assert_tokens(&f, "i\u200Bride", "0(0,8)"); /* zero width space is no White_Space */
    assert_tokens(&f, "ride\x1C", "0(0,5)");    /* nor is a file separator */
    assert_tokens(&f, "ride\0bike \0 bike", "0(0,9) 0(10,11) 3(12,16)");
    assert_tokens(&f, "\xFF bike \xE2\x82", "6(0,1) 3(2,6) 6(7,9)");
    assert_tokens(&f, "ridex rid Ride", "0(0,5) 0(6,9) 0(10,14)");

    f = fixture_new(FEW_WORDS, N_FEW_WORDS, 0, SETTINGS("kind", "blanks", "lower", "yes"));
    assert_tokens(&f, "I RIDE bike", "1(0,1) 2(2,6) 3(7,11)");
    assert_tokens(&f, "\u039F\u0394\u039F\u03A3 no", "7(0,8)"); /* ΟΔΟΣ */
    assert_tokens(&f, "no \u0130", "9(3,5)");                   /* I with dot */
}

/* White_Space is the categories of separators with the controls from tab to return and NEL. */
TEST(blanks_are_white_space)
{
    struct fixture f =
        fixture_new(FEW_WORDS, N_FEW_WORDS, 0, SETTINGS("kind", "blanks", "unknown", "0"));
    for (uint32_t code = 1; code < 0x30000; code++) {
        char text[2 + UTF8_BYTES] = "i";
        utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code);
        bool is_blank = category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
                        category == UTF8PROC_CATEGORY_ZP || (code >= 9 && code <= 13) ||
                        code == 0x85;
        size_t len = 1 + utf8_encode(code, text + 1);
        text[len++] = 'i';
        size_t n = encode_text(&f, text, len).n;
        if (n != (is_blank ? 2 : 1))
            fail_msg("U+%04X makes %zu words", (unsigned)code, n);
    }
}

TEST(keras)
{
    struct fixture f = fixture_new(
        FEW_WORDS, N_FEW_WORDS, 0,
        SETTINGS("kind", "keras", "lower", "yes", "filters", "!,.\t\n", "unknown", "0"));
    assert_tokens(&f, "I ride, BIKE.", "1(0,1) 2(2,6) 3(8,12)");
    assert_tokens(&f, "ride!bike\tI\nx", "2(0,4) 3(5,9) 1(10,11) 0(12,13)");
    assert_tokens(&f, "", "");
    assert_tokens(&f, " ,. !\t ", "");
    assert_tokens(&f, "ride\r", "0(0,5)");
    assert_tokens(&f, "ride\u00A0", "0(0,6)");
    assert_tokens(&f, "ride\0 bike", "0(0,5) 3(6,10)");
    assert_tokens(&f, "\u039F\u0394\u039F\u03A3.", "7(0,8)");
    assert_tokens(&f, "\u0130 \xC3", "9(0,2) 6(3,4)");

    f = fixture_new(FEW_WORDS, N_FEW_WORDS, 0, SETTINGS("kind", "keras", "num_words", "3"));
    assert_tokens(&f, "i ride bike I i", "1(0,1) 2(2,6) 1(14,15)");
    f = fixture_new(FEW_WORDS, N_FEW_WORDS, 0,
                    SETTINGS("kind", "keras", "num_words", "3", "unknown", "5"));
    assert_tokens(&f, "i ride bike x", "1(0,1) 2(2,6) 5(7,11) 5(12,13)");
}

TEST(keras_characters)
{
    static const char *const characters[] = {"?", "a", "i", "\u0307", " ", "\uFFFD", "ab"};
    struct fixture f = fixture_new(characters, 7, 0,
                                   SETTINGS("kind", "keras", "lower", "yes", "char_level", "yes",
                                            "filters", "a ", "unknown", "0"));
    assert_tokens(&f, "A a", "1(0,1) 4(1,2) 1(2,3)");
    assert_tokens(&f, "\u0130ab", "2(0,2) 3(0,2) 1(2,3) 0(3,4)");
    assert_tokens(&f, "\xE2\x82\U0001F600", "5(0,2) 0(2,6)");
    assert_tokens(&f, "\0a", "0(0,1) 1(1,2)");
}

TEST(large_texts)
{
    const size_t large = support_emulated() ? 200000 : 10000000, many_words = large / 10;
    static const char *const kinds[][2] = {
        {"blanks", "no"}, {"blanks", "yes"}, {"keras", "no"}, {"keras", "yes"}};
    char *text = new_bytes(large);
    engine_token *out = new_bytes(many_words * sizeof *out);
    for (size_t i = 0; i < 4; i++) {
        struct fixture f = fixture_new(FEW_WORDS, N_FEW_WORDS, 0,
                                       SETTINGS("kind", kinds[i][0], "lower", kinds[i][1],
                                                "unknown", "0", "single", "4:0 A:0"));
        memset(text, 'x', large);
        struct token_count count = encode_text(&f, text, large);
        assert_int_equal(count.n, 2);
        assert_int_equal(found_tokens[1].id, 0);
        assert_int_equal(found_tokens[1].end, large);
        for (size_t at = 0; at + 2 <= large; at += 2)
            memcpy(text + at, "\u03A3", 2);
        count = encode_text(&f, text, large);
        assert_int_equal(count.n, 2);
        assert_int_equal(found_tokens[1].end, large);
        memset(text, 0x80, large);
        assert_int_equal(encode_text(&f, text, large).n, 2);

        const struct token_input many = {.text = text, .text_len = words_of(text, many_words)};
        count = tokenizer_encode(&f.tokenizer, &many, true, NULL, out, many_words, f.scratch);
        assert_int_equal(count.n, many_words + 1);
        assert_int_equal(out[many_words - 1].id, 1);
        assert_int_equal(out[many_words - 1].begin, 2 * (many_words - 2));
        const struct token_limit limit = {.most = 128};
        count = tokenizer_encode(&f.tokenizer, &many, true, &limit, out, many_words, f.scratch);
        assert_int_equal(count.n, 128);
        assert_int_equal(count.n_dropped, many_words + 1 - 128);
    }
}

/* Words as long as the longest of the vocabulary, and one byte longer, before split strings that
 * fit the scratch memory just so. */
TEST(longest_words)
{
    static const char *const splits[] = {" ", "--", "abcdefghijklmnopqrstuvwxyz123456"};
    char word[41] = "", text[200];
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
        assert_string_equal(shown_tokens(&f, text, len), expected);
    }
}

TEST(random_bytes)
{
    static const char *const filters = "!\u00E9\u20AC ";
    for (unsigned kind = 0; kind < 4; kind++) {
        struct fixture f =
            fixture_new(FEW_WORDS, N_FEW_WORDS, 0,
                        SETTINGS("kind", kind == 0 ? "blanks" : "keras", "char_level",
                                 kind == 1 ? "yes" : "no", "split", kind == 2 ? "\u20AC" : " ",
                                 "filters", filters, "lower", "yes", "unknown", "0"));
        for (size_t round = 0; round < (support_emulated() ? 1000 : 20000); round++) {
            const size_t len = random_below(40);
            char *text = new_bytes(len);
            for (size_t i = 0; i < len; i++)
                text[i] = (char)(random_below(2) ? random_below(256)
                                                 : (unsigned char)filters[random_below(7)]);
            const struct token_count count = encode_text(&f, text, len);
            size_t end = 0;
            for (size_t i = 0; i < count.n; i++) {
                assert_true(found_tokens[i].begin < found_tokens[i].end &&
                            found_tokens[i].end <= len);
                assert_true(found_tokens[i].begin >= end || kind == 1);
                end = found_tokens[i].end;
            }
        }
    }
}

/* A vocabulary with flipped bytes gives other ids, and nothing worse. */
TEST(damaged_vocabulary)
{
    struct fixture f =
        fixture_new(FEW_WORDS, N_FEW_WORDS, 0, SETTINGS("kind", "keras", "unknown", "0"));
    const struct vocabulary *vocabulary = &f.tokenizer.vocabulary;
    unsigned char *from = (unsigned char *)f.vocabulary + 16;
    const size_t bytes = 4 * ((size_t)vocabulary->n_slots + vocabulary->n + 1);
    for (size_t i = 0; i < bytes; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            from[i] ^= (unsigned char)(1u << bit);
            const struct token_count count = encode_text(&f, "i ride bike \xFF I <s>", 19);
            assert_int_equal(count.n, 6);
            for (size_t t = 0; t < count.n; t++)
                assert_true(found_tokens[t].id >= 0 && found_tokens[t].id < N_FEW_WORDS);
            from[i] ^= (unsigned char)(1u << bit);
        }
}

/* Blanks become a character of words, and rules after it cut words further. */
TEST(metaspace)
{
    static const char *const words[] = {"<unk>", "\u2581a", "b", "1", "_a", "\u2581"};
    static const struct {
        const char *splitter, *space, *text, *expected;
    } cases[] = {
        {"metaspace:always punctuation_dropped", "\u2581", "a,b", "1(0,1) 2(2,3)"},
        {"metaspace:always punctuation_dropped", "\u2581", "\u2581a", "1(0,4)"},
        {"metaspace:always digits", "\u2581", "a1b1", "1(0,1) 3(1,2) 2(2,3) 3(3,4)"},
        {"metaspace:always digits", "\u2581", "1", "5(0,1) 3(0,1)"},
        {"metaspace:always", "_", "a_a a", "4(0,1) 4(1,3) 4(3,5)"},
        {"metaspace:always", "_", "_a", "4(0,2)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f =
            fixture_new(words, 6, 2,
                        SETTINGS("kind", "words", "unknown", "0", "splitter", cases[i].splitter,
                                 "metaspace", cases[i].space, "metaspace_splits", "yes"));
        assert_string_equal(shown_tokens(&f, cases[i].text, strlen(cases[i].text)),
                            cases[i].expected);
    }
}

/* A piece may have more blanks than the text that it covers: no span becomes less than empty. */
TEST(trimmed_spans)
{
    static const char *const words[] = {"<unk>", "   ", " a "};
    engine_token token;
    struct fixture f =
        fixture_new(words, 3, 2, SETTINGS("kind", "words", "unknown", "0", "trim", "yes"));
    for (int32_t id = 1; id < 3; id++) {
        struct word_sink sink = {.tokenizer = &f.tokenizer,
                                 .out = &token,
                                 .cap = 1,
                                 .most = SIZE_MAX,
                                 .text = {" ab", 3},
                                 .trim = f.tokenizer.trim};
        word_sink_piece(&sink, id, 1, id == 1 ? 3 : 2);
        assert_int_equal(sink.n, 1);
        assert_true(token.id == id && token.begin == (id == 1 ? 3 : 2) && token.end == token.begin);
    }
}
