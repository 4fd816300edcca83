/* text_lower.c - see text_lower.h. */
#include "engine/file/text_lower.h"

#include "model/unicode/letter_case.h"
#include "model/unicode/utf8.h"

size_t text_lower(const char *text, size_t len, bool lower, char *out)
{
    size_t out_len = 0;
    for (size_t at = 0; at < len;) {
        const struct letter letter = letter_read(text, len, at, lower);
        for (size_t i = 0; i < letter.n_codes; i++)
            out_len += utf8_encode(letter.codes[i], out + out_len);
        at += letter.len;
    }
    return out_len;
}
