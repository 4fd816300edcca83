/* unicode_exceptions.h - the code points whose Unicode data in the reference tokenizer (several
 * versions of Unicode, one for each property) differ from utf8proc's. A part of unicode.c, by
 *
 *     python3 tools/build/unicode/exceptions.py table ../shared/tokenizers/unicode-exceptions.txt \
 *         tools/build/unicode/more-exceptions.txt > model/unicode/unicode_exceptions.h
 */
#ifndef MODEL_UNICODE_EXCEPTIONS_H
#define MODEL_UNICODE_EXCEPTIONS_H

#include <stdint.h>

/* Both tables are in the order of code points. */
struct unicode_exception {
    uint32_t first;
    uint16_t n;     /* code points from the first one on */
    uint16_t flips; /* enum unicode_property bits that differ */
};

struct unicode_lower_exception {
    uint32_t first, last;
    uint32_t to[2]; /* of the first, and so on; the second one is 0 if absent */
};

/* clang-format off */

/* Short names, so that the table is short. */
enum {
    C = UNICODE_CONTROL, P = UNICODE_PUNCTUATION, NS = UNICODE_NONSPACING, M = UNICODE_MARK,
    W = UNICODE_WORD, L = UNICODE_LETTER, NR = UNICODE_NUMBER, WH = UNICODE_WHOLE,
    WC = UNICODE_WHOLE_COMPATIBLE, S = UNICODE_STARTER, N = UNICODE_LATER, UC = UNICODE_CAPITAL,
    LC = UNICODE_SMALL, J = UNICODE_JOINED,
};

