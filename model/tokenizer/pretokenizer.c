/* pretokenizer.c - characters to words, one at a time; runs of ASCII letters, which need no
 * normalizer and are all alike to the rules, in one go.
 *
 * All of the reference's pre-tokenizers that exist here decide at each border between two
 * characters, from the properties of these two alone; so any sequence of them is one set of rules,
 * and one pass. Whitespace (\w+|[^\w\s]+) is: drop blanks, end words where \w begins or ends to
 * hold.
 */
#include "model/tokenizer/pretokenizer.h"

#include "model/tokenizer/pieces/wordpiece.h"
#include "model/tokenizer/words.h"
#include "model/unicode/unicode.h"
#include "model/unicode/utf8.h"

/* ---- Rules ---- */

static bool parse_rule(struct cut_rules *rules, struct text_view item)
{
    static const struct {
        const char *name;
        struct cut_rules rules;
    } steps[] = {
        {"blanks", {.drop = UNICODE_BLANK}},
        {"word_runs", {.runs = UNICODE_WORD}},
        {"punctuation", {.alone = UNICODE_PUNCTUATION}},
        {"punctuation_runs", {.runs = UNICODE_PUNCTUATION}},
        {"punctuation_dropped", {.drop = UNICODE_PUNCTUATION}},
        {"digits", {.alone = UNICODE_NUMBER}},
        {"digit_runs", {.runs = UNICODE_NUMBER}},
    };
    enum { N = sizeof steps / sizeof *steps };
    size_t i = 0;
    while (i < N && !list_item_is(item, steps[i].name))
        i++;
    if (i == N)
        return false;
    rules->drop |= steps[i].rules.drop;
    rules->alone |= steps[i].rules.alone;
    rules->runs |= steps[i].rules.runs;
    return true;
}

static enum metaspace parse_metaspace(struct text_view item)
{
    return list_item_is(item, "metaspace:always")  ? METASPACE_ALWAYS
           : list_item_is(item, "metaspace:first") ? METASPACE_FIRST
           : list_item_is(item, "metaspace:never") ? METASPACE_NEVER
                                                   : METASPACE_NONE;
}

bool splitter_parse(struct splitter_rules *rules, struct text_view text)
{
    struct splitter_rules parsed = {.space = rules->space, .space_splits = rules->space_splits};
    struct text_view item;
    for (size_t at = 0; list_next(text, &at, &item);) {
        const bool is_inner = parsed.metaspace != METASPACE_NONE;
        const enum metaspace metaspace = parse_metaspace(item);
        if (metaspace != METASPACE_NONE && !is_inner)
            parsed.metaspace = metaspace;
        else if (!parse_rule(is_inner ? &parsed.inner : &parsed.cut, item))
            return false;
    }
    *rules = parsed;
    return true;
}

void splitter_ascii(struct ascii_table *table, const struct normalizer_plan *plan,
                    const struct splitter_rules *rules)
{
    const unsigned apart =
        rules->cut.drop | rules->cut.alone | rules->inner.drop | rules->inner.alone;
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint8_t value = normalizer_ascii(plan, (uint8_t)byte);
        const uint8_t properties = (uint8_t)unicode_properties(value);
        const bool is_space = rules->metaspace != METASPACE_NONE && value == ' ';
        table->value[byte] = value;
        table->properties[byte] = properties;
        table->letter[byte] = (properties & apart) || is_space ? 0 : value;
    }
}

/* ---- Words ---- */

static void forget_word(struct pretokenizer *pretokenizer)
{
    pretokenizer->word.len = pretokenizer->word.n_chars = 0;
}

static void end_piece(struct pretokenizer *pretokenizer)
{
    struct word_sink *sink = pretokenizer->sink;
    struct pretoken *word = &pretokenizer->word;
    if (word->n_chars == 0)
        return;
    if (sink->tokenizer->kind == TOKENIZER_WORDPIECE)
        wordpiece_add(sink, word);
    else if (sink->tokenizer->kind == TOKENIZER_UNIGRAM)
        unigram_add(sink, &pretokenizer->unigram, word);
    else
        word_sink_add(sink, word->bytes, word->len, word->begin, word->end);
    forget_word(pretokenizer);
}

