/* weight_surgery.c - see weight_surgery.h. Works on sound files only. */
#include "tests/weight_surgery.h"

#include "engine/file/crc32c.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SETTINGS_BYTES = 8192 };

struct patient patient_read(const char *path)
{
    size_t len;
    uint8_t *data = support_read(path, &len);
    return (struct patient){data, len, len};
}

struct patient patient_copy(const struct patient *original, size_t spare)
{
    struct patient copy = {new_bytes(original->len + spare), original->len, original->len + spare};
    memcpy(copy.data, original->data, original->len);
    return copy;
}

static uint8_t *table(const struct patient *patient)
{
    return patient->data + get_u64(patient->data + 32);
}

static size_t n_sections(const struct patient *patient)
{
    return get_u32(patient->data + 20);
}

uint8_t *section_entry(const struct patient *patient, const char *tag)
{
    for (size_t i = 0; i < n_sections(patient); i++)
        if (memcmp(table(patient) + i * SECTION, tag, 4) == 0)
            return table(patient) + i * SECTION;
    return NULL;
}

uint8_t *section_data(const struct patient *patient, const char *tag)
{
    return patient->data + get_u64(section_entry(patient, tag) + 8);
}

size_t section_len(const struct patient *patient, const char *tag)
{
    return (size_t)get_u64(section_entry(patient, tag) + 16);
}

uint8_t *tensor_entry(const struct patient *patient, const char *name)
{
    uint8_t *directory = section_data(patient, "TENS");
    for (size_t i = 0; i < get_u32(directory); i++) {
        uint8_t *entry = directory + 8 + i * TENSOR;
        if (strcmp((char *)directory + get_u32(entry), name) == 0)
            return entry;
    }
    return NULL;
}

void heal_header(struct patient *patient)
{
    put_u32(patient->data + 60, crc32c(0, patient->data, 60));
}

void heal_table(struct patient *patient)
{
    put_u32(patient->data + 40, crc32c(0, table(patient), n_sections(patient) * SECTION));
    heal_header(patient);
}

void heal_section(struct patient *patient, const char *tag)
{
    uint8_t *entry = section_entry(patient, tag);
    put_u32(entry + 24, crc32c(0, section_data(patient, tag), section_len(patient, tag)));
    heal_table(patient);
}

void put_number(const char *path, const char *tensor, size_t index, float number)
{
    struct patient file = patient_read(path);
    memcpy(file.data + get_u64(tensor_entry(&file, tensor) + 56) + 4 * index, &number, 4);
    heal_section(&file, "DATA");
    support_write(path, file.data, file.len);
}

void remove_section(struct patient *patient, const char *tag)
{
    uint8_t *entry = section_entry(patient, tag);
    uint8_t *end = table(patient) + n_sections(patient) * SECTION;
    memmove(entry, entry + SECTION, (size_t)(end - entry) - SECTION);
    put_u32(patient->data + 20, get_u32(patient->data + 20) - 1);
    heal_table(patient);
}

void replace_section(struct patient *patient, const char *tag, const void *data, size_t len)
{
    uint8_t entry[SECTION];
    size_t start = (patient->len + 63) / 64 * 64;
    if (start + len > patient->cap)
        abort();
    memset(patient->data + patient->len, 0, start - patient->len);
    memcpy(patient->data + start, data, len);
    patient->len = start + len;
    memcpy(entry, section_entry(patient, tag), SECTION);
    put_u64(entry + 8, start);
    put_u64(entry + 16, len);
    remove_section(patient, tag);
    memcpy(table(patient) + n_sections(patient) * SECTION, entry, SECTION);
    put_u32(patient->data + 20, get_u32(patient->data + 20) + 1);
    put_u64(patient->data + 24, patient->len);
    heal_section(patient, tag);
}

static size_t put_setting(uint8_t *at, const char *key, const char *value, size_t value_len)
{
    size_t key_len = strlen(key);
    put_u32(at, (uint32_t)key_len);
    put_u32(at + 4, (uint32_t)value_len);
    memcpy(at + 8, key, key_len + 1);
    memcpy(at + 8 + key_len + 1, value, value_len);
    at[8 + key_len + 1 + value_len] = 0;
    return 8 + key_len + 1 + value_len + 1;
}

void replace_setting(struct patient *patient, const char *tag, const char *key, const char *value,
                     size_t value_len)
{
    static uint8_t out[MAX_SETTINGS_BYTES];
    const uint8_t *in = section_data(patient, tag) + 4;
    uint32_t n = 1;
    size_t used = 4;
    for (uint32_t left = get_u32(in - 4); left > 0; left--) {
        size_t bytes = 8 + (size_t)get_u32(in) + 1 + get_u32(in + 4) + 1;
        if (strcmp((const char *)in + 8, key) != 0) {
            if (used + bytes > sizeof out)
                abort();
            memcpy(out + used, in, bytes);
            used += bytes;
            n++;
        }
        in += bytes;
    }
    if (used + 10 + strlen(key) + value_len > sizeof out)
        abort();
    used += put_setting(out + used, key, value, value_len);
    put_u32(out, n);
    replace_section(patient, tag, out, used);
}
