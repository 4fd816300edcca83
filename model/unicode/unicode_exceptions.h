/* unicode_exceptions.h - the code points whose Unicode data in the reference tokenizer (several
 * versions of Unicode, one for each property) differ from utf8proc's. Internal to unicode.c. The
 * tables are written by
 *
 *     python3 tools/build/unicode/exceptions.py table ../shared/tokenizers/unicode-exceptions.txt \
 *         tools/build/unicode/more-exceptions.txt > model/unicode/unicode_exceptions.c
 */
#ifndef MODEL_UNICODE_EXCEPTIONS_H
#define MODEL_UNICODE_EXCEPTIONS_H

#include <stddef.h>
#include <stdint.h>

struct unicode_exception {
    uint32_t first, last;
    uint16_t flips; /* enum unicode_property bits that differ */
};

struct unicode_lower_exception {
    uint32_t code;
    uint32_t to[2]; /* the second one is 0 if absent */
};

/* Both in the order of code points. */
extern const struct unicode_exception UNICODE_EXCEPTIONS[];
extern const size_t N_UNICODE_EXCEPTIONS;
extern const struct unicode_lower_exception UNICODE_LOWER[];
extern const size_t N_UNICODE_LOWER;

/* Bit (code >> 8) is set if this block of 256 code points has an exception. */
extern const uint64_t UNICODE_EXCEPTION_BLOCKS[];

#endif
