/* tokenizer_fixture.h - a tokenizer over a few words, for the suites of tokenizers. */
#ifndef TESTS_MODEL_TOKENIZER_FIXTURE_H
#define TESTS_MODEL_TOKENIZER_FIXTURE_H

#include "model/tokenizer/tokenize.h"

struct fixture {
    struct tokenizer tokenizer;
    void *section, *scratch;
};

enum { MAX_TOKENS = 4096, N_WORDS = 10 };

extern engine_token tokens[MAX_TOKENS];  /* what the last encode_text() found */
extern const char *const WORDS[N_WORDS]; /* <unk> i ride bike <s> </s> U+FFFD οδος I i̇ */

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* settings: SETTINGS("key", "value" ...) of section TOKN. Fails the test where one is refused. */
struct fixture fixture_new(const char *const *words, size_t n, size_t n_types,
                           const char *const *settings);
void fixture_free(struct fixture *fixture);

struct token_count encode_text(const struct fixture *fixture, const char *text, size_t len);

/* "id(begin,end) ..." of a text's tokens, in one static buffer. */
const char *shown_tokens(const struct fixture *fixture, const char *text, size_t len);

#define assert_tokens(fixture, text, expected)                                                     \
    assert_string_equal(shown_tokens(fixture, text, sizeof(text) - 1), expected)

/* n times "i ", its length. */
size_t words_of(char *text, size_t n);

/* 0 .. n-1 from a seeded generator. */
size_t random_below(size_t n);

#endif
