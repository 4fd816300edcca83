/* tags: sizes */
/* The checksum against published values (RFC 3720, B.4), a bitwise twin, and itself in pieces. */
#include "engine/file/crc32c.h"
#include "tests/owned.h"
#include "tests/support.h"

enum { N_BYTES = 1200 };

/* One bit a step: shift right, and xor the reflected polynomial when a 1 falls out. */
static uint32_t crc_bitwise(const uint8_t *data, size_t len)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < len; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
    }
    return ~crc;
}

TEST(published_values)
{
    uint8_t zeros[32] = {0}, ones[32], rising[32], falling[32];
    for (size_t i = 0; i < 32; i++) {
        ones[i] = 0xFF;
        rising[i] = (uint8_t)i;
        falling[i] = (uint8_t)(31 - i);
    }
    const struct {
        const void *data;
        size_t len;
        uint32_t crc;
    } cases[] = {
        {"", 0, 0},
        {"123456789", 9, 0xE3069283u},
        {zeros, 32, 0x8A9136AAu},
        {ones, 32, 0x62A8AB43u},
        {rising, 32, 0x46DD794Eu},
        {falling, 32, 0x113FDB5Cu},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(crc32c(0, cases[i].data, cases[i].len), cases[i].crc);
        assert_int_equal(crc32c_portable(0, cases[i].data, cases[i].len), cases[i].crc);
    }
}

static uint8_t *random_bytes(void)
{
    uint64_t state = 1;
    uint8_t *data = new_bytes(N_BYTES);
    for (size_t i = 0; i < N_BYTES; i++)
        data[i] = (uint8_t)support_random(&state);
    return data;
}

TEST(every_length_and_alignment)
{
    uint8_t *data = random_bytes();
    for (size_t start = 0; start < 9; start++)
        for (size_t len = 0; len <= 260; len++) {
            uint32_t expected = crc_bitwise(data + start, len);
            assert_int_equal(crc32c(0, data + start, len), expected);
            assert_int_equal(crc32c_portable(0, data + start, len), expected);
        }
}

TEST(in_pieces)
{
    uint8_t *data = random_bytes();
    uint32_t whole = crc_bitwise(data, N_BYTES);
    for (size_t cut = 0; cut <= N_BYTES; cut++) {
        assert_int_equal(crc32c(crc32c(0, data, cut), data + cut, N_BYTES - cut), whole);
        assert_int_equal(crc32c_portable(crc32c(0, data, cut), data + cut, N_BYTES - cut), whole);
    }
}
