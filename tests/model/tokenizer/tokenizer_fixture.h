/* tokenizer_fixture.h - a tokenizer over a few words, for the suites of tokenizers. */
#ifndef TESTS_MODEL_TOKENIZER_FIXTURE_H
#define TESTS_MODEL_TOKENIZER_FIXTURE_H

#include "model/tokenizer/pieces/bpe.h"
#include "model/tokenizer/tokenize.h"

struct fixture {
    struct tokenizer tokenizer;
    const struct merge *merges; /* of kind bpe; NULL: none */
    size_t n_merges, n_types;
    void *vocabulary, *pieces; /* sections; pieces are those of kind unigram */
    void *scratch;
};

enum { MAX_TOKENS = 1 << 16, N_FEW_WORDS = 10 };

extern engine_token found_tokens[MAX_TOKENS];    /* what was encoded last */
extern const char *const FEW_WORDS[N_FEW_WORDS]; /* <unk> i ride bike <s> </s> U+FFFD οδος I i̇ */

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Sets the keys of section TOKN: SETTINGS("key", "value" ...). Fails the test where one is refused.
 */
void fixture_set(struct tokenizer *tokenizer, const char *const *settings);

/* The defaults and these settings, and then the sections of the words, and memory to encode, all
 * released after the test. NULL, or why the tables cannot be built. */
struct fixture fixture_of(size_t n_types, const char *const *settings);
const char *fixture_build(struct fixture *fixture, const char *const *words, size_t n);

/* Both. */
struct fixture fixture_new(const char *const *words, size_t n, size_t n_types,
                           const char *const *settings);

struct token_count encode_input(const struct fixture *fixture, const struct token_input *input,
                                bool special, const struct token_limit *limit);
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
