/* tokenizer_fixture.c - see the header. */
#include "tests/model/tokenizer/tokenizer_fixture.h"

#include "tests/model/tokenizer/pieces_section.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

engine_token tokens[MAX_TOKENS];

const char *const WORDS[N_WORDS] = {"<unk>",        "i",    "ride", "bike",     "<s>", "</s>",
                                    "\xEF\xBF\xBD", "οδος", "I",    "i\xCC\x87"};

struct fixture fixture_new(const char *const *words, size_t n, size_t n_types,
                           const char *const *settings)
{
    struct fixture fixture;
    tokenizer_defaults(&fixture.tokenizer, n_types);
    for (; *settings != NULL; settings += 2) {
        const char *wrong =
            tokenizer_set(&fixture.tokenizer, settings[0], settings[1], strlen(settings[1]));
        if (wrong != NULL)
            fail_msg("%s = %s: expected %s", settings[0], settings[1], wrong);
    }
    fixture.section = vocabulary_section(&fixture.tokenizer, words, n);
    assert_null(tokenizer_check(&fixture.tokenizer, n_types));
    fixture.scratch = malloc(tokenizer_scratch_bytes(&fixture.tokenizer));
    assert_non_null(fixture.scratch);
    return fixture;
}

void fixture_free(struct fixture *fixture)
{
    free(fixture->section);
    free(fixture->scratch);
}

struct token_count encode_text(const struct fixture *fixture, const char *text, size_t len)
{
    const struct token_input input = {.text = text, .text_len = len};
    return tokenizer_encode(&fixture->tokenizer, &input, true, NULL, tokens, MAX_TOKENS,
                            fixture->scratch);
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
                              (int)tokens[i].id, tokens[i].begin, tokens[i].end);
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
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % n;
}
