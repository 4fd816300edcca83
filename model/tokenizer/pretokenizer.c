/* pretokenizer.c - characters to words, one at a time; runs of ASCII letters, which need no
 * normalizer and which the rules treat alike, at once.
 *
 * All pre-tokenizers of the reference that exist here decide at each border between two characters,
 * from the properties of these two alone; so any sequence of them is one set of rules, and one
 * pass. Whitespace (\w+|[^\w\s]+) is: drop blanks, end words where \w starts or stops. A pattern
 * (split/pattern.c) splits the words that the rules produce.
 */
#include "model/tokenizer/pretokenizer.h"

#include "model/tokenizer/split/pretoken_reading.h"
#include "model/tokenizer/words.h"
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
    struct splitter_rules parsed = {.space = rules->space, .space_splits = rules->space_splits};
    struct text_view item;
    for (size_t at = 0; list_next(text, &at, &item);) {
        const bool is_inner = parsed.metaspace != METASPACE_NONE;
        struct cut_rules *cut = is_inner ? &parsed.inner : &parsed.cut;
        size_t i = 0;
        while (i < N && !list_item_is(item, steps[i].name))
            i++;
        if (i == N || (is_inner && steps[i].metaspace != METASPACE_NONE))
            return false;
        if (!is_inner)
            parsed.metaspace = steps[i].metaspace;
        cut->drop |= steps[i].rules.drop;
        cut->alone |= steps[i].rules.alone;
        cut->runs |= steps[i].rules.runs;
    }
    *rules = parsed;
    return true;
}

void splitter_ascii(struct ascii_table *table, const struct normalizer_plan *plan,
                    const struct splitter_rules *rules, enum pattern_kind pattern)
{
    const unsigned apart =
        rules->cut.drop | rules->cut.alone | rules->inner.drop | rules->inner.alone;
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint8_t value = normalizer_ascii(plan, (uint8_t)byte);
        const uint8_t properties = (uint8_t)unicode_properties(value);
        const bool has_pattern = pattern != PATTERN_NONE;
        const bool is_space =
            rules->metaspace != METASPACE_NONE && (value == ' ' || value == rules->space);
        table->value[byte] = value;
        table->properties[byte] = properties;
        table->letter[byte] =
            (properties & apart) || is_space || (has_pattern && !(properties & UNICODE_LETTER))
                ? 0
                : value;
    }
}

/* ---- Words ---- */

static void end_piece(struct pretokenizer *pretokenizer)
{
    if (pretokenizer->pattern.kind != PATTERN_NONE)
        pattern_end(&pretokenizer->pattern, &pretokenizer->word);
    else
        pretoken_end(&pretokenizer->word);
}

void pretokenizer_cut(struct pretokenizer *pretokenizer)
{
    end_piece(pretokenizer);
    pretokenizer->in_word = false;
}

void pretokenizer_forget(struct pretokenizer *pretokenizer)
{
    struct pretoken *word = &pretokenizer->word;
    word->len = word->n_chars = 0;
    word->is_rest = word->in_unknown = false;
    pretokenizer->pattern.run = (struct pattern_run){.phase = PATTERN_START};
    pretokenizer->pattern.n_waiting = 0;
}

static void add_char(struct pretokenizer *pretokenizer, struct normal_char c, unsigned properties)
{
    if (pretokenizer->pattern.kind != PATTERN_NONE)
        pattern_add(&pretokenizer->pattern, &pretokenizer->word, c, properties);
    else
        pretoken_append(&pretokenizer->word, c);
}

/* Adds a character of a word, after metaspace has replaced blanks. */
static void add_inner(struct pretokenizer *pretokenizer, struct normal_char c, unsigned properties)
{
    const struct splitter_rules *rules = &pretokenizer->word.sink->tokenizer->splitter;
    if (properties & rules->inner.drop) {
        end_piece(pretokenizer);
        return;
    }
    if ((c.code == rules->space && rules->space_splits) ||
        splitter_cuts(&rules->inner, pretokenizer->inner_last, properties))
        end_piece(pretokenizer);
    add_char(pretokenizer, c, properties);
    pretokenizer->inner_last = properties;
}

static void begin_word(struct pretokenizer *pretokenizer, const struct splitter_rules *rules,
                       struct normal_char c)
{
    const bool is_wanted = rules->metaspace == METASPACE_ALWAYS ||
                           (rules->metaspace == METASPACE_FIRST && c.begin == 0);
    pretokenizer->in_word = true;
    pretokenizer->inner_last = 0;
    if (is_wanted && c.code != rules->space && c.code != ' ')
        add_inner(pretokenizer, (struct normal_char){rules->space, c.begin, c.end},
                  unicode_properties(rules->space));
    if (pretokenizer->word.sink->tokenizer->first_blank && c.code != ' ')
        add_char(pretokenizer, (struct normal_char){' ', c.begin, c.end}, UNICODE_BLANK);
}

