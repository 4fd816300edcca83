/* pattern.c - the patterns, whose alternatives are tried in this order where a word begins:
 *
 *   gpt2    's|'t|'re|'ve|'m|'ll|'d | ?\p{L}+ | ?\p{N}+ | ?[^\s\p{L}\p{N}]+ | \s+(?!\S) | \s+
 *   clip    <|startoftext|> | <|endoftext|> | 's ... | \p{L}+ | \p{N} | [^\s\p{L}\p{N}]+
 *   cl100k  (?i:'s ...) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n]*
 *           | \s*[\r\n]+ | \s+(?!\S) | \s+
 *
 * A run of blanks before something else is one word but for its last blank, which goes with what
 * follows or is a word of its own: so one blank waits. Only where cl100k ends words behind the last
 * line end of a run of blanks, words are cut in two. Plain twin: tests/model/tokenizer/
 * test_pattern.c.
 */
#include "model/tokenizer/split/pattern.h"

#include "model/tokenizer/split/pretoken_reading.h"
#include "model/unicode/unicode.h"

#include <string.h>

static const char *const CONTRACTIONS[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d", NULL};
static const char *const CLIP_LITERALS[] = {
    "<|startoftext|>", "<|endoftext|>", "'s", "'t", "'re", "'ve", "'m", "'ll", "'d", NULL};

/* Which blank, or other character, may go along with the run that follows it. */
enum lead { LEAD_NONE, LEAD_BLANK /* U+0020 */, LEAD_ANY /* but CR, LF, letters and numbers */ };

static const struct pattern {
    const char *name;
    const char *const *literals;
    bool any_case; /* of the literals */
    bool drops_blanks;
    bool line_ends; /* they follow others, and blanks end behind the last one */
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

static enum pattern_place run_of(unsigned properties)
{
    return properties & UNICODE_LETTER  ? PATTERN_IN_LETTERS
           : is_number(properties)      ? PATTERN_IN_NUMBERS
           : properties & UNICODE_BLANK ? PATTERN_IN_BLANKS
                                        : PATTERN_IN_OTHERS;
}

/* ---- Literal texts ---- */

/* Letters as (?i) compares them: U+017F is an s. */
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
    state->run.place = PATTERN_START;
    state->run.n = state->run.line_end = 0;
}

/* The run goes on, or begins, with the character. */
static void run_on(struct pattern_state *state, struct pretoken *word, enum pattern_place place,
                   struct normal_char c)
{
    pretoken_append(word, c);
    state->run.place = place;
    state->run.n++;
}

/* The character begins a word, and no literal text. */
static void begin_run(struct pattern_state *state, struct pretoken *word,
                      const struct pattern *pattern, struct normal_char c, unsigned properties)
{
    const enum pattern_place place = run_of(properties);
    if (place != PATTERN_IN_BLANKS) {
        run_on(state, word, place, c);
    } else if (!pattern->drops_blanks) {
        state->run.place = PATTERN_IN_BLANKS;
        state->waiting[0] = c;
        state->n_waiting = 1;
    }
}

static bool goes_along(enum lead lead, struct normal_char blank)
{
    return lead == LEAD_ANY ? !is_line_end(blank) : lead == LEAD_BLANK && blank.code == ' ';
}

/* The run of blanks is over: all but the last are words. That one is left to wait. */
static void end_blanks(struct pattern_state *state, struct pretoken *word)
{
    if (state->run.line_end > 0)
        pretoken_end_first(word, state->run.line_end);
    pretoken_end(word);
    state->run.line_end = 0;
}

static void put_blank(struct pattern_state *state, struct pretoken *word,
                      const struct pattern *pattern)
{
    const struct normal_char blank = state->waiting[0];
    state->n_waiting = 0;
    run_on(state, word, PATTERN_IN_BLANKS, blank);
    if (pattern->line_ends && is_line_end(blank))
        state->run.line_end = word->n_chars;
}

/* A character that is no blank, after blanks, the last of which waits. */
static void put_after_blanks(struct pattern_state *state, struct pretoken *word,
                             const struct pattern *pattern, struct normal_char c,
                             unsigned properties)
{
    const enum pattern_place place = run_of(properties);
    const enum lead lead = place == PATTERN_IN_LETTERS   ? pattern->letters
                           : place == PATTERN_IN_NUMBERS ? pattern->numbers
                                                         : pattern->others;
    const bool ends_lines = pattern->line_ends && is_line_end(state->waiting[0]);
    if (!ends_lines)
        end_blanks(state, word);
    if (!ends_lines && goes_along(lead, state->waiting[0])) {
        pretoken_append(word, state->waiting[0]);
        state->n_waiting = 0;
        state->run.n = 1; /* the one that goes along counts among the others */
        run_on(state, word, place, c);
        return;
    }
    put_blank(state, word, pattern);
    end_word(state, word);
    pattern_put(state, word, c, properties);
}

/* ---- Characters ---- */

/* What waits for a literal text is none: it is read again, the first character as such. */
static void read_again(struct pattern_state *state, struct pretoken *word,
                       const struct pattern *pattern)
{
    struct normal_char chars[PATTERN_LITERAL];
    const size_t n = state->n_waiting;
    memcpy(chars, state->waiting, n * sizeof *chars);
    state->n_waiting = 0;
    state->run.place = PATTERN_START;
    begin_run(state, word, pattern, chars[0], unicode_properties(chars[0].code));
    for (size_t i = 1; i < n; i++)
        pattern_put(state, word, chars[i], unicode_properties(chars[i].code));
}

/* The next character of what may be a literal text. */
static void put_literal(struct pattern_state *state, struct pretoken *word,
                        const struct pattern *pattern, struct normal_char c, unsigned properties)
{
    if (state->n_waiting == 0 && c.code != '\'' && c.code != '<') {
        begin_run(state, word, pattern, c, properties);
        return;
    }
    state->waiting[state->n_waiting++] = c;
    const enum fit fit = fits(pattern, state->waiting, state->n_waiting);
    state->run.place = PATTERN_IN_LITERAL;
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
        state->run.place = PATTERN_START;
        begin_run(state, word, pattern, c, properties);
    } else if (fit == FITS_NONE) {
        state->n_waiting--;
        read_again(state, word, pattern);
        pattern_put(state, word, c, properties);
    }
}

