/* letters.c - full lower case mapping of Unicode (chapter 3.13, SpecialCasing.txt), as in
 * Python's str.lower(): every character maps to one character, except
 *
 *     U+0130 (I with dot above) becomes U+0069 U+0307, and
 *     U+03A3 (sigma) becomes U+03C2 at the end of a word, else U+03C3. The end of a word is
 *         Cased Case_Ignorable* U+03A3 not followed by (Case_Ignorable* Cased).
 *
 * Cased and Case_Ignorable are derived properties: general categories, from utf8proc, and short
 * lists of other characters (Other_Lowercase, Other_Uppercase, Word_Break), in this file.
 */
#include "model/unicode/letters.h"

#include "model/unicode/unicode.h"

#include <utf8proc.h>

enum { CAPITAL_SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };
enum { CAPITAL_I_DOT = 0x130, COMBINING_DOT_ABOVE = 0x307 };

/* Returns whether Word_Break is MidLetter, MidNumLet or Single_Quote. */
static bool joins_words(uint32_t code)
{
    static const uint16_t joiners[] = {0x27,   0x2E,   0x3A,   0xB7,   0x387,  0x55F,
                                       0x5F4,  0x2018, 0x2019, 0x2024, 0x2027, 0xFE13,
                                       0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A};
    for (size_t i = 0; i < sizeof joiners / sizeof *joiners; i++)
        if (code == joiners[i])
            return true;
    return false;
}

/* Returns whether code is Other_Lowercase or Other_Uppercase and not Case_Ignorable: ordinal
 * indicators, Roman numerals, letters in circles and squares. */
static bool other_cased(uint32_t code)
{
    return code == 0xAA || code == 0xBA || (code >= 0x2160 && code <= 0x217F) ||
           (code >= 0x24B6 && code <= 0x24E9) || (code >= 0x1F130 && code <= 0x1F149) ||
           (code >= 0x1F150 && code <= 0x1F169) || (code >= 0x1F170 && code <= 0x1F189);
}

enum letter_context letter_context(uint32_t code)
{
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return LETTER_CASE_IGNORABLE;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT: return LETTER_CASED;
    default:
        if (joins_words(code))
            return LETTER_CASE_IGNORABLE;
        return other_cased(code) ? LETTER_CASED : LETTER_OTHER;
    }
}

/* Returns whether the first letter of a text that is not ignored is Cased; from_end: the last. */
static bool is_cased(const char *text, size_t len, bool from_end)
{
    while (len > 0) {
        const enum letter_context context = letter_context(utf8_cut(&text, &len, from_end).code);
        if (context != LETTER_CASE_IGNORABLE)
            return context == LETTER_CASED;
    }
    return false;
}

/* A sigma is not Case_Ignorable and stops both scans: all scans of a text together are linear. */
static uint32_t lower_sigma(const char *text, size_t len, size_t at, size_t code_len)
{
    const size_t next = at + code_len;
    const bool final = is_cased(text, at, true) && !is_cased(text + next, len - next, false);
    return final ? FINAL_SIGMA : SMALL_SIGMA;
}

struct letter letter_read(const char *text, size_t len, size_t at, bool lower)
{
    const struct utf8_char c = utf8_decode(text + at, len - at);
    struct letter letter = {.codes = {c.code}, .n_codes = 1, .len = c.len};
    if (!lower)
        return letter;
    if (c.code < 0x80) {
        letter.codes[0] += c.code >= 'A' && c.code <= 'Z' ? 'a' - 'A' : 0;
    } else if (c.code == CAPITAL_I_DOT) {
        letter.codes[0] = 'i';
        letter.codes[1] = COMBINING_DOT_ABOVE;
        letter.n_codes = 2;
    } else if (c.code == CAPITAL_SIGMA) {
        letter.codes[0] = lower_sigma(text, len, at, c.len);
    } else {
        letter.codes[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c.code);
    }
    return letter;
}

/* ---- Words, for search; keys: Fowler, Noll and Vo's hash ---- */

/* Chinese and Japanese have no blanks between words. */
static bool is_ideograph(uint32_t code)
{
    return (code >= 0x3400 && code <= 0x9FFF && (code < 0x4DC0 || code > 0x4DFF)) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x20000 && code <= 0x3FFFF);
}

static uint64_t add_letter(uint64_t key, const struct letter *letter)
{
    uint32_t codes[UNICODE_DECOMPOSED];
    char bytes[UTF8_BYTES];
    for (size_t i = 0; i < letter->n_codes; i++) {
        const size_t n_codes = unicode_decompose(letter->codes[i], false, codes);
        for (size_t k = 0; k < n_codes; k++) {
            const size_t n = utf8_encode(codes[k], bytes);
            for (size_t b = 0; b < n; b++)
                key = (key ^ (unsigned char)bytes[b]) * UINT64_C(0x100000001B3);
        }
    }
    return key;
}

bool word_next(const char *text, size_t len, size_t *at, uint64_t *key)
{
    bool has_any = false, is_alone = false;
    *key = UINT64_C(0xCBF29CE484222325);
    while (*at < len && !is_alone) {
        const struct letter letter = letter_read(text, len, *at, true);
        const bool is_word = unicode_properties(letter.codes[0]) & UNICODE_WORD;
        is_alone = is_ideograph(letter.codes[0]);
        if (has_any && (!is_word || is_alone))
            break;
        *at += letter.len;
        has_any = is_word;
        if (is_word)
            *key = add_letter(*key, &letter);
    }
    return has_any;
}
