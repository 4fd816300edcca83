/* weight_sections.c - settings, tensor directory, section table and header, byte by byte as
 * weights/FORMAT.md defines them.
 */
#include "tools/writer/weight_sections.h"

#include "engine/file/crc32c.h"
#include "engine/file/format.h"

#include <stdlib.h>
#include <string.h>

uint8_t *bytes_extend(struct bytes *bytes, size_t len)
{
    if (len > SIZE_MAX / 4 - bytes->len)
        return NULL;
    if (bytes->len + len > bytes->cap) {
        size_t cap = 2 * (bytes->len + len);
        uint8_t *data = realloc(bytes->data, cap);
        if (data == NULL)
            return NULL;
        bytes->data = data;
        bytes->cap = cap;
    }
    uint8_t *start = bytes->data + bytes->len;
    memset(start, 0, len);
    bytes->len += len;
    return start;
}

bool settings_has(const struct settings *settings, const char *key)
{
    for (size_t at = 0; at < settings->entries.len;) {
        const uint8_t *entry = settings->entries.data + at;
        if (strcmp((const char *)entry + 8, key) == 0)
            return true;
        at += 8 + (size_t)get_u32(entry) + 1 + (size_t)get_u32(entry + 4) + 1;
    }
    return false;
}

bool settings_add(struct settings *settings, const char *key, const char *value, size_t value_len)
{
    size_t key_len = strlen(key);
    uint8_t *entry = bytes_extend(&settings->entries, 8 + key_len + 1 + value_len + 1);
    if (entry == NULL)
        return false;
    put_u32(entry, (uint32_t)key_len);
    put_u32(entry + 4, (uint32_t)value_len);
    memcpy(entry + 8, key, key_len);
    if (value_len > 0)
        memcpy(entry + 8 + key_len + 1, value, value_len);
    settings->n++;
    return true;
}

static void write_entry(uint8_t *entry, const struct tensor_record *tensor, size_t name_at)
{
    put_u32(entry, (uint32_t)name_at);
    put_u32(entry + 4, (uint32_t)strlen(tensor->name));
    put_u32(entry + 8, (uint32_t)tensor->type);
    put_u32(entry + 12, (uint32_t)tensor->layout);
    put_u32(entry + 16, (uint32_t)tensor->n_dims);
    put_u32(entry + 20, tensor->crc);
    put_u64(entry + 24, tensor->rows);
    put_u64(entry + 32, tensor->cols);
    put_u64(entry + 40, 1);
    put_u64(entry + 48, 1);
    put_u64(entry + 56, tensor->offset);
    put_u64(entry + 64, tensor->n_bytes);
}

bool directory_build(struct bytes *directory, const struct tensor_record *tensors, size_t n)
{
    size_t entries_bytes = 8 + n * TENSOR_ENTRY_BYTES, len = entries_bytes;
    for (size_t i = 0; i < n; i++)
        len += strlen(tensors[i].name) + 1;
    uint8_t *section = len <= UINT32_MAX ? bytes_extend(directory, len) : NULL;
    if (section == NULL)
        return false;
    put_u32(section, (uint32_t)n);
    for (size_t i = 0, name_at = entries_bytes; i < n; i++) {
        size_t name_bytes = strlen(tensors[i].name) + 1;
        write_entry(section + 8 + i * TENSOR_ENTRY_BYTES, &tensors[i], name_at);
        memcpy(section + name_at, tensors[i].name, name_bytes);
        name_at += name_bytes;
    }
    return true;
}

void section_table(const struct section_record *sections, size_t n, uint8_t *table)
{
    memset(table, 0, n * SECTION_ENTRY_BYTES);
    for (size_t i = 0; i < n; i++) {
        uint8_t *entry = table + i * SECTION_ENTRY_BYTES;
        memcpy(entry, sections[i].tag, 4);
        put_u32(entry + 4, sections[i].required);
        put_u64(entry + 8, sections[i].offset);
        put_u64(entry + 16, sections[i].n_bytes);
        put_u32(entry + 24, sections[i].crc);
    }
}

void file_header(uint32_t version, const uint8_t *table, size_t n_sections, uint64_t table_offset,
                 uint8_t header[HEADER_BYTES])
{
    size_t table_bytes = n_sections * SECTION_ENTRY_BYTES;
    memset(header, 0, HEADER_BYTES);
    memcpy(header, FORMAT_MAGIC, sizeof FORMAT_MAGIC);
    put_u32(header + 8, version);
    put_u32(header + 12, BYTE_ORDER_MARK);
    put_u32(header + 16, HEADER_BYTES);
    put_u32(header + 20, (uint32_t)n_sections);
    put_u64(header + 24, table_offset + table_bytes);
    put_u64(header + 32, table_offset);
    put_u32(header + 40, crc32c(0, table, table_bytes));
    put_u32(header + 60, crc32c(0, header, HEADER_BYTES - 4));
}
