/* weights.c - a reader of weight files that shares nothing with the engine's: plain byte reads in
 * the order of weights/FORMAT.md, one check after the other; the first that fails names itself. */
#include "engine/plain/weights.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return plain_complain(weights->error, __VA_ARGS__);                                    \
    } while (0)

/* The sections of FORMAT.md. Those from N_READ on are not read: words.c lacks their tokenizers. */
static const char TAGS[][5] = {"CONF", "TOKN", "VOCB", "TENS", "DATA", "PIEC", "CMAP", "MERG"};
enum { CONF, TOKN, VOCB, TENS, DATA, N_READ, N_KNOWN = 8 };

struct section {
    uint64_t offset, n_bytes; /* 0, 0: the file does not have it */
};

bool plain_complain(char error[256], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (error[0] == '\0')
        vsnprintf(error, 256, format, arguments);
    va_end(arguments);
    plain_make_printable(error);
    return false;
}

void plain_make_printable(char *text)
{
    for (; *text != '\0'; text++)
        *text = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
}

void *plain_new(size_t n, size_t n_bytes)
{
    void *made = calloc(n + 1, n_bytes);
    if (made)
        return made;
    fprintf(stderr, "encode-plain: there is no memory for %zu times %zu bytes\n", n, n_bytes);
    exit(1);
}

/* ---- Numbers ---- */

uint64_t plain_number(const uint8_t *bytes, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = n; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

uint32_t plain_u32(const uint8_t *bytes)
{
    return (uint32_t)plain_number(bytes, 4);
}

double plain_f32(const uint8_t *bytes)
{
    const uint32_t bits = plain_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

double plain_f16(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023), sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction > 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25));
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

/* ---- Header, sections, settings ---- */

/* offset .. offset + n within 0 .. end, without overflow. */
static bool within(uint64_t offset, uint64_t n, uint64_t end)
{
    return offset <= end && n <= end - offset;
}

static bool read_header(struct plain_weights *weights)
{
    const uint8_t *header = weights->file;
    CHECK(weights->n_bytes >= 64, "shorter than a header");
    CHECK(memcmp(header, "\211ENC\r\n\032\n", 8) == 0, "not a weight file");
    CHECK(plain_u32(header + 12) == 0x01020304, "its byte order is another");
    const uint32_t version = plain_u32(header + 8);
    CHECK(version >= 1 && version <= 3, "its version is %u, versions 1 to 3 are known", version);
    CHECK(plain_u32(header + 60) == crc32c(header, 60), "checksum of the header");
    CHECK(plain_number(header + 24, 8) == weights->n_bytes, "its length is not that in its header");
    const uint64_t table = plain_number(header + 32, 8), n_bytes = 32ull * plain_u32(header + 20);
    CHECK(within(table, n_bytes, weights->n_bytes), "the section table is beyond the file's end");
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
        CHECK(within(offset, n_bytes, weights->n_bytes), "section %.4s is beyond the file's end",
              tag);
        CHECK(plain_u32(entry + 24) == crc32c(weights->file + offset, n_bytes),
              "section %.4s: checksum", tag);
        int k = 0;
        while (k < N_KNOWN && memcmp(TAGS[k], tag, 4) != 0)
            k++;
        CHECK(k < N_KNOWN || !(plain_u32(entry + 4) & 1), "section %.4s is required and not known",
              tag);
        if (k < N_KNOWN)
            sections[k] = (struct section){offset, n_bytes};
    }
    for (int i = 0; i < N_READ; i++)
        CHECK(sections[i].offset > 0, "no section %s", TAGS[i]);
    return true;
}

