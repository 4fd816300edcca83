/* unigram_parts.c - see tokenizer_parts.h and sections PIEC and CMAP of weights/FORMAT.md. */
#include "tools/import/tokenizer/tokenizer_parts.h"

#include "tools/common/alloc.h"
#include "tools/common/print/utf8.h"
#include "tools/writer/tokenizer/trie_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pieces ---- */

enum { HEADER_BYTES = 24, MOST_PIECE_BYTES = 1024 };

static void put_u32(uint8_t *at, size_t value)
{
    uint32_t number = (uint32_t)value;
    memcpy(at, &number, sizeof number);
}

static size_t longest_piece(const struct import_tokenizer *tokenizer)
{
    const struct word_list *words = &tokenizer->draft.words;
    size_t longest = 0;
    for (size_t id = 0; id < words->n; id++)
        longest = words->lens[id] > longest ? words->lens[id] : longest;
    if (longest > MOST_PIECE_BYTES)
        file_die(tokenizer->name, "a piece has %zu bytes; expected at most %d", longest,
                 MOST_PIECE_BYTES);
    return longest;
}

/* The reference takes 10 from the lowest score, whatever piece has that. */
static double unknown_score(const struct import_tokenizer *tokenizer, const double *scores)
{
    double lowest = INFINITY;
    for (size_t id = 0; id < tokenizer->draft.words.n; id++) {
        if (!isfinite(scores[id]))
            file_die(tokenizer->name, "the score of piece %zu is no finite number", id);
        lowest = scores[id] < lowest ? scores[id] : lowest;
    }
    return lowest - 10;
}

static void add_pieces(struct import_tokenizer *tokenizer, const double *scores)
{
    const struct word_list *words = &tokenizer->draft.words;
    const double lowest = unknown_score(tokenizer, scores);
    size_t longest = longest_piece(tokenizer), n_units;
    uint32_t *units =
        trie_write((const char *const *)words->texts, words->lens, words->n, &n_units);
    size_t at_units = HEADER_BYTES + words->n * sizeof *scores;
    size_t len = at_units + n_units * sizeof *units;
    uint8_t *section = alloc_zeros(len, 1);
    put_u32(section, words->n);
    put_u32(section + 4, n_units);
    put_u32(section + 8, longest);
    memcpy(section + 16, &lowest, sizeof lowest);
    memcpy(section + HEADER_BYTES, scores, words->n * sizeof *scores);
    memcpy(section + at_units, units, n_units * sizeof *units);
    draft_add_section(&tokenizer->draft, "PIEC", section, len);
}

void unigram_set(struct import_tokenizer *tokenizer, const double *scores, size_t unknown,
                 bool byte_fallback)
{
    struct tokenizer_draft *draft = &tokenizer->draft;
    if (unknown >= draft->words.n || draft->words.texts[unknown] == NULL)
        file_die(tokenizer->name, "the model's 'unk_id' is not the id of a piece");
    draft->unknown = unknown;
    draft_set_text(draft, "kind", "unigram");
    draft_set_number(draft, "unknown", unknown);
    if (byte_fallback && parts_have_bytes(tokenizer))
        draft_set_text(draft, "byte_fallback", "yes");
    add_pieces(tokenizer, scores);
}

/* ---- Characters ---- */

void charsmap_set(struct import_tokenizer *tokenizer, const void *map, size_t len)
{
    uint32_t trie_bytes = UINT32_MAX;
    for (size_t i = 0; i < tokenizer->draft.n_sections; i++)
        if (strcmp(tokenizer->draft.sections[i].tag, "CMAP") == 0)
            file_die(tokenizer->name, "there are two normalizers Precompiled; expected one");
    if (len >= 4)
        memcpy(&trie_bytes, map, sizeof trie_bytes);
    if (trie_bytes % 4 != 0 || trie_bytes > len - 4 ||
        !utf8_is_valid((const char *)map + 4 + trie_bytes, len - 4 - trie_bytes))
        file_die(tokenizer->name,
                 "the normalizer's precompiled charsmap is damaged: a trie and "
                 "texts in UTF-8 do not lie in its %zu bytes",
                 len);
    void *copy = alloc_resize(NULL, len, 1);
    memcpy(copy, map, len);
    draft_add_section(&tokenizer->draft, "CMAP", copy, len);
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *digit = memchr(digits, c, sizeof digits - 1);
    return digit != NULL ? (int)(digit - digits) : -1;
}

void charsmap_set_base64(struct import_tokenizer *tokenizer, const char *text, size_t len)
{
    uint8_t *map = alloc_resize(NULL, len, 1);
    uint32_t bits = 0;
    size_t n = 0, n_bits = 0;
    while (len > 0 && text[len - 1] == '=')
        len--;
    for (size_t i = 0; i < len; i++) {
        int digit = base64_digit(text[i]);
        if (digit < 0)
            file_die(tokenizer->name, "the normalizer's precompiled charsmap is not in base64");
        bits = bits << 6 | (uint32_t)digit;
        n_bits += 6;
        if (n_bits >= 8)
            map[n++] = (uint8_t)(bits >> (n_bits -= 8));
    }
    charsmap_set(tokenizer, map, n);
}
