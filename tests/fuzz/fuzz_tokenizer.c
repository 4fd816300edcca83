/* Any bytes as a text, or two, for tokenizers of every kind of step. Three bytes choose the
 * tokenizer, what is asked, and where the second text begins; with the last tokenizer, the first
 * three lines are its normalizer, splitter and added tokens; of kind unigram, the first line says
 * how its sections are damaged. The answer is checked: ids and spans within bounds, spans in order,
 * the same count for every room for tokens, limits kept. */
#include "model/tokenizer/pieces/bpe.h"
#include "model/tokenizer/tokenize.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"
#include "tests/model/tokenizer/pieces_section.h"
#include "tools/writer/tokenizer/tokenizer_draft.h"

#include <stdlib.h>
#include <string.h>

static const char *const TEXTS[] = {
    "[UNK]", "[CLS]", "[SEP]",  "[MASK]",    "a",       "b",       "##a",      "##b",
    "ab",    "##ab",  "the",    "##ing",     "e\u0301", "\u00E9",  "##\u00E9", "1",
    "##1",   ".",     ",",      "\u65E5",    "\u672C",  "\uAC00",  "Ab",       " ",
    "  ",    "a b",   "\uFFFD", "\u03C3",    "\u03C2",  "i\u0307", "new",      "\u0301",
    "aa",    "aaaa",  "\u0120", ("\u0120a"), "b</w>",   "ab</w>",  "\u00C3",   "\u00C3\u00A9"};
/* Left, right and what they become, of kind bpe. */
static const struct merge MERGES[] = {
    {4, 4, 0, 32}, {32, 32, 0, 33}, {4, 5, 0, 8}, {34, 4, 0, 35}, {6, 7, 0, 9}, {4, 36, 0, 37},
};
enum { N_MERGES = sizeof MERGES / sizeof *MERGES };
enum { N_TEXTS = sizeof TEXTS / sizeof *TEXTS, MOST_TOKENS = 1 << 16, MOST_SETTINGS = 7 };

static const char *const DEFINITIONS[][MOST_SETTINGS] = {
    {"wordpiece", "clean space_cjk nfd drop_nonspacing lower", "blanks punctuation", "0 1 2 3:l",
     "##", "100", ""},
    {"wordpiece", "clean space_cjk", "blanks punctuation", "0 1 2 3 30:nx 22:nlw", "##", "4", ""},
    {"wordpiece", "nfkc strip_start strip_end lower", "blanks word_runs digits",
     "3:r 23:lr 24 25:nr", "", "10", ""},
    {"wordpiece", "nfc nfd nfkd drop_marks", "punctuation_runs digit_runs", "23:nlr 24:nr 4:nw",
     "##", "100", ""},
    {"words", "nfd lower drop_marks", "blanks word_runs", "", "##", "100", ""},
    {"words", "strip_end nfkc strip_start", "", "5:nr 23:nl 25:n", "##", "100", ""},
    {"keras", "", "", "", "##", "100", ""},
    {"blanks", "", "", "", "##", "100", ""},
    {"unigram", "nfkc", "blanks metaspace:always", "3:l", "##", "8", ""},
    {"unigram", "nmt nfc strip_end replace_runs:2:%20:x replace:ab:%20ba", "metaspace:first digits",
     "23:nr 5:nlw", "##", "8", ""},
    {"unigram", "charsmap strip_start", "", "", "##", "8", ""},
    {"bpe", "", "", "3:nl", "", "100",
     "pattern gpt2 byte_level yes first_blank yes trim but_first"},
    {"bpe", "nfc", "digits", "24:n 25:n 3:l", "", "100",
     "pattern cl100k byte_level yes trim yes whole_words yes"},
    {"bpe", "lower", "", "1:n", "##", "100", "pattern clip suffix </w>"},
    {"bpe", "", "", "25:nlr", "", "100", "fuse_unknown yes"},
    {"bpe", "nfc", "", "25:nl", "", "100", "pattern o200k byte_level yes"},
    {"bpe", "", "", "", "", "100", "byte_fallback yes pattern after_blanks"},
    {"wordpiece", NULL, NULL, NULL, "##", "8", ""},
};
enum { N_DEFINITIONS = sizeof DEFINITIONS / sizeof *DEFINITIONS };
static const char *const KEYS[MOST_SETTINGS - 1] = {"kind",  "normalizer", "splitter",
                                                    "added", "prefix",     "max_word"};

