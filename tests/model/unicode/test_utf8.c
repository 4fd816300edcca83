/* tags: sizes aarch64 */
/* Decoding against the decoder that the WHATWG Encoding standard (section 8.1.1) describes, written
 * as the standard has it: byte by byte, with its five variables. What another decoder makes of
 * invalid texts is among the cases of tokenizer/test_wordpiece_cases.c. */
#include "model/unicode/unicode.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <string.h>

/* The code points of a text, and where each ends. Returns their number. */
static size_t whatwg_decode(const unsigned char *bytes, size_t len, uint32_t *codes, size_t *ends)
{
    uint32_t code_point = 0;
    unsigned needed = 0, seen = 0, lower = 0x80, upper = 0xBF;
    size_t n = 0;
    for (size_t i = 0; i <= len; i++) {
        if (i == len) {
            if (needed != 0) {
                codes[n] = 0xFFFD;
                ends[n++] = i;
            }
            break;
        }
        const unsigned byte = bytes[i];
        if (needed == 0) {
            if (byte <= 0x7F) {
                codes[n] = byte;
                ends[n++] = i + 1;
            } else if (byte >= 0xC2 && byte <= 0xDF) {
                needed = 1;
                code_point = byte & 0x1F;
            } else if (byte >= 0xE0 && byte <= 0xEF) {
                if (byte == 0xE0)
                    lower = 0xA0;
                if (byte == 0xED)
                    upper = 0x9F;
                needed = 2;
                code_point = byte & 0xF;
            } else if (byte >= 0xF0 && byte <= 0xF4) {
                if (byte == 0xF0)
                    lower = 0x90;
                if (byte == 0xF4)
                    upper = 0x8F;
                needed = 3;
                code_point = byte & 0x7;
            } else {
                codes[n] = 0xFFFD;
                ends[n++] = i + 1;
            }
            continue;
        }
        const int fits = byte >= lower && byte <= upper;
        lower = 0x80;
        upper = 0xBF;
        if (!fits) {
            needed = seen = 0;
            codes[n] = 0xFFFD;
            ends[n++] = i;
            i--;
            continue;
        }
        code_point = code_point << 6 | (byte & 0x3F);
        if (++seen == needed) {
            codes[n] = code_point;
            ends[n++] = i + 1;
            needed = seen = 0;
        }
    }
    return n;
}

/* Reads the text from its start, and each of its characters from its end. The text is copied into
 * memory of just its length, so that a sanitizer sees a byte read beyond it. */
static void check_text(const unsigned char *bytes, size_t len)
{
    uint32_t codes[64];
    size_t ends[64];
    assert_true(len > 0 && len <= 64);
    const size_t mark = owned_mark();
    char *text = memcpy(new_bytes(len), bytes, len);
    const size_t n = whatwg_decode(bytes, len, codes, ends);
    size_t at = 0;
    int valid = 1;
    for (size_t i = 0; i < n; i++) {
        const struct utf8_char c = utf8_decode(text + at, len - at);
        assert_int_equal(c.code, codes[i]);
        assert_int_equal(at + c.len, ends[i]);
        const struct utf8_char last = utf8_decode_last(text, ends[i]);
        assert_int_equal(last.code, c.code);
        assert_int_equal(last.len, c.len);
        char encoded[UTF8_BYTES];
        const size_t n_bytes = utf8_encode(c.code, encoded);
        valid &= n_bytes == c.len && memcmp(encoded, text + at, n_bytes) == 0;
        at = ends[i];
    }
    assert_int_equal(at, len);
    assert_int_equal(utf8_valid(text, len), valid);
    owned_release(mark);
}

TEST(every_code_point)
{
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        char text[UTF8_BYTES];
        const size_t len = utf8_encode(code, text);
        const struct utf8_char c = utf8_decode(text, len);
        assert_int_equal(c.code, code);
        assert_int_equal(c.len, len);
        assert_true(utf8_valid(text, len));
    }
}

/* Every text of up to 4 bytes from both sides of every border that decoding knows. */
TEST(every_border)
{
    static const unsigned char borders[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                                            0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
                                            0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5};
    enum { N = sizeof borders };
    for (size_t len = 1; len <= 4; len++) {
        size_t n_texts = 1;
        for (size_t i = 0; i < len; i++)
            n_texts *= N;
        for (size_t number = 0; number < n_texts; number++) {
            unsigned char text[4];
            for (size_t i = 0, rest = number; i < len; i++, rest /= N)
                text[i] = borders[rest % N];
            check_text(text, len);
        }
    }
}

TEST(random_bytes)
{
    uint64_t seed = 1;
    for (size_t round = 0; round < 100000; round++) {
        unsigned char text[24];
        for (size_t i = 0; i < sizeof text; i++) {
            const unsigned byte = (unsigned)support_random(&seed);
            text[i] = (unsigned char)((byte & 0x300) == 0 ? byte : 0x80 | byte);
        }
        check_text(text, 1 + round % sizeof text);
    }
}

TEST(known_texts)
{
    static const struct {
        const char *text;
        uint32_t codes[5];
    } known[] = {
        {"\xC0\xAF", {0xFFFD, 0xFFFD}},
        {"\xE2\x82", {0xFFFD}},
        {"\xE2\x82\x41", {0xFFFD, 0x41}},
        {"\xF0\x90\x80\x41", {0xFFFD, 0x41}},
        {"\xF0\x80\x80\x41", {0xFFFD, 0xFFFD, 0xFFFD, 0x41}},
        {"\xED\xA0\x80", {0xFFFD, 0xFFFD, 0xFFFD}},
        {"\xF4\x90\x80\x80", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}},
        {"\xEF\xBF\xBD", {0xFFFD}},
        {"\xE2\x82\xAC\x80", {0x20AC, 0xFFFD}},
        {"\xF0\x9F\x98\x80", {0x1F600}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *text = known[i].text;
        size_t n = 0;
        for (size_t at = 0, len = strlen(text); at < len; n++) {
            const struct utf8_char c = utf8_decode(text + at, len - at);
            assert_int_equal(c.code, known[i].codes[n]);
            at += c.len;
        }
        assert_true(n == 5 || known[i].codes[n] == 0);
    }
    assert_true(utf8_valid("", 0));
    assert_true(utf8_valid("a\0b", 3));
    assert_true(utf8_valid("\xEF\xBF\xBD", 3));
    assert_false(utf8_valid("\xEF\xBF", 2));
    assert_false(utf8_valid("\xF0\x90\x80", 3));
}
