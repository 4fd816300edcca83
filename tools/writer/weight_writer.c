/* weight_writer.c - writes weights/FORMAT.md from start to end: space for the header, DATA as the
 * tensors come, the other sections, the section table; last the header, without which the file is
 * invalid. In memory are 16 rows of one tensor, the data after its int8 elements, and the
 * directory. */
#include "tools/writer/weight_writer.h"

#include "engine/file/crc32c.h"
#include "engine/file/weight_file.h"
#include "engine/status.h"
#include "model/tokenizer/tokenizer.h"
#include "model/unicode/unicode.h"
#include "tools/writer/output_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OWN_SECTIONS = 4, MAX_SECTIONS = 6 + MAX_OWN_SECTIONS, N_SETTINGS = 3 };

/* A growing array of bytes, freed by weight_writer_abort. */
struct bytes {
    uint8_t *data;
    size_t len, cap;
};

struct weight_writer {
    struct output_file *file;
    uint64_t offset; /* end of the written data */
    uint32_t version;
    engine_status status;
    engine_error *error; /* the caller's, or NULL */

    struct settings {
        struct bytes entries; /* of the section, without the count before them */
        uint32_t n;
    } settings[N_SETTINGS];
    struct bytes vocabulary;
    struct own_section {
        const char *tag;
        const void *data; /* [len], borrowed */
        size_t len;
    } own_sections[MAX_OWN_SECTIONS];
    size_t n_own_sections;

    struct section_record {
        char tag[4];
        bool required;
        uint64_t offset, n_bytes;
        uint32_t crc;
    } sections[MAX_SECTIONS];
    size_t n_sections;

    struct tensor_record {
        char *name;
        enum tensor_type type;
        enum tensor_layout layout;
        size_t n_dims, rows, cols;
        uint64_t offset, n_bytes;
        uint32_t crc;
    } * tensors;
    size_t n_tensors, cap_tensors;

    /* The tensor being written. */
    bool in_tensor;
    size_t rows_done, n_pending;
    float *pending; /* [16, cols]: rows that are not written yet */
    uint8_t *encoded;
    float *scales; /* the data after elements of int8, as in the file */
    int32_t *column_sums;
    float *factors;     /* in scales, like column_sums; NULL: the type has no factors */
    uint32_t *kept;     /* the columns stored in f32, in scales, or NULL */
    float *kept_panels; /* their panels */
};

/* Only the first failure is recorded. */
#define stop(writer, why, ...) ((writer)->status = fail((writer)->error, why, __VA_ARGS__))
#define refuse(writer, ...)    stop(writer, ENGINE_ERROR_ARGUMENT, __VA_ARGS__)

/* Returns the bytes from the end of the written data to the next aligned offset. */
static size_t to_alignment(const struct weight_writer *writer)
{
    return (size_t)((TENSOR_ALIGN - writer->offset % TENSOR_ALIGN) % TENSOR_ALIGN);
}

/* ---- The file and its sections ---- */

static engine_status fail_memory(struct weight_writer *writer)
{
    return stop(writer, ENGINE_ERROR_MEMORY, "no memory to write the weight file");
}

/* Writes to the section started last. */
static engine_status emit(struct weight_writer *writer, const void *data, size_t len)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    if (len > INT64_MAX - writer->offset)
        return refuse(writer, "the weight file would be too large");
    writer->offset += len;
    if (writer->n_sections > 0) {
        struct section_record *section = &writer->sections[writer->n_sections - 1];
        section->crc = crc32c(section->crc, data, len);
        section->n_bytes += len;
    }
    return writer->status = output_file_write(writer->file, data, len);
}

static const uint8_t zeros[HEADER_BYTES];

/* Writes zero bytes up to the alignment, which belong to no section. */
static engine_status pad_between(struct weight_writer *writer)
{
    size_t len = to_alignment(writer);
    if (writer->status == ENGINE_OK && len > 0) {
        writer->offset += len;
        writer->status = output_file_write(writer->file, zeros, len);
    }
    return writer->status;
}

static void begin_section(struct weight_writer *writer, const char *tag, bool required)
{
    pad_between(writer);
    struct section_record *section = &writer->sections[writer->n_sections++];
    *section = (struct section_record){.required = required, .offset = writer->offset};
    memcpy(section->tag, tag, 4);
}

