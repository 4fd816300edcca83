/* crc32.h - numbers of zip archives, and their checksum: CRC-32 of ISO 3309, which is not that of
 * weight files. */
#ifndef TOOLS_CRC32_H
#define TOOLS_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of n bytes after those whose checksum is crc; 0 at first. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t n);

/* The number in n bytes, the lowest first. */
uint64_t little_endian(const void *bytes, size_t n);

#endif