void pretokenizer_begin(struct pretokenizer *pretokenizer, size_t part)
{
    pretokenizer->part = part;
    pretokenizer->last = 0;
}

void pretokenizer_cut(struct pretokenizer *pretokenizer)
{
    end_piece(pretokenizer);
    pretokenizer->in_word = false;
}

/* Characters that the word has room for; of most kinds it counts those beyond. */
static size_t make_room(struct pretokenizer *pretokenizer)
{
    struct pretoken *word = &pretokenizer->word;
    if (pretokenizer->sink->tokenizer->kind != TOKENIZER_UNIGRAM)
        return SIZE_MAX;
    if (word->n_chars == word->cap_chars)
        unigram_make_room(pretokenizer->sink, &pretokenizer->unigram, word);
    return word->cap_chars - word->n_chars;
}

static void put_char(struct pretokenizer *pretokenizer, struct normal_char c)
{
    struct pretoken *word = &pretokenizer->word;
    make_room(pretokenizer);
    char bytes[UTF8_BYTES];
    const size_t n = utf8_encode(c.code, bytes);
    if (word->n_chars == 0) {
        word->begin = c.begin;
        word->hash = VOCABULARY_HASH_START;
        word->plain = false;
    }
    if (word->plain)
        pretoken_spell(word);
    if (word->n_chars < word->cap_chars)
        word->chars[word->n_chars] = (struct word_char){c.begin, c.end, word->len};
    for (size_t i = 0; i < n; i++, word->len++) {
        if (word->len < word->cap)
            word->bytes[word->len] = bytes[i];
        word->hash = vocabulary_hash_byte(word->hash, bytes[i]);
    }
    word->n_chars++;
    word->end = c.end;
}

/* A character of a word, of which metaspace has made what it makes of it. */
static void put_inner(struct pretokenizer *pretokenizer, struct normal_char c, unsigned properties)
{
    const struct splitter_rules *rules = &pretokenizer->sink->tokenizer->splitter;
    if (properties & rules->inner.drop) {
        end_piece(pretokenizer);
        return;
    }
    if ((c.code == rules->space && rules->space_splits) ||
        splitter_cuts(&rules->inner, pretokenizer->inner_last, properties))
        end_piece(pretokenizer);
    put_char(pretokenizer, c);
    pretokenizer->inner_last = properties;
}

/* The reference asks whether the text that it splits begins the whole text; that is the word where
 * rules before metaspace have split it. */
static bool is_first(const struct pretokenizer *pretokenizer, const struct cut_rules *cut,
                     struct normal_char c)
{
    return (cut->drop | cut->alone | cut->runs ? c.begin : pretokenizer->part) == 0;
}

static void begin_word(struct pretokenizer *pretokenizer, const struct splitter_rules *rules,
                       struct normal_char c)
{
    const bool is_wanted =
        rules->metaspace == METASPACE_ALWAYS ||
        (rules->metaspace == METASPACE_FIRST && is_first(pretokenizer, &rules->cut, c));
    pretokenizer->in_word = true;
    pretokenizer->inner_last = 0;
    if (is_wanted && c.code != rules->space && c.code != ' ')
        put_inner(pretokenizer, (struct normal_char){rules->space, c.begin, c.end},
                  unicode_properties(rules->space));
}

static void put_with_metaspace(struct pretokenizer *pretokenizer, struct normal_char c,
                               unsigned properties)
{
    const struct splitter_rules *rules = &pretokenizer->sink->tokenizer->splitter;
    if (!pretokenizer->in_word)
        begin_word(pretokenizer, rules, c);
    if (c.code == ' ') {
        c.code = rules->space;
        properties = unicode_properties(c.code);
    }
    put_inner(pretokenizer, c, properties);
}

void pretokenizer_put(struct pretokenizer *pretokenizer, struct normal_char c)
{
    const struct splitter_rules *rules = &pretokenizer->sink->tokenizer->splitter;
    const unsigned properties = unicode_properties(c.code);
    if (properties & rules->cut.drop) {
        pretokenizer_cut(pretokenizer);
        return;
    }
    if (splitter_cuts(&rules->cut, pretokenizer->last, properties))
        pretokenizer_cut(pretokenizer);
    if (rules->metaspace != METASPACE_NONE)
        put_with_metaspace(pretokenizer, c, properties);
    else
        put_char(pretokenizer, c);
    pretokenizer->last = properties;
}

