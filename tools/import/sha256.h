/* sha256.h - the SHA-256 of a stream of bytes (FIPS 180-4). */
#ifndef TOOLS_IMPORT_SHA256_H
#define TOOLS_IMPORT_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

struct sha256 {
    uint32_t state[8];
    uint64_t n_bytes;
    uint8_t block[64];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t len);
void sha256_end(struct sha256 *hash, char text[SHA256_TEXT]);

#endif
