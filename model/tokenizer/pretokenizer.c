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

bool splitter_parse(struct splitter_rules *rules, struct text_view text)
{
    static const struct {
        const char *name;
        struct splitter_rules rules;
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
    struct splitter_rules parsed = {.drop = 0};
    struct text_view item;
    for (size_t at = 0; list_next(text, &at, &item);) {
        size_t i = 0;
        while (i < N && !list_item_is(item, steps[i].name))
            i++;
        if (i == N)
            return false;
        parsed.drop |= steps[i].rules.drop;
        parsed.alone |= steps[i].rules.alone;
        parsed.runs |= steps[i].rules.runs;
    }
    *rules = parsed;
    return true;
}

void splitter_ascii(struct ascii_table *table, const struct normalizer_plan *plan,
                    const struct splitter_rules *rules)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint8_t value = normalizer_ascii(plan, (uint8_t)byte);
        const uint8_t properties = (uint8_t)unicode_properties(value);
        table->value[byte] = value;
        table->properties[byte] = properties;
        table->letter[byte] = properties & (rules->drop | rules->alone) ? 0 : value;
    }
}

/* ---- Words ---- */

static void forget_word(struct pretokenizer *pretokenizer)
{
    pretokenizer->word.len = pretokenizer->word.n_chars = 0;
}

void pretokenizer_cut(struct pretokenizer *pretokenizer)
{
    if (pretokenizer->word.n_chars == 0)
        return;
    if (pretokenizer->sink->tokenizer->kind == TOKENIZER_WORDPIECE)
        wordpiece_add(pretokenizer->sink, &pretokenizer->word);
    else
        word_sink_add(pretokenizer->sink, pretokenizer->word.bytes, pretokenizer->word.len,
                      pretokenizer->word.begin, pretokenizer->word.end);
    forget_word(pretokenizer);
}

static void put_char(struct pretoken *word, struct normal_char c)
{
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

void pretokenizer_put(struct pretokenizer *pretokenizer, struct normal_char c)
{
    const struct splitter_rules *rules = &pretokenizer->sink->tokenizer->splitter;
    const unsigned properties = unicode_properties(c.code);
    if (properties & rules->drop) {
        pretokenizer_cut(pretokenizer);
        return;
    }
    if (splitter_cuts(rules, pretokenizer->last, properties))
        pretokenizer_cut(pretokenizer);
    put_char(&pretokenizer->word, c);
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

static size_t put_by_letters(struct pretokenizer *pretokenizer, const struct ascii_table *table,
                             const char *text, size_t at, size_t end)
{
    struct pretoken *word = &pretokenizer->word;
    const struct splitter_rules *rules = &pretokenizer->sink->tokenizer->splitter;
    while (at < end) {
        const uint8_t byte = (uint8_t)text[at];
        if (table->letter[byte] != 0) {
            if (pretokenizer->last & rules->alone)
                pretokenizer_cut(pretokenizer);
            const size_t stop = put_letters(word, table->letter, text, at, end);
            count_letters(word, at, stop);
            pretokenizer->last = table->properties[(uint8_t)text[stop - 1]];
            at = stop;
            continue;
        }
        if (table->value[byte] == 0)
            return at;
        pretokenizer_cut(pretokenizer);
        if (!(table->properties[byte] & rules->drop)) {
            put_letters(word, table->value, text, at, at + 1);
            count_letters(word, at, at + 1);
            pretokenizer_cut(pretokenizer);
        }
        at++;
    }
    return at;
}

size_t pretokenizer_put_ascii(struct pretokenizer *pretokenizer, const char *text, size_t at,
                              size_t end)
{
    const struct ascii_table *table = &pretokenizer->sink->tokenizer->ascii;
    if (pretokenizer->sink->tokenizer->splitter.runs == 0)
        return put_by_letters(pretokenizer, table, text, at, end);
    for (; at < end && table->value[(uint8_t)text[at]] != 0; at++)
        pretokenizer_put(pretokenizer,
                         (struct normal_char){table->value[(uint8_t)text[at]], at, at + 1});
    return at;
}
