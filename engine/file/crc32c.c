/* crc32c.c - CRC-32C by slicing (Kounavis and Berry, 2008): eight bytes a step through eight
 * tables, or by the CPU's instruction (SSE4.2, ARMv8's CRC32).
 */
#include "engine/file/crc32c.h"

#include <pthread.h>
#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* T[k][b] is the CRC register after byte b and k zero bytes. */
static uint32_t T[8][256];

/* A single byte shifts the reflected polynomial one bit a step; a zero byte shifts by eight. */
static void make_tables(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        T[0][b] = b;
        for (int bit = 0; bit < 8; bit++)
            T[0][b] = T[0][b] >> 1 ^ (T[0][b] & 1 ? 0x82F63B78u : 0);
    }
    for (int k = 1; k < 8; k++)
        for (int b = 0; b < 256; b++)
            T[k][b] = T[k - 1][b] >> 8 ^ T[0][T[k - 1][b] & 0xFF];
}

uint32_t crc32c_portable(uint32_t crc, const void *data, size_t len)
{
    static pthread_once_t made = PTHREAD_ONCE_INIT;
    const uint8_t *p = data;
    pthread_once(&made, make_tables);
    crc = ~crc;
    for (; len >= 8; p += 8, len -= 8) {
        uint32_t low; /* little-endian: see weight_file.h */
        memcpy(&low, p, sizeof low);
        low ^= crc;
        crc = T[7][low & 0xFF] ^ T[6][low >> 8 & 0xFF] ^ T[5][low >> 16 & 0xFF] ^ T[4][low >> 24] ^
              T[3][p[4]] ^ T[2][p[5]] ^ T[1][p[6]] ^ T[0][p[7]];
    }
    for (; len > 0; p++, len--)
        crc = crc >> 8 ^ T[0][(crc ^ *p) & 0xFF];
    return ~crc;
}

/* As assembler, which needs no attribute or builtin of the compiler. */
#if defined(__x86_64__)
#define HAS_CRC()            __builtin_cpu_supports("sse4.2")
#define CRC_OF_8(crc, eight) __asm__("crc32q %1, %q0" : "+r"(crc) : "r"(eight))
#define CRC_OF_1(crc, one)   __asm__("crc32b %b1, %0" : "+r"(crc) : "q"(one))
#elif defined(__aarch64__)
#define HAS_CRC() (getauxval(AT_HWCAP) & HWCAP_CRC32)
#define CRC_OF_8(crc, eight)                                                                       \
    __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %1" : "+r"(crc) : "r"(eight))
#define CRC_OF_1(crc, one)                                                                         \
    __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(one))
#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
#ifdef HAS_CRC
    const uint8_t *p = data;
    if (HAS_CRC()) {
        crc = ~crc;
        for (; len >= 8; p += 8, len -= 8) {
            uint64_t eight;
            memcpy(&eight, p, sizeof eight);
            CRC_OF_8(crc, eight);
        }
        for (; len > 0; p++, len--)
            CRC_OF_1(crc, *p);
        return ~crc;
    }
#endif
    return crc32c_portable(crc, data, len);
}

/* Returns a·b modulo the polynomial, whose highest power is the lowest bit. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
        product ^= a & bit ? b : 0;
        b = b >> 1 ^ (b & 1 ? 0x82F63B78u : 0);
    }
    return product;
}

/* Multiplies a by x^(8 len), by squares of x^8. */
uint32_t crc32c_join(uint32_t a, uint32_t b, uint64_t len)
{
    for (uint32_t power = 1u << 23; len > 0; len >>= 1, power = multiply(power, power))
        a = len & 1 ? multiply(a, power) : a;
    return a ^ b;
}
