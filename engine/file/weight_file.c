/* weight_file.c - maps a weight file and checks all that addresses are computed from.
 *
 * The order of the checks is that of weights/FORMAT.md, so that the first message names the cause.
 */
#include "engine/file/weight_file.h"

#include "engine/file/crc32c.h"
#include "engine/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEADER_BYTES = 64,
    SECTION_BYTES = 32,
    TENSOR_BYTES = 80,
    TENSORS_AT = 8,
    MAX_SECTIONS = 64,
    MAX_SETTINGS = 1024,
    MAX_KEY = 256,
    VERSION = 1
};

static const uint8_t MAGIC[8] = {0x89, 'E', 'N', 'C', '\r', '\n', 0x1A, '\n'};
static const char TAGS[N_SECTION_TAGS][5] = {"CONF", "TOKN", "VOCB", "TENS", "DATA", "META"};

static uint32_t u32_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64_at(const uint8_t *p)
{
    return u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
}

static engine_status check_header(const struct weight_file *file, engine_error *error)
{
    const uint8_t *data = file->data;
    size_t magic = file->len < sizeof MAGIC ? file->len : sizeof MAGIC;
    if (file->len == 0)
        return fail(error, ENGINE_ERROR_FORMAT, "the weight file is empty");
    if (memcmp(data, MAGIC, magic) != 0) {
        bool text_mode = file->len > 4 && memcmp(data + 1, "ENC", 3) == 0;
        return fail(error, ENGINE_ERROR_FORMAT,
                    "not a weight file: it does not start with the magic bytes%s",
                    text_mode ? "; it looks as if a transfer in text mode changed it: transfer it "
                                "again in binary mode"
                              : " 89 'ENC' 0D 0A 1A 0A");
    }
    if (file->len < HEADER_BYTES)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "the weight file is cut off: %zu bytes, its header alone takes %d", file->len,
                    HEADER_BYTES);
    if (u32_at(data + 12) == 0x04030201u)
        return fail(error, ENGINE_ERROR_VERSION,
                    "the weight file is big-endian; this library reads little-endian files");
    if (u32_at(data + 12) != 0x01020304u)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "the header is damaged: byte order mark 0x%08X, expected 0x01020304",
                    u32_at(data + 12));
    if (u32_at(data + 8) != VERSION)
        return fail(error, ENGINE_ERROR_VERSION,
                    "the weight file has version %u; this library reads version %d",
                    u32_at(data + 8), VERSION);
    uint32_t crc = crc32c(0, data, HEADER_BYTES - 4);
    if (u32_at(data + 60) != crc)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "the header is damaged: checksum %08X, expected %08X", crc, u32_at(data + 60));
    if (u32_at(data + 16) != HEADER_BYTES)
        return fail(error, ENGINE_ERROR_FORMAT, "the header says it is %u bytes long, expected %d",
                    u32_at(data + 16), HEADER_BYTES);
    for (size_t i = 44; i < 60; i++)
        if (data[i] != 0)
            return fail(error, ENGINE_ERROR_FORMAT, "reserved header byte %zu is not zero", i);
    if (u64_at(data + 24) != file->len)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "the weight file has %zu bytes, but its header says %llu: %s", file->len,
                    (unsigned long long)u64_at(data + 24),
                    file->len < u64_at(data + 24) ? "the copy is not complete"
                                                  : "something was written behind its end");
    return ENGINE_OK;
}

static int tag_index(const uint8_t *tag)
{
    for (int i = 0; i < N_SECTION_TAGS; i++)
        if (memcmp(tag, TAGS[i], 4) == 0)
            return i;
    return -1;
}

