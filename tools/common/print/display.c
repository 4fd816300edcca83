/* display.c - see display.h. UTF-8 is read as the WHATWG Encoding Standard decodes it (section
 * 8.1.1, "UTF-8 decoder"): utf8proc reads what is valid; of what is not it does not say how long
 * it is. Widths are those of utf8proc (East Asian Width, combining marks), so a column stays
 * straight for "桜" and "é" alike. */
#include "tools/common/print/display.h"

#include <math.h>
#include <string.h>
#include <utf8proc.h>

/* ---- Bytes as characters ---- */

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

/* ---- Cells ---- */

/* One character as it is shown: its bytes and its columns. */
struct glyph {
    char bytes[16];
    size_t n_bytes;
    size_t columns;
};

enum { ZERO_WIDTH_NON_JOINER = 0x200C, ZERO_WIDTH_JOINER = 0x200D };

bool display_hides(uint32_t character)
{
    /* Joiners choose the forms of the letters beside them, and neither move nor hide anything. */
    if (character == ZERO_WIDTH_NON_JOINER || character == ZERO_WIDTH_JOINER)
        return false;
    switch (utf8proc_category((utf8proc_int32_t)character)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return true;
    default: return false;
    }
}

static void escape(uint32_t character, struct glyph *glyph)
{
    const char *form = character < 0x100 ? "\\x%02x" : character < 0x10000 ? "\\u%04x" : "\\U%08x";
    char letter = character == '\n' ? 'n' : character == '\t' ? 't' : character == '\r' ? 'r' : 0;
    int n = letter ? snprintf(glyph->bytes, sizeof glyph->bytes, "\\%c", letter)
                   : snprintf(glyph->bytes, sizeof glyph->bytes, form, (unsigned)character);
    glyph->n_bytes = glyph->columns = (size_t)n;
}

static const char REPLACEMENT[] = "\uFFFD";

/* Reads a character; returns how many bytes it takes. utf8proc gives no column to the spacing marks
 * of Indic scripts; terminals, like wcwidth of the C library, give one. */
static size_t next_glyph(const char *text, size_t len, struct glyph *glyph)
{
    uint32_t character;
    size_t n = utf8_next(text, len, &character);
    if (display_hides(character)) {
        escape(character, glyph);
        return n;
    }
    const utf8proc_int32_t code = (utf8proc_int32_t)character;
    const int columns = utf8proc_charwidth(code);
    const utf8proc_category_t category = utf8proc_category(code);
    const bool is_valid = character != UTF8_REPLACEMENT;
    glyph->n_bytes = is_valid ? n : sizeof REPLACEMENT - 1;
    memcpy(glyph->bytes, is_valid ? text : REPLACEMENT, glyph->n_bytes);
    glyph->columns = category == UTF8PROC_CATEGORY_CF   ? 0
                     : columns > 0                      ? (size_t)columns
                     : category == UTF8PROC_CATEGORY_MC ? 1
                                                        : 0;
    return n;
}

/* The text is measured, up to the character that is too many, and then printed. A pile of combining
 * marks takes no columns, so the number of characters has a limit too. */
size_t display_text(FILE *stream, const char *text, size_t len, size_t most)
{
    struct glyph glyph;
    size_t end = 0, columns = 0, n_glyphs = 0, start_end = 0, start_columns = 0;
    bool is_cut = false;
    while (end < len && !is_cut) {
        end += next_glyph(text + end, len - end, &glyph);
        columns += glyph.columns;
        is_cut = columns > most || ++n_glyphs > 4 * most;
        if (!is_cut && columns < most) {
            start_end = end;
            start_columns = columns;
        }
    }
    if (is_cut)
        end = start_end;
    for (size_t at = 0; stream && at < end;) {
        at += next_glyph(text + at, end - at, &glyph);
        fwrite(glyph.bytes, 1, glyph.n_bytes, stream);
    }
    if (stream && is_cut)
        fputs("…", stream);
    return is_cut ? start_columns + 1 : columns;
}

void display_copy(const char *text, char *out, size_t cap)
{
    static const char more[] = "…";
    struct glyph glyph;
    for (size_t len = strlen(text), n; len > 0; text += n, len -= n) {
        n = next_glyph(text, len, &glyph);
        if (glyph.n_bytes + sizeof more > cap) {
            out = stpcpy(out, more);
            break;
        }
        out = mempcpy(out, glyph.bytes, glyph.n_bytes);
        cap -= glyph.n_bytes;
    }
    *out = '\0';
}

void display_cell(FILE *stream, const char *text, size_t len, size_t columns)
{
    size_t used = display_text(stream, text, len, columns);
    fprintf(stream, "%*s", (int)(columns - used), "");
}

void display_sentence(FILE *stream, const char *text, size_t len, size_t columns)
{
    enum { LONGEST_WORD = 1000 };
    size_t used = 0;
    while (len > 0) {
        const char *blank = memchr(text, ' ', len);
        size_t word_len = blank ? (size_t)(blank - text) : len;
        size_t width = display_width(text, word_len, LONGEST_WORD);
        bool fits = used + 1 + width <= columns;
        if (used > 0)
            putc(fits ? ' ' : '\n', stream);
        display_text(stream, text, word_len, LONGEST_WORD);
        used = used > 0 && fits ? used + 1 + width : width;
        text += word_len + (blank ? 1 : 0);
        len -= word_len + (blank ? 1 : 0);
    }
    putc('\n', stream);
}

void display_number(FILE *stream, double value)
{
    if (fabs(value) < 99.99995 || !isfinite(value))
        fprintf(stream, "%*.4f", DISPLAY_NUMBER, value);
    else if (fabs(value) < 9999.995)
        fprintf(stream, "%*.2f", DISPLAY_NUMBER, value);
    else
        fprintf(stream, "%*.1e", DISPLAY_NUMBER, value);
}