static void add_any(struct pretokenizer *pretokenizer, struct normal_char c, unsigned properties)
{
    const struct splitter_rules *rules = &pretokenizer->word.sink->tokenizer->splitter;
    if (properties & rules->cut.drop) {
        pretokenizer_cut(pretokenizer);
        return;
    }
    if (splitter_cuts(&rules->cut, pretokenizer->last, properties))
        pretokenizer_cut(pretokenizer);
    if (!pretokenizer->in_word)
        begin_word(pretokenizer, rules, c);
    pretokenizer->last = properties;
    if (rules->metaspace == METASPACE_NONE) {
        add_char(pretokenizer, c, properties);
        return;
    }
    if (c.code == ' ') {
        c.code = rules->space;
        properties = unicode_properties(c.code);
    }
    add_inner(pretokenizer, c, properties);
}

void pretokenizer_add(struct pretokenizer *pretokenizer, struct normal_char c)
{
    add_any(pretokenizer, c, unicode_properties(c.code));
}

/* ---- ASCII ---- */

/* Adds letters from text[at] on, which are never cut among themselves. Returns the end's offset. */
static size_t add_letter_run(struct pretokenizer *pretokenizer, const struct ascii_table *table,
                             const char *text, size_t at, size_t end)
{
    const struct splitter_rules *rules = &pretokenizer->word.sink->tokenizer->splitter;
    const uint8_t first = table->value[(uint8_t)text[at]];
    if (pretokenizer->last & rules->cut.alone)
        pretokenizer_cut(pretokenizer);
    if (!pretokenizer->in_word)
        begin_word(pretokenizer, rules, (struct normal_char){first, at, at + 1});
    if (pretokenizer->inner_last & rules->inner.alone)
        end_piece(pretokenizer);
    const size_t stop = pretoken_append_ascii(&pretokenizer->word, table->letter, text, at, end);
    pretokenizer->last = pretokenizer->inner_last = table->properties[(uint8_t)text[stop - 1]];
    return stop;
}

static size_t add_by_letters(struct pretokenizer *pretokenizer, const struct ascii_table *table,
                             const char *text, size_t at, size_t end)
{
    const struct splitter_rules *rules = &pretokenizer->word.sink->tokenizer->splitter;
    while (at < end) {
        const uint8_t byte = (uint8_t)text[at];
        if (table->letter[byte] != 0) {
            at = add_letter_run(pretokenizer, table, text, at, end);
            continue;
        }
        if (table->value[byte] == 0)
            return at;
        if (table->properties[byte] & rules->cut.drop)
            pretokenizer_cut(pretokenizer);
        else
            add_any(pretokenizer, (struct normal_char){table->value[byte], at, at + 1},
                    table->properties[byte]);
        at++;
    }
    return at;
}

/* One by one; with a pattern, and unless rules look at runs, letters after letters at once.
 */
static size_t add_each(struct pretokenizer *pretokenizer, const struct ascii_table *table,
                       const char *text, size_t at, size_t end, bool by_runs)
{
    while (at < end && table->value[(uint8_t)text[at]] != 0) {
        const uint8_t byte = (uint8_t)text[at];
        if (pretokenizer->pattern.run.phase == PATTERN_IN_LETTERS && table->letter[byte] != 0 &&
            !by_runs) {
            at = pretoken_append_ascii(&pretokenizer->word, table->letter, text, at, end);
            pretokenizer->last = table->properties[byte];
            continue;
        }
        add_any(pretokenizer, (struct normal_char){table->value[byte], at, at + 1},
                table->properties[byte]);
        at++;
    }
    return at;
}

size_t pretokenizer_add_ascii(struct pretokenizer *pretokenizer, const char *text, size_t at,
                              size_t end)
{
    const struct tokenizer *tokenizer = pretokenizer->word.sink->tokenizer;
    const struct ascii_table *table = &tokenizer->ascii;
    const bool by_runs = (tokenizer->splitter.cut.runs | tokenizer->splitter.inner.runs) != 0;
    return by_runs || tokenizer->pattern != PATTERN_NONE || tokenizer->byte_level
               ? add_each(pretokenizer, table, text, at, end, by_runs)
               : add_by_letters(pretokenizer, table, text, at, end);
}
