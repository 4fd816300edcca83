/* heal_zip.c - see heal_zip.h. */
#include "tests/fuzz/heal_zip.h"

#include "tests/fuzz/model_use.h"
#include "tools/common/crc32.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 30 };

static size_t number(const uint8_t *bytes, size_t n)
{
    size_t value = 0;
    while (n-- > 0)
        value = value << 8 | bytes[n];
    return value;
}

uint8_t *heal_zip(const uint8_t *bytes, size_t n)
{
    size_t at = 0;
    uint8_t *healed = malloc(n + 1);
    must(healed != NULL);
    memcpy(healed, bytes, n);
    while (n - at >= HEADER && memcmp(healed + at, "PK\3\4", 4) == 0) {
        const size_t head = HEADER + number(healed + at + 26, 2) + number(healed + at + 28, 2);
        const size_t len = number(healed + at + 22, 4);
        if (head > n - at || len > n - at - head)
            break;
        const uint32_t crc = crc32_add(0, healed + at + head, len);
        memcpy(healed + at + 14, &crc, sizeof crc);
        at += head + len;
    }
    for (; n - at >= HEADER; at++)
        if (memcmp(healed + at, "PK\1\2", 4) == 0)
            memset(healed + at + 16, 0, 4);
    return healed;
}
