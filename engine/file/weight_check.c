/* weight_check.c - checks a weight file: on opening, everything that addresses are computed from;
 * on request, the checksum of every section.
 *
 * The order of the checks is that of weights/FORMAT.md, so that the first message names the cause.
 */
#include "engine/file/crc32c.h"
#include "engine/file/format.h"
#include "engine/file/weight_file.h"
#include "engine/status.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SECTIONS = 64, MAX_SETTINGS = 1024 };

engine_status weight_file_check_header(const struct weight_file *file, engine_error *error)
{
    const uint8_t *data = file->data;
    size_t magic = file->len < sizeof FORMAT_MAGIC ? file->len : sizeof FORMAT_MAGIC;
    if (file->len == 0)
        return damaged(error, "the weight file is empty");
    if (memcmp(data, FORMAT_MAGIC, magic) != 0) {
        bool text_mode = file->len > 4 && memcmp(data + 1, "ENC", 3) == 0;
        return damaged(error, "not a weight file: it does not start with the magic bytes%s",
                       text_mode
                           ? "; it looks as if a transfer in text mode changed it: transfer "
                             "it again in binary mode"
                           : " 89 'ENC' 0D 0A 1A 0A (encode-import makes one of a checkpoint)");
    }
    if (file->len < HEADER_BYTES)
        return damaged(error, "the weight file is cut off: %zu bytes, its header alone takes %d",
                       file->len, HEADER_BYTES);
    if (get_u32(data + 12) == __builtin_bswap32(BYTE_ORDER_MARK))
        return fail(error, ENGINE_ERROR_VERSION,
                    "the weight file is big-endian; this library reads little-endian files");
    if (get_u32(data + 12) != BYTE_ORDER_MARK)
        return damaged(error, "the header is damaged: byte order mark 0x%08X, expected 0x01020304",
                       get_u32(data + 12));
    if (get_u32(data + 8) < FORMAT_VERSION || get_u32(data + 8) > FORMAT_VERSION_INT8K)
        return fail(error, ENGINE_ERROR_VERSION,
                    "the weight file has version %u; this library reads versions %d to %d",
                    get_u32(data + 8), FORMAT_VERSION, FORMAT_VERSION_INT8K);
    uint32_t crc = crc32c(0, data, HEADER_BYTES - 4);
    if (get_u32(data + 60) != crc)
        return damaged(error, "the header is damaged: checksum %08X, expected %08X" COPY_AGAIN, crc,
                       get_u32(data + 60));
    if (get_u32(data + 16) != HEADER_BYTES)
        return damaged(error, "the header says it is %u bytes long, expected %d",
                       get_u32(data + 16), HEADER_BYTES);
    for (size_t i = 44; i < 60; i++)
        if (data[i] != 0)
            return damaged(error, "reserved header byte %zu is not zero", i);
    if (get_u64(data + 24) != file->len)
        return damaged(error, "the weight file has %zu bytes, but its header says %llu: %s",
                       file->len, (unsigned long long)get_u64(data + 24),
                       file->len < get_u64(data + 24) ? "the copy is not complete" COPY_AGAIN
                                                      : "data was appended after its end");
    return ENGINE_OK;
}

/* Stores the section of a table's entry in file->sections; *end: where the one before it ends. */
static engine_status check_section(struct weight_file *file, const uint8_t *entry, uint64_t *end,
                                   engine_error *error)
{
    char tag[5] = {0};
    for (int i = 0; i < 4; i++)
        tag[i] = entry[i] > ' ' && entry[i] < 0x7F ? (char)entry[i] : '?';
    uint32_t flags = get_u32(entry + 4);
    uint64_t offset = get_u64(entry + 8), len = get_u64(entry + 16);
    uint64_t table = get_u64(file->data + 32);
    if (offset % TENSOR_ALIGN != 0 || offset < *end || offset > file->len ||
        len > file->len - offset ||
        (offset < table + file->n_sections * SECTION_ENTRY_BYTES && table < offset + len))
        return damaged(error,
                       "section %s is at %llu, length %llu: not aligned to %d, over its "
                       "neighbour or the section table, or outside the file",
                       tag, (unsigned long long)offset, (unsigned long long)len, TENSOR_ALIGN);
    if (flags > 1 || get_u32(entry + 28) != 0)
        return fail(
            error, ENGINE_ERROR_UNSUPPORTED,
            "section %s has flags %08X and reserved word %08X that this version does not know", tag,
            flags, get_u32(entry + 28));
    *end = offset + len;

    int index = 0;
    while (index < N_SECTION_TAGS && memcmp(entry, SECTION_NAMES[index], 4) != 0)
        index++;
    if (index == N_SECTION_TAGS && flags != 0)
        return fail(
            error, ENGINE_ERROR_UNSUPPORTED,
            "the file needs section %s, which this version does not know: use a newer library",
            tag);
    if (index == N_SECTION_TAGS)
        return ENGINE_OK;
    if (file->sections[index].data != NULL)
        return damaged(error, "section %s occurs twice", tag);
    file->sections[index] = (struct section){file->data + offset, (size_t)len, get_u32(entry + 24)};
    return ENGINE_OK;
}