engine_status weight_writer_open(const char *path, struct weight_writer **out, engine_error *error)
{
    *out = NULL;
    struct weight_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        struct weight_writer none = {.error = error};
        return fail_memory(&none);
    }
    writer->error = error;
    writer->version = FORMAT_VERSION;
    writer->status = output_file_open(path, OUTPUT_REWRITES, &writer->file, writer->error);
    emit(writer, zeros, HEADER_BYTES);
    begin_section(writer, "DATA", true);
    engine_status status = writer->status;
    if (status != ENGINE_OK)
        weight_writer_abort(writer);
    else
        *out = writer;
    return status;
}

/* ---- Settings, vocabulary, sections ---- */

/* Appends len bytes of zeros and returns their address; NULL if there is no memory. */
static uint8_t *extend(struct bytes *bytes, size_t len)
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
    bytes->len += len;
    return memset(bytes->data + bytes->len - len, 0, len);
}

/* An entry is the lengths of key and value, then both, each with a NUL. */
engine_status weight_writer_setting(struct weight_writer *writer, engine_settings settings,
                                    const char *key, const char *value, size_t value_len)
{
    const size_t key_len = strlen(key);
    bool is_key = key_len > 0 && key_len <= UINT32_MAX;
    if (writer->status != ENGINE_OK)
        return writer->status;
    if ((size_t)settings >= N_SETTINGS)
        return refuse(writer, "no settings of kind %d", (int)settings);
    for (const char *c = key; *c != '\0'; c++)
        is_key = is_key && (unsigned char)*c <= 127;
    if (!is_key)
        return refuse(writer, "the key '%.100s' is not ASCII, or empty", key);
    if (value_len > UINT32_MAX || !utf8_valid(value, value_len))
        return refuse(writer, "the value of '%.100s' is not UTF-8", key);
    struct bytes *entries = &writer->settings[settings].entries;
    for (size_t at = 0; at < entries->len;) {
        const uint8_t *entry = entries->data + at;
        if (strcmp((const char *)entry + 8, key) == 0)
            return refuse(writer, "the key '%.100s' is set twice", key);
        at += 8 + (size_t)get_u32(entry) + 1 + (size_t)get_u32(entry + 4) + 1;
    }
    uint8_t *entry = extend(entries, 8 + key_len + 1 + value_len + 1);
    if (entry == NULL)
        return fail_memory(writer);
    put_u32(entry, (uint32_t)key_len);
    put_u32(entry + 4, (uint32_t)value_len);
    memcpy(entry + 8, key, key_len);
    if (value_len > 0)
        memcpy(entry + 8 + key_len + 1, value, value_len);
    writer->settings[settings].n++;
    return ENGINE_OK;
}

engine_status weight_writer_config(struct weight_writer *writer, const struct model_config *config)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    struct model_config complete = *config; /* by config_check */
    const char *wrong = config_check(&complete);
    if (wrong != NULL)
        return refuse(writer, "the model's settings: %s", wrong);
    char text[128];
    const char *key;
    for (size_t i = 0; (key = config_get(&complete, i, text, sizeof text)) != NULL; i++)
        if (config_is_written(&complete, i))
            weight_writer_setting(writer, ENGINE_SETTINGS_CONFIG, key, text, strlen(text));
    return writer->status;
}

engine_status weight_writer_vocabulary(struct weight_writer *writer, const char *const *texts,
                                       const size_t *lens, size_t n)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    if (writer->vocabulary.len > 0)
        return refuse(writer, "the vocabulary is given twice");
    size_t len = vocabulary_bytes(lens, n), bad_id = n;
    if (len == 0)
        return refuse(writer, "a vocabulary of %zu tokens does not fit into a weight file", n);
    uint8_t *section = extend(&writer->vocabulary, len);
    if (section == NULL)
        return fail_memory(writer);
    const char *wrong = vocabulary_build(section, len, texts, lens, n, &bad_id);
    if (wrong != NULL)
        return refuse(writer, "vocabulary, id %zu: %s", bad_id, wrong);
    return ENGINE_OK;
}

engine_status weight_writer_section(struct weight_writer *writer, const char *tag, const void *data,
                                    size_t len)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    if (writer->n_own_sections == MAX_OWN_SECTIONS)
        return refuse(writer, "more than %d tokenizer sections", MAX_OWN_SECTIONS);
    writer->own_sections[writer->n_own_sections++] = (struct own_section){tag, data, len};
    return ENGINE_OK;
}