/* Whether the run that the word ends with goes on with the character. */
static bool continues(const struct pattern_state *state, const struct pattern *pattern,
                      struct normal_char c, unsigned properties, enum pattern_place *place)
{
    *place = state->run.place;
    switch (state->run.place) {
    case PATTERN_IN_LETTERS: return (properties & UNICODE_LETTER) != 0;
    case PATTERN_IN_NUMBERS:
        return is_number(properties) &&
               (pattern->most_numbers == 0 || state->run.n < pattern->most_numbers);
    case PATTERN_IN_OTHERS:
        if (pattern->letters == LEAD_ANY && state->run.n == 1 && (properties & UNICODE_LETTER))
            *place = PATTERN_IN_LETTERS;
        else if (pattern->line_ends && is_line_end(c))
            *place = PATTERN_IN_LINE_ENDS;
        return *place != PATTERN_IN_OTHERS || is_other(properties);
    case PATTERN_IN_LINE_ENDS: return is_line_end(c);
    default: return false;
    }
}

void pattern_put(struct pattern_state *state, struct pretoken *word, struct normal_char c,
                 unsigned properties)
{
    const struct pattern *pattern = &PATTERNS[state->kind];
    enum pattern_place place;
    if (pattern->literals == NULL) {
        pretoken_append(word, c);
        if (state->kind == PATTERN_AFTER_BLANKS && c.code == ' ')
            pretoken_end(word);
    } else if (state->run.place == PATTERN_IN_LITERAL || state->run.place == PATTERN_START) {
        put_literal(state, word, pattern, c, properties);
    } else if (state->run.place == PATTERN_IN_BLANKS && (properties & UNICODE_BLANK)) {
        put_blank(state, word, pattern);
        state->waiting[state->n_waiting++] = c;
    } else if (state->run.place == PATTERN_IN_BLANKS) {
        put_after_blanks(state, word, pattern, c, properties);
    } else if (continues(state, pattern, c, properties, &place)) {
        run_on(state, word, place, c);
    } else {
        end_word(state, word);
        put_literal(state, word, pattern, c, properties);
    }
}

void pattern_end(struct pattern_state *state, struct pretoken *word)
{
    const struct pattern *pattern = &PATTERNS[state->kind];
    while (state->run.place == PATTERN_IN_LITERAL)
        read_again(state, word, pattern);
    if (state->run.place == PATTERN_IN_BLANKS) {
        put_blank(state, word, pattern);
        if (state->run.line_end > 0)
            pretoken_end_first(word, state->run.line_end);
    }
    end_word(state, word);
}