static engine_status check_sections(struct weight_file *file, engine_error *error)
{
    uint64_t table = get_u64(file->data + 32);
    file->n_sections = get_u32(file->data + 20);
    if (file->n_sections < 1 || file->n_sections > MAX_SECTIONS || table % 8 != 0 ||
        table < HEADER_BYTES || table > file->len ||
        file->n_sections * SECTION_ENTRY_BYTES > file->len - table)
        return damaged(error, "the section table, %zu entries at %llu, is not within the file",
                       file->n_sections, (unsigned long long)table);
    size_t table_bytes = file->n_sections * SECTION_ENTRY_BYTES;
    file->section_table = malloc(table_bytes);
    if (file->section_table == NULL)
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for the section table");
    memcpy(file->section_table, file->data + table, table_bytes);
    uint32_t crc = crc32c(0, file->section_table, table_bytes);
    if (crc != get_u32(file->data + 40))
        return damaged(error,
                       "the section table is damaged: checksum %08X, expected %08X" COPY_AGAIN, crc,
                       get_u32(file->data + 40));
    uint64_t end = HEADER_BYTES;
    engine_status status = ENGINE_OK;
    for (size_t i = 0; i < file->n_sections && status == ENGINE_OK; i++)
        status = check_section(file, file->section_table + i * SECTION_ENTRY_BYTES, &end, error);
    for (int i = 0; i < N_SECTION_TAGS && status == ENGINE_OK; i++)
        if (file->sections[i].data == NULL && i < FIRST_OPTIONAL_SECTION)
            status = damaged(error, "the weight file has no section %s", SECTION_NAMES[i]);
    return status;
}

static engine_status check_crc(const struct section *section, const char *tag, engine_error *error)
{
    uint32_t crc = crc32c(0, section->data, section->len);
    if (crc != section->crc)
        return damaged(error, "section %s is damaged: checksum %08X, expected %08X" COPY_AGAIN, tag,
                       crc, section->crc);
    return ENGINE_OK;
}

static engine_status check_settings(const struct section *section, const char *tag,
                                    engine_error *error)
{
    struct setting setting, earlier;
    uint32_t n = section->len >= 4 ? get_u32(section->data) : MAX_SETTINGS + 1;
    if (n > MAX_SETTINGS)
        return damaged(error, "section %s is too short or claims %u settings (at most %d)", tag, n,
                       MAX_SETTINGS);
    size_t offset = 4;
    for (uint32_t i = 0; i < n; i++) {
        size_t start = offset;
        if (!weight_file_setting(section, &offset, &setting))
            return damaged(error,
                           "setting %u of section %s exceeds it, has an invalid key, or "
                           "lacks NUL bytes",
                           i, tag);
        for (size_t before = 4; before < start;) {
            (void)weight_file_setting(section, &before, &earlier); /* it was sound above */
            if (strcmp(earlier.key, setting.key) == 0)
                return damaged(error, "key '%.64s' occurs twice in section %s", setting.key, tag);
        }
    }
    if (offset != section->len)
        return damaged(error, "section %s has %zu bytes after its last setting", tag,
                       section->len - offset);
    return ENGINE_OK;
}

/* Returns the length of a tensor's bytes by its type, layout and shape; 0 if these are invalid, or
 * it exceeds this machine's size_t. */
static uint64_t expected_len(const struct tensor *tensor)
{
    uint64_t rows = tensor->shape[0], cols = 1;
    bool matrix = tensor->n_dims == 2;
    if (tensor->n_dims < 1 || tensor->n_dims > 4)
        return 0;
    for (size_t i = 0; i < 4; i++)
        if (tensor->shape[i] < 1 || (i >= tensor->n_dims && tensor->shape[i] != 1) ||
            (i > 0 && __builtin_mul_overflow(cols, tensor->shape[i], &cols)))
            return 0;
    if ((!matrix && (tensor->layout != LAYOUT_ROWS || tensor_is_int8(tensor->type))) ||
        rows != (size_t)rows || cols != (size_t)cols)
        return 0;
    return tensor_bytes(tensor->type, tensor->layout, (size_t)rows, (size_t)cols);
}

