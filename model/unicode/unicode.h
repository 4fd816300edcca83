/* unicode.h - properties, lower case, decomposition and composition of characters, as in the
 * reference tokenizer (HuggingFace tokenizers 0.23): utf8proc's, with the exceptions of
 * unicode_exceptions.h. Code points are at most U+10FFFF.
 */
#ifndef MODEL_UNICODE_H
#define MODEL_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unicode_property {
    UNICODE_BLANK = 1 << 0, /* White_Space */
    UNICODE_WORD = 1 << 1,  /* \w of a regular expression: letters, marks, digits, connectors */
    UNICODE_PUNCTUATION = 1 << 2, /* category P, and every ASCII symbol */
    UNICODE_NUMBER = 1 << 3,      /* category N */
    UNICODE_CONTROL = 1 << 4,     /* categories Cc, Cf, Co, except TAB, LF and CR */
    UNICODE_NONSPACING = 1 << 5,  /* category Mn */
    UNICODE_MARK = 1 << 6,        /* category M */
    UNICODE_LETTER = 1 << 7,      /* category L */
    /* Exceptions of the reference's normal forms: */
    UNICODE_WHOLE = 1 << 8,            /* has no canonical decomposition */
    UNICODE_WHOLE_COMPATIBLE = 1 << 9, /* has no compatibility decomposition */
    UNICODE_STARTER = 1 << 10,         /* has combining class 0 */
    UNICODE_LATE_NUMBER = 1 << 11,     /* a number, except in regular expressions */
    UNICODE_LATER = 1 << 12            /* Unicode 15 does not assign it, a later one may */
};

/* Returns the properties of a character, or-ed. */
unsigned unicode_properties(uint32_t code);

enum { UNICODE_LOWER_CODES = 2, UNICODE_DECOMPOSED = 24 };

/* Writes the lower case of the character alone. Returns the number of code points. */
size_t unicode_lower(uint32_t code, uint32_t out[UNICODE_LOWER_CODES]);

/* Writes the full decomposition, with marks in any order. Returns the number of code points. */
size_t unicode_decompose(uint32_t code, bool compatible, uint32_t out[UNICODE_DECOMPOSED]);

uint8_t unicode_combining_class(uint32_t code);

/* Returns the primary composite of two characters, or 0. */
uint32_t unicode_compose(uint32_t first, uint32_t second);

/* Returns whether a grapheme cluster ends between two characters (Unicode annex 29). *state must be
 * 0 at the start of a text; each call updates it. */
bool unicode_breaks_cluster(uint32_t first, uint32_t second, int32_t *state);

#endif
