/* weights.c - a reader of weight files that shares nothing with the engine's: plain byte reads in
 * the order of weights/FORMAT.md, one check after the other; the first that fails names itself. */
#include "engine/plain/weights.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return plain_complain(weights->error, __VA_ARGS__);                                    \
    } while (0)

struct section {
    const char *tag;
    uint64_t offset, n_bytes; /* offset 0: the file does not have it */
};

/* Those of FORMAT.md that are read here. */
enum { CONF, TOKN, VOCB, TENS, DATA, N_READ };

bool plain_complain(char error[256], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (error[0] == '\0')
        vsnprintf(error, 256, format, arguments);
    va_end(arguments);
    return false;
}

void *plain_new(size_t n, size_t n_bytes)
{
    void *made = calloc(n + 1, n_bytes);
    if (!made)
        abort();
    return made;
}

/* Bit by bit, from the definition: the reflected polynomial is 0x82F63B78. */
static uint32_t crc32c(const uint8_t *bytes, uint64_t n)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (uint64_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    return crc ^ 0xFFFFFFFFu;
}

/* offset .. offset + n within 0 .. end, without overflow. */
static bool within(uint64_t offset, uint64_t n, uint64_t end)
{
    return offset <= end && n <= end - offset;
}

static bool read_header(struct plain_weights *weights)
{
    const uint8_t *header = weights->file;
    CHECK(weights->n_bytes >= 64, "shorter than a header");
    CHECK(memcmp(header,
                 "\x89"
                 "ENC\r\n\x1a\n",
                 8) == 0,
          "not a weight file");
    CHECK(plain_u32(header + 12) == 0x01020304, "byte order");
    CHECK(plain_u32(header + 8) >= 1 && plain_u32(header + 8) <= 3, "version %u",
          plain_u32(header + 8));
    CHECK(plain_u32(header + 60) == crc32c(header, 60), "checksum of the header");
    CHECK(plain_number(header + 24, 8) == weights->n_bytes,
          "the file is longer or shorter than it says");
    const uint64_t table = plain_number(header + 32, 8), n_bytes = 32ull * plain_u32(header + 20);
    CHECK(within(table, n_bytes, weights->n_bytes), "section table");
    CHECK(plain_u32(header + 40) == crc32c(header + table, n_bytes),
          "checksum of the section table");
    return true;
}

static bool read_sections(struct plain_weights *weights, struct section *sections)
{
    const uint8_t *entry = weights->file + plain_number(weights->file + 32, 8);
    for (uint32_t i = plain_u32(weights->file + 20); i > 0; i--, entry += 32) {
        const char *tag = (const char *)entry;
        uint64_t offset = plain_number(entry + 8, 8), n_bytes = plain_number(entry + 16, 8);
        CHECK(within(offset, n_bytes, weights->n_bytes), "section %.4s: place", tag);
        CHECK(plain_u32(entry + 24) == crc32c(weights->file + offset, n_bytes),
              "section %.4s: checksum", tag);
        int k = 0;
        while (sections[k].tag && memcmp(sections[k].tag, tag, 4) != 0)
            k++;
        CHECK(sections[k].tag || !(plain_u32(entry + 4) & 1),
              "section %.4s is required and not known", tag);
        if (sections[k].tag)
            sections[k] = (struct section){sections[k].tag, offset, n_bytes};
    }
    for (int i = 0; i < N_READ; i++)
        CHECK(sections[i].offset > 0, "no section %s", sections[i].tag);
    return true;
}