static engine_status check_section(struct weight_file *file, const uint8_t *entry, uint64_t *end,
                                   engine_error *error)
{
    char tag[5] = {0};
    for (int i = 0; i < 4; i++)
        tag[i] = entry[i] > ' ' && entry[i] < 0x7F ? (char)entry[i] : '?';
    uint32_t flags = u32_at(entry + 4);
    uint64_t offset = u64_at(entry + 8), len = u64_at(entry + 16);
    uint64_t table = (uint64_t)(file->section_table - file->data);
    if (offset % TENSOR_ALIGN != 0 || offset < *end || offset > file->len ||
        len > file->len - offset ||
        (offset < table + file->n_sections * SECTION_BYTES && table < offset + len))
        return fail(error, ENGINE_ERROR_FORMAT,
                    "section %s lies at %llu, length %llu: not aligned to %d, over its neighbour "
                    "or the section table, or outside the file",
                    tag, (unsigned long long)offset, (unsigned long long)len, TENSOR_ALIGN);
    if (flags > 1 || u32_at(entry + 28) != 0)
        return fail(
            error, ENGINE_ERROR_UNSUPPORTED,
            "section %s has flags %08X and reserved word %08X that this version does not know", tag,
            flags, u32_at(entry + 28));
    *end = offset + len;

    int index = tag_index(entry);
    if (index < 0 && flags != 0)
        return fail(
            error, ENGINE_ERROR_UNSUPPORTED,
            "the file needs section %s, which this version does not know: use a newer library",
            tag);
    if (index < 0)
        return ENGINE_OK;
    if (file->sections[index].data != NULL)
        return fail(error, ENGINE_ERROR_FORMAT, "section %s occurs twice", tag);
    file->sections[index] = (struct section){file->data + offset, (size_t)len, u32_at(entry + 24)};
    return ENGINE_OK;
}

static engine_status check_sections(struct weight_file *file, engine_error *error)
{
    uint64_t table = u64_at(file->data + 32);
    file->n_sections = u32_at(file->data + 20);
    if (file->n_sections < 1 || file->n_sections > MAX_SECTIONS || table % 8 != 0 ||
        table < HEADER_BYTES || table > file->len ||
        file->n_sections * SECTION_BYTES > file->len - table)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "the section table, %zu entries at %llu, does not lie in the file",
                    file->n_sections, (unsigned long long)table);
    file->section_table = file->data + table;
    uint32_t crc = crc32c(0, file->section_table, file->n_sections * SECTION_BYTES);
    if (crc != u32_at(file->data + 40))
        return fail(error, ENGINE_ERROR_FORMAT,
                    "the section table is damaged: checksum %08X, expected %08X", crc,
                    u32_at(file->data + 40));
    uint64_t end = HEADER_BYTES;
    for (size_t i = 0; i < file->n_sections; i++) {
        engine_status status =
            check_section(file, file->section_table + i * SECTION_BYTES, &end, error);
        if (status != ENGINE_OK)
            return status;
    }
    for (int i = 0; i < N_SECTION_TAGS; i++)
        if (file->sections[i].data == NULL && i != SECTION_META)
            return fail(error, ENGINE_ERROR_FORMAT, "the weight file has no section %s", TAGS[i]);
    return ENGINE_OK;
}

static engine_status check_crc(const struct section *section, const char *tag, engine_error *error)
{
    uint32_t crc = crc32c(0, section->data, section->len);
    if (crc != section->crc)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "section %s is damaged: checksum %08X, expected %08X", tag, crc, section->crc);
    return ENGINE_OK;
}

/* Reads the entry at *offset of a section that is not known to be sound. */
static bool read_setting(const struct section *section, size_t *offset, struct setting *setting)
{
    size_t left = section->len - *offset;
    const uint8_t *p = section->data + *offset;
    if (left < 8)
        return false;
    size_t key_len = u32_at(p), value_len = u32_at(p + 4);
    left -= 8;
    if (key_len > MAX_KEY || key_len >= left || value_len >= left - key_len - 1 || key_len == 0)
        return false;
    setting->key = (const char *)p + 8;
    setting->value = setting->key + key_len + 1;
    setting->value_len = value_len;
    *offset += 8 + key_len + 1 + value_len + 1;
    for (size_t i = 0; i < key_len; i++)
        if (setting->key[i] <= ' ' || setting->key[i] > '~') /* it may be printed in a message */
            return false;
    return setting->key[key_len] == '\0' && setting->value[value_len] == '\0';
}

