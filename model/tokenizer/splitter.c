/* splitter.c - characters to words, one at a time; runs of ASCII letters, which need no normalizer
 * and which the rules treat alike, at once.
 *
 * All pre-tokenizers of the reference that exist here decide at each border between two characters,
 * from the properties of these two alone; so any sequence of them is one set of rules, and one
 * pass. Whitespace (\w+|[^\w\s]+) is: drop blanks, end words where \w starts or stops.
 *
 * A pattern splits the words that the rules produce. All patterns have the same form: a few literal
 * texts, runs of letters, of numbers, of other characters, each with an optional character before
 * it, and runs of blanks. Their alternatives are tried in this order where a word begins:
 *
 *     gpt2    's|'t|'re|'ve|'m|'ll|'d | ?\p{L}+ | ?\p{N}+ | ?[^\s\p{L}\p{N}]+ | \s+(?!\S) | \s+
 *     clip    <|startoftext|> | <|endoftext|> | 's ... | \p{L}+ | \p{N} | [^\s\p{L}\p{N}]+
 *     cl100k  (?i:'s ...) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n]*
 *             | \s*[\r\n]+ | \s+(?!\S) | \s+
 *     o200k   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}X]*[\p{Ll}X]+(?i:'s ...)? where X is \p{Lm}\p{Lo}\p{M}
 *             | [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}X]+[\p{Ll}X]*(?i:'s ...)? | \p{N}{1,3}
 *             | ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
 *
 * A run of blanks before something else is one word except for its last blank, which joins the next
 * word or is a word of its own: so one blank is buffered. Words are cut in two only where cl100k
 * ends a word after the last line end of a run of blanks, and where o200k ends one before the last
 * capitals of a run that an ideograph or a mark precedes and no small letter follows: its first
 * class takes them all, and gives back those that the second class does not have. Plain twin:
 * tests/model/tokenizer/test_pattern.c.
 */
#include "model/tokenizer/splitter.h"

#include "model/unicode/unicode.h"

/* ---- Rules ---- */

bool splitter_parse(struct splitter_rules *rules, struct text_view text)
{
    static const struct {
        const char *name;
        struct cut_rules rules;
        enum metaspace metaspace;
    } steps[] = {
        {"blanks", {.drop = UNICODE_BLANK}, METASPACE_NONE},
        {"word_runs", {.runs = UNICODE_WORD}, METASPACE_NONE},
        {"punctuation", {.alone = UNICODE_PUNCTUATION}, METASPACE_NONE},
        {"punctuation_runs", {.runs = UNICODE_PUNCTUATION}, METASPACE_NONE},
        {"punctuation_dropped", {.drop = UNICODE_PUNCTUATION}, METASPACE_NONE},
        {"digits", {.alone = UNICODE_NUMBER}, METASPACE_NONE},
        {"digit_runs", {.runs = UNICODE_NUMBER}, METASPACE_NONE},
        {"metaspace:always", {0}, METASPACE_ALWAYS},
        {"metaspace:first", {0}, METASPACE_FIRST},
        {"metaspace:never", {0}, METASPACE_NEVER},
    };
    enum { N = sizeof steps / sizeof *steps };
    struct text_view item;
    rules->cut = rules->inner = (struct cut_rules){0};
    rules->metaspace = METASPACE_NONE;
    for (size_t at = 0; list_next(text, &at, &item);) {
        const bool is_inner = rules->metaspace != METASPACE_NONE;
        struct cut_rules *cut = is_inner ? &rules->inner : &rules->cut;
        size_t i = 0;
        while (i < N && !list_item_is(item, steps[i].name))
            i++;
        if (i == N || (is_inner && steps[i].metaspace != METASPACE_NONE))
            return false;
        if (!is_inner)
            rules->metaspace = steps[i].metaspace;
        cut->drop |= steps[i].rules.drop;
        cut->alone |= steps[i].rules.alone;
        cut->runs |= steps[i].rules.runs;
    }
    return true;
}

/* Returns whether a word ends between characters of properties a and b. */
static inline bool cuts(const struct cut_rules *rules, unsigned a, unsigned b)
{
    return ((a | b) & rules->alone) != 0 || ((a ^ b) & rules->runs) != 0;
}