engine_status weight_writer_check_tokenizer(struct weight_writer *writer)
{
    struct tokenizer tokenizer;
    const struct bytes *entries = &writer->settings[ENGINE_SETTINGS_TOKENIZER].entries;
    const char *wrong = NULL, *key = "tokenizer";
    tokenizer_defaults(&tokenizer, SIZE_MAX);
    for (size_t at = 0; at < entries->len && wrong == NULL;) {
        const uint32_t key_len = get_u32(entries->data + at), len = get_u32(entries->data + at + 4);
        key = (const char *)entries->data + at + 8;
        wrong = tokenizer_set(&tokenizer, key, key + key_len + 1, len);
        at += 8 + (size_t)key_len + 1 + len + 1;
    }
    if (writer->status != ENGINE_OK || wrong != NULL)
        return wrong != NULL ? refuse(writer, "tokenizer: %s: expected %s", key, wrong)
                             : writer->status;
    wrong = vocabulary_view(&tokenizer.vocabulary, writer->vocabulary.data, writer->vocabulary.len);
    for (size_t i = 0; i < writer->n_own_sections && wrong == NULL; i++) {
        const struct own_section *own = &writer->own_sections[i];
        wrong = tokenizer_view(&tokenizer, own->tag, own->data, own->len);
    }
    if (wrong == NULL) {
        struct arena tables = {0};
        do
            wrong = tokenizer_build(&tokenizer, SIZE_MAX, &tables);
        while (arena_allocate(&tables));
        wrong = tables.base != NULL ? wrong : "there is no memory";
        free(tables.base);
    }
    return wrong != NULL ? refuse(writer, "tokenizer: %s", wrong) : ENGINE_OK;
}

/* ---- Tensors: encoded and written 16 rows at a time ---- */

/* The tensor being written. */
#define current(writer) (&(writer)->tensors[(writer)->n_tensors - 1])

/* Refuses to continue while a tensor lacks rows. */
static engine_status check_whole(struct weight_writer *writer)
{
    if (writer->status == ENGINE_OK && writer->in_tensor)
        return refuse(writer, "tensor '%.100s' got %zu of its %zu rows", current(writer)->name,
                      writer->rows_done + writer->n_pending, current(writer)->rows);
    return writer->status;
}

/* Checks a tensor and appends its record, which owns a copy of the name. */
static engine_status add_record(struct weight_writer *writer, const struct tensor_record *tensor)
{
    const char *wrong = NULL;
    if (tensor->name[0] == '\0' || !utf8_valid(tensor->name, strlen(tensor->name)) ||
        strlen(tensor->name) > INT32_MAX)
        wrong = "its name is empty, too long or not UTF-8";
    else if (tensor->n_dims != 1 && tensor->n_dims != 2)
        wrong = "only 1 or 2 dimensions can be written";
    else if (tensor->n_dims == 1 &&
             (tensor->cols != 1 || tensor->layout != LAYOUT_ROWS || tensor->type != TENSOR_F32))
        wrong = "a vector has 1 column, the type f32 and the layout rows";
    else if (tensor->rows == 0 || tensor->cols == 0 || tensor->n_bytes == 0)
        wrong = "it is empty, too large, or of an unknown type or layout";
    for (size_t i = 0; wrong == NULL && i < writer->n_tensors; i++)
        if (strcmp(writer->tensors[i].name, tensor->name) == 0)
            wrong = "its name is already in use";
    if (wrong != NULL)
        return refuse(writer, "tensor '%.100s' [%zu, %zu]: %s", tensor->name, tensor->rows,
                      tensor->cols, wrong);
    if (writer->n_tensors == writer->cap_tensors) {
        size_t cap = writer->cap_tensors * 2 + 64;
        struct tensor_record *tensors = realloc(writer->tensors, cap * sizeof *tensors);
        if (tensors == NULL)
            return fail_memory(writer);
        writer->tensors = tensors;
        writer->cap_tensors = cap;
    }
    char *name = strdup(tensor->name);
    if (name == NULL)
        return fail_memory(writer);
    writer->tensors[writer->n_tensors] = *tensor;
    writer->tensors[writer->n_tensors++].name = name;
    return ENGINE_OK;
}

/* Frees the memory of the tensor being written. */
static void free_tensor(struct weight_writer *writer)
{
    free(writer->pending);
    free(writer->encoded);
    free(writer->scales);
    writer->pending = writer->scales = writer->factors = NULL;
    writer->kept_panels = NULL;
    writer->column_sums = NULL;
    writer->kept = NULL;
    writer->encoded = NULL;
}

