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
            return fail(weights, __VA_ARGS__);                                                     \
    } while (0)

struct section {
    const char *tag;
    bool found;
    uint64_t offset, n_bytes;
};

/* The last three are of tokenizers that words.c does not have. */
enum { CONF, TOKN, VOCB, TENS, DATA, N_REQUIRED, META = N_REQUIRED, N_SECTIONS = META + 4 };

__attribute__((format(printf, 2, 3))) static bool fail(struct plain_weights *weights,
                                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(weights->error, sizeof weights->error, format, arguments);
    va_end(arguments);
    return false;
}

/* Bit by bit, from the definition: the reflected polynomial is 0x82F63B78. */
static uint32_t crc32c(const uint8_t *bytes, uint64_t n)
{
    static uint32_t table[256];
    if (table[1] == 0) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t crc = byte;
            for (int bit = 0; bit < 8; bit++)
                crc = crc & 1 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
            table[byte] = crc;
        }
    }
    uint32_t crc = 0xFFFFFFFFu;
    for (uint64_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xFF];
    return crc ^ 0xFFFFFFFFu;
}

static bool all_zero(const uint8_t *bytes, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* offset .. offset + n within 0 .. end, without overflow. */
static bool within(uint64_t offset, uint64_t n, uint64_t end)
{
    return offset <= end && n <= end - offset;
}

static uint64_t align64(uint64_t n)
{
    return (n + 63) / 64 * 64;
}

static bool read_file(struct plain_weights *weights, const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s cannot be opened", path);
    const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    weights->n_bytes = end > 0 ? (size_t)end : 0;
    weights->file = malloc(weights->n_bytes + 1);
    const bool ok =
        weights->file && fread(weights->file, 1, weights->n_bytes, file) == weights->n_bytes;
    fclose(file);
    CHECK(ok && end >= 0, "%s cannot be read", path);
    return true;
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
    CHECK(plain_u32(header + 16) == 64, "header length");
    uint32_t n = plain_u32(header + 20);
    CHECK(n >= 1 && n <= 64, "%u sections", n);
    CHECK(plain_number(header + 24, 8) == weights->n_bytes,
          "the file is longer or shorter than it says");
    CHECK(all_zero(header + 44, 16), "reserved header bytes");
    uint64_t table = plain_number(header + 32, 8);
    CHECK(table % 8 == 0 && within(table, 32 * (uint64_t)n, weights->n_bytes), "section table");
    CHECK(plain_u32(header + 40) == crc32c(header + table, 32 * (uint64_t)n),
          "checksum of the section table");
    return true;
}

static bool read_sections(struct plain_weights *weights, struct section *sections)
{
    const uint8_t *entry = weights->file + plain_number(weights->file + 32, 8);
    uint32_t n = plain_u32(weights->file + 20);
    uint64_t last_end = 0;
    for (uint32_t i = 0; i < n; i++, entry += 32) {
        uint32_t flags = plain_u32(entry + 4);
        uint64_t offset = plain_number(entry + 8, 8), n_bytes = plain_number(entry + 16, 8);
        CHECK(flags <= 1 && plain_u32(entry + 28) == 0, "section %u: flags", i);
        CHECK(offset % 64 == 0 && within(offset, n_bytes, weights->n_bytes), "section %u: place",
              i);
        CHECK(offset >= last_end, "section %u: order or overlap", i);
        last_end = offset + n_bytes;
        CHECK(plain_u32(entry + 24) == crc32c(weights->file + offset, n_bytes),
              "section %u (%.4s): checksum", i, (const char *)entry);
        int k = 0;
        while (k < N_SECTIONS && memcmp(sections[k].tag, entry, 4) != 0)
            k++;
        struct section *section = &sections[k];
        CHECK(k < N_SECTIONS || !(flags & 1), "section %.4s is required and not known",
              (const char *)entry);
        if (k == N_SECTIONS)
            continue;
        CHECK(!section->found, "section %s occurs twice", section->tag);
        section->found = true;
        section->offset = offset;
        section->n_bytes = n_bytes;
    }
    for (int i = 0; i < N_REQUIRED; i++)
        CHECK(sections[i].found, "no section %s", sections[i].tag);
    return true;
}

static bool read_settings(struct plain_weights *weights, const struct section *section,
                          struct plain_settings *settings)
{
    const uint8_t *bytes = weights->file + section->offset;
    uint64_t at = 4, end = section->n_bytes;
    if (!section->found)
        return true;
    CHECK(end >= 4, "%s: too short", section->tag);
    uint32_t n = plain_u32(bytes);
    CHECK(n <= end / 10, "%s: %u entries do not fit", section->tag, n);
    settings->keys = calloc(n + 1u, sizeof *settings->keys);
    settings->values = calloc(n + 1u, sizeof *settings->values);
    CHECK(settings->keys && settings->values, "memory");
    for (uint32_t i = 0; i < n; i++) {
        CHECK(within(at, 8, end), "%s: entry %u is cut off", section->tag, i);
        uint64_t key_len = plain_u32(bytes + at), value_len = plain_u32(bytes + at + 4);
        at += 8;
        CHECK(within(at, key_len + value_len + 2, end), "%s: entry %u is cut off", section->tag, i);
        const char *key = (const char *)bytes + at, *value = key + key_len + 1;
        CHECK(strlen(key) == key_len, "%s: key %u", section->tag, i);
        CHECK(value[value_len] == '\0', "%s: value of %s", section->tag, key);
        CHECK(!plain_setting(settings, key, NULL), "%s: %s occurs twice", section->tag, key);
        settings->keys[i] = key;
        settings->values[i] = value;
        settings->n = i + 1u;
        at += key_len + value_len + 2;
    }
    CHECK(at == end, "%s: bytes after the last entry", section->tag);
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
    for (uint32_t slot = (uint32_t)(hash ^ hash >> 32);; slot++) {
        int32_t id =
            (int32_t)plain_u32(weights->slots + 4 * (uint64_t)(slot % weights->n_slots)) - 1;
        size_t n;
        const char *word = plain_word_text(weights, id, &n);
        if (id < 0 || (n == len && memcmp(word, text, len) == 0))
            return id;
    }
}

static bool read_vocabulary(struct plain_weights *weights, const struct section *section)
{
    const uint8_t *bytes = weights->file + section->offset;
    CHECK(section->n_bytes >= 16, "VOCB: too short");
    const uint32_t n = plain_u32(bytes), slots = plain_u32(bytes + 4),
                   n_bytes = plain_u32(bytes + 8);
    CHECK(slots > n && (slots & (slots - 1)) == 0, "VOCB: %u slots for %u tokens", slots, n);
    CHECK(section->n_bytes == 16 + 4 * (uint64_t)slots + 4 * ((uint64_t)n + 1) + n_bytes,
          "VOCB: length");
    weights->n_words = n;
    weights->n_slots = slots;
    weights->slots = bytes + 16;
    weights->starts = weights->slots + 4 * (uint64_t)slots;
    weights->texts = weights->starts + 4 * ((uint64_t)n + 1);
    uint32_t n_texts = 0, n_filled = 0, last = 0;
    size_t len, longest = 0;
    for (uint32_t id = 0; id <= n; id++) {
        uint32_t start = plain_u32(weights->starts + 4 * (uint64_t)id);
        CHECK(start >= last && start <= n_bytes, "VOCB: start of token %u", id);
        last = start;
    }
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint32_t id = plain_u32(weights->slots + 4 * (uint64_t)slot);
        CHECK(id <= n, "VOCB: slot %u", slot);
        n_filled += id > 0;
    }
    CHECK(n_filled < slots, "VOCB: no slot is empty");
    for (uint32_t id = 0; id < n; id++) {
        const char *text = plain_word_text(weights, (int32_t)id, &len);
        CHECK(len == 0 || plain_word(weights, text, len) == (int32_t)id,
              "VOCB: token %u is not found", id);
        n_texts += len > 0;
        longest = len > longest ? len : longest;
    }
    CHECK(longest == plain_u32(bytes + 12), "VOCB: longest token has %zu bytes", longest);
    CHECK(n_filled == n_texts, "VOCB: %u slots are filled for %u texts", n_filled, n_texts);
    return true;
}

