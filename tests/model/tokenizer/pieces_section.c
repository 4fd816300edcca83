/* pieces_section.c - see pieces_section.h. */
#include "tests/model/tokenizer/pieces_section.h"

#include "tools/writer/tokenizer/tokenizer_draft.h"

#include <stdlib.h>
#include <string.h>

void *vocabulary_section(struct tokenizer *tokenizer, const char *const *texts, size_t n)
{
    size_t *lens = calloc(n + 1, sizeof *lens), bad_id;
    for (size_t i = 0; i < n; i++)
        lens[i] = texts[i] != NULL ? strlen(texts[i]) : 0;
    const size_t n_bytes = vocabulary_bytes(lens, n);
    void *section = malloc(n_bytes);
    if (vocabulary_build(section, n_bytes, texts, lens, n, &bad_id) != NULL ||
        vocabulary_view(&tokenizer->vocabulary, section, n_bytes) != NULL)
        abort();
    free(lens);
    return section;
}

void *pieces_section(struct tokenizer *tokenizer, const char *const *texts, size_t n)
{
    size_t *lens = calloc(n, sizeof *lens), n_units = 0, longest = 0;
    for (size_t i = 0; i < n; i++) {
        lens[i] = strlen(texts[i]);
        longest = lens[i] > longest ? lens[i] : longest;
    }
    uint32_t *units = trie_write(texts, lens, n, &n_units);
    const size_t len = 24 + 8 * n + 4 * n_units;
    char *section = calloc(len, 1);
    const uint32_t header[4] = {(uint32_t)n, (uint32_t)n_units, (uint32_t)longest, 0};
    const double unknown_score = -18;
    memcpy(section, header, sizeof header);
    memcpy(section + 16, &unknown_score, 8);
    for (size_t i = 0; i < n; i++) {
        const double score = -8 - (double)lens[i] / 8;
        memcpy(section + 24 + 8 * i, &score, 8);
    }
    memcpy(section + 24 + 8 * n, units, 4 * n_units);
    if (tokenizer_view(tokenizer, "PIEC", section, len) != NULL)
        abort();
    free(lens);
    free(units);
    return section;
}
