/* word.c - see word.h. Source: Fowler, Noll and Vo's hash. */
#include "model/unicode/word.h"

#include "model/unicode/letter_case.h"
#include "model/unicode/unicode.h"
#include "model/unicode/utf8.h"

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