/* Allocates the data after the elements; all factors are 1. */
static bool make_room_for_int8(struct weight_writer *writer, const struct tensor_record *tensor)
{
    size_t elements = tensor_scales_offset(tensor->layout, tensor->rows, tensor->cols);
    size_t n_scales = round_up(tensor->rows, PANEL);
    writer->scales = calloc(1, (size_t)tensor->n_bytes - elements);
    if (writer->scales == NULL || !tensor_has_factors(tensor->type))
        return writer->scales != NULL;
    uint32_t version = tensor_has_kept(tensor->type) ? FORMAT_VERSION_INT8K : FORMAT_VERSION_INT8A;
    writer->version = version > writer->version ? version : writer->version;
    writer->column_sums = (int32_t *)(void *)writer->scales + n_scales;
    writer->factors = writer->scales + 2 * n_scales;
    for (size_t k = 0; k < tensor->cols; k++)
        writer->factors[k] = 1;
    if (tensor_has_kept(tensor->type)) {
        float *numbers = writer->factors + round_up(tensor->cols, PANEL);
        writer->kept = (uint32_t *)(void *)numbers;
        writer->kept_panels = numbers + TENSOR_ALIGN / sizeof *numbers;
    }
    return true;
}

engine_status weight_writer_begin_tensor(struct weight_writer *writer, const char *name,
                                         enum tensor_type type, enum tensor_layout layout,
                                         size_t n_dims, size_t rows, size_t cols)
{
    const struct tensor_record tensor = {
        .name = (char *)(uintptr_t)name,
        .type = type,
        .layout = layout,
        .n_dims = n_dims,
        .rows = rows,
        .cols = cols,
        .offset = writer->offset,
        .n_bytes = tensor_bytes(type, layout, rows, cols),
    };
    if (check_whole(writer) != ENGINE_OK || add_record(writer, &tensor) != ENGINE_OK)
        return writer->status;
    size_t group_bytes = tensor_bytes(type, layout, PANEL, cols);
    writer->pending = calloc(cols, PANEL * sizeof(float));
    writer->encoded = group_bytes > 0 ? calloc(1, group_bytes) : NULL;
    if (writer->pending == NULL || writer->encoded == NULL ||
        (tensor_is_int8(type) && !make_room_for_int8(writer, &tensor)))
        return fail_memory(writer);
    writer->in_tensor = true;
    writer->rows_done = writer->n_pending = 0;
    return ENGINE_OK;
}

static engine_status emit_tensor(struct weight_writer *writer, const void *data, size_t len)
{
    current(writer)->crc = crc32c(current(writer)->crc, data, len);
    return emit(writer, data, len);
}

engine_status weight_writer_factors(struct weight_writer *writer, const float *factors)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    if (!writer->in_tensor || writer->factors == NULL || writer->rows_done + writer->n_pending > 0)
        return refuse(writer, "factors must precede the rows of a tensor with factors");
    size_t n_kept = 0;
    for (size_t k = 0; k < current(writer)->cols; k++)
        if (writer->kept != NULL && factors[k] == 0 && n_kept < KEPT)
            writer->kept[n_kept++] = (uint32_t)k;
        else if (!(factors[k] > 0 && isfinite(factors[k])))
            return refuse(writer, "tensor '%.100s', column %zu: its factor is %g",
                          current(writer)->name, k, (double)factors[k]);
    if (writer->kept != NULL && n_kept < KEPT)
        return refuse(writer, "tensor '%.100s' has %zu factors that are 0, expected %d",
                      current(writer)->name, n_kept, KEPT);
    memcpy(writer->factors, factors, current(writer)->cols * sizeof *factors);
    return ENGINE_OK;
}

/* Divides the pending rows by the factors of their columns. Finite numbers of kept columns are
 * moved to their panels and become 0. */
static void divide_pending(struct weight_writer *writer)
{
    size_t cols = current(writer)->cols, panel = writer->rows_done / PANEL;
    float *values = writer->pending;
    for (size_t n = 0; writer->kept != NULL && n < writer->n_pending; n++)
        for (size_t i = 0; i < KEPT; i++)
            writer->kept_panels[(panel * KEPT + i) * PANEL + n] =
                values[n * cols + writer->kept[i]];
    for (size_t i = 0; i < writer->n_pending * cols; i++) {
        float factor = writer->factors[i % cols];
        values[i] = factor != 0 ? values[i] / factor : values[i] * 0;
    }
}

/* Writes up to 16 rows. A number that the type cannot represent, and that would silently be read
 * back as another number, is refused. */
