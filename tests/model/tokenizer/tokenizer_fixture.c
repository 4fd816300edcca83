/* tokenizer_fixture.c - see the header. */
#include "tests/model/tokenizer/tokenizer_fixture.h"

#include "tests/model/tokenizer/pieces_section.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

engine_token found_tokens[MAX_TOKENS];

const char *const FEW_WORDS[N_FEW_WORDS] = {
    "<unk>", "i", "ride", "bike", "<s>", "</s>", "\xEF\xBF\xBD", "οδος", "I", "i\xCC\x87"};

void fixture_set(struct tokenizer *tokenizer, const char *const *settings)
{
    for (; *settings != NULL; settings += 2) {
        const char *wrong = tokenizer_set(tokenizer, settings[0], settings[1], strlen(settings[1]));
        if (wrong != NULL)
            fail_msg("%s = %s: expected %s", settings[0], settings[1], wrong);
    }
}

struct fixture fixture_of(size_t n_types, const char *const *settings)
{
    struct fixture fixture = {.n_types = n_types};
    tokenizer_defaults(&fixture.tokenizer, n_types);
    fixture_set(&fixture.tokenizer, settings);
    return fixture;
}

static void add_merges(struct fixture *fixture)
{
    const struct merge_affixes affixes = {{"", 0}, {"", 0}};
    const struct vocabulary *vocabulary = &fixture->tokenizer.vocabulary;
    const size_t len = merges_bytes(fixture->n_merges, vocabulary->n);
    void *section = new_bytes(len);
    size_t bad;
    assert_null(merges_build(section, len, fixture->merges, fixture->n_merges, vocabulary, &affixes,
                             new_bytes(merges_build_bytes(vocabulary)), &bad));
    assert_null(tokenizer_view(&fixture->tokenizer, "MERG", section, len));
}

const char *fixture_build(struct fixture *fixture, const char *const *words, size_t n)
{
    struct tokenizer *tokenizer = &fixture->tokenizer;
    fixture->vocabulary = owned(vocabulary_section(tokenizer, words, n), free);
    if (tokenizer->kind == TOKENIZER_UNIGRAM)
        fixture->pieces = owned(pieces_section(tokenizer, words, n), free);
    if (tokenizer->kind == TOKENIZER_BPE)
        add_merges(fixture);
    struct arena tables = {0};
    const char *wrong;
    do
        wrong = tokenizer_build(tokenizer, fixture->n_types, &tables);
    while (arena_allocate(&tables));
    owned(tables.base, free);
    if (wrong == NULL)
        fixture->scratch = new_bytes(tokenizer_scratch_bytes(tokenizer));
    return wrong;
}

struct fixture fixture_new(const char *const *words, size_t n, size_t n_types,
                           const char *const *settings)
{
    struct fixture fixture = fixture_of(n_types, settings);
    assert_null(fixture_build(&fixture, words, n));
    return fixture;
}

struct token_count encode_input(const struct fixture *fixture, const struct token_input *input,
                                bool special, const struct token_limit *limit)
{
    return tokenizer_encode(&fixture->tokenizer, input, special, limit, found_tokens, MAX_TOKENS,
                            fixture->scratch);
}

struct token_count encode_text(const struct fixture *fixture, const char *text, size_t len)
{
    return encode_input(fixture, &(struct token_input){.text = text, .text_len = len}, true, NULL);
}

const char *shown_tokens(const struct fixture *fixture, const char *text, size_t len)
{
    static char line[4096];
    const struct token_count count = encode_text(fixture, text, len);
    size_t n = 0;
    line[0] = '\0';
    assert_true(count.n <= 100 && count.n_dropped == 0);
    for (size_t i = 0; i < count.n; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%d(%zu,%zu)", i > 0 ? " " : "",
                              (int)found_tokens[i].id, found_tokens[i].begin, found_tokens[i].end);
    return line;
}

size_t words_of(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(text + 2 * i, "i ", 2);
    return 2 * n;
}

size_t random_below(size_t n)
{
    static uint64_t seed = 1;
    return support_below(&seed, n);
}