static bool read_settings(struct plain_weights *weights, const struct section *section,
                          const char *tag, struct plain_settings *settings)
{
    const uint8_t *bytes = weights->file + section->offset;
    uint64_t at = 4, end = section->n_bytes;
    const uint32_t n = end >= at ? plain_u32(bytes) : UINT32_MAX;
    CHECK(n <= end / 10, "%s: %u settings are more than its bytes", tag, n);
    settings->pairs = plain_new(n, sizeof *settings->pairs);
    for (; settings->n < n; settings->n++) {
        CHECK(within(at, 8, end), "%s: entry %zu is cut off", tag, settings->n);
        const uint64_t key = at + 8, value = key + plain_u32(bytes + at) + 1;
        at = value + plain_u32(bytes + at + 4) + 1;
        CHECK(at <= end && bytes[value - 1] == '\0' && bytes[at - 1] == '\0',
              "%s: entry %zu is cut off", tag, settings->n);
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

/* A text's id + 1 is in a slot from that of its hash on; an empty slot, 0, ends the search. */
int32_t plain_word(const struct plain_weights *weights, const char *text, size_t len)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001B3u;
    for (uint32_t i = 0; i < weights->n_slots; i++) {
        const uint64_t slot = (uint32_t)((hash ^ hash >> 32) + i) % weights->n_slots;
        int32_t id = (int32_t)(plain_u32(weights->slots + 4 * slot) - 1);
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
    CHECK(section->n_bytes == 16 + 4 * slots + 4 * (n + 1) + len,
          "VOCB: its counts do not make its length");
    weights->n_words = (uint32_t)n;
    weights->n_slots = (uint32_t)slots;
    weights->slots = bytes + 16;
    weights->starts = weights->slots + 4 * slots;
    weights->texts = weights->starts + 4 * (n + 1);
    for (const uint8_t *start = weights->starts; start < weights->texts - 4; start += 4)
        CHECK(plain_u32(start) <= plain_u32(start + 4) && plain_u32(start + 4) <= len,
              "VOCB: a token starts at %u", plain_u32(start));
    return true;
}

/* ---- Matrices: f32, f16, bf16, int8 with scales; in rows and panels ---- */

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

static uint64_t element_bytes(enum plain_type type)
{
    return type == PLAIN_F32 ? 4 : type >= PLAIN_INT8 ? 1 : 2;
}

/* Where what follows the elements is, in bytes from the tensor's start: int8's scales of rows; sums
 * of rows, which nothing here needs, and factors of columns; numbers of the columns in f32, and
 * these columns; the end. Panels are filled up to 16 rows, int8 to 4 columns. */
struct parts {
    uint64_t scales, factors, kept, end;
};

static struct parts parts_of(const struct plain_tensor *tensor)
{
    const bool is_int8 = tensor->type >= PLAIN_INT8, has_factors = tensor->type > PLAIN_INT8;
    const bool is_panels = tensor->layout == PLAIN_PANELS;
    const uint64_t rows = round_up(tensor->rows, is_panels ? 16 : 1);
    const uint64_t n = rows * round_up(tensor->cols, is_panels && is_int8 ? 4 : 1);
    struct parts parts;
    parts.scales = is_int8 ? round_up(n, 64) : n * element_bytes(tensor->type);
    parts.factors = parts.scales + (has_factors ? 8 : is_int8 ? 4 : 0) * rows;
    parts.kept = parts.factors + (has_factors ? 4 * round_up(tensor->cols, 16) : 0);
    parts.end = parts.kept + (tensor->type == PLAIN_INT8K ? 64 + 4 * 4 * rows : 0);
    return parts;
}

/* Returns the offset of element (n, k) of the matrix [N, K], in elements. */
static uint64_t element_index(const struct plain_tensor *tensor, uint64_t n, uint64_t k)
{
    uint64_t cols = tensor->cols;
    if (tensor->layout == PLAIN_ROWS)
        return n * cols + k;
    if (tensor->type >= PLAIN_INT8)
        return ((n / 16 * ((cols + 3) / 4) + k / 4) * 16 + n % 16) * 4 + k % 4;
    return (n / 16 * cols + k) * 16 + n % 16;
}

static double element_value(const struct plain_tensor *tensor, const uint8_t *bytes, uint64_t n,
                            uint64_t k)
{
    const uint8_t *at = bytes + element_bytes(tensor->type) * element_index(tensor, n, k);
    switch (tensor->type) {
    case PLAIN_F32: return plain_f32(at);
    case PLAIN_F16: return plain_f16((uint32_t)plain_number(at, 2));
    case PLAIN_BF16: return plain_f32((const uint8_t[]){0, 0, at[0], at[1]}); /* the upper half */
    default: break;
    }
    const double factor = tensor->factors != NULL ? tensor->factors[k] : 1;
    return (int8_t)*at * plain_f32(bytes + parts_of(tensor).scales + 4 * n) * factor;
}

bool plain_decode(const struct plain_tensor *tensor, const uint8_t *bytes)
{
    const struct parts parts = parts_of(tensor);
    const size_t rows = tensor->rows, cols = tensor->cols;
    if (parts.end != tensor->n_bytes)
        return false;
    for (size_t k = 0; tensor->factors != NULL && k < cols; k++)
        tensor->factors[k] = plain_f32(bytes + parts.factors + 4 * k);
    for (size_t n = 0; n < rows; n++)
        for (size_t k = 0; k < cols; k++)
            tensor->values[n * cols + k] = element_value(tensor, bytes, n, k);
    for (size_t i = 0; tensor->type == PLAIN_INT8K && i < 4; i++) {
        const size_t column = plain_u32(bytes + parts.kept + 4 * i);
        if (column >= cols)
            return false;
        for (size_t n = 0; n < rows; n++)
            tensor->values[n * cols + column] =
                plain_f32(bytes + parts.kept + 64 + 4 * ((n / 16 * 4 + i) * 16 + n % 16));
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
    const uint64_t last = tensor > weights->tensors ? tensor[-1].offset + tensor[-1].n_bytes : 0;
    bool is_sound = offset >= last && within(offset, n_bytes, weights->n_bytes);
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
    CHECK(
        is_sound && tensor->type >= PLAIN_F32 && tensor->type <= PLAIN_INT8K &&
            tensor->layout <= PLAIN_PANELS,
        "%s: type %u, layout %u, [%zu, %zu]: not known, or not after the last and within the file",
        tensor->name, tensor->type, tensor->layout, tensor->rows, tensor->cols);
    tensor->values = plain_new((size_t)n, sizeof *tensor->values);
    if (tensor->type > PLAIN_INT8)
        tensor->factors = plain_new(tensor->cols, sizeof *tensor->factors);
    CHECK(plain_decode(tensor, weights->file + offset), "%s: length, or a column in f32",
          tensor->name);
    return true;
}

static bool read_tensors(struct plain_weights *weights, const struct section *directory)
{
    const uint8_t *bytes = weights->file + directory->offset;
    const uint32_t n = directory->n_bytes >= 8 ? plain_u32(bytes) : UINT32_MAX;
    CHECK(within(8, 80 * (uint64_t)n, directory->n_bytes), "TENS: %u are more than its bytes", n);
    weights->tensors = plain_new(n, sizeof *weights->tensors);
    weights->n_tensors = n;
    for (size_t i = 0; i < n; i++)
        if (!read_tensor(weights, directory, &weights->tensors[i], bytes + 8 + 80 * i))
            return false;
    return true;
}

bool plain_weights_parse(struct plain_weights *weights, uint8_t *file, size_t n_bytes)
{
    struct section sections[N_KNOWN] = {{0}};
    *weights = (struct plain_weights){.file = file, .n_bytes = n_bytes};
    return read_header(weights) && read_sections(weights, sections) &&
           read_settings(weights, &sections[CONF], "CONF", &weights->conf) &&
           read_settings(weights, &sections[TOKN], "TOKN", &weights->tokn) &&
           read_vocabulary(weights, &sections[VOCB]) && read_tensors(weights, &sections[TENS]);
}

bool plain_weights_read(struct plain_weights *weights, const char *path)
{
    FILE *file = fopen(path, "rb");
    *weights = (struct plain_weights){0};
    CHECK(file, "%s", strerror(errno));
    const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    const size_t n = end > 0 ? (size_t)end : 0;
    rewind(file);
    weights->file = malloc(n + 1);
    const bool is_read = weights->file && fread(weights->file, 1, n, file) == n;
    fclose(file);
    CHECK(is_read && end >= 0, "the file cannot be read into memory");
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
