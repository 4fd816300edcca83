/* utf8.h - bytes to code points and back. Invalid bytes are read as in WHATWG decoding: each
 * maximal part of an incomplete sequence is one U+FFFD. NUL is a character like any other.
 */
#ifndef MODEL_UTF8_H
#define MODEL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