/* ---- ASCII ---- */

/* Adds text[at .. end), as far as it is letters, to the word; returns where it stops. */
static size_t put_letters(struct pretoken *word, const uint8_t letter[256], const char *text,
                          size_t at, size_t end)
{
    const size_t room = word->cap > word->len ? word->cap - word->len : 0;
    const size_t kept = end - at < room ? end : at + room;
    char *bytes = word->bytes + (word->len < word->cap ? word->len : word->cap);
    uint64_t hash = word->n_chars == 0 ? VOCABULARY_HASH_START : word->hash;
    uint8_t value;
    while (at < kept && (value = letter[(uint8_t)text[at]]) != 0) {
        *bytes++ = (char)value;
        hash = vocabulary_hash_byte(hash, (char)value);
        at++;
    }
    if (at == kept)
        while (at < end && letter[(uint8_t)text[at]] != 0)
            at++;
    word->hash = hash;
    return at;
}

static void count_letters(struct pretoken *word, size_t begin, size_t end)
{
    const size_t n = end - begin;
    if (word->n_chars == 0) {
        word->begin = begin;
        word->plain = true;
    } else if (word->plain && word->end != begin) {
        pretoken_spell(word);
    }
    if (!word->plain)
        for (size_t i = 0; i < n && word->n_chars + i < word->cap_chars; i++)
            word->chars[word->n_chars + i] =
                (struct word_char){begin + i, begin + i + 1, word->len + i};
    word->n_chars += n;
    word->len += n;
    word->end = end;
}

/* Letters from text[at] on, which cut nothing among themselves; returns where they stop. */
static size_t put_letter_run(struct pretokenizer *pretokenizer, const struct ascii_table *table,
                             const char *text, size_t at, size_t end)
{
    struct pretoken *word = &pretokenizer->word;
    const struct splitter_rules *rules = &pretokenizer->sink->tokenizer->splitter;
    const uint8_t first = table->value[(uint8_t)text[at]];
    if (pretokenizer->last & rules->cut.alone)
        pretokenizer_cut(pretokenizer);
    if (rules->metaspace != METASPACE_NONE && !pretokenizer->in_word)
        begin_word(pretokenizer, rules, (struct normal_char){first, at, at + 1});
    if (pretokenizer->inner_last & rules->inner.alone)
        end_piece(pretokenizer);
    const size_t room = make_room(pretokenizer);
    const size_t stop =
        put_letters(word, table->letter, text, at, end - at < room ? end : at + room);
    count_letters(word, at, stop);
    pretokenizer->last = pretokenizer->inner_last = table->properties[(uint8_t)text[stop - 1]];
    return stop;
}

static size_t put_by_letters(struct pretokenizer *pretokenizer, const struct ascii_table *table,
                             const char *text, size_t at, size_t end)
{
    const struct splitter_rules *rules = &pretokenizer->sink->tokenizer->splitter;
    while (at < end) {
        const uint8_t byte = (uint8_t)text[at];
        if (table->letter[byte] != 0) {
            at = put_letter_run(pretokenizer, table, text, at, end);
            continue;
        }
        if (table->value[byte] == 0)
            return at;
        if (table->properties[byte] & rules->cut.drop)
            pretokenizer_cut(pretokenizer);
        else
            pretokenizer_put(pretokenizer, (struct normal_char){table->value[byte], at, at + 1});
        at++;
    }
    return at;
}

size_t pretokenizer_put_ascii(struct pretokenizer *pretokenizer, const char *text, size_t at,
                              size_t end)
{
    const struct ascii_table *table = &pretokenizer->sink->tokenizer->ascii;
    const struct splitter_rules *rules = &pretokenizer->sink->tokenizer->splitter;
    if ((rules->cut.runs | rules->inner.runs) == 0)
        return put_by_letters(pretokenizer, table, text, at, end);
    for (; at < end && table->value[(uint8_t)text[at]] != 0; at++)
        pretokenizer_put(pretokenizer,
                         (struct normal_char){table->value[(uint8_t)text[at]], at, at + 1});
    return at;
}