static engine_status check_settings(const struct section *section, const char *tag,
                                    engine_error *error)
{
    struct setting setting, earlier;
    uint32_t n = section->len >= 4 ? u32_at(section->data) : MAX_SETTINGS + 1;
    if (n > MAX_SETTINGS)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "section %s is too short or claims %u settings (at most %d)", tag, n,
                    MAX_SETTINGS);
    size_t offset = 4;
    for (uint32_t i = 0; i < n; i++) {
        size_t start = offset;
        if (!read_setting(section, &offset, &setting))
            return fail(error, ENGINE_ERROR_FORMAT,
                        "setting %u of section %s does not lie within it, has a strange key, or "
                        "lacks NUL bytes",
                        i, tag);
        for (size_t before = 4; before < start;)
            if (read_setting(section, &before, &earlier) && strcmp(earlier.key, setting.key) == 0)
                return fail(error, ENGINE_ERROR_FORMAT, "key '%.64s' occurs twice in section %s",
                            setting.key, tag);
    }
    if (offset != section->len)
        return fail(error, ENGINE_ERROR_FORMAT, "section %s has %zu bytes behind its last setting",
                    tag, section->len - offset);
    return ENGINE_OK;
}

bool weight_file_setting(const struct section *section, size_t *offset, struct setting *setting)
{
    *offset = *offset == 0 ? 4 : *offset;
    return section->data != NULL && *offset < section->len &&
           read_setting(section, offset, setting);
}

void weight_file_tensor(const struct weight_file *file, size_t index, struct tensor *tensor)
{
    const uint8_t *directory = file->sections[SECTION_TENS].data;
    const uint8_t *entry = directory + TENSORS_AT + index * TENSOR_BYTES;
    tensor->name = (const char *)directory + u32_at(entry);
    tensor->type = (enum tensor_type)u32_at(entry + 8);
    tensor->layout = (enum tensor_layout)u32_at(entry + 12);
    tensor->n_dims = u32_at(entry + 16);
    tensor->crc = u32_at(entry + 20);
    for (size_t i = 0; i < 4; i++)
        tensor->shape[i] = u64_at(entry + 24 + 8 * i);
    tensor->offset = u64_at(entry + 56);
    tensor->len = u64_at(entry + 64);
}

/* Length of a tensor's bytes by its type, layout and shape; 0 if there is no such tensor. */
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
    if (!matrix && (tensor->layout != LAYOUT_ROWS || tensor->type == TENSOR_INT8))
        return 0;
    return tensor_bytes(tensor->type, tensor->layout, rows, cols);
}

static engine_status check_tensor(const struct weight_file *file, size_t index, uint64_t *end,
                                  engine_error *error)
{
    const struct section *directory = &file->sections[SECTION_TENS];
    const struct section *data = &file->sections[SECTION_DATA];
    const uint8_t *entry = directory->data + TENSORS_AT + index * TENSOR_BYTES;
    size_t name = u32_at(entry), name_len = u32_at(entry + 4);
    if (name >= directory->len || name_len >= directory->len - name ||
        memchr(directory->data + name, 0, name_len + 1) != directory->data + name + name_len)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "tensor %zu: its name does not lie in the directory", index);
    struct tensor tensor;
    weight_file_tensor(file, index, &tensor);
    uint64_t expected = expected_len(&tensor);
    if (expected == 0)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "tensor '%.64s': type %u, layout %u and its shape do not make a tensor",
                    tensor.name, (unsigned)tensor.type, (unsigned)tensor.layout);
    if (tensor.len != expected)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "tensor '%.64s' has %llu bytes, expected %llu for its shape", tensor.name,
                    (unsigned long long)tensor.len, (unsigned long long)expected);
    uint64_t begin = (uint64_t)(data->data - file->data), limit = begin + data->len;
    uint64_t padded = (tensor.len + TENSOR_ALIGN - 1) / TENSOR_ALIGN * TENSOR_ALIGN;
    if (tensor.offset % TENSOR_ALIGN != 0 || tensor.offset < *end || tensor.offset < begin ||
        tensor.offset > limit || padded > limit - tensor.offset)
        return fail(error, ENGINE_ERROR_FORMAT,
                    "tensor '%.64s' lies at %llu, %llu bytes: not aligned to %d, not behind the "
                    "one before it, or outside DATA",
                    tensor.name, (unsigned long long)tensor.offset, (unsigned long long)tensor.len,
                    TENSOR_ALIGN);
    *end = tensor.offset + padded;
    return ENGINE_OK;
}