/* ---- Tensors ---- */

/* The matrix itself; its length and the zeros that fill up panels are checked. */
static bool decode_tensor(struct plain_weights *weights, struct plain_tensor *tensor)
{
    uint64_t n_bytes;
    CHECK(plain_stored_bytes(tensor, &n_bytes), "%s: shape", tensor->name);
    CHECK(n_bytes == tensor->n_bytes, "%s: length", tensor->name);
    tensor->values = malloc((tensor->rows * tensor->cols + 1) * sizeof *tensor->values);
    CHECK(tensor->values, "memory");
    if (tensor->type > PLAIN_INT8) {
        tensor->factors = malloc((tensor->cols + 1) * sizeof *tensor->factors);
        CHECK(tensor->factors, "memory");
    }
    CHECK(plain_decode(tensor, weights->file + tensor->offset),
          "%s: a wrong sum, or the filling of a panel is not zero", tensor->name);
    return true;
}

static bool read_shape(struct plain_weights *weights, struct plain_tensor *tensor,
                       const uint8_t *entry)
{
    uint64_t shape[4];
    for (unsigned i = 0; i < 4; i++)
        shape[i] = plain_number(entry + 24 + 8 * i, 8);
    for (size_t i = tensor->n_dims; i < 4; i++)
        CHECK(shape[i] == 1, "%s: shape beyond the dimensions", tensor->name);
    uint64_t cols = shape[1];
    for (unsigned i = 2; i < 4; i++)
        CHECK(!__builtin_mul_overflow(cols, shape[i], &cols), "%s: shape", tensor->name);
    uint64_t limit = (uint64_t)weights->n_bytes;
    CHECK(shape[0] <= limit && cols <= limit, "%s: shape", tensor->name);
    tensor->rows = (size_t)shape[0];
    tensor->cols = (size_t)cols;
    return true;
}