static const struct unicode_exception UNICODE_EXCEPTIONS[] = {
    {0x558, 1, N}, {0x58B, 2, N}, {0x5C8, 2, N}, {0x61D, 1, P}, {0x7FD, 1, M | NS | S},
    {0x88F, 1, N}, {0x890, 2, C}, {0x897, 1, J | N | W}, {0x898, 8, M | NS | S},
    {0x8CA, 10, M | NS | S}, {0x8D4, 14, NS}, {0x8E2, 1, C}, {0x9FD, 1, P}, {0x9FE, 1, M | NS | S},
    {0xA76, 1, P}, {0xAFA, 6, M | NS}, {0xB53, 2, N}, {0xB55, 1, M | NS}, {0xC04, 1, M | NS},
    {0xC3C, 1, M | NS | S}, {0xC5C, 1, N}, {0xC77, 1, P}, {0xC84, 1, P}, {0xCDC, 1, N},
    {0xCF3, 1, M}, {0xD00, 1, M | NS}, {0xD3B, 2, M | NS | S}, {0xD81, 1, M | NS},
    {0xEBA, 1, M | NS | S}, {0xECE, 1, M | NS}, {0x166D, 1, P}, {0x1715, 1, M | S}, {0x1734, 1, NS},
    {0x180F, 1, M | NS}, {0x1885, 2, NS}, {0x1ABF, 16, M | NS | S}, {0x1ACF, 34, N}, {0x1B4E, 2, N},
    {0x1B7D, 2, P}, {0x1B7F, 1, N}, {0x1C89, 1, L | N | UC | W}, {0x1C8A, 1, L | LC | N | W},
    {0x1CF2, 2, M}, {0x1CF7, 1, M}, {0x1DF6, 5, M | NS | S}, {0x1DFB, 1, NS}, {0x200C, 2, W},
    {0x208F, 1, N}, {0x209D, 3, N}, {0x20C1, 4, N}, {0x2427, 3, N}, {0x24B6, 52, W}, {0x2B96, 1, N},
    {0x2E43, 13, P}, {0x2E52, 12, P}, {0x2E60, 4, N}, {0x2FFC, 4, N}, {0x31E4, 12, N},
    {0x32FF, 1, WC}, {0xA7CB, 2, L | N | UC | W}, {0xA7CD, 1, L | LC | N | W}, {0xA7CE, 2, N},
    {0xA7D2, 1, N}, {0xA7D4, 1, N}, {0xA7DA, 1, L | N | UC | W}, {0xA7DB, 1, L | LC | N | W},
    {0xA7DC, 1, L | N | UC | W}, {0xA7DD, 21, N}, {0xA7F2, 3, WC}, {0xA82C, 1, M | NS | S},
    {0xA8C5, 1, NS}, {0xA8FF, 1, M | NS}, {0xA9BD, 1, NS}, {0xAB69, 1, WC}, {0xAB6C, 2, N},
    {0xFBC3, 16, N}, {0xFD90, 2, N}, {0xFDC8, 7, N}, {0x105C0, 52, L | N | W}, {0x10781, 5, WC},
    {0x10787, 42, WC}, {0x107B2, 9, WC}, {0x107BB, 5, N}, {0x10940, 26, N},
    {0x10D24, 4, M | NS | S}, {0x10D40, 10, N | NR | W}, {0x10D4A, 6, L | N | W},
    {0x10D50, 22, L | N | UC | W}, {0x10D66, 3, N}, {0x10D69, 5, J | N | W}, {0x10D6E, 1, N},
    {0x10D6F, 1, L | N | W}, {0x10D70, 22, L | LC | N | W}, {0x10D86, 10, N},
    {0x10EAB, 2, M | NS | S}, {0x10EAD, 1, P}, {0x10EC2, 3, L | N | W}, {0x10EC5, 55, N},
    {0x10EFC, 1, J | N | W}, {0x10EFD, 3, M | NS | S}, {0x10F46, 11, M | NS | S}, {0x10F55, 5, P},
    {0x10F82, 4, M | NS | S}, {0x10F86, 4, P}, {0x11070, 1, M | NS | S}, {0x11073, 2, M | NS},
    {0x110C2, 1, M | NS}, {0x110CD, 1, C}, {0x11145, 2, M}, {0x111C9, 1, M | NS | P},
    {0x111CE, 1, M}, {0x111CF, 1, M | NS}, {0x1123E, 1, NS}, {0x11241, 1, M | NS},
    {0x1133B, 1, M | NS | S}, {0x11380, 10, L | N | W}, {0x1138A, 1, N}, {0x1138B, 1, L | N | W},
    {0x1138C, 2, N}, {0x1138E, 1, L | N | W}, {0x1138F, 1, N}, {0x11390, 38, L | N | W},
    {0x113B6, 1, N}, {0x113B7, 1, L | N | W}, {0x113B8, 9, J | N | W}, {0x113C1, 1, N},
    {0x113C2, 1, J | N | W}, {0x113C3, 2, N}, {0x113C5, 1, J | N | W}, {0x113C6, 1, N},
    {0x113C7, 4, J | N | W}, {0x113CB, 1, N}, {0x113CC, 5, J | N | W}, {0x113D1, 1, L | N | W},
    {0x113D2, 1, J | N | W}, {0x113D3, 1, L | N | W}, {0x113D4, 13, N}, {0x113E1, 2, J | N | W},
    {0x11438, 8, NS}, {0x11442, 3, NS}, {0x11446, 1, NS}, {0x1144B, 5, P}, {0x1145A, 2, P},
    {0x1145D, 1, P}, {0x1145E, 1, M | NS | S}, {0x11660, 13, P}, {0x116B9, 1, P},
    {0x116D0, 20, N | NR | W}, {0x1182C, 3, M}, {0x1182F, 9, M | NS}, {0x11838, 1, M},
    {0x11839, 2, M | NS | S}, {0x1183B, 1, P}, {0x11930, 6, M}, {0x11937, 1, M},
    {0x11938, 1, M | WC | WH}, {0x1193B, 2, M | NS}, {0x1193D, 1, M | S}, {0x1193E, 1, M | NS | S},
    {0x11940, 1, M}, {0x11942, 1, M}, {0x11943, 1, M | NS | S}, {0x11944, 3, P}, {0x119D1, 3, M},
    {0x119D4, 4, M | NS}, {0x119DA, 2, M | NS}, {0x119DC, 4, M}, {0x119E0, 1, M | NS | S},
    {0x119E2, 1, P}, {0x119E4, 1, M}, {0x11A01, 10, M | NS}, {0x11A33, 1, M | NS},
    {0x11A34, 1, M | NS | S}, {0x11A35, 4, M | NS}, {0x11A39, 1, M}, {0x11A3B, 4, M | NS},
    {0x11A3F, 8, P}, {0x11A47, 1, M | NS | S}, {0x11A51, 6, M | NS}, {0x11A57, 2, M},
    {0x11A59, 3, M | NS}, {0x11A8A, 13, M | NS}, {0x11A97, 1, M}, {0x11A98, 1, M | NS},
    {0x11A99, 1, M | NS | S}, {0x11A9A, 3, P}, {0x11A9E, 5, P}, {0x11B00, 10, P}, {0x11B0A, 182, N},
    {0x11BC0, 33, L | N | W}, {0x11BE1, 15, N}, {0x11BF0, 10, N | NR | W}, {0x11C30, 7, NS},
    {0x11C38, 6, NS}, {0x11C3F, 1, NS}, {0x11C41, 5, P}, {0x11C70, 2, P}, {0x11C92, 22, NS},
    {0x11CAA, 7, NS}, {0x11CB2, 2, NS}, {0x11CB5, 2, NS}, {0x11D31, 6, M | NS},
    {0x11D3A, 1, M | NS}, {0x11D3C, 2, M | NS}, {0x11D3F, 3, M | NS}, {0x11D42, 1, M | NS | S},
    {0x11D43, 1, M | NS}, {0x11D44, 2, M | NS | S}, {0x11D47, 1, M | NS}, {0x11D8A, 5, M},
    {0x11D90, 2, M | NS}, {0x11D93, 2, M}, {0x11D95, 1, M | NS}, {0x11D96, 1, M},
    {0x11D97, 1, M | NS | S}, {0x11DB0, 48, N}, {0x11DE0, 10, N | NR}, {0x11DEA, 8, N},
    {0x11EF3, 2, M | NS}, {0x11EF5, 2, M}, {0x11EF7, 2, P}, {0x11F00, 2, M | NS}, {0x11F03, 1, M},
    {0x11F34, 2, M}, {0x11F36, 5, M | NS}, {0x11F3E, 2, M}, {0x11F40, 1, M | NS},
    {0x11F41, 1, M | S}, {0x11F42, 1, M | NS | S}, {0x11F43, 13, P}, {0x11F5A, 1, J | N | W},
    {0x11FFF, 1, P}, {0x1246F, 1, N}, {0x12475, 11, N}, {0x12550, 311, N}, {0x12FF1, 2, P},
    {0x13430, 16, C}, {0x13440, 1, M | NS}, {0x13447, 15, M | NS}, {0x13460, 3995, L | N | W},
    {0x16100, 30, L | N | W}, {0x1611E, 18, J | N | W}, {0x16130, 10, N | NR | W},
    {0x16D40, 45, L | N | W}, {0x16D6D, 3, N}, {0x16D70, 10, N | NR | W}, {0x16E97, 4, P},
    {0x16EA0, 52, N}, {0x16F4F, 1, M | NS}, {0x16F7F, 9, M}, {0x16FE2, 1, P}, {0x16FE4, 1, M | NS},
    {0x16FF0, 2, M | S}, {0x16FF2, 2, N}, {0x16FF4, 3, N | NR}, {0x187F8, 8, N}, {0x18CD6, 41, N},
    {0x18CFF, 1, L | N | W}, {0x18D09, 1226, N}, {0x1B123, 6, N}, {0x1B168, 1, N},
    {0x1CC00, 240, N}, {0x1CCF0, 10, N | NR | W}, {0x1CCFA, 516, N}, {0x1CF00, 46, M | NS},
    {0x1CF30, 23, M | NS}, {0x1D127, 2, N}, {0x1D1EB, 21, N}, {0x1D250, 50, N}, {0x1D6A6, 1, N},
    {0x1DB00, 29, N}, {0x1DF1F, 6, N}, {0x1DF2B, 213, N}, {0x1E000, 7, NS}, {0x1E008, 17, NS},
    {0x1E01B, 7, NS}, {0x1E023, 2, NS}, {0x1E026, 5, NS}, {0x1E030, 62, WC},
    {0x1E08F, 1, M | NS | S}, {0x1E130, 7, M | NS | S}, {0x1E2AE, 1, M | NS | S},
    {0x1E2EC, 4, M | NS | S}, {0x1E4EC, 4, M | NS | S}, {0x1E5D0, 30, L | N | W},
    {0x1E5EE, 2, J | N | W}, {0x1E5F0, 1, L | N | W}, {0x1E5F1, 10, N | NR | W}, {0x1E5FB, 261, N},
    {0x1E944, 7, NS}, {0x1E95E, 2, P}, {0x1F130, 26, W}, {0x1F150, 26, W}, {0x1F16C, 1, WC},
    {0x1F170, 26, W}, {0x1F1AE, 1, N}, {0x1F6D8, 2, N}, {0x1F777, 4, N}, {0x1F7DA, 2, N},
    {0x1F7F1, 15, N}, {0x1F8B2, 39, N}, {0x1FA54, 4, N}, {0x1FA89, 7, N}, {0x1FABE, 1, N},
    {0x1FAC6, 8, N}, {0x1FADC, 4, N}, {0x1FAE9, 7, N}, {0x1FAF9, 2, N}, {0x1FBCB, 37, N},
    {0x1FBF0, 10, WC}, {0x1FBFA, 1, N}, {0x2B73A, 6, N}, {0x2B81E, 1, N}, {0x2CEA2, 12, N},
    {0x2EBF0, 622, L | N | W}, {0x323B0, 55440, N},
};

