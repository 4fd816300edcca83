/* byte_level.h - the bytes of a text as visible characters, by GPT-2's table: the printable ones of
 * Latin-1 map to themselves, the other 68 to U+0100, U+0101 and so on in their order; a blank is
 * U+0120.
 */
#ifndef MODEL_BYTE_LEVEL_H
#define MODEL_BYTE_LEVEL_H

#include <stdint.h>

enum { BYTE_LEVEL_BLANK = 0x120, BYTE_LEVEL_CODES = 0x144 /* all codes are below */ };

static inline uint32_t byte_level_code(uint8_t byte)
{
    if (byte <= ' ') /* U+0100 to U+0120 */
        return 0x100u + byte;
    if (byte >= 0x7F && byte <= 0xA0)
        return 0x121u + (byte - 0x7Fu);
    return byte == 0xAD ? 0x143 : byte;
}

/* Returns the byte of that character, or -1. */
static inline int byte_level_byte(uint32_t code)
{
    const uint32_t byte = code <= 0xFF ? code : code <= 0x120 ? code - 0x100 : code - 0x121 + 0x7F;
    const uint32_t own = code == 0x143 ? 0xAD : byte;
    return own <= 0xFF && byte_level_code((uint8_t)own) == code ? (int)own : -1;
}

#endif