static bool read_tensor(struct plain_weights *weights, const struct section *directory,
                        const struct section *data, size_t index)
{
    const uint8_t *bytes = weights->file + directory->offset, *entry = bytes + 8 + 80 * index;
    struct plain_tensor *tensor = &weights->tensors[index];
    uint64_t name = plain_u32(entry), name_len = plain_u32(entry + 4);
    CHECK(within(name, name_len + 1, directory->n_bytes), "tensor %zu: name", index);
    tensor->name = (const char *)bytes + name;
    CHECK(name_len > 0 && strnlen(tensor->name, (size_t)name_len + 1) == name_len,
          "tensor %zu: name", index);
    uint32_t type = plain_u32(entry + 8), layout = plain_u32(entry + 12);
    uint32_t n_dims = plain_u32(entry + 16);
    bool has_factors = type > PLAIN_INT8;
    CHECK(type >= PLAIN_F32 && type <= PLAIN_INT8K, "%s: type", tensor->name);
    CHECK(layout <= PLAIN_PANELS && (layout == PLAIN_PANELS || !has_factors), "%s: layout",
          tensor->name);
    uint32_t since = type == PLAIN_INT8K ? 3 : has_factors ? 2 : 1;
    CHECK(plain_u32(weights->file + 8) >= since, "%s: version", tensor->name);
    CHECK(n_dims >= 1 && n_dims <= 4, "%s: dimensions", tensor->name);
    CHECK(n_dims == 2 || (layout == PLAIN_ROWS && type < PLAIN_INT8),
          "%s: only matrices have panels or scales", tensor->name);
    tensor->type = type;
    tensor->layout = layout;
    tensor->n_dims = n_dims;
    tensor->offset = plain_number(entry + 56, 8);
    tensor->n_bytes = plain_number(entry + 64, 8);
    CHECK(plain_number(entry + 72, 8) == 0, "%s: reserved bytes", tensor->name);
    uint64_t end = data->offset + data->n_bytes;
    CHECK(tensor->offset % 64 == 0 && tensor->offset >= data->offset &&
              within(tensor->offset, tensor->n_bytes, end) &&
              within(tensor->offset, align64(tensor->n_bytes), end),
          "%s: place", tensor->name);
    CHECK(plain_u32(entry + 20) == crc32c(weights->file + tensor->offset, tensor->n_bytes),
          "%s: checksum", tensor->name);
    CHECK(all_zero(weights->file + tensor->offset + tensor->n_bytes,
                   align64(tensor->n_bytes) - tensor->n_bytes),
          "%s: padding", tensor->name);
    for (size_t i = 0; i < index; i++) {
        const struct plain_tensor *other = &weights->tensors[i];
        CHECK(strcmp(other->name, tensor->name) != 0, "%s occurs twice", tensor->name);
        CHECK(other->offset + other->n_bytes <= tensor->offset ||
                  tensor->offset + tensor->n_bytes <= other->offset,
              "%s overlaps %s", tensor->name, other->name);
    }
    return read_shape(weights, tensor, entry) && decode_tensor(weights, tensor);
}