static engine_status check_tensors(struct weight_file *file, engine_error *error)
{
    const struct section *directory = &file->sections[SECTION_TENS];
    size_t n = directory->len >= TENSORS_AT ? u32_at(directory->data) : SIZE_MAX;
    if (directory->len < TENSORS_AT || n > (directory->len - TENSORS_AT) / TENSOR_BYTES)
        return fail(
            error, ENGINE_ERROR_FORMAT,
            "the tensor directory of %zu bytes is too short for the number of tensors it claims",
            directory->len);
    file->n_tensors = n;
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        engine_status status = check_tensor(file, i, &end, error);
        if (status != ENGINE_OK)
            return status;
    }
    return ENGINE_OK;
}

static int compare_names(const void *a, const void *b, void *context)
{
    struct tensor left, right;
    weight_file_tensor(context, *(const uint32_t *)a, &left);
    weight_file_tensor(context, *(const uint32_t *)b, &right);
    return strcmp(left.name, right.name);
}

static engine_status sort_tensors(struct weight_file *file, engine_error *error)
{
    struct tensor tensor, before;
    if (file->n_tensors == 0)
        return ENGINE_OK;
    file->by_name = malloc(file->n_tensors * sizeof *file->by_name);
    if (file->by_name == NULL)
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for an index of %zu tensors",
                    file->n_tensors);
    for (size_t i = 0; i < file->n_tensors; i++)
        file->by_name[i] = (uint32_t)i;
    qsort_r(file->by_name, file->n_tensors, sizeof *file->by_name, compare_names, file);
    for (size_t i = 1; i < file->n_tensors; i++) {
        weight_file_tensor(file, file->by_name[i - 1], &before);
        weight_file_tensor(file, file->by_name[i], &tensor);
        if (strcmp(before.name, tensor.name) == 0)
            return fail(error, ENGINE_ERROR_FORMAT, "tensor '%.64s' occurs twice", tensor.name);
    }
    return ENGINE_OK;
}

static engine_status check(struct weight_file *file, engine_error *error)
{
    static const enum section_tag SETTINGS[] = {SECTION_CONF, SECTION_TOKN, SECTION_META};
    engine_status status = check_header(file, error);
    if (status == ENGINE_OK)
        status = check_sections(file, error);
    for (size_t i = 0; i < 3 && status == ENGINE_OK; i++) {
        const struct section *section = &file->sections[SETTINGS[i]];
        if (section->data == NULL)
            continue;
        status = check_crc(section, TAGS[SETTINGS[i]], error);
        if (status == ENGINE_OK)
            status = check_settings(section, TAGS[SETTINGS[i]], error);
    }
    if (status == ENGINE_OK)
        status = check_crc(&file->sections[SECTION_TENS], "TENS", error);
    if (status == ENGINE_OK)
        status = check_tensors(file, error);
    return status == ENGINE_OK ? sort_tensors(file, error) : status;
}

engine_status weight_file_view(struct weight_file *file, const void *data, size_t len,
                               engine_error *error)
{
    *file = (struct weight_file){.data = data, .len = len};
    engine_status status = check(file, error);
    if (status != ENGINE_OK)
        weight_file_close(file);
    return status;
}

