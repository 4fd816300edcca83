/* pretokenizer.h - normalized characters to words: which characters are dropped, which are words of
 * their own, and at which borders between kinds of characters a word ends. Rules: `splitter` in
 * section TOKN of weights/FORMAT.md.
 */
#ifndef MODEL_PRETOKENIZER_H
#define MODEL_PRETOKENIZER_H

#include "model/tokenizer/normalizer.h"
#include "model/tokenizer/split/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Rules ---- */

/* Sets of enum unicode_property bits. */
struct cut_rules {
    uint8_t drop;  /* such characters separate words and are dropped */
    uint8_t alone; /* each is a word of its own */
    uint8_t runs;  /* words end where one of these begins or ends to hold */
};

/* Metaspace: blanks become visible, and words begin with one, be it added. */
enum metaspace { METASPACE_NONE, METASPACE_ALWAYS, METASPACE_FIRST, METASPACE_NEVER };
enum { METASPACE = 0x2581 };

struct splitter_rules {
    struct cut_rules cut; /* all rules; with metaspace those before it */
    enum metaspace metaspace;
    struct cut_rules inner; /* those behind it, which cut what the others leave whole */
    uint32_t space;         /* what a blank becomes */
    bool space_splits;      /* words end before it */
};

/* Reads "blanks punctuation", the fields but the last two; false where it is no such list. */
bool splitter_parse(struct splitter_rules *rules, struct text_view text);

/* A word that ends with a character of properties a does not go on with one of properties b. */
static inline bool splitter_cuts(const struct cut_rules *rules, unsigned a, unsigned b)
{
    return ((a | b) & rules->alone) != 0 || ((a ^ b) & rules->runs) != 0;
}

/* What normalizer and splitter make of ASCII characters that need not be looked at one by one. */
struct ascii_table {
    uint8_t value[256];      /* what the character becomes; 0: not decided by it alone */
    uint8_t properties[256]; /* of that, the low 8 bits */
    uint8_t letter[256];     /* value, where it goes on with a word; else 0 */
};

void splitter_ascii(struct ascii_table *table, const struct normalizer_plan *plan,
                    const struct splitter_rules *rules, enum pattern_kind pattern);

/* ---- Words ---- */

struct pretokenizer {
    struct pretoken word;
    unsigned last; /* unicode_properties of the word's last character */
    bool in_word;  /* some of what the rules leave whole was there; it may be cut again by */
    struct pattern_state pattern; /* a pattern, or by metaspace, where: */
    unsigned inner_last;          /* properties of the last character, a blank being visible */
};

/* A text, or a part of it between added tokens, begins. */
void pretokenizer_begin(struct pretokenizer *pretokenizer);

void pretokenizer_put(struct pretokenizer *pretokenizer, struct normal_char c);

/* What was read since a word ended last was never there. */
void pretokenizer_forget(struct pretokenizer *pretokenizer);

/* The word ends here. */
void pretokenizer_cut(struct pretokenizer *pretokenizer);

/* Reads ASCII from text[at] on up to a character that must go through the normalizer, or text[end];
 * returns its place. */
size_t pretokenizer_put_ascii(struct pretokenizer *pretokenizer, const char *text, size_t at,
                              size_t end);

#endif
