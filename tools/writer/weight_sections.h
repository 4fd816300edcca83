/* weight_sections.h - the parts of a weight file (weights/FORMAT.md) that are assembled in memory
 * before they are written: settings, the tensor directory, the section table, the header.
 *
 * Functions that can run out of memory then return false, and change nothing.
 */
#ifndef TOOLS_WEIGHT_SECTIONS_H
#define TOOLS_WEIGHT_SECTIONS_H

#include "engine/file/format.h"
#include "model/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of bytes. All zero: empty. The caller frees data. */
struct bytes {
    uint8_t *data;
    size_t len, cap;
};

/* Appends len bytes of zeros and returns their address; NULL if there is no memory. */
uint8_t *bytes_extend(struct bytes *bytes, size_t len);

/* The entries of a settings section, without the count before them. */
struct settings {
    struct bytes entries;
    uint32_t n;
};

bool settings_has(const struct settings *settings, const char *key);
bool settings_add(struct settings *settings, const char *key, const char *value, size_t value_len);

struct tensor_record {
    char *name;
    enum tensor_type type;
    enum tensor_layout layout;
    size_t n_dims, rows, cols;
    uint64_t offset, n_bytes;
    uint32_t crc;
};

/* Appends the complete section TENS. */
bool directory_build(struct bytes *directory, const struct tensor_record *tensors, size_t n);

struct section_record {
    char tag[4];
    bool required;
    uint64_t offset, n_bytes;
    uint32_t crc;
};

/* The section table, [n · SECTION_ENTRY_BYTES], and the header of a file that ends with it. */
void section_table(const struct section_record *sections, size_t n, uint8_t *table);
void file_header(uint32_t version, const uint8_t *table, size_t n_sections, uint64_t table_offset,
                 uint8_t header[HEADER_BYTES]);

#endif