static engine_status write_pending(struct weight_writer *writer)
{
    const struct tensor_record *tensor = current(writer);
    const size_t cols = tensor->cols, count = writer->n_pending;
    const float least_too_large = tensor->type == TENSOR_F16 ? 65520.0f : INFINITY;
    const float *values = writer->pending;
    if (writer->factors != NULL)
        divide_pending(writer);
    for (size_t i = 0; tensor->type != TENSOR_F32 && i < count * cols; i++)
        if (!(fabsf(values[i]) < least_too_large))
            return refuse(
                writer, "tensor '%.100s', row %zu, column %zu (from 0): %g does not fit; take f32",
                tensor->name, writer->rows_done + i / cols, i % cols, (double)values[i]);
    float *scales = writer->scales != NULL ? writer->scales + writer->rows_done : NULL;
    bool in_pairs = tensor->type == TENSOR_INT8K;
    size_t len = matrix_encode(tensor->type, tensor->layout, values, count, cols, in_pairs,
                               writer->encoded, scales);
    if (writer->column_sums != NULL)
        panel_sums((const int8_t *)writer->encoded, cols, writer->column_sums + writer->rows_done);
    writer->rows_done += count;
    writer->n_pending = 0;
    return emit_tensor(writer, writer->encoded, len);
}

/* Writes the data after int8 elements, and zeros up to the alignment. */
static engine_status end_tensor(struct weight_writer *writer)
{
    struct tensor_record *tensor = current(writer);
    if (tensor_is_int8(tensor->type)) {
        size_t elements = (size_t)(writer->offset - tensor->offset);
        size_t scales = tensor_scales_offset(tensor->layout, tensor->rows, tensor->cols);
        emit_tensor(writer, zeros, scales - elements);
        emit_tensor(writer, writer->scales, (size_t)tensor->n_bytes - scales);
    }
    free_tensor(writer);
    writer->in_tensor = false;
    return emit(writer, zeros, to_alignment(writer));
}

engine_status weight_writer_rows(struct weight_writer *writer, const float *values, size_t n_rows)
{
    if (writer->status != ENGINE_OK || n_rows == 0)
        return writer->status;
    if (!writer->in_tensor)
        return refuse(writer, "rows outside a tensor, or too many for it");
    if (writer->kept != NULL && writer->kept[KEPT - 1] == 0)
        return refuse(writer, "tensor '%.100s' got rows before its factors", current(writer)->name);
    const struct tensor_record *tensor = current(writer);
    if (n_rows > tensor->rows - writer->rows_done - writer->n_pending)
        return refuse(writer, "tensor '%.100s' got more than its %zu rows", tensor->name,
                      tensor->rows);
    for (size_t i = 0; i < n_rows && writer->status == ENGINE_OK; i++) {
        memcpy(writer->pending + writer->n_pending++ * tensor->cols, values + i * tensor->cols,
               tensor->cols * sizeof *values);
        if (writer->n_pending == PANEL || writer->rows_done + writer->n_pending == tensor->rows)
            write_pending(writer);
    }
    if (writer->status == ENGINE_OK && writer->rows_done == tensor->rows)
        end_tensor(writer);
    return writer->status;
}

engine_status weight_writer_frequencies(struct weight_writer *writer, const float *frequencies,
                                        size_t n)
{
    if (n == 0)
        return writer->status;
    weight_writer_begin_tensor(writer, "position.frequencies", TENSOR_F32, LAYOUT_ROWS, 1, n, 1);
    return weight_writer_rows(writer, frequencies, n);
}

/* ---- The end of the file ---- */

static void write_settings(struct weight_writer *writer, engine_settings which, const char *tag,
                           bool required)
{
    const struct settings *settings = &writer->settings[which];
    uint8_t count[4];
    put_u32(count, settings->n);
    begin_section(writer, tag, required);
    emit(writer, count, sizeof count);
    emit(writer, settings->entries.data, settings->entries.len);
}

