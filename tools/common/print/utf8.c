/* utf8.c - UTF-8 as the WHATWG Encoding Standard decodes it (section 8.1.1, "UTF-8 decoder").
 * utf8proc reads what is valid; of what is not it does not say how long it is. */
#include "tools/common/print/utf8.h"

#include <string.h>
#include <utf8proc.h>

/* The lead byte says how many bytes there should be and which the second may be, which excludes
 * overlong forms (E0, F0), surrogates (ED) and numbers above U+10FFFF (F4). The part ends before
 * the byte that does not fit, and that byte is read again. */
static size_t invalid_len(const unsigned char *text, size_t len)
{
    unsigned lead = text[0];
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    size_t n = lead < 0xC2 || lead > 0xF4 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    size_t i = 1;
    for (; i < n && i < len && text[i] >= low && text[i] <= high; i++) {
        low = 0x80;
        high = 0xBF;
    }
    return i;
}

size_t utf8_next(const char *text, size_t len, uint32_t *character)
{
    const unsigned char *bytes = (const unsigned char *)text;
    utf8proc_int32_t read;
    utf8proc_ssize_t n = utf8proc_iterate(bytes, len < 4 ? (utf8proc_ssize_t)len : 4, &read);
    *character = n > 0 ? (uint32_t)read : UTF8_REPLACEMENT;
    return n > 0 ? (size_t)n : invalid_len(bytes, len);
}

size_t utf8_mark_len(const char *text, size_t len)
{
    return len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

size_t utf8_put(uint32_t character, char out[4])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)character, (utf8proc_uint8_t *)out);
}

bool utf8_is_valid(const char *text, size_t len)
{
    uint32_t character;
    for (size_t at = 0, n; at < len; at += n) {
        n = utf8_next(text + at, len - at, &character);
        if (character == UTF8_REPLACEMENT && (n != 3 || memcmp(text + at, "\xEF\xBF\xBD", 3) != 0))
            return false;
    }
    return true;
}

size_t utf8_count(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

const char *utf8_converter(const char *line, size_t len, const char **format)
{
    static const struct {
        const char *format, *converter, *magic;
        size_t len;
    } formats[] = {{"gzip", "zcat", "\x1F\x8B", 2},
                   {"zstd", "zstdcat", "\x28\xB5\x2F\xFD", 4},
                   {"xz", "xzcat", "\xFD\x37zXZ", 5},
                   {"bzip2", "bzcat", "BZh", 3},
                   {"ZIP", "unzip -p", "PK\3\4", 4},
                   {"UTF-32", "iconv -f UTF-32 -t UTF-8", "\xFF\xFE\0\0", 4},
                   {"UTF-32", "iconv -f UTF-32 -t UTF-8", "\0\0\xFE\xFF", 4},
                   {"UTF-16", "iconv -f UTF-16 -t UTF-8", "\xFF\xFE", 2},
                   {"UTF-16", "iconv -f UTF-16 -t UTF-8", "\xFE\xFF", 2}};
    /* UTF-16 without a mark: every other byte of its first letters is NUL. */
    if (len > 3 && !line[0] == !line[2] && !line[1] == !line[3] && !line[0] != !line[1]) {
        *format = "UTF-16";
        return line[0] ? "iconv -f UTF-16LE -t UTF-8" : "iconv -f UTF-16BE -t UTF-8";
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (len < formats[i].len || memcmp(line, formats[i].magic, formats[i].len) != 0)
            continue;
        if (line[0] == 'B' && /* these letters, a digit and those of the mark of a block */
            (len < 10 || memcmp(line + 4, "1AY&SY", 6) != 0 || utf8_is_valid(line, len)))
            continue;
        *format = formats[i].format;
        return formats[i].converter;
    }
    return NULL;
}
