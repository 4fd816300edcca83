/* weight_entries.c - reads the entries of a weight file: sections, settings, and tensors by number
 * or by name. */
#include "engine/file/format.h"
#include "engine/file/weight_file.h"
#include "engine/status.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KEY = 256 };

static const char TAGS[N_SECTION_TAGS][5] = {"CONF", "TOKN", "VOCB", "TENS", "DATA",
                                             "META", "PIEC", "CMAP", "MERG"};

const char *weight_file_tag(enum section_tag tag)
{
    return TAGS[tag];
}

void weight_file_section(const struct weight_file *file, size_t index, engine_section_info *info)
{
    const uint8_t *entry = file->section_table + index * SECTION_ENTRY_BYTES;
    *info = (engine_section_info){.required = get_u32(entry + 4) != 0,
                                  .offset = get_u64(entry + 8),
                                  .n_bytes = get_u64(entry + 16),
                                  .crc32c = get_u32(entry + 24)};
    memcpy(info->tag, entry, 4);
}

bool weight_file_read_setting(const struct section *section, size_t *offset,
                              struct setting *setting)
{
    size_t left = section->len - *offset;
    const uint8_t *p = section->data + *offset;
    if (left < 8)
        return false;
    size_t key_len = get_u32(p), value_len = get_u32(p + 4);
    left -= 8;
    if (key_len > MAX_KEY || key_len >= left || value_len >= left - key_len - 1 || key_len == 0)
        return false;
    setting->key = (const char *)p + 8;
    setting->value = setting->key + key_len + 1;
    setting->value_len = value_len;
    *offset += 8 + key_len + 1 + value_len + 1;
    for (size_t i = 0; i < key_len; i++)
        if (setting->key[i] <= ' ' || setting->key[i] > '~') /* messages print it */
            return false;
    return setting->key[key_len] == '\0' && setting->value[value_len] == '\0';
}

bool weight_file_setting(const struct section *section, size_t *offset, struct setting *setting)
{
    *offset = *offset == 0 ? 4 : *offset;
    return section->data != NULL && *offset < section->len &&
           weight_file_read_setting(section, offset, setting);
}

void weight_file_tensor(const struct weight_file *file, size_t index, struct tensor *tensor)
{
    const uint8_t *directory = file->sections[SECTION_TENS].data;
    const uint8_t *entry = directory + DIRECTORY_START + index * TENSOR_ENTRY_BYTES;
    tensor->name = (const char *)directory + get_u32(entry);
    tensor->type = (enum tensor_type)get_u32(entry + 8);
    tensor->layout = (enum tensor_layout)get_u32(entry + 12);
    tensor->n_dims = get_u32(entry + 16);
    tensor->crc = get_u32(entry + 20);
    for (size_t i = 0; i < 4; i++)
        tensor->shape[i] = get_u64(entry + 24 + 8 * i);
    tensor->offset = get_u64(entry + 56);
    tensor->len = get_u64(entry + 64);
}

static int compare_names(const void *a, const void *b, void *context)
{
    struct tensor left, right;
    weight_file_tensor(context, *(const uint32_t *)a, &left);
    weight_file_tensor(context, *(const uint32_t *)b, &right);
    return strcmp(left.name, right.name);
}

engine_status weight_file_sort_tensors(struct weight_file *file, engine_error *error)
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
            return damaged(error, "tensor '%.64s' occurs twice", tensor.name);
    }
    return ENGINE_OK;
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