static const struct unicode_lower_exception UNICODE_LOWER[] = {
    {0x130, 0x130, {0x69, 0x307}}, {0x1C89, 0x1C89, {0x1C8A}}, {0xA7CB, 0xA7CB, {0x264}},
    {0xA7CC, 0xA7CC, {0xA7CD}}, {0xA7CE, 0xA7CE, {0xA7CF}}, {0xA7D2, 0xA7D2, {0xA7D3}},
    {0xA7D4, 0xA7D4, {0xA7D5}}, {0xA7DA, 0xA7DA, {0xA7DB}}, {0xA7DC, 0xA7DC, {0x19B}},
    {0x10D50, 0x10D65, {0x10D70}}, {0x16EA0, 0x16EB8, {0x16EBB}},
};

/* Bit (code >> 8) is set if this block of 256 code points has an exception; the rest are zeros. */
static const uint64_t UNICODE_EXCEPTION_BLOCKS[68] = {
    0x6C8113DC07FE2, 0x0, 0xB8000000000, 0x2800000000000000, 0xFFF08070FF5FE2A0, 0xE0020000000F,
    0x200000003F080, 0xDC202778846F000, 0x0, 0x0, 0x180000000000000, 0x780000004000,
    0xFFFFFFF800000000, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0x1FFFFFFFFFFFFFFF,
};

#endif
