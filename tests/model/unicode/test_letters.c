/* tags: sizes aarch64 */
/* Lower case against what str.lower() of Python 3.11 does. The contexts were asked of it, too:
 * (c + "Σ").lower() ends with a final sigma where c is cased, ("A" + c + "Σ").lower() where it is
 * cased or ignorable. */
#include "model/unicode/unicode.h"
#include "tests/owned.h"
#include "tests/suite.h"

#include <string.h>

enum { O = LETTER_OTHER, C = LETTER_CASED, I = LETTER_CASE_IGNORABLE };

struct context {
    uint32_t code;
    int context;
};

/* Each holds up to the next one. */
static const struct context below_600[] = {
    {0x0, O},   {0x27, I},  {0x28, O},  {0x2E, I},  {0x2F, O},  {0x3A, I},  {0x3B, O},  {0x41, C},
    {0x5B, O},  {0x5E, I},  {0x5F, O},  {0x60, I},  {0x61, C},  {0x7B, O},  {0xA8, I},  {0xA9, O},
    {0xAA, C},  {0xAB, O},  {0xAD, I},  {0xAE, O},  {0xAF, I},  {0xB0, O},  {0xB4, I},  {0xB5, C},
    {0xB6, O},  {0xB7, I},  {0xB9, O},  {0xBA, C},  {0xBB, O},  {0xC0, C},  {0xD7, O},  {0xD8, C},
    {0xF7, O},  {0xF8, C},  {0x1BB, O}, {0x1BC, C}, {0x1C0, O}, {0x1C4, C}, {0x294, O}, {0x295, C},
    {0x2B0, I}, {0x370, C}, {0x374, I}, {0x376, C}, {0x378, O}, {0x37A, I}, {0x37B, C}, {0x37E, O},
    {0x37F, C}, {0x380, O}, {0x384, I}, {0x386, C}, {0x387, I}, {0x388, C}, {0x38B, O}, {0x38C, C},
    {0x38D, O}, {0x38E, C}, {0x3A2, O}, {0x3A3, C}, {0x3F6, O}, {0x3F7, C}, {0x482, O}, {0x483, I},
    {0x48A, C}, {0x530, O}, {0x531, C}, {0x557, O}, {0x559, I}, {0x55A, O}, {0x55F, I}, {0x560, C},
    {0x589, O}, {0x591, I}, {0x5BE, O}, {0x5BF, I}, {0x5C0, O}, {0x5C1, I}, {0x5C3, O}, {0x5C4, I},
    {0x5C6, O}, {0x5C7, I}, {0x5C8, O}, {0x5F4, I}, {0x5F5, O}, {0x600, O}};

static const struct context beyond[] = {
    {0x1D400, C}, {0x2160, C},  {0x216F, C},  {0x2170, C},  {0x24B6, C},  {0x24E9, C},
    {0x1F130, C}, {0x1F149, C}, {0x1F14A, O}, {0x1F150, C}, {0x1F169, C}, {0x1F170, C},
    {0x1F189, C}, {0x1F18A, O}, {0x2019, I},  {0x2024, I},  {0x2027, I},  {0xFE13, I},
    {0xFE52, I},  {0xFE55, I},  {0xFF07, I},  {0xFF0E, I},  {0xFF1A, I},  {0xFF21, C},
    {0x1D2C, I},  {0x200D, I},  {0x2071, I},  {0x3042, O},  {0x4E00, O},  {0xFFFD, O},
    {0x10400, C}, {0x10428, C}, {0xE0001, I}, {0x1F600, O}, {0xA7F8, I},  {0xFE0F, I},
    {0x1F3FB, I}, {0xFF3E, I},  {0x309B, I},  {0x3005, I},  {0x30FC, I},  {0x13A0, C},
    {0x10A0, C},  {0x10D0, C},  {0x2126, C},  {0x212B, C},  {0x2C00, C},  {0x2C7C, I},
    {0xA64A, C},  {0x1E900, C}, {0x10FFFF, O}};

TEST(contexts)
{
    for (size_t i = 0; below_600[i].code < 0x600; i++)
        for (uint32_t code = below_600[i].code; code < below_600[i + 1].code; code++)
            if ((int)letter_context(code) != below_600[i].context)
                fail_msg("U+%04X: %d, expected %d", (unsigned)code, (int)letter_context(code),
                         below_600[i].context);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        if ((int)letter_context(beyond[i].code) != beyond[i].context)
            fail_msg("U+%04X: %d, expected %d", (unsigned)beyond[i].code,
                     (int)letter_context(beyond[i].code), beyond[i].context);
}

