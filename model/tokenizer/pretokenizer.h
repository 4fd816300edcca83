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
    uint8_t runs;  /* words end where one of these properties starts or stops */
};

/* Metaspace: blanks become visible, and words start with one, added if necessary. */
enum metaspace { METASPACE_NONE, METASPACE_ALWAYS, METASPACE_FIRST, METASPACE_NEVER };
enum { METASPACE = 0x2581 };

struct splitter_rules {
    struct cut_rules cut; /* all rules; with metaspace, rules before it */
    enum metaspace metaspace;
    struct cut_rules inner; /* rules after it, which cut the words of the others */
    uint32_t space;         /* character that a blank becomes */
    bool space_splits;      /* words end before that character */
};

/* Reads "blanks punctuation" into all fields but the last two. Returns false for any other text. */
bool splitter_parse(struct splitter_rules *rules, struct text_view text);

/* Returns whether a word ends between characters of properties a and b. */
static inline bool splitter_cuts(const struct cut_rules *rules, unsigned a, unsigned b)
{
    return ((a | b) & rules->alone) != 0 || ((a ^ b) & rules->runs) != 0;
}

/* Result of normalizer and splitter for ASCII characters that need no look at their neighbours. */
struct ascii_table {
    uint8_t value[256];      /* the character's replacement; 0: not decided by it alone */
    uint8_t properties[256]; /* of the replacement, the low 8 bits */
    uint8_t letter[256];     /* value if it continues a word, else 0 */
};

void splitter_ascii(struct ascii_table *table, const struct normalizer_plan *plan,
                    const struct splitter_rules *rules, enum pattern_kind pattern);

/* ---- Words ---- */

struct pretokenizer {
    struct pretoken word;
    unsigned last;                /* unicode_properties of the last character; 0 at the start */
    bool in_word;                 /* characters of a word were read, which may be cut again by */
    struct pattern_state pattern; /* a pattern, or by metaspace, which needs: */
    unsigned inner_last;          /* properties of the last character, after metaspace */
};

void pretokenizer_add(struct pretokenizer *pretokenizer, struct normal_char c);

/* Forgets the characters read since a word last ended. */
void pretokenizer_forget(struct pretokenizer *pretokenizer);

/* Ends the word. */
void pretokenizer_cut(struct pretokenizer *pretokenizer);

/* Reads ASCII from text[at] on up to a character that must pass through the normalizer, or
 * text[end]. Returns that character's offset. */
size_t pretokenizer_add_ascii(struct pretokenizer *pretokenizer, const char *text, size_t at,
                              size_t end);

#endif