static void *make_vocabulary(struct vocabulary *vocabulary)
{
    size_t lens[N_TEXTS], bad_id;
    for (size_t i = 0; i < N_TEXTS; i++)
        lens[i] = strlen(TEXTS[i]);
    const size_t n_bytes = vocabulary_bytes(lens, N_TEXTS);
    void *section = malloc(n_bytes);
    must(section != NULL &&
         vocabulary_build(section, n_bytes, TEXTS, lens, N_TEXTS, &bad_id) == NULL);
    must(vocabulary_view(vocabulary, section, n_bytes) == NULL);
    return section;
}

/* Takes one line from the input. */
static const char *next_line(const char **text, size_t *len, size_t *line_len)
{
    const char *line = *text, *newline = memchr(line, '\n', *len);
    *line_len = newline == NULL ? *len : (size_t)(newline - line);
    const size_t taken = newline == NULL ? *len : *line_len + 1;
    *text += taken;
    *len -= taken;
    return line;
}

/* "KEY VALUE KEY VALUE ..." */
static bool set_more(struct tokenizer *tokenizer, const char *more)
{
    const struct text_view list = {more, strlen(more)};
    struct text_view key, value;
    for (size_t at = 0; list_next(list, &at, &key) && list_next(list, &at, &value);) {
        char name[32] = "";
        memcpy(name, key.text, key.len);
        if (tokenizer_set(tokenizer, name, value.text, value.len) != NULL)
            return false;
    }
    return true;
}

static void *make_merges(struct tokenizer *tokenizer)
{
    const struct merge_affixes affixes = {tokenizer->prefix, tokenizer->bpe.suffix};
    const size_t n_bytes = merges_bytes(N_MERGES, N_TEXTS);
    size_t bad;
    void *section = malloc(n_bytes), *memory = malloc(merges_build_bytes(&tokenizer->vocabulary));
    must(section != NULL && memory != NULL);
    must(merges_build(section, n_bytes, MERGES, N_MERGES, &tokenizer->vocabulary, &affixes, memory,
                      &bad) == NULL);
    must(tokenizer_view(tokenizer, "MERG", section, n_bytes) == NULL);
    free(memory);
    return section;
}

static bool set_up(struct tokenizer *tokenizer, const char *const *settings, const char **text,
                   size_t *len)
{
    tokenizer_defaults(tokenizer, 2);
    for (size_t i = 0; i < MOST_SETTINGS - 1; i++) {
        const char *value = settings[i];
        size_t value_len = value != NULL ? strlen(value) : 0;
        if (value == NULL)
            value = next_line(text, len, &value_len);
        if (tokenizer_set(tokenizer, KEYS[i], value, value_len) != NULL)
            return false;
    }
    return set_more(tokenizer, settings[MOST_SETTINGS - 1]) &&
           tokenizer_set(tokenizer, "unknown", "0", 1) == NULL &&
           tokenizer_set(tokenizer, "single", "1:0 A:0 2:0", 11) == NULL &&
           tokenizer_set(tokenizer, "pair", "1:0 A:0 2:0 B:1 2:1", 19) == NULL;
}

static void check_tokens(const engine_token *tokens, size_t n, const struct token_input *input,
                         bool ordered)
{
    size_t last[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        must(tokens[i].id >= 0 && tokens[i].id < N_TEXTS && tokens[i].begin <= tokens[i].end);
        must(tokens[i].end <= (tokens[i].in_pair ? input->pair_len : input->text_len));
        must(!tokens[i].special || tokens[i].end == 0);
        if (tokens[i].special)
            continue;
        must(!ordered || tokens[i].begin >= last[tokens[i].in_pair]);
        last[tokens[i].in_pair] = tokens[i].begin;
    }
}