/* The file's bytes in *data; unchanged *data and a message on failure. */
static engine_status map(const char *path, int fd, const uint8_t **data, size_t *len,
                         engine_error *error)
{
    struct stat stat;
    if (fstat(fd, &stat) != 0)
        return fail(error, ENGINE_ERROR_IO, "cannot read '%.128s': %s", path, strerror(errno));
    if (!S_ISREG(stat.st_mode))
        return fail(error, ENGINE_ERROR_IO, "'%.128s' is %s, expected a weight file", path,
                    S_ISDIR(stat.st_mode) ? "a directory" : "not a regular file");
    if (stat.st_size == 0)
        return fail(error, ENGINE_ERROR_FORMAT, "'%.128s' is empty, expected a weight file", path);
    if ((uintmax_t)stat.st_size > SIZE_MAX)
        return fail(error, ENGINE_ERROR_MEMORY, "'%.128s' is too large for this machine", path);
    void *address = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED)
        return fail(error, errno == ENOMEM ? ENGINE_ERROR_MEMORY : ENGINE_ERROR_IO,
                    "cannot map '%.128s': %s", path, strerror(errno));
    *data = address;
    *len = (size_t)stat.st_size;
    return ENGINE_OK;
}

engine_status weight_file_map(struct weight_file *file, const char *path, engine_error *error)
{
    *file = (struct weight_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    if (fd < 0)
        return fail(error, ENGINE_ERROR_IO, "cannot open '%.128s': %s", path, strerror(errno));
    engine_status status = map(path, fd, &file->data, &file->len, error);
    close(fd);
    if (status != ENGINE_OK)
        return status;
    file->mapped = true;
    engine_error cause;
    status = check(file, &cause);
    if (status == ENGINE_OK)
        return status;
    weight_file_close(file);
    return fail(error, status, "'%.96s': %s", path, cause.message);
}

void weight_file_close(struct weight_file *file)
{
    if (file->mapped)
        munmap((void *)(uintptr_t)file->data, file->len);
    free(file->by_name);
    *file = (struct weight_file){0};
}

engine_status weight_file_verify(const struct weight_file *file, engine_error *error)
{
    for (size_t i = 0; i < file->n_tensors; i++) {
        struct tensor tensor;
        weight_file_tensor(file, i, &tensor);
        uint32_t crc = crc32c(0, file->data + tensor.offset, (size_t)tensor.len);
        if (crc != tensor.crc)
            return fail(error, ENGINE_ERROR_FORMAT,
                        "tensor '%.64s' is damaged: checksum %08X, expected %08X", tensor.name, crc,
                        tensor.crc);
    }
    for (size_t i = 0; i < file->n_sections; i++) {
        engine_section_info info;
        weight_file_section(file, i, &info);
        struct section section = {file->data + info.offset, (size_t)info.n_bytes, info.crc32c};
        engine_status status = check_crc(&section, info.tag, error);
        if (status != ENGINE_OK)
            return status;
    }
    return succeed(error);
}

void weight_file_section(const struct weight_file *file, size_t index, engine_section_info *info)
{
    const uint8_t *entry = file->section_table + index * SECTION_BYTES;
    *info = (engine_section_info){.required = u32_at(entry + 4) != 0,
                                  .offset = u64_at(entry + 8),
                                  .n_bytes = u64_at(entry + 16),
                                  .crc32c = u32_at(entry + 24)};
    memcpy(info->tag, entry, 4);
}

bool weight_file_find(const struct weight_file *file, const char *name, struct tensor *tensor)
{
    for (size_t begin = 0, end = file->n_tensors; begin < end;) {
        size_t middle = begin + (end - begin) / 2;
        weight_file_tensor(file, file->by_name[middle], tensor);
        int order = strcmp(name, tensor->name);
        if (order == 0)
            return true;
        if (order < 0)
            end = middle;
        else
            begin = middle + 1;
    }
    return false;
}
