/* pattern.c - the patterns, whose alternatives are tried in this order where a word begins:
 *
 *     gpt2    's|'t|'re|'ve|'m|'ll|'d | ?\p{L}+ | ?\p{N}+ | ?[^\s\p{L}\p{N}]+ | \s+(?!\S) | \s+
 *     clip    <|startoftext|> | <|endoftext|> | 's ... | \p{L}+ | \p{N} | [^\s\p{L}\p{N}]+
 *     cl100k  (?i:'s ...) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n]*
 *             | \s*[\r\n]+ | \s+(?!\S) | \s+
 *
 * A run of blanks before something else is one word except for its last blank, which joins the next
 * word or is a word of its own: so one blank is buffered. Words are cut in two only where cl100k
 * ends a word after the last line end of a run of blanks. Plain twin: tests/model/tokenizer/
 * test_pattern.c.
 */
#include "model/tokenizer/split/pattern.h"

#include "model/tokenizer/split/pretoken_reading.h"
#include "model/unicode/unicode.h"

#include <string.h>

static const char *const CONTRACTIONS[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d", NULL};
static const char *const CLIP_LITERALS[] = {
    "<|startoftext|>", "<|endoftext|>", "'s", "'t", "'re", "'ve", "'m", "'ll", "'d", NULL};

/* Which blank, or other character, may start the run that follows it. */
enum lead { LEAD_NONE, LEAD_BLANK /* U+0020 */, LEAD_ANY /* except CR, LF, letters and numbers */ };

static const struct pattern {
    const char *name;
    const char *const *literals;
    bool any_case; /* of the literals */
    bool drops_blanks;
    bool line_ends; /* they follow others, and blanks end after the last one */
    enum lead letters, numbers, others;
    size_t most_numbers; /* of a word; 0: any number */
} PATTERNS[] = {
    [PATTERN_NONE] = {.name = "none"},
    [PATTERN_GPT2] = {"gpt2", CONTRACTIONS, false, false, false, LEAD_BLANK, LEAD_BLANK, LEAD_BLANK,
                      0},
    [PATTERN_CLIP] = {"clip", CLIP_LITERALS, false, true, false, LEAD_NONE, LEAD_NONE, LEAD_NONE,
                      1},
    [PATTERN_CL100K] = {"cl100k", CONTRACTIONS, true, false, true, LEAD_ANY, LEAD_NONE, LEAD_BLANK,
                        3},
    [PATTERN_QWEN2] = {"qwen2", CONTRACTIONS, true, false, true, LEAD_ANY, LEAD_NONE, LEAD_BLANK,
                       1},
    [PATTERN_AFTER_BLANKS] = {.name = "after_blanks"},
};

bool pattern_parse(enum pattern_kind *kind, struct text_view name)
{
    for (unsigned i = 0; i < sizeof PATTERNS / sizeof *PATTERNS; i++)
        if (list_item_is(name, PATTERNS[i].name)) {
            *kind = (enum pattern_kind)i;
            return true;
        }
    return false;
}

static bool is_line_end(struct normal_char c)
{
    return c.code == '\n' || c.code == '\r';
}

static bool is_number(unsigned properties)
{
    return (properties & (UNICODE_NUMBER | UNICODE_LATE_NUMBER)) == UNICODE_NUMBER;
}

static bool is_other(unsigned properties)
{
    return !(properties & (UNICODE_LETTER | UNICODE_BLANK)) && !is_number(properties);
}

static enum pattern_phase run_of(unsigned properties)
{
    return properties & UNICODE_LETTER  ? PATTERN_IN_LETTERS
           : is_number(properties)      ? PATTERN_IN_NUMBERS
           : properties & UNICODE_BLANK ? PATTERN_IN_BLANKS
                                        : PATTERN_IN_OTHERS;
}

/* ---- Literal texts ---- */

/* Returns a letter as (?i) compares it: U+017F is an s. */
static uint32_t folded(const struct pattern *pattern, uint32_t code)
{
    if (!pattern->any_case)
        return code;
    return code >= 'A' && code <= 'Z' ? code + 32 : code == 0x17F ? 's' : code;
}

enum fit { FITS_NONE, FITS_BEGINNING, FITS_WHOLE };

static enum fit fits(const struct pattern *pattern, const struct normal_char *chars, size_t n)
{
    enum fit best = FITS_NONE;
    for (const char *const *literal = pattern->literals; best != FITS_WHOLE && *literal != NULL;
         literal++) {
        size_t same = 0;
        while (same < n && folded(pattern, chars[same].code) == (uint8_t)(*literal)[same])
            same++;
        if (same == n)
            best = (*literal)[n] == '\0' ? FITS_WHOLE : FITS_BEGINNING;
    }
    return best;
}

/* ---- Runs ---- */

static void end_word(struct pattern_state *state, struct pretoken *word)
{
    pretoken_end(word);
    state->run.phase = PATTERN_START;
    state->run.n = state->run.line_end = 0;
}

/* Continues the run, or starts one, with the character. */
static void run_on(struct pattern_state *state, struct pretoken *word, enum pattern_phase phase,
                   struct normal_char c)
{
    pretoken_append(word, c);
    state->run.phase = phase;
    state->run.n++;
}

/* Adds a character that starts a word, and is not in a literal text. */
static void begin_run(struct pattern_state *state, struct pretoken *word,
                      const struct pattern *pattern, struct normal_char c, unsigned properties)
{
    const enum pattern_phase phase = run_of(properties);
    if (phase != PATTERN_IN_BLANKS) {
        run_on(state, word, phase, c);
    } else if (!pattern->drops_blanks) {
        state->run.phase = PATTERN_IN_BLANKS;
        state->waiting[0] = c;
        state->n_waiting = 1;
    }
}

static bool goes_along(enum lead lead, struct normal_char blank)
{
    return lead == LEAD_ANY ? !is_line_end(blank) : lead == LEAD_BLANK && blank.code == ' ';
}

/* Ends a run of blanks: all but the last, which stays buffered, are words. */
static void end_blanks(struct pattern_state *state, struct pretoken *word)
{
    if (state->run.line_end > 0)
        pretoken_end_first(word, state->run.line_end);
    pretoken_end(word);
    state->run.line_end = 0;
}

static void add_blank(struct pattern_state *state, struct pretoken *word,
                      const struct pattern *pattern)
{
    const struct normal_char blank = state->waiting[0];
    state->n_waiting = 0;
    run_on(state, word, PATTERN_IN_BLANKS, blank);
    if (pattern->line_ends && is_line_end(blank))
        state->run.line_end = word->n_chars;
}

/* Adds a character other than a blank, after blanks, the last of which is buffered. */
static void add_after_blanks(struct pattern_state *state, struct pretoken *word,
                             const struct pattern *pattern, struct normal_char c,
                             unsigned properties)
{
    const enum pattern_phase phase = run_of(properties);
    const enum lead lead = phase == PATTERN_IN_LETTERS   ? pattern->letters
                           : phase == PATTERN_IN_NUMBERS ? pattern->numbers
                                                         : pattern->others;
    const bool ends_lines = pattern->line_ends && is_line_end(state->waiting[0]);
    if (!ends_lines)
        end_blanks(state, word);
    if (!ends_lines && goes_along(lead, state->waiting[0])) {
        pretoken_append(word, state->waiting[0]);
        state->n_waiting = 0;
        state->run.n = 1; /* the joined character counts among the others */
        run_on(state, word, phase, c);
        return;
    }
    add_blank(state, word, pattern);
    end_word(state, word);
    pattern_add(state, word, c, properties);
}

/* ---- Characters ---- */

/* Reads the buffered characters again: they are no literal text, the first one is ordinary. */
static void read_again(struct pattern_state *state, struct pretoken *word,
                       const struct pattern *pattern)
{
    struct normal_char chars[PATTERN_LITERAL];
    const size_t n = state->n_waiting;
    memcpy(chars, state->waiting, n * sizeof *chars);
    state->n_waiting = 0;
    state->run.phase = PATTERN_START;
    begin_run(state, word, pattern, chars[0], unicode_properties(chars[0].code));
    for (size_t i = 1; i < n; i++)
        pattern_add(state, word, chars[i], unicode_properties(chars[i].code));
}

/* Adds the next character of a possible literal text. */
static void add_literal(struct pattern_state *state, struct pretoken *word,
                        const struct pattern *pattern, struct normal_char c, unsigned properties)
{
    if (state->n_waiting == 0 && c.code != '\'' && c.code != '<') {
        begin_run(state, word, pattern, c, properties);
        return;
    }
    state->waiting[state->n_waiting++] = c;
    const enum fit fit = fits(pattern, state->waiting, state->n_waiting);
    state->run.phase = PATTERN_IN_LITERAL;
    if (fit == FITS_WHOLE && state->waiting[0].code == '<') {
        read_again(state, word, pattern); /* CLIP's byte level splits it as gpt2 does */
        end_word(state, word);
    } else if (fit == FITS_WHOLE) {
        for (size_t i = 0; i < state->n_waiting; i++)
            pretoken_append(word, state->waiting[i]);
        state->n_waiting = 0;
        end_word(state, word);
    } else if (fit == FITS_NONE && state->n_waiting == 1) {
        state->n_waiting = 0;
        state->run.phase = PATTERN_START;
        begin_run(state, word, pattern, c, properties);
    } else if (fit == FITS_NONE) {
        state->n_waiting--;
        read_again(state, word, pattern);
        pattern_add(state, word, c, properties);
    }
}

/* Returns whether the character continues the run that the word ends with. */
static bool continues(const struct pattern_state *state, const struct pattern *pattern,
                      struct normal_char c, unsigned properties, enum pattern_phase *phase)
{
    *phase = state->run.phase;
    switch (state->run.phase) {
    case PATTERN_IN_LETTERS: return (properties & UNICODE_LETTER) != 0;
    case PATTERN_IN_NUMBERS:
        return is_number(properties) &&
               (pattern->most_numbers == 0 || state->run.n < pattern->most_numbers);
    case PATTERN_IN_OTHERS:
        if (pattern->letters == LEAD_ANY && state->run.n == 1 && (properties & UNICODE_LETTER))
            *phase = PATTERN_IN_LETTERS;
        else if (pattern->line_ends && is_line_end(c))
            *phase = PATTERN_IN_LINE_ENDS;
        return *phase != PATTERN_IN_OTHERS || is_other(properties);
    case PATTERN_IN_LINE_ENDS: return is_line_end(c);
    default: return false;
    }
}

void pattern_add(struct pattern_state *state, struct pretoken *word, struct normal_char c,
                 unsigned properties)
{
    const struct pattern *pattern = &PATTERNS[state->kind];
    enum pattern_phase phase;
    if (pattern->literals == NULL) {
        pretoken_append(word, c);
        if (state->kind == PATTERN_AFTER_BLANKS && c.code == ' ')
            pretoken_end(word);
    } else if (state->run.phase == PATTERN_IN_LITERAL || state->run.phase == PATTERN_START) {
        add_literal(state, word, pattern, c, properties);
    } else if (state->run.phase == PATTERN_IN_BLANKS && (properties & UNICODE_BLANK)) {
        add_blank(state, word, pattern);
        state->waiting[state->n_waiting++] = c;
    } else if (state->run.phase == PATTERN_IN_BLANKS) {
        add_after_blanks(state, word, pattern, c, properties);
    } else if (continues(state, pattern, c, properties, &phase)) {
        run_on(state, word, phase, c);
    } else {
        end_word(state, word);
        add_literal(state, word, pattern, c, properties);
    }
}

void pattern_end(struct pattern_state *state, struct pretoken *word)
{
    const struct pattern *pattern = &PATTERNS[state->kind];
    while (state->run.phase == PATTERN_IN_LITERAL)
        read_again(state, word, pattern);
    if (state->run.phase == PATTERN_IN_BLANKS) {
        add_blank(state, word, pattern);
        if (state->run.line_end > 0)
            pretoken_end_first(word, state->run.line_end);
    }
    end_word(state, word);
}