static engine_status check_tensor(const struct weight_file *file, size_t index, uint64_t *end,
                                  engine_error *error)
{
    const struct section *directory = &file->sections[SECTION_TENS];
    const struct section *data = &file->sections[SECTION_DATA];
    const uint8_t *entry = directory->data + DIRECTORY_START + index * TENSOR_ENTRY_BYTES;
    size_t name = get_u32(entry), name_len = get_u32(entry + 4);
    if (name >= directory->len || name_len >= directory->len - name ||
        memchr(directory->data + name, 0, name_len + 1) != directory->data + name + name_len)
        return damaged(error, "tensor %zu: its name is not within the directory", index);
    struct tensor tensor;
    weight_file_tensor(file, index, &tensor);
    uint32_t first_version = tensor_has_kept(tensor.type)      ? FORMAT_VERSION_INT8K
                             : tensor_has_factors(tensor.type) ? FORMAT_VERSION_INT8A
                                                               : FORMAT_VERSION;
    bool is_known = get_u32(file->data + 8) >= first_version;
    uint64_t expected = is_known ? expected_len(&tensor) : 0;
    if (expected == 0)
        return damaged(error,
                       "tensor '%.64s': type %u, layout %u and its shape do not make a tensor",
                       tensor.name, (unsigned)tensor.type, (unsigned)tensor.layout);
    if (tensor.len != expected)
        return damaged(error, "tensor '%.64s' has %llu bytes, expected %llu for its shape",
                       tensor.name, (unsigned long long)tensor.len, (unsigned long long)expected);
    uint64_t begin = (uint64_t)(data->data - file->data), limit = begin + data->len;
    uint64_t padded = (tensor.len + TENSOR_ALIGN - 1) / TENSOR_ALIGN * TENSOR_ALIGN;
    if (tensor.offset % TENSOR_ALIGN != 0 || tensor.offset < *end || tensor.offset < begin ||
        tensor.offset > limit || padded > limit - tensor.offset)
        return damaged(error,
                       "tensor '%.64s' is at %llu, %llu bytes: not aligned to %d, not after the "
                       "one before it, or outside DATA",
                       tensor.name, (unsigned long long)tensor.offset,
                       (unsigned long long)tensor.len, TENSOR_ALIGN);
    *end = tensor.offset + padded;
    return ENGINE_OK;
}

static engine_status check_tensors(struct weight_file *file, engine_error *error)
{
    struct section *directory = &file->sections[SECTION_TENS];
    file->directory = malloc(directory->len + 1); /* never 0 bytes, which might be NULL */
    if (file->directory == NULL)
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for the tensor directory, %zu bytes",
                    directory->len);
    directory->data = memcpy(file->directory, directory->data, directory->len);
    engine_status status = check_crc(directory, "TENS", error);
    if (status != ENGINE_OK)
        return status;
    size_t n = directory->len >= DIRECTORY_START ? get_u32(directory->data) : SIZE_MAX;
    if (directory->len < DIRECTORY_START ||
        n > (directory->len - DIRECTORY_START) / TENSOR_ENTRY_BYTES)
        return damaged(
            error,
            "the tensor directory of %zu bytes is too short for the number of tensors it claims",
            directory->len);
    file->n_tensors = n;
    uint64_t end = 0;
    for (size_t i = 0; i < n && status == ENGINE_OK; i++)
        status = check_tensor(file, i, &end, error);
    return status;
}

engine_status weight_file_check(struct weight_file *file, engine_error *error)
{
    static const enum section_tag SETTINGS[] = {SECTION_CONF, SECTION_TOKN, SECTION_META};
    engine_status status = weight_file_check_header(file, error);
    if (status == ENGINE_OK)
        status = check_sections(file, error);
    for (size_t i = 0; i < 3 && status == ENGINE_OK; i++) {
        const struct section *section = &file->sections[SETTINGS[i]];
        if (section->data == NULL)
            continue;
        status = check_crc(section, SECTION_NAMES[SETTINGS[i]], error);
        if (status == ENGINE_OK)
            status = check_settings(section, SECTION_NAMES[SETTINGS[i]], error);
    }
    return status == ENGINE_OK ? check_tensors(file, error) : status;
}

engine_status weight_file_intact(const struct weight_file *file, engine_error *error)
{
    engine_status status = ENGINE_OK;
    for (size_t i = 0; i < file->n_sections && status == ENGINE_OK; i++) {
        engine_section_info info;
        weight_file_section(file, i, &info);
        struct section section = {file->data + info.offset, (size_t)info.n_bytes, info.crc32c};
        status = check_crc(&section, info.tag, error);
    }
    return status;
}
