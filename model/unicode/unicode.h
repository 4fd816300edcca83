/* unicode.h - UTF-8; and the properties, lower case, decomposition and composition of characters,
 * as in the reference tokenizer (HuggingFace tokenizers 0.23): utf8proc's, with the exceptions of
 * unicode_exceptions.h. Code points are at most U+10FFFF.
 */
#ifndef MODEL_UNICODE_H
#define MODEL_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- UTF-8 ----
 *
 * Invalid bytes are read as in WHATWG decoding: each maximal part of an incomplete sequence is one
 * U+FFFD. NUL is a character like any other. */

enum { UTF8_REPLACEMENT = 0xFFFD, UTF8_BYTES = 4 };

struct utf8_char {
    uint32_t code; /* never a surrogate, at most U+10FFFF */
    uint32_t len;  /* its bytes in the text, 1 to 4 */
};

/* Decode the first character of text, and the last one; len is at least 1. Both find the same
 * characters. */
struct utf8_char utf8_decode(const char *text, size_t len);
struct utf8_char utf8_decode_last(const char *text, size_t len);

/* Decodes the first character of a text, or the last one, and cuts it off. */
static inline struct utf8_char utf8_cut(const char **text, size_t *len, bool last)
{
    const struct utf8_char c = last ? utf8_decode_last(*text, *len) : utf8_decode(*text, *len);
    *text += last ? 0 : c.len;
    *len -= c.len;
    return c;
}

/* Writes a code point as utf8_decode returns it. Returns the bytes written. */
size_t utf8_encode(uint32_t code, char out[UTF8_BYTES]);

bool utf8_valid(const char *text, size_t len);

/* Returns the number of characters of a valid text. */
static inline size_t utf8_count(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

/* ---- Characters ---- */

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