static void lower_text(const char *text, char *lower)
{
    for (size_t at = 0, len = strlen(text); at < len;) {
        const struct letter letter = letter_read(text, len, at, true);
        for (size_t i = 0; i < letter.n_codes; i++)
            lower += utf8_encode(letter.codes[i], lower);
        at += letter.len;
    }
    *lower = '\0';
}

TEST(texts)
{
    static const char *const known[][2] = {
        {"I ride BIKE [\\]^_`{", "i ride bike [\\]^_`{"},
        {"Σ", "σ"},
        {"ΑΣ", "ας"},
        {"ΑΣΑ", "ασα"},
        {"ΑΣ Α", "ας α"},
        {"Α'Σ", "α'ς"},
        {"ΑΣ'Α", "ασ'α"},
        {"ΑΣ.", "ας."},
        {"Σ1", "σ1"},
        {"1Σ", "1σ"},
        {"ΣΣ", "σς"},
        {"ΟΔΥΣΣΕΥΣ", "οδυσσευς"},
        {"A\u0301Σ\u0301", "a\u0301ς\u0301"},
        {"AΣ\u0301 b", "aς\u0301 b"},
        {"AΣ\u0301b", "aσ\u0301b"},
        {"ʰΣ", "ʰσ"},
        {"ªΣ", "ªς"},
        {"A:Σ:B", "a:σ:b"},
        {"Ⓐ’Σ", "ⓐ’ς"},
        {"A\xFFΣ", "a\uFFFDσ"},
        {"AΣ\xFF"
         "B",
         "aς\uFFFDb"},
        {"A\xE2\x82Σ", "a\uFFFDσ"},
        {"İI", "i\u0307i"},
        {"ÀÞ×ßĀŸ", "àþ×ßāÿ"},
        {"ǄǅẞᾈᾼKΩÅⅠⒶⰀȺႠᏣᲐＡ𐐀𞤀А一",
         "ǆǆßᾀᾳkωåⅰⓐⰰⱥⴀꮳაａ𐐨𞤢а一"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char lower[256];
        lower_text(known[i][0], lower);
        assert_string_equal(lower, known[i][1]);
    }
}

/* Characters that are not asked for in lower case stay as they are. */
TEST(as_it_is)
{
    const char *text = "AΣİ";
    const uint32_t codes[] = {'A', 0x3A3, 0x130};
    for (size_t at = 0, i = 0, len = strlen(text); at < len; i++) {
        const struct letter letter = letter_read(text, len, at, false);
        assert_int_equal(letter.n_codes, 1);
        assert_int_equal(letter.codes[0], codes[i]);
        at += letter.len;
    }
}

/* Sigmas between long runs of characters that both scans pass over. */
TEST(many_sigmas)
{
    enum { SIGMAS = 500, MARKS = 1000 };
    const size_t len = SIGMAS * (2 + MARKS);
    char *text = new_bytes(len);
    memset(text, '\'', len);
    for (size_t i = 0; i < SIGMAS; i++)
        memcpy(text + i * (2 + MARKS), "Σ", 2);
    size_t n_final = 0, n_sigmas = 0;
    for (size_t at = 0; at < len;) {
        const struct letter letter = letter_read(text, len, at, true);
        n_final += letter.codes[0] == 0x3C2;
        n_sigmas += letter.codes[0] == 0x3C3;
        at += letter.len;
    }
    assert_int_equal(n_final, 1);
    assert_int_equal(n_sigmas, SIGMAS - 1);
}

/* Where a character ends a cluster that the next one might join: controls and line ends always do,
 * also before characters that joined after Unicode 15; other characters are joined by these. */
TEST(clusters)
{
    static const struct {
        uint32_t first, second;
        bool breaks;
    } pairs[] = {{'a', 'b', true},      {'a', 0x301, false},   {'a', 0x897, false},
                 {'a', 0x1E6F5, false}, {'a', 0x1F600, true},  {'\t', 0x897, true},
                 {0x7F, 0x897, true},   {0x2028, 0x897, true}, {0x2029, 0x897, true},
                 {0xAD, 0x1E6F5, true}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int32_t state = 0;
        if (unicode_breaks_cluster(pairs[i].first, pairs[i].second, &state) != pairs[i].breaks)
            fail_msg("U+%04X U+%04X", (unsigned)pairs[i].first, (unsigned)pairs[i].second);
    }
}

/* The last of the characters whose lower case is not utf8proc's, and one after it. */
TEST(lower_of_exceptions)
{
    uint32_t lower[UNICODE_LOWER_CODES];
    assert_int_equal(unicode_lower(0x16EB8, lower), 1);
    assert_int_equal(lower[0], 0x16ED3);
    assert_int_equal(unicode_lower(0x16EBF, lower), 1);
    assert_int_equal(lower[0], 0x16EBF);
}
