/* crc32c.h - CRC-32C (Castagnoli), the checksum of weight files (weights/FORMAT.md).
 *
 * Polynomial 0x1EDC6F41, reflected, initial value and final xor 0xFFFFFFFF; the CRC of "123456789"
 * is 0xE3069283. Incremental: start with 0 and pass the last result with the next bytes, so that
 * crc32c(crc32c(0, a), b) is the CRC of a followed by b. Pure; any number of threads.
 */
#ifndef ENGINE_CRC32C_H
#define ENGINE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t crc, const void *data, size_t len);

/* The same without special instructions; the tests' reference. */
uint32_t crc32c_portable(uint32_t crc, const void *data, size_t len);

/* Returns the CRC of a followed by b, given their CRCs; len is b's length in bytes. */
uint32_t crc32c_join(uint32_t a, uint32_t b, uint64_t len);

#endif