static bool read_settings(struct plain_weights *weights, const struct section *section,
                          struct plain_settings *settings)
{
    const uint8_t *bytes = weights->file + section->offset;
    uint64_t at = 4, end = section->n_bytes;
    const uint32_t n = end >= at ? plain_u32(bytes) : UINT32_MAX;
    CHECK(n <= end / 10, "%s: too short", section->tag);
    settings->pairs = calloc(n + 1u, sizeof *settings->pairs);
    CHECK(settings->pairs, "memory");
    for (; settings->n < n; settings->n++) {
        CHECK(within(at, 8, end), "%s: entry %zu is cut off", section->tag, settings->n);
        const uint64_t key = at + 8, value = key + plain_u32(bytes + at) + 1;
        at = value + plain_u32(bytes + at + 4) + 1;
        CHECK(at <= end && bytes[value - 1] == '\0' && bytes[at - 1] == '\0',
              "%s: entry %zu is cut off", section->tag, settings->n);
        settings->pairs[settings->n].key = (const char *)bytes + key;
        settings->pairs[settings->n].value = (const char *)bytes + value;
    }
    return true;
}

/* ---- The vocabulary ---- */

const char *plain_word_text(const struct plain_weights *weights, int32_t id, size_t *len)
{
    *len = 0;
    if (id < 0 || (uint32_t)id >= weights->n_words)
        return "";
    const uint8_t *start = weights->starts + 4 * (uint64_t)id;
    *len = plain_u32(start + 4) - plain_u32(start);
    return (const char *)weights->texts + plain_u32(start);
}

/* From the slot of its hash on, a text's id + 1 is in the first slot that has it; an empty slot, 0,
 * ends the search. */
int32_t plain_word(const struct plain_weights *weights, const char *text, size_t len)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001B3u;
    for (uint32_t i = 0; i < weights->n_slots; i++) {
        const uint64_t slot = (uint32_t)((hash ^ hash >> 32) + i) % weights->n_slots;
        int32_t id = (int32_t)plain_u32(weights->slots + 4 * slot) - 1;
        size_t n;
        const char *word = plain_word_text(weights, id, &n);
        if (id < 0 || (n == len && memcmp(word, text, len) == 0))
            return id;
    }
    return -1;
}

static bool read_vocabulary(struct plain_weights *weights, const struct section *section)
{
    const uint8_t *bytes = weights->file + section->offset;
    CHECK(section->n_bytes >= 16, "VOCB: too short");
    const uint64_t n = plain_u32(bytes), slots = plain_u32(bytes + 4), len = plain_u32(bytes + 8);
    CHECK(section->n_bytes == 16 + 4 * slots + 4 * (n + 1) + len, "VOCB: length");
    weights->n_words = (uint32_t)n;
    weights->n_slots = (uint32_t)slots;
    weights->slots = bytes + 16;
    weights->starts = weights->slots + 4 * slots;
    weights->texts = weights->starts + 4 * (n + 1);
    for (uint64_t id = 0; id < n; id++) {
        const uint8_t *start = weights->starts + 4 * id;
        CHECK(plain_u32(start) <= plain_u32(start + 4) && plain_u32(start + 4) <= len,
              "VOCB: start of token %u", (unsigned)id);
    }
    return true;
}

/* ---- Tensors ---- */

static bool read_tensor(struct plain_weights *weights, const struct section *directory,
                        struct plain_tensor *tensor, const uint8_t *entry)
{
    const uint8_t *bytes = weights->file + directory->offset;
    const uint64_t name = plain_u32(entry), name_len = plain_u32(entry + 4);
    CHECK(within(name, name_len + 1, directory->n_bytes) && bytes[name + name_len] == '\0',
          "a tensor's name is not in TENS");
    uint64_t rows = plain_number(entry + 24, 8), cols = 1, n;
    const uint64_t offset = plain_number(entry + 56, 8), n_bytes = plain_number(entry + 64, 8);
    bool is_sound = within(offset, n_bytes, weights->n_bytes);
    for (unsigned i = 1; i < 4; i++)
        is_sound &= !__builtin_mul_overflow(cols, plain_number(entry + 24 + 8 * i, 8), &cols);
    is_sound &= !__builtin_mul_overflow(rows, cols, &n) && n > 0 && n <= n_bytes;
    *tensor = (struct plain_tensor){.name = (const char *)bytes + name,
                                    .type = plain_u32(entry + 8),
                                    .layout = plain_u32(entry + 12),
                                    .n_dims = plain_u32(entry + 16),
                                    .rows = (size_t)rows,
                                    .cols = (size_t)cols,
                                    .offset = offset,
                                    .n_bytes = n_bytes};
    CHECK(is_sound && tensor->type >= PLAIN_F32 && tensor->type <= PLAIN_INT8K &&
              tensor->layout <= PLAIN_PANELS,
          "%s: type, layout, shape or place", tensor->name);
    tensor->values = calloc((size_t)n, sizeof *tensor->values);
    tensor->factors =
        tensor->type > PLAIN_INT8 ? calloc(tensor->cols, sizeof *tensor->factors) : NULL;
    CHECK(tensor->values && (tensor->factors || tensor->type <= PLAIN_INT8), "memory");
    CHECK(plain_decode(tensor, weights->file + offset), "%s: length, or a column in f32",
          tensor->name);
    return true;
}

