/* crc32.c - see crc32.h. Four bytes a step, as engine/file/crc32c.c has eight. */
#include "tools/common/crc32.h"

static uint32_t T[4][256]; /* T[k][b]: the register after byte b and k zero bytes */

static void make_tables(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        T[0][b] = b;
        for (int bit = 0; bit < 8; bit++)
            T[0][b] = T[0][b] >> 1 ^ (T[0][b] & 1 ? 0xEDB88320u : 0);
    }
    for (int k = 1; k < 4; k++)
        for (int b = 0; b < 256; b++)
            T[k][b] = T[k - 1][b] >> 8 ^ T[0][T[k - 1][b] & 0xFF];
}

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    if (T[0][1] == 0)
        make_tables();
    crc = ~crc;
    for (; n >= 4; p += 4, n -= 4)
        crc = T[3][(crc ^ p[0]) & 0xFF] ^ T[2][(crc >> 8 ^ p[1]) & 0xFF] ^
              T[1][(crc >> 16 ^ p[2]) & 0xFF] ^ T[0][crc >> 24 ^ p[3]];
    for (; n > 0; p++, n--)
        crc = crc >> 8 ^ T[0][(crc ^ *p) & 0xFF];
    return ~crc;
}

uint64_t little_endian(const void *bytes, size_t n)
{
    uint64_t value = 0;
    while (n-- > 0)
        value = value << 8 | ((const uint8_t *)bytes)[n];
    return value;
}
