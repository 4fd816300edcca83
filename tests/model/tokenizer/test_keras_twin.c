/* tags: sizes */
/* Word splitting against a plain twin that works as Keras does, on whole texts. */
#include "model/unicode/unicode.h"
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/support.h"

#include <string.h>

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
                         engine_token *out)
{
    static struct character lowered[512], translated[8192], filters[64], split[64];
    const size_t n_lowered = characters_of(text, len, tokenizer->keras.lower, lowered);
    const size_t n_filters =
        characters_of(tokenizer->keras.filters.text, tokenizer->keras.filters.len, false, filters);
    const size_t n_split =
        characters_of(tokenizer->keras.split.text, tokenizer->keras.split.len, false, split);
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
            out[n_out++] = (engine_token){.id = id < 0 ? tokenizer->unknown : id,
                                          .begin = translated[start].begin,
                                          .end = translated[i - 1].end};
        }
        start = i + n_split;
        i = start - 1;
    }
    return n_out;
}

/* Random texts over few characters, so that split strings, their beginnings and filters meet in
 * every way; the vocabulary holds all words of up to three characters. */
TEST(keras_twin_agrees)
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
    for (size_t i = 0; i < LETTERS; i++) {
        const size_t number = i < 8 ? i : i < 72 ? i - 8 : i - 72;
        size_t rest = number;
        for (size_t j = 0; j < (i < 8 ? 1u : i < 72 ? 2u : 3u); j++, rest /= N)
            strcat(strings[i], read_as[rest % N]);
        words[i] = strings[i];
    }
    for (size_t round = 0; round < 40000; round++) {
        static struct fixture f;
        if (round % 200 == 0)
            f = fixture_new(words, LETTERS, 0,
                            SETTINGS("kind", "keras", "unknown", "0", "lower",
                                     random_below(2) ? "yes" : "no", "split",
                                     splits[random_below(11)], "filters",
                                     filter_lists[random_below(6)]));
        char text[128];
        size_t len = 0;
        const size_t n_letters = random_below(N) + 1;
        for (size_t i = random_below(30); i > 0; i--) {
            const char *letter = alphabet[random_below(n_letters)];
            memcpy(text + len, letter, strlen(letter));
            len += strlen(letter);
        }
        engine_token expected[256];
        const size_t n = keras_twin(&f.tokenizer, text, len, expected);
        const struct token_count count = encode_text(&f, text, len);
        assert_int_equal(count.n, n);
        support_assert_tokens(found_tokens, expected, n);
    }
}
