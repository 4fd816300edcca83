/* crc32c.c - CRC-32C by slicing (Kounavis and Berry, 2008): eight bytes a step through eight
 * tables, or the SSE4.2 instruction where the CPU has it.
 *
 * T[k][b] is the CRC register after byte b and k zero bytes. A CRC is linear over xor, so the
 * compiler builds each table from its entries for the single bits 1, 2, 4 .. 128; those are the
 * reflected polynomial 0x82F63B78 shifted on, one bit a step.
 */
#include "engine/file/crc32c.h"

#include <string.h>

#define ENTRY(b, c0, c1, c2, c3, c4, c5, c6, c7)                                                   \
    (((b)&1 ? c0 : 0u) ^ ((b)&2 ? c1 : 0u) ^ ((b)&4 ? c2 : 0u) ^ ((b)&8 ? c3 : 0u) ^               \
     ((b)&16 ? c4 : 0u) ^ ((b)&32 ? c5 : 0u) ^ ((b)&64 ? c6 : 0u) ^ ((b)&128 ? c7 : 0u))
#define ENTRIES_4(b, ...)                                                                          \
    ENTRY(b, __VA_ARGS__), ENTRY((b) + 1, __VA_ARGS__), ENTRY((b) + 2, __VA_ARGS__),               \
        ENTRY((b) + 3, __VA_ARGS__)
#define ENTRIES_16(b, ...)                                                                         \
    ENTRIES_4(b, __VA_ARGS__), ENTRIES_4((b) + 4, __VA_ARGS__), ENTRIES_4((b) + 8, __VA_ARGS__),   \
        ENTRIES_4((b) + 12, __VA_ARGS__)
#define ENTRIES_64(b, ...)                                                                         \
    ENTRIES_16(b, __VA_ARGS__), ENTRIES_16((b) + 16, __VA_ARGS__),                                 \
        ENTRIES_16((b) + 32, __VA_ARGS__), ENTRIES_16((b) + 48, __VA_ARGS__)
#define TABLE(...)                                                                                 \
    {                                                                                              \
        ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), ENTRIES_64(128, __VA_ARGS__),     \
            ENTRIES_64(192, __VA_ARGS__)                                                           \
    }

static const uint32_t T[8][256] = {
    TABLE(0xF26B8303, 0xE13B70F7, 0xC79A971F, 0x8AD958CF, 0x105EC76F, 0x20BD8EDE, 0x417B1DBC,
          0x82F63B78),
    TABLE(0x13A29877, 0x274530EE, 0x4E8A61DC, 0x9D14C3B8, 0x3FC5F181, 0x7F8BE302, 0xFF17C604,
          0xFBC3FAF9),
    TABLE(0xA541927E, 0x4F6F520D, 0x9EDEA41A, 0x38513EC5, 0x70A27D8A, 0xE144FB14, 0xC76580D9,
          0x8B277743),
    TABLE(0xDD45AAB8, 0xBF672381, 0x7B2231F3, 0xF64463E6, 0xE964B13D, 0xD725148B, 0xABA65FE7,
          0x52A0C93F),
    TABLE(0x38116FAC, 0x7022DF58, 0xE045BEB0, 0xC5670B91, 0x8F2261D3, 0x1BA8B557, 0x37516AAE,
          0x6EA2D55C),
    TABLE(0xEF306B19, 0xDB8CA0C3, 0xB2F53777, 0x6006181F, 0xC00C303E, 0x85F4168D, 0x0E045BEB,
          0x1C08B7D6),
    TABLE(0x68032CC8, 0xD0065990, 0xA5E0C5D1, 0x4E2DFD53, 0x9C5BFAA6, 0x3D5B83BD, 0x7AB7077A,
          0xF56E0EF4),
    TABLE(0x493C7D27, 0x9278FA4E, 0x211D826D, 0x423B04DA, 0x847609B4, 0x0D006599, 0x1A00CB32,
          0x34019664),
};

uint32_t crc32c_portable(uint32_t crc, const void *data, size_t len)
{
    const uint8_t *p = data;
    crc = ~crc;
    for (; len >= 8; p += 8, len -= 8) {
        uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                              (uint32_t)p[3] << 24);
        crc = T[7][low & 0xFF] ^ T[6][low >> 8 & 0xFF] ^ T[5][low >> 16 & 0xFF] ^ T[4][low >> 24] ^
              T[3][p[4]] ^ T[2][p[5]] ^ T[1][p[6]] ^ T[0][p[7]];
    }
    for (; len > 0; p++, len--)
        crc = crc >> 8 ^ T[0][(crc ^ *p) & 0xFF];
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const void *data,
                                                               size_t len)
{
    const uint8_t *p = data;
    uint64_t state = ~crc;
    for (; len >= 8; p += 8, len -= 8) {
        uint64_t eight;
        memcpy(&eight, p, sizeof eight);
        state = __builtin_ia32_crc32di(state, eight);
    }
    uint32_t narrow = (uint32_t)state;
    for (; len > 0; p++, len--)
        narrow = __builtin_ia32_crc32qi(narrow, *p);
    return ~narrow;
}

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
    return __builtin_cpu_supports("sse4.2") ? crc32c_sse42(crc, data, len)
                                            : crc32c_portable(crc, data, len);
}
#else
uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
    return crc32c_portable(crc, data, len);
}
#endif
