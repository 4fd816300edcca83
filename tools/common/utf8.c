/* utf8.c - UTF-8 as the WHATWG Encoding Standard decodes it (section 8.1.1, "UTF-8 decoder").
 *
 * The lead byte fixes the length and the range of the second byte; the ranges below exclude
 * overlong forms (E0, F0), surrogates (ED) and numbers above U+10FFFF (F4). A part that breaks off
 * ends before the byte that does not fit, and that byte is read anew.
 */
#include "tools/common/utf8.h"

#include <string.h>

size_t utf8_next(const char *text, size_t len, uint32_t *character)
{
    unsigned char lead = (unsigned char)text[0];
    unsigned char low = 0x80, high = 0xBF;
    size_t n;
    uint32_t value;

    *character = UTF8_REPLACEMENT;
    if (lead < 0x80) {
        *character = lead;
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        n = 2;
        value = lead & 0x1Fu;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        n = 3;
        value = lead & 0x0Fu;
        low = lead == 0xE0 ? 0xA0 : 0x80;
        high = lead == 0xED ? 0x9F : 0xBF;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        n = 4;
        value = lead & 0x07u;
        low = lead == 0xF0 ? 0x90 : 0x80;
        high = lead == 0xF4 ? 0x8F : 0xBF;
    } else {
        return 1;
    }
    for (size_t i = 1; i < n; i++) {
        unsigned char byte = i < len ? (unsigned char)text[i] : 0;
        if (byte < low || byte > high)
            return i;
        value = value << 6 | (byte & 0x3Fu);
        low = 0x80;
        high = 0xBF;
    }
    *character = value;
    return n;
}

size_t utf8_put(uint32_t character, char out[4])
{
    if (character < 0x80) {
        out[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        out[0] = (char)(0xC0 | character >> 6);
        out[1] = (char)(0x80 | (character & 0x3F));
        return 2;
    }
    if (character < 0x10000) {
        out[0] = (char)(0xE0 | character >> 12);
        out[1] = (char)(0x80 | (character >> 6 & 0x3F));
        out[2] = (char)(0x80 | (character & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | character >> 18);
    out[1] = (char)(0x80 | (character >> 12 & 0x3F));
    out[2] = (char)(0x80 | (character >> 6 & 0x3F));
    out[3] = (char)(0x80 | (character & 0x3F));
    return 4;
}

size_t utf8_repaired_len(const char *text, size_t len, bool *invalid)
{
    size_t total = 0;
    uint32_t character;
    *invalid = false;
    for (size_t at = 0, n; at < len; at += n) {
        n = utf8_next(text + at, len - at, &character);
        bool replaced = character == UTF8_REPLACEMENT;
        if (replaced && !(n == 3 && memcmp(text + at, "\xEF\xBF\xBD", 3) == 0))
            *invalid = true;
        total += replaced ? 3 : n;
    }
    return total;
}

bool utf8_is_valid(const char *text, size_t len)
{
    bool invalid = false;
    utf8_repaired_len(text, len, &invalid);
    return !invalid;
}

void utf8_repair(const char *text, size_t len, char *out)
{
    uint32_t character;
    for (size_t at = 0, n; at < len; at += n) {
        n = utf8_next(text + at, len - at, &character);
        out += utf8_put(character, out);
    }
}
