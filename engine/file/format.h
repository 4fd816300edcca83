/* format.h - the constants of weights/FORMAT.md, for the reader and the writer. */
#ifndef ENGINE_FORMAT_H
#define ENGINE_FORMAT_H

#include <stdint.h>

enum {
    FORMAT_VERSION = 1,
    HEADER_BYTES = 64,
    SECTION_ENTRY_BYTES = 32,
    TENSOR_ENTRY_BYTES = 80,
    DIRECTORY_START = 8 /* where the first tensor's entry stands in TENS */
};

#define BYTE_ORDER_MARK 0x01020304u

static const uint8_t FORMAT_MAGIC[8] = {0x89, 'E', 'N', 'C', '\r', '\n', 0x1A, '\n'};

#endif