void splitter_build(struct splitter_rules *rules, const struct normalizer_plan *plan)
{
    const unsigned apart =
        rules->cut.drop | rules->cut.alone | rules->inner.drop | rules->inner.alone;
    for (unsigned byte = 0; byte < 256; byte++) {
        bool drops;
        const uint8_t value = normalizer_ascii(plan, (uint8_t)byte, &drops);
        const unsigned properties = unicode_properties(value);
        const unsigned letter = rules->pattern == PATTERN_O200K ? UNICODE_SMALL : UNICODE_LETTER;
        const bool is_space =
            rules->metaspace != METASPACE_NONE && (value == ' ' || value == rules->space);
        const bool is_apart = (properties & apart) || is_space ||
                              (rules->pattern != PATTERN_NONE && !(properties & letter));
        rules->ascii.value[byte] = value;
        rules->ascii.stands[byte] = byte < 0x80 && !drops;
        rules->ascii.properties[byte] = (uint16_t)properties;
        rules->ascii.letter[byte] = is_apart ? 0 : value;
    }
}

/* ---- Patterns ---- */

static const char *const CONTRACTIONS[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d", NULL};
static const char *const CLIP_LITERALS[] = {
    "<|startoftext|>", "<|endoftext|>", "'s", "'t", "'re", "'ve", "'m", "'ll", "'d", NULL};

/* Which blank, or other character, may start the run that follows it. */
enum lead { LEAD_NONE, LEAD_BLANK /* U+0020 */, LEAD_ANY /* except CR, LF, letters and numbers */ };

static const struct pattern {
    const char *const *literals;
    bool any_case; /* of the literals */
    bool drops_blanks;
    bool line_ends; /* they follow others, and blanks end after the last one */
    enum lead letters, numbers, others;
    size_t most_numbers; /* of a word; 0: any number */
    unsigned letter;     /* properties of a letter */
    bool by_case;        /* capitals start words, literals end them, slashes are line ends */
} PATTERNS[] = {
    [PATTERN_GPT2] = {CONTRACTIONS, false, false, false, LEAD_BLANK, LEAD_BLANK, LEAD_BLANK, 0,
                      UNICODE_LETTER, false},
    [PATTERN_CLIP] = {CLIP_LITERALS, false, true, false, LEAD_NONE, LEAD_NONE, LEAD_NONE, 1,
                      UNICODE_LETTER, false},
    [PATTERN_CL100K] = {CONTRACTIONS, true, false, true, LEAD_ANY, LEAD_NONE, LEAD_BLANK, 3,
                        UNICODE_LETTER, false},
    [PATTERN_QWEN2] = {CONTRACTIONS, true, false, true, LEAD_ANY, LEAD_NONE, LEAD_BLANK, 1,
                       UNICODE_LETTER, false},
    [PATTERN_O200K] = {CONTRACTIONS, true, false, true, LEAD_ANY, LEAD_NONE, LEAD_BLANK, 3,
                       UNICODE_LETTER | UNICODE_JOINED, true},
    [PATTERN_AFTER_BLANKS] = {.literals = NULL},
};

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

static enum pattern_phase run_of(const struct pattern *pattern, unsigned properties)
{
    if (properties & pattern->letter)
        return pattern->by_case && !(properties & UNICODE_SMALL) ? PATTERN_IN_CAPITALS
                                                                 : PATTERN_IN_LETTERS;
    return is_number(properties)        ? PATTERN_IN_NUMBERS
           : properties & UNICODE_BLANK ? PATTERN_IN_BLANKS
                                        : PATTERN_IN_OTHERS;
}

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

static void pattern_add(struct splitter *splitter, struct normal_char c, unsigned properties);

static void end_word(struct splitter *splitter)
{
    word_end(&splitter->word);
    splitter->run.phase = PATTERN_START;
    splitter->run.n = splitter->run.border = 0;
}

/* Continues the run, or starts one, with the character. */
static void run_on(struct splitter *splitter, enum pattern_phase phase, struct normal_char c,
                   unsigned properties)
{
    word_append(&splitter->word, c);
    splitter->run.phase = phase;
    splitter->run.n++;
    if (phase == PATTERN_IN_LETTERS)
        splitter->run.border = 0;
    else if (phase == PATTERN_IN_CAPITALS && !(properties & UNICODE_CAPITAL))
        splitter->run.border = splitter->word.n_chars;
}

/* Adds a character that starts a word, and is not in a literal text. */
static void begin_run(struct splitter *splitter, const struct pattern *pattern,
                      struct normal_char c, unsigned properties)
{
    const enum pattern_phase phase = run_of(pattern, properties);
    if (phase != PATTERN_IN_BLANKS) {
        run_on(splitter, phase, c, properties);
    } else if (!pattern->drops_blanks) {
        splitter->run.phase = PATTERN_IN_BLANKS;
        splitter->waiting[0] = c;
        splitter->n_waiting = 1;
    }
}

static bool goes_along(enum lead lead, struct normal_char blank)
{
    return lead == LEAD_ANY ? !is_line_end(blank) : lead == LEAD_BLANK && blank.code == ' ';
}

/* Ends a run of blanks: all but the last, which stays buffered, are words. */
static void end_blanks(struct splitter *splitter)
{
    if (splitter->run.border > 0)
        word_end_first(&splitter->word, splitter->run.border);
    word_end(&splitter->word);
    splitter->run.border = 0;
}

static void add_blank(struct splitter *splitter, const struct pattern *pattern)
{
    const struct normal_char blank = splitter->waiting[0];
    splitter->n_waiting = 0;
    run_on(splitter, PATTERN_IN_BLANKS, blank, UNICODE_BLANK);
    if (pattern->line_ends && is_line_end(blank))
        splitter->run.border = splitter->word.n_chars;
}

/* Adds a character other than a blank, after blanks, the last of which is buffered. */
static void add_after_blanks(struct splitter *splitter, const struct pattern *pattern,
                             struct normal_char c, unsigned properties)
{
    const enum pattern_phase phase = run_of(pattern, properties);
    const enum lead lead = phase == PATTERN_IN_NUMBERS  ? pattern->numbers
                           : phase == PATTERN_IN_OTHERS ? pattern->others
                                                        : pattern->letters;
    const bool ends_lines = pattern->line_ends && is_line_end(splitter->waiting[0]);
    if (!ends_lines)
        end_blanks(splitter);
    if (!ends_lines && goes_along(lead, splitter->waiting[0])) {
        word_append(&splitter->word, splitter->waiting[0]);
        splitter->n_waiting = 0;
        splitter->run.n = 1; /* the joined character counts among the others */
        run_on(splitter, phase, c, properties);
        return;
    }
    add_blank(splitter, pattern);
    end_word(splitter);
    pattern_add(splitter, c, properties);
}

/* Reads the buffered characters again, after the word before them: they are no literal text, the
 * first one is ordinary. */
static void read_again(struct splitter *splitter, const struct pattern *pattern)
{
    struct normal_char chars[PATTERN_LITERAL];
    const size_t n = splitter->n_waiting;
    memcpy(chars, splitter->waiting, n * sizeof *chars);
    splitter->n_waiting = 0;
    end_word(splitter);
    begin_run(splitter, pattern, chars[0], unicode_properties(chars[0].code));
    for (size_t i = 1; i < n; i++)
        pattern_add(splitter, chars[i], unicode_properties(chars[i].code));
}

/* Adds the next character of a possible literal text. */
static void add_literal(struct splitter *splitter, const struct pattern *pattern,
                        struct normal_char c, unsigned properties)
{
    if (splitter->n_waiting == 0 && (pattern->by_case || (c.code != '\'' && c.code != '<'))) {
        begin_run(splitter, pattern, c, properties);
        return;
    }
    splitter->waiting[splitter->n_waiting++] = c;
    const enum fit fit = fits(pattern, splitter->waiting, splitter->n_waiting);
    splitter->run.phase = PATTERN_IN_LITERAL;
    if (fit == FITS_WHOLE && splitter->waiting[0].code == '<') {
        read_again(splitter, pattern); /* CLIP's byte level splits it as gpt2 does */
        end_word(splitter);
    } else if (fit == FITS_WHOLE) {
        for (size_t i = 0; i < splitter->n_waiting; i++)
            word_append(&splitter->word, splitter->waiting[i]);
        splitter->n_waiting = 0;
        end_word(splitter);
    } else if (fit == FITS_NONE && splitter->n_waiting == 1) {
        splitter->n_waiting = 0;
        splitter->run.phase = PATTERN_START;
        begin_run(splitter, pattern, c, properties);
    } else if (fit == FITS_NONE) {
        splitter->n_waiting--;
        read_again(splitter, pattern);
        pattern_add(splitter, c, properties);
    }
}

/* Returns whether the character continues the run that the word ends with. */
static bool continues(const struct splitter *splitter, const struct pattern *pattern,
                      struct normal_char c, unsigned properties, enum pattern_phase *phase)
{
    *phase = splitter->run.phase;
    switch (splitter->run.phase) {
    case PATTERN_IN_LETTERS:
        return (properties & pattern->letter) &&
               !(pattern->by_case && (properties & UNICODE_CAPITAL));
    case PATTERN_IN_CAPITALS:
        *phase = run_of(pattern, properties);
        return (properties & pattern->letter) != 0;
    case PATTERN_IN_NUMBERS:
        return is_number(properties) &&
               (pattern->most_numbers == 0 || splitter->run.n < pattern->most_numbers);
    case PATTERN_IN_OTHERS:
        if (pattern->letters == LEAD_ANY && splitter->run.n == 1 && (properties & pattern->letter))
            *phase = run_of(pattern, properties);
        else if (pattern->line_ends && is_line_end(c))
            *phase = PATTERN_IN_LINE_ENDS;
        return *phase != PATTERN_IN_OTHERS || is_other(properties);
    case PATTERN_IN_LINE_ENDS: return is_line_end(c) || (pattern->by_case && c.code == '/');
    default: return false;
    }
}

/* Ends a run of letters before a character; a literal text may follow and belong to it. */
static void end_letters(struct splitter *splitter, const struct pattern *pattern,
                        struct normal_char c, unsigned properties)
{
    if (splitter->run.border > 0 && splitter->run.border < splitter->word.n_chars)
        word_end_first(&splitter->word, splitter->run.border);
    if (c.code == '\'') {
        splitter->run.phase = PATTERN_IN_LITERAL;
        splitter->waiting[splitter->n_waiting++] = c;
        return;
    }
    end_word(splitter);
    begin_run(splitter, pattern, c, properties);
}

/* Adds a character to the word, which the pattern may end before or after it. */
static void pattern_add(struct splitter *splitter, struct normal_char c, unsigned properties)
{
    const struct pattern *pattern = &PATTERNS[splitter->rules->pattern];
    enum pattern_phase phase;
    if (pattern->literals == NULL) {
        word_append(&splitter->word, c);
        if (splitter->rules->pattern == PATTERN_AFTER_BLANKS && c.code == ' ')
            word_end(&splitter->word);
    } else if (splitter->run.phase == PATTERN_IN_LITERAL || splitter->run.phase == PATTERN_START) {
        add_literal(splitter, pattern, c, properties);
    } else if (splitter->run.phase == PATTERN_IN_BLANKS && (properties & UNICODE_BLANK)) {
        add_blank(splitter, pattern);
        splitter->waiting[splitter->n_waiting++] = c;
    } else if (splitter->run.phase == PATTERN_IN_BLANKS) {
        add_after_blanks(splitter, pattern, c, properties);
    } else if (continues(splitter, pattern, c, properties, &phase)) {
        run_on(splitter, phase, c, properties);
    } else if (pattern->by_case && (splitter->run.phase == PATTERN_IN_LETTERS ||
                                    splitter->run.phase == PATTERN_IN_CAPITALS)) {
        end_letters(splitter, pattern, c, properties);
    } else {
        end_word(splitter);
        add_literal(splitter, pattern, c, properties);
    }
}

static void pattern_end(struct splitter *splitter)
{
    const struct pattern *pattern = &PATTERNS[splitter->rules->pattern];
    while (splitter->run.phase == PATTERN_IN_LITERAL)
        read_again(splitter, pattern);
    if (splitter->run.phase == PATTERN_IN_BLANKS)
        add_blank(splitter, pattern);
    if (splitter->run.border > 0)
        word_end_first(&splitter->word, splitter->run.border);
    end_word(splitter);
}

/* ---- Words ---- */

static void end_piece(struct splitter *splitter)
{
    if (splitter->rules->pattern != PATTERN_NONE)
        pattern_end(splitter);
    else
        word_end(&splitter->word);
}

static void add_char(struct splitter *splitter, struct normal_char c, unsigned properties)
{
    if (splitter->rules->pattern != PATTERN_NONE)
        pattern_add(splitter, c, properties);
    else
        word_append(&splitter->word, c);
}

void splitter_cut(struct splitter *splitter)
{
    end_piece(splitter);
    splitter->in_word = false;
}

void splitter_forget(struct splitter *splitter)
{
    struct word *word = &splitter->word;
    word->len = word->n_chars = 0;
    word->is_rest = word->in_unknown = false;
    splitter->run = (struct pattern_run){.phase = PATTERN_START};
    splitter->n_waiting = 0;
}

/* Adds a character of a word, after metaspace has replaced blanks. */
static void add_inner(struct splitter *splitter, struct normal_char c, unsigned properties)
{
    const struct splitter_rules *rules = splitter->rules;
    if (properties & rules->inner.drop) {
        end_piece(splitter);
        return;
    }
    if ((c.code == rules->space && rules->space_splits) ||
        cuts(&rules->inner, splitter->inner_last, properties))
        end_piece(splitter);
    add_char(splitter, c, properties);
    splitter->inner_last = properties;
}

static void begin_word(struct splitter *splitter, const struct splitter_rules *rules,
                       struct normal_char c)
{
    const bool is_wanted = rules->metaspace == METASPACE_ALWAYS ||
                           (rules->metaspace == METASPACE_FIRST && c.begin == 0);
    splitter->in_word = true;
    splitter->inner_last = 0;
    if (is_wanted && c.code != rules->space && c.code != ' ')
        add_inner(splitter, (struct normal_char){rules->space, c.begin, c.end},
                  unicode_properties(rules->space));
    if (rules->first_blank && c.code != ' ')
        add_char(splitter, (struct normal_char){' ', c.begin, c.end}, UNICODE_BLANK);
}

static void add_any(struct splitter *splitter, struct normal_char c, unsigned properties)
{
    const struct splitter_rules *rules = splitter->rules;
    if (properties & rules->cut.drop) {
        splitter_cut(splitter);
        return;
    }
    if (cuts(&rules->cut, splitter->last, properties))
        splitter_cut(splitter);
    if (!splitter->in_word)
        begin_word(splitter, rules, c);
    splitter->last = properties;
    if (rules->metaspace == METASPACE_NONE) {
        add_char(splitter, c, properties);
        return;
    }
    if (c.code == ' ') {
        c.code = rules->space;
        properties = unicode_properties(c.code);
    }
    add_inner(splitter, c, properties);
}

void splitter_add(struct splitter *splitter, struct normal_char c)
{
    add_any(splitter, c, unicode_properties(c.code));
}

/* ---- ASCII ---- */

/* Letters at once, unless rules look at runs; with a pattern, only letters after letters. They are
 * never cut among themselves, but the first of them from the character before it. */
size_t splitter_add_ascii(struct splitter *splitter, const char *text, size_t at, size_t end)
{
    const struct splitter_rules *rules = splitter->rules;
    const struct ascii_table *table = &rules->ascii;
    const bool by_runs = (rules->cut.runs | rules->inner.runs) != 0;
    const bool at_once = !by_runs && rules->pattern == PATTERN_NONE && !splitter->word.byte_level;
    while (at < end && table->value[(uint8_t)text[at]] != 0) {
        const uint8_t byte = (uint8_t)text[at];
        const struct normal_char c = {table->value[byte], at, at + 1};
        const bool in_letters = splitter->run.phase == PATTERN_IN_LETTERS && !by_runs;
        if (table->letter[byte] != 0 && (at_once || in_letters)) {
            if (at_once && (splitter->last & rules->cut.alone))
                splitter_cut(splitter);
            if (at_once && !splitter->in_word)
                begin_word(splitter, rules, c);
            if (at_once && (splitter->inner_last & rules->inner.alone))
                end_piece(splitter);
            at = word_append_ascii(&splitter->word, table->letter, text, at, end);
            splitter->last = splitter->inner_last = table->properties[(uint8_t)text[at - 1]];
        } else if (table->properties[byte] & rules->cut.drop) {
            splitter_cut(splitter);
            at++;
        } else {
            add_any(splitter, c, table->properties[byte]);
            at++;
        }
    }
    return at;
}
