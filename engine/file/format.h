/* format.h - the constants of weights/FORMAT.md and its numbers, for the reader and the writer. */
#ifndef ENGINE_FORMAT_H
#define ENGINE_FORMAT_H

#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "this machine is big-endian: tensors are used as stored in the file, little-endian"
#endif

enum {
    FORMAT_VERSION = 1,       /* known to every reader */
    FORMAT_VERSION_INT8A = 2, /* of files with int8 tensors that have factors */
    FORMAT_VERSION_INT8K = 3, /* of files with int8 tensors that store columns in f32 */
    HEADER_BYTES = 64,
    SECTION_ENTRY_BYTES = 32,
    TENSOR_ENTRY_BYTES = 80,
    DIRECTORY_START = 8 /* offset of the first tensor's entry in TENS */
};

#define BYTE_ORDER_MARK 0x01020304u

/* Advice after a wrong checksum. */
#define COPY_AGAIN "; copy or import it again"

static const uint8_t FORMAT_MAGIC[8] = {0x89, 'E', 'N', 'C', '\r', '\n', 0x1A, '\n'};

static inline uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t get_u64(const uint8_t *p)
{
    return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}

static inline void put_u32(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

static inline void put_u64(uint8_t *p, uint64_t value)
{
    put_u32(p, (uint32_t)value);
    put_u32(p + 4, (uint32_t)(value >> 32));
}

#endif