/* The entries of all tensors, then their names. */
static void write_directory(struct weight_writer *writer)
{
    struct bytes directory = {0};
    size_t name_at = 8 + writer->n_tensors * TENSOR_ENTRY_BYTES, len = name_at;
    begin_section(writer, "TENS", true);
    for (size_t i = 0; i < writer->n_tensors; i++)
        len += strlen(writer->tensors[i].name) + 1;
    uint8_t *section =
        writer->status == ENGINE_OK && len <= UINT32_MAX ? extend(&directory, len) : NULL;
    if (section == NULL) {
        if (writer->status == ENGINE_OK)
            fail_memory(writer);
        return;
    }
    put_u32(section, (uint32_t)writer->n_tensors);
    for (size_t i = 0; i < writer->n_tensors; i++) {
        const struct tensor_record *tensor = &writer->tensors[i];
        uint8_t *entry = section + 8 + i * TENSOR_ENTRY_BYTES;
        const size_t name_len = strlen(tensor->name);
        const uint32_t numbers[] = {(uint32_t)name_at,        (uint32_t)name_len,
                                    (uint32_t)tensor->type,   (uint32_t)tensor->layout,
                                    (uint32_t)tensor->n_dims, tensor->crc};
        const uint64_t sizes[] = {tensor->rows,   tensor->cols,   1, 1,
                                  tensor->offset, tensor->n_bytes};
        for (size_t k = 0; k < 6; k++) {
            put_u32(entry + 4 * k, numbers[k]);
            put_u64(entry + 24 + 8 * k, sizes[k]);
        }
        memcpy(section + name_at, tensor->name, name_len);
        name_at += name_len + 1;
    }
    emit(writer, directory.data, directory.len);
    free(directory.data);
}

/* The table and the header are in no section; they have checksums of their own. */
static void write_header(struct weight_writer *writer)
{
    uint8_t table[MAX_SECTIONS * SECTION_ENTRY_BYTES] = {0}, header[HEADER_BYTES] = {0};
    const size_t n = writer->n_sections, table_bytes = n * SECTION_ENTRY_BYTES;
    pad_between(writer);
    for (size_t i = 0; i < n; i++) {
        const struct section_record *section = &writer->sections[i];
        uint8_t *entry = table + i * SECTION_ENTRY_BYTES;
        memcpy(entry, section->tag, 4);
        put_u32(entry + 4, section->required);
        put_u64(entry + 8, section->offset);
        put_u64(entry + 16, section->n_bytes);
        put_u32(entry + 24, section->crc);
    }
    memcpy(header, FORMAT_MAGIC, sizeof FORMAT_MAGIC);
    put_u32(header + 8, writer->version);
    put_u32(header + 12, BYTE_ORDER_MARK);
    put_u32(header + 16, HEADER_BYTES);
    put_u32(header + 20, (uint32_t)n);
    put_u64(header + 24, writer->offset + table_bytes);
    put_u64(header + 32, writer->offset);
    put_u32(header + 40, crc32c(0, table, table_bytes));
    put_u32(header + 60, crc32c(0, header, HEADER_BYTES - 4));
    if (writer->status == ENGINE_OK)
        writer->status = output_file_write(writer->file, table, table_bytes);
    if (writer->status == ENGINE_OK)
        writer->status = output_file_rewrite(writer->file, 0, header, sizeof header);
}

engine_status weight_writer_finish(struct weight_writer *writer)
{
    check_whole(writer);
    if (writer->status == ENGINE_OK && writer->vocabulary.len == 0)
        weight_writer_vocabulary(writer, NULL, NULL, 0);
    write_settings(writer, ENGINE_SETTINGS_CONFIG, "CONF", true);
    write_settings(writer, ENGINE_SETTINGS_TOKENIZER, "TOKN", true);
    begin_section(writer, "VOCB", true);
    emit(writer, writer->vocabulary.data, writer->vocabulary.len);
    for (size_t i = 0; i < writer->n_own_sections; i++) {
        begin_section(writer, writer->own_sections[i].tag, true);
        emit(writer, writer->own_sections[i].data, writer->own_sections[i].len);
    }
    write_directory(writer);
    if (writer->settings[ENGINE_SETTINGS_METADATA].n > 0)
        write_settings(writer, ENGINE_SETTINGS_METADATA, "META", false);
    write_header(writer);
    if (writer->status == ENGINE_OK) {
        writer->status = output_file_finish(writer->file);
        writer->file = NULL;
    }
    engine_status status = writer->status;
    weight_writer_abort(writer);
    return status;
}

void weight_writer_abort(struct weight_writer *writer)
{
    if (writer == NULL)
        return;
    output_file_abort(writer->file);
    free_tensor(writer);
    for (size_t i = 0; i < N_SETTINGS; i++)
        free(writer->settings[i].entries.data);
    for (size_t i = 0; i < writer->n_tensors; i++)
        free(writer->tensors[i].name);
    free(writer->tensors);
    free(writer->vocabulary.data);
    free(writer);
}
