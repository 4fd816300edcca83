/* splitter.c - all of the reference's splitters that exist here decide at each border between two
 * characters, from the properties of these two alone; so any sequence of them is one set of rules,
 * and one pass. Whitespace (\w+|[^\w\s]+) is: drop blanks, end words where \w begins or ends to
 * hold.
 */
#include "model/tokenizer/splitter.h"

#include "model/unicode/unicode.h"

#include <string.h>

bool splitter_parse(struct splitter_rules *rules, const char *text, size_t len)
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
    for (size_t at = 0; at < len;) {
        if (text[at] == ' ') {
            at++;
            continue;
        }
        const char *blank = memchr(text + at, ' ', len - at);
        const size_t name_len = blank == NULL ? len - at : (size_t)(blank - (text + at));
        size_t i = 0;
        while (i < N && !(strlen(steps[i].name) == name_len &&
                          memcmp(steps[i].name, text + at, name_len) == 0))
            i++;
        if (i == N)
            return false;
        parsed.drop |= steps[i].rules.drop;
        parsed.alone |= steps[i].rules.alone;
        parsed.runs |= steps[i].rules.runs;
        at += name_len;
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
