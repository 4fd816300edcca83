/* Any bytes as a text, or two, for tokenizers of every kind of step. Three bytes choose the
 * tokenizer, what is asked, and where the second text begins; with the last tokenizer, the first
 * three lines are its normalizer, splitter and added tokens. What the answer must be like is
 * checked: ids and spans within bounds, spans in order, the same count whatever the room for
 * tokens, limits kept. */
#include "model/tokenizer/tokenizer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const TEXTS[] = {"[UNK]",
                                    "[CLS]",
                                    "[SEP]",
                                    "[MASK]",
                                    "a",
                                    "b",
                                    "##a",
                                    "##b",
                                    "ab",
                                    "##ab",
                                    "the",
                                    "##ing",
                                    "e\xCC\x81",
                                    "\xC3\xA9",
                                    "##\xC3\xA9",
                                    "1",
                                    "##1",
                                    ".",
                                    ",",
                                    "\xE6\x97\xA5",
                                    "\xE6\x9C\xAC",
                                    "\xEA\xB0\x80",
                                    "Ab",
                                    " ",
                                    "  ",
                                    "a b",
                                    "\xEF\xBF\xBD",
                                    "\xCF\x83",
                                    "\xCF\x82",
                                    "i\xCC\x87",
                                    "new",
                                    "\xCC\x81"};
enum { N_TEXTS = sizeof TEXTS / sizeof *TEXTS, MOST_TOKENS = 1 << 16, MOST_SETTINGS = 6 };

static const char *const DEFINITIONS[][MOST_SETTINGS] = {
    {"wordpiece", "clean space_cjk nfd drop_nonspacing lower", "blanks punctuation", "0 1 2 3:l",
     "##", "100"},
    {"wordpiece", "clean space_cjk", "blanks punctuation", "0 1 2 3 30:nx 22:nlw", "##", "4"},
    {"wordpiece", "nfkc strip_start strip_end lower", "blanks word_runs digits",
     "3:r 23:lr 24 25:nr", "", "10"},
    {"wordpiece", "nfc nfd nfkd drop_marks", "punctuation_runs digit_runs", "23:nlr 24:nr 4:nw",
     "##", "100"},
    {"words", "nfd lower drop_marks", "blanks word_runs", "", "##", "100"},
    {"words", "strip_end nfkc strip_start", "", "5:nr 23:nl 25:n", "##", "100"},
    {"keras", "", "", "", "##", "100"},
    {"blanks", "", "", "", "##", "100"},
    {"wordpiece", NULL, NULL, NULL, "##", "8"},
};
enum { N_DEFINITIONS = sizeof DEFINITIONS / sizeof *DEFINITIONS };
static const char *const KEYS[MOST_SETTINGS] = {"kind",  "normalizer", "splitter",
                                                "added", "prefix",     "max_word"};

static void must(bool holds)
{
    if (!holds)
        abort();
}

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

static bool set_up(struct tokenizer *tokenizer, const char *const *settings, const char **text,
                   size_t *len)
{
    tokenizer_defaults(tokenizer, 2);
    for (size_t i = 0; i < MOST_SETTINGS; i++) {
        const char *value = settings[i];
        size_t value_len = value != NULL ? strlen(value) : 0;
        if (value == NULL)
            value = next_line(text, len, &value_len);
        if (tokenizer_set(tokenizer, KEYS[i], value, value_len) != NULL)
            return false;
    }
    return tokenizer_set(tokenizer, "unknown", "0", 1) == NULL &&
           tokenizer_set(tokenizer, "single", "1:0 A:0 2:0", 11) == NULL &&
           tokenizer_set(tokenizer, "pair", "1:0 A:0 2:0 B:1 2:1", 19) == NULL;
}

static void check_tokens(const struct token *tokens, size_t n, const struct token_input *input,
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
    struct token *tokens = calloc(MOST_TOKENS, sizeof *tokens);
    void *scratch = malloc(tokenizer_scratch_bytes(tokenizer));
    must(tokens != NULL && scratch != NULL);
    const bool special = asked & 1;
    const struct token_limit limit = {
        .most = asked >> 4, .left = asked & 2, .truncation = (asked >> 2 & 3) % 3};
    const struct token_count whole =
        tokenizer_encode(tokenizer, input, special, NULL, tokens, MOST_TOKENS, scratch);
    must(whole.wrong == NULL && whole.n_dropped == 0);
    check_tokens(tokens, whole.n < MOST_TOKENS ? whole.n : MOST_TOKENS, input,
                 tokenizer->added.raw.n == 0);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tokenizer tokenizer;
    if (size < 3)
        return 0;
    const char *text = (const char *)data + 3;
    size_t len = size - 3;
    if (!set_up(&tokenizer, DEFINITIONS[data[0] % N_DEFINITIONS], &text, &len))
        return 0;
    void *section = make_vocabulary(&tokenizer.vocabulary);
    must(tokenizer_check(&tokenizer, 2) == NULL);
    void *tables = malloc(tokenizer_table_bytes(&tokenizer) + 1);
    must(tables != NULL);
    if (tokenizer_build(&tokenizer, tables) == NULL) {
        const size_t first = data[2] < 128 ? len * data[2] / 128 : len;
        const struct token_input input = {text, first, data[2] < 128 ? text + first : NULL,
                                          len - first};
        check_encoding(&tokenizer, &input, data[1]);
    }
    free(tables);
    free(section);
    return 0;
}
