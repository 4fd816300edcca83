/* splitter.h - the rules by which normalized text is split into words. */
#ifndef MODEL_SPLITTER_H
#define MODEL_SPLITTER_H

#include "model/tokenizer/normalizer.h"

/* Sets of enum unicode_property bits. */
struct splitter_rules {
    uint8_t drop;  /* such characters separate words and are dropped */
    uint8_t alone; /* each is a word of its own */
    uint8_t runs;  /* words end where one of these begins or ends to hold */
};

/* Reads "blanks punctuation"; false where it is no such list. */
bool splitter_parse(struct splitter_rules *rules, const char *text, size_t len);

/* A word that ends with a character of properties a does not go on with one of properties b. */
static inline bool splitter_cuts(const struct splitter_rules *rules, unsigned a, unsigned b)
{
    return ((a | b) & rules->alone) != 0 || ((a ^ b) & rules->runs) != 0;
}

/* What normalizer and splitter make of ASCII characters that need not be looked at one by one. */
struct ascii_table {
    uint8_t value[256];      /* what the character becomes; 0: not decided by it alone */
    uint8_t properties[256]; /* of that, the low 8 bits */
    uint8_t letter[256];     /* value, where it is neither dropped nor alone; else 0 */
};

void splitter_ascii(struct ascii_table *table, const struct normalizer_plan *plan,
                    const struct splitter_rules *rules);

#endif
