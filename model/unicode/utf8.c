/* utf8.c - UTF-8 by the table of well-formed byte sequences (Unicode standard, table 3-7): after
 * the lead bytes E0, ED, F0 and F4 the second byte has a narrower range than 80..BF, which excludes
 * overlong forms, surrogates and numbers above U+10FFFF. An incomplete sequence is replaced as one,
 * up to the byte that does not fit; that byte starts the next character. Plain twin: the standard's
 * own decoder in tests/model/unicode/test_utf8.c.
 */
#include "model/unicode/utf8.h"

struct utf8_char utf8_decode(const char *text, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const unsigned lead = bytes[0];
    if (lead < 0x80)
        return (struct utf8_char){lead, 1};
    if (lead < 0xC2 || lead > 0xF4)
        return (struct utf8_char){UTF8_REPLACEMENT, 1};

    const size_t n = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    uint32_t code = lead & (0x7Fu >> n);
    for (uint32_t i = 1; i < n; i++) {
        if (i >= len || bytes[i] < low || bytes[i] > high)
            return (struct utf8_char){UTF8_REPLACEMENT, i};
        code = code << 6 | (bytes[i] & 0x3Fu);
        low = 0x80;
        high = 0xBF;
    }
    return (struct utf8_char){code, (uint32_t)n};
}

/* Decoding restarts at every byte that is not a continuation byte, so the last such byte is where
 * the last character starts, unless that character ends before the text does. */
struct utf8_char utf8_decode_last(const char *text, size_t len)
{
    for (size_t back = 1; back <= len && back <= UTF8_BYTES; back++) {
        const char *start = text + (len - back);
        if (((unsigned char)*start & 0xC0) == 0x80)
            continue;
        const struct utf8_char last = utf8_decode(start, back);
        if (last.len == back)
            return last;
        break;
    }
    return (struct utf8_char){UTF8_REPLACEMENT, 1};
}

size_t utf8_encode(uint32_t code, char out[UTF8_BYTES])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)((0xF00u >> n & 0xF0u) | code);
    return n;
}

bool utf8_valid(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        const struct utf8_char c = utf8_decode(text + at, len - at);
        /* U+FFFD itself is EF BF BD; no invalid part has three bytes and starts with EF. */
        if (c.code == UTF8_REPLACEMENT && !(c.len == 3 && (unsigned char)text[at] == 0xEF))
            return false;
        at += c.len;
    }
    return true;
}