static void check_encoding(const struct tokenizer *tokenizer, const struct token_input *input,
                           unsigned asked)
{
    engine_token *tokens = calloc(MOST_TOKENS, sizeof *tokens);
    void *scratch = malloc(tokenizer_scratch_bytes(tokenizer));
    must(tokens != NULL && scratch != NULL);
    const bool special = asked & 1;
    const struct token_limit limit = {
        .most = asked >> 4, .left = asked & 2, .truncation = (asked >> 2 & 3) % 3};
    const struct token_count whole =
        tokenizer_encode(tokenizer, input, special, NULL, tokens, MOST_TOKENS, scratch);
    must(whole.wrong == NULL && whole.n_dropped == 0);
    check_tokens(tokens, whole.n < MOST_TOKENS ? whole.n : MOST_TOKENS, input,
                 tokenizer->added.raw.n == 0 && !tokenizer->splitter.first_blank);
    must(tokenizer_encode(tokenizer, input, special, NULL, NULL, 0, scratch).n == whole.n);
    const struct token_count cut =
        tokenizer_encode(tokenizer, input, special, &limit, tokens, MOST_TOKENS, scratch);
    must(cut.wrong != NULL || cut.n + cut.n_dropped == whole.n);
    must(cut.wrong != NULL || cut.n <= limit.most || limit.most < 3 * special);
    if (cut.wrong == NULL)
        check_tokens(tokens, cut.n < MOST_TOKENS ? cut.n : MOST_TOKENS, input, false);
    free(tokens);
    free(scratch);
}

/* A copy of a section (aligned), damaged as a line of the input says: a byte to change, of 65536,
 * and what it is xor-ed with. To be freed; must be viewed again. */
static void *damage(const void *section, size_t n_bytes, const char *line, size_t len)
{
    char *copy = malloc(n_bytes + 1);
    must(copy != NULL);
    memcpy(copy, section, n_bytes);
    for (size_t i = 0; i + 3 <= len && n_bytes > 0; i += 3)
        copy[(size_t)((uint8_t)line[i] << 8 | (uint8_t)line[i + 1]) % n_bytes] ^= line[i + 2];
    return copy;
}

/* The sections of kind unigram, sound or not; kept[2] is to be freed. False: they are refused. */
static bool set_sections(struct tokenizer *tokenizer, const char **text, size_t *len, void *kept[2])
{
    /* "a" becomes "b", "ab" nothing, and nothing is said of "x". */
    static const char *const keys[] = {"a", "ab", "\u00E9"};
    static const size_t lens[] = {1, 2, 2};
    size_t n_units, line_len;
    if (tokenizer->kind != TOKENIZER_UNIGRAM)
        return true;
    const char *line = next_line(text, len, &line_len);
    void *pieces = pieces_section(tokenizer, TEXTS, N_TEXTS);
    const size_t n_bytes = 24 + 8 * (size_t)tokenizer->unigram.n + 4 * tokenizer->unigram.trie.n;
    kept[0] = damage(pieces, n_bytes, line, line_len);
    free(pieces);
    uint32_t map[1024 + 4] = {0}, *units = trie_write(keys, lens, 3, &n_units);
    must(n_units <= 1024);
    map[0] = (uint32_t)(4 * n_units);
    memcpy(map + 1, units, 4 * n_units);
    memcpy(map + 1 + n_units, "b\0bb", 5);
    free(units);
    kept[1] = damage(map, 4 * n_units + 9, line, line_len);
    return tokenizer_view(tokenizer, "PIEC", kept[0], n_bytes) == NULL &&
           tokenizer_view(tokenizer, "CMAP", kept[1], 4 * n_units + 9) == NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *kept[2] = {NULL, NULL};
    struct tokenizer tokenizer;
    if (size < 3)
        return 0;
    const char *text = (const char *)data + 3;
    size_t len = size - 3;
    if (!set_up(&tokenizer, DEFINITIONS[data[0] % N_DEFINITIONS], &text, &len))
        return 0;
    void *section = make_vocabulary(&tokenizer.vocabulary);
    void *merges = make_merges(&tokenizer);
    const bool is_set =
        set_sections(&tokenizer, &text, &len, kept) && tokenizer_check(&tokenizer, 2) == NULL;
    must(is_set || tokenizer.kind == TOKENIZER_UNIGRAM);
    const char *wrong = "not set";
    struct arena tables = {0};
    if (is_set)
        do
            wrong = tokenizer_build(&tokenizer, 2, &tables);
        while (arena_allocate(&tables));
    if (wrong == NULL) {
        const size_t first = data[2] < 128 ? len * data[2] / 128 : len;
        const struct token_input input = {.text = text,
                                          .text_len = first,
                                          .pair = data[2] < 128 ? text + first : NULL,
                                          .pair_len = len - first};
        check_encoding(&tokenizer, &input, data[1]);
    }
    free(tables.base);
    free(merges);
    free(section);
    free(kept[0]);
    free(kept[1]);
    return 0;
}