static bool read_tensors(struct plain_weights *weights, const struct section *directory)
{
    const uint8_t *bytes = weights->file + directory->offset;
    const uint32_t n = directory->n_bytes >= 8 ? plain_u32(bytes) : UINT32_MAX;
    CHECK(within(8, 80 * (uint64_t)n, directory->n_bytes), "TENS: too short");
    weights->tensors = calloc(n + 1u, sizeof *weights->tensors);
    CHECK(weights->tensors, "memory");
    weights->n_tensors = n;
    for (size_t i = 0; i < n; i++)
        if (!read_tensor(weights, directory, &weights->tensors[i], bytes + 8 + 80 * i))
            return false;
    return true;
}

bool plain_weights_parse(struct plain_weights *weights, uint8_t *file, size_t n_bytes)
{
    /* The last are not read: words.c does not have their tokenizers. */
    struct section sections[] = {
        [CONF] = {.tag = "CONF"}, [TOKN] = {.tag = "TOKN"}, [VOCB] = {.tag = "VOCB"},
        [TENS] = {.tag = "TENS"}, [DATA] = {.tag = "DATA"}, {.tag = "PIEC"},
        {.tag = "CMAP"},          {.tag = "MERG"},          {.tag = NULL}};
    *weights = (struct plain_weights){.file = file, .n_bytes = n_bytes};
    return read_header(weights) && read_sections(weights, sections) &&
           read_settings(weights, &sections[CONF], &weights->conf) &&
           read_settings(weights, &sections[TOKN], &weights->tokn) &&
           read_vocabulary(weights, &sections[VOCB]) && read_tensors(weights, &sections[TENS]);
}

bool plain_weights_read(struct plain_weights *weights, const char *path)
{
    FILE *file = fopen(path, "rb");
    *weights = (struct plain_weights){0};
    CHECK(file, "%s cannot be opened", path);
    const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    const size_t n = end > 0 ? (size_t)end : 0;
    rewind(file);
    weights->file = malloc(n + 1);
    const bool ok = weights->file && fread(weights->file, 1, n, file) == n;
    fclose(file);
    CHECK(ok && end >= 0, "%s cannot be read", path);
    return plain_weights_parse(weights, weights->file, n);
}

void plain_weights_free(struct plain_weights *weights)
{
    for (size_t i = 0; i < weights->n_tensors; i++) {
        free(weights->tensors[i].values);
        free(weights->tensors[i].factors);
    }
    free(weights->tensors);
    free(weights->conf.pairs);
    free(weights->tokn.pairs);
    free(weights->file);
    *weights = (struct plain_weights){0};
}

const char *plain_setting(const struct plain_settings *settings, const char *key,
                          const char *if_absent)
{
    for (size_t i = 0; i < settings->n; i++)
        if (strcmp(settings->pairs[i].key, key) == 0)
            return settings->pairs[i].value;
    return if_absent;
}

const struct plain_tensor *plain_tensor(const struct plain_weights *weights, const char *name)
{
    for (size_t i = 0; i < weights->n_tensors; i++)
        if (strcmp(weights->tensors[i].name, name) == 0)
            return &weights->tensors[i];
    return NULL;
}