static bool read_tensors(struct plain_weights *weights, const struct section *directory,
                         const struct section *data)
{
    CHECK(directory->n_bytes >= 8, "TENS: too short");
    const uint8_t *bytes = weights->file + directory->offset;
    uint32_t n = plain_u32(bytes);
    CHECK(plain_u32(bytes + 4) == 0 && within(8, 80 * (uint64_t)n, directory->n_bytes),
          "TENS: %u tensors", n);
    weights->tensors = calloc(n + 1u, sizeof *weights->tensors);
    CHECK(weights->tensors, "memory");
    weights->n_tensors = n;
    for (size_t i = 0; i < n; i++)
        if (!read_tensor(weights, directory, data, i))
            return false;
    return true;
}

bool plain_weights_parse(struct plain_weights *weights, uint8_t *file, size_t n_bytes)
{
    struct section sections[N_SECTIONS] = {{.tag = "CONF"}, {.tag = "TOKN"}, {.tag = "VOCB"},
                                           {.tag = "TENS"}, {.tag = "DATA"}, {.tag = "META"},
                                           {.tag = "PIEC"}, {.tag = "CMAP"}, {.tag = "MERG"}};
    *weights = (struct plain_weights){.file = file, .n_bytes = n_bytes};
    return read_header(weights) && read_sections(weights, sections) &&
           read_settings(weights, &sections[CONF], &weights->conf) &&
           read_settings(weights, &sections[TOKN], &weights->tokn) &&
           read_settings(weights, &sections[META], &weights->meta) &&
           read_vocabulary(weights, &sections[VOCB]) &&
           read_tensors(weights, &sections[TENS], &sections[DATA]);
}

bool plain_weights_read(struct plain_weights *weights, const char *path)
{
    *weights = (struct plain_weights){0};
    return read_file(weights, path) &&
           plain_weights_parse(weights, weights->file, weights->n_bytes);
}

void plain_weights_free(struct plain_weights *weights)
{
    for (size_t i = 0; weights->tensors && i < weights->n_tensors; i++) {
        free(weights->tensors[i].values);
        free(weights->tensors[i].factors);
    }
    free(weights->tensors);
    for (int i = 0; i < 3; i++) {
        struct plain_settings *settings[] = {&weights->conf, &weights->tokn, &weights->meta};
        free(settings[i]->keys);
        free(settings[i]->values);
    }
    free(weights->file);
    *weights = (struct plain_weights){0};
}

const char *plain_setting(const struct plain_settings *settings, const char *key,
                          const char *if_absent)
{
    for (size_t i = 0; i < settings->n; i++)
        if (strcmp(settings->keys[i], key) == 0)
            return settings->values[i];
    return if_absent;
}

const struct plain_tensor *plain_tensor(const struct plain_weights *weights, const char *name)
{
    for (size_t i = 0; i < weights->n_tensors; i++)
        if (strcmp(weights->tensors[i].name, name) == 0)
            return &weights->tensors[i];
    return NULL;
}
