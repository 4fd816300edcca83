/* tags: sizes */
/* Tokens back to text. What is expected of each kind is what decode() of HuggingFace tokenizers
 * 0.23 gives with the decoder that such tokenizers have.
 *
 * Guarantee: ids become the text that HuggingFace's usual decoder of that kind makes of them. */
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/support.h"

#include "model/tokenizer/tokens.h"

static const struct decode_case {
    const char *kind, *words[10], *settings[14];
    int32_t ids[8];
    const char *all, *ordinary; /* without the special tokens */
} CASES[] = {
    {"wordpiece",
     {"[CLS]", "[SEP]", "ride", "##s", ".", "I", "[UNK]", "[x]", "?"},
     {"unknown", "6", "single", "0:0 A:0 1:0", "added", "0 1 6 7:n"},
     {0, 5, 2, 3, 6, 7, 4, 1},
     "[CLS] I rides [UNK] [x]. [SEP]",
     "I rides."},
    {"wordpiece", {"##s", "a"}, {"unknown", "1", "added", "1"}, {0, 1, 0, -1}, "##s as", "##s as"},
    {"words", {"a", "b", "."}, {"unknown", "0"}, {0, 2, 1, -1}, "a . b", "a . b"},
    {"blanks", {"a", "b", "[CLS]"}, {"single", "2:0 A:0"}, {2, 0, 1, -1}, "[CLS] a b", "a b"},
    {"unigram",
     {"<s>", "\u2581I", "\u2581ri", "de", "\u2581", "<x>", "x"},
     {"unknown", "0", "splitter", "metaspace:always", "added", "0 5"},
     {0, 1, 2, 3, 4, 5, 1, -1},
     "<s> I ride <x> I",
     "I ride  I"},
    {"unigram",
     {"\u2581", "\u2581a"},
     {"unknown", "0", "splitter", "metaspace:always"},
     {0, 1, 1, -1},
     " a a",
     " a a"},
    {"unigram",
     {"\u2581a", "<0xC3>", "<0xA9>", "<0x0A>"},
     {"unknown", "0", "splitter", "metaspace:never", "byte_fallback", "yes"},
     {0, 1, 2, 3, 0, -1},
     " a\u00e9\n a",
     " a\u00e9\n a"},
    {"bpe",
     {"I", "\u0120ri", "de", "\u00c3", "\u00a9", "\u010a", "<s>", "  ", "\u0143", "\u0144"},
     {"prefix", "", "byte_level", "yes", "added", "6 7"},
     {6, 0, 1, 2, 3, 4, 5, 7},
     "<s>I ride\u00e9\n  ",
     "I ride\u00e9\n  "},
    {"bpe",
     {"\u0143", "\u0144", "\u00a0", "\u0121"},
     {"prefix", "", "byte_level", "yes"},
     {0, 1, 2, 3, -1},
     "\xad\u0144\u00a0\x7f",
     "\xad\u0144\u00a0\x7f"},
};

static void assert_decoded(const struct tokenizer *tokenizer, const struct decode_case *c,
                           bool skip_special, const char *expected)
{
    char out[100];
    size_t n = 0;
    bool at_start = true;
    for (size_t i = 0; i < 8 && c->ids[i] >= 0; i++) {
        bool still = at_start;
        const size_t len = tokenizer_decode(tokenizer, c->ids[i], skip_special, &at_start, NULL);
        assert_true(n + len < sizeof out);
        assert_int_equal(tokenizer_decode(tokenizer, c->ids[i], skip_special, &still, out + n),
                         len);
        n += len;
    }
    out[n] = '\0';
    assert_string_equal(out, expected);
}

TEST(kinds)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct decode_case *c = &CASES[i];
        size_t n = 0;
        while (n < 10 && c->words[n] != NULL)
            n++;
        struct fixture f = fixture_of(1, SETTINGS("kind", c->kind));
        fixture_set(&f.tokenizer, c->settings);
        assert_null(fixture_build(&f, c->words, n));
        assert_decoded(&f.tokenizer, c, false, c->all);
        assert_decoded(&f.tokenizer, c, true, c->ordinary);
    }
}

/* Texts in the vocabulary of the default weights come back; all others give the same ids again. */
TEST(round_trips)
{
    static const char *const TEXTS[] = {"I ride bike", "the dog bites the man", "", "a",
                                        "you cycle to work , the city is big"};
    engine_model *model = support_open("weights/default.weights");
    engine_session *session = support_session(model, NULL);
    engine_error error;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        const engine_input input = support_text(TEXTS[i]);
        engine_token got[2][64];
        int32_t ids[64];
        char text[256];
        size_t n, n_again, len;
        assert_ok(engine_tokenize(session, &input, NULL, got[0], 64, &n, NULL));
        for (size_t j = 0; j < n; j++)
            ids[j] = got[0][j].id;
        assert_ok(engine_decode(model, ids, n, 1, text, sizeof text, &len, &error));
        const engine_input again = {.text = text, .text_len = len};
        assert_ok(engine_tokenize(session, &again, NULL, got[1], 64, &n_again, NULL));
        assert_int_equal(n_again, n);
        for (size_t j = 0; j < n; j++)
            assert_int_equal(got[1][j].id, ids[j]);
        assert_int_equal(engine_decode(model, ids, n, 1, NULL, 0, &len, &error),
                         n == 0 || len == 0 ? ENGINE_OK : ENGINE_ERROR_BUFFER);
    }
    static const int32_t WRONG[] = {1, -1, INT32_MAX};
    size_t len;
    for (size_t i = 1; i < 3; i++) {
        const int32_t ids[] = {WRONG[0], WRONG[i]};
        assert_fails(ARGUMENT, engine_decode(model, ids, 2, 0, NULL, 0, &len, &error));
        assert_int_equal(error.input, 1);
        assert_int_equal(error.reason, ENGINE_REASON_BAD_ID);
    }
    assert_fails(ARGUMENT, engine_decode(NULL, WRONG, 1, 0, NULL, 0, &len, &error));
    assert_fails(ARGUMENT, engine_decode(model, NULL, 1, 0, NULL, 0, &len, &error));
    assert_ok(engine_decode(model, NULL, 0, 0, NULL, 0, &len, &error));
    assert_int_equal(len, 0);
}
