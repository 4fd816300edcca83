/* weight_writer.c - writes weights/FORMAT.md, version 1, from front to back: room for the header,
 * DATA as the tensors come, the other sections, the section table; the header, without which the
 * file is nothing, last. In memory are 16 rows of one tensor, its int8 scales, and the directory.
 */
#include "engine/file/weight_writer.h"

#include "engine/file/crc32c.h"
#include "engine/file/format.h"
#include "engine/file/output_file.h"
#include "engine/file/weight_sections.h"
#include "engine/status.h"
#include "model/tokenizer/vocabulary.h"
#include "model/unicode/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SECTIONS = 6, N_SETTINGS = 3 };

struct weight_writer {
    struct output_file *file;
    uint64_t offset; /* end of what was written */
    engine_status status;
    engine_error own, *error;

    struct settings settings[N_SETTINGS];
    struct bytes vocabulary;

    struct section_record sections[MAX_SECTIONS];
    size_t n_sections;

    struct tensor_record *tensors;
    size_t n_tensors, cap_tensors;

    /* The tensor that is being written. */
    bool in_tensor;
    size_t rows_done, n_pending;
    float *pending; /* [16, cols]: rows that do not fill a group yet */
    uint8_t *encoded;
    float *scales; /* int8: [rows rounded up to 16] */
};

/* The first failure stays. */
#define stop(writer, why, ...) ((writer)->status = fail((writer)->error, why, __VA_ARGS__))
#define refuse(writer, ...)    stop(writer, ENGINE_ERROR_ARGUMENT, __VA_ARGS__)

static engine_status fail_memory(struct weight_writer *writer)
{
    return stop(writer, ENGINE_ERROR_MEMORY, "no memory to write the weight file");
}

/* ---- The file and its sections ---- */

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

static uint64_t to_alignment(uint64_t offset)
{
    return (TENSOR_ALIGN - offset % TENSOR_ALIGN) % TENSOR_ALIGN;
}

static const uint8_t zeros[HEADER_BYTES];

/* Zero bytes up to the alignment, which belong to no section. */
static engine_status pad_between(struct weight_writer *writer)
{
    size_t len = (size_t)to_alignment(writer->offset);
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
        struct weight_writer none = {.error = error != NULL ? error : &none.own};
        return fail_memory(&none);
    }
    writer->error = error != NULL ? error : &writer->own;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        stop(writer, ENGINE_ERROR_UNSUPPORTED, "only little-endian machines write weight files");
    else
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

/* ---- Settings and vocabulary ---- */

static bool is_key(const char *key)
{
    for (const char *c = key; *c != '\0'; c++)
        if ((unsigned char)*c > 127)
            return false;
    return *key != '\0';
}

engine_status weight_writer_setting(struct weight_writer *writer, engine_settings settings,
                                    const char *key, const char *value, size_t value_len)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    if ((size_t)settings >= N_SETTINGS)
        return refuse(writer, "no settings of kind %d", (int)settings);
    if (!is_key(key) || strlen(key) > UINT32_MAX)
        return refuse(writer, "the key '%.100s' is not ASCII, or empty", key);
    if (value_len > UINT32_MAX || !utf8_valid(value, value_len))
        return refuse(writer, "the value of '%.100s' is not UTF-8", key);
    if (settings_has(&writer->settings[settings], key))
        return refuse(writer, "the key '%.100s' is set twice", key);

    if (!settings_add(&writer->settings[settings], key, value, value_len))
        return fail_memory(writer);
    return ENGINE_OK;
}

engine_status weight_writer_config(struct weight_writer *writer, const struct model_config *config)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    struct model_config whole = *config; /* with what config_check fills in */
    const char *wrong = config_check(&whole);
    if (wrong != NULL)
        return refuse(writer, "the model's settings: %s", wrong);
    char text[64];
    const char *key;
    for (size_t i = 0; (key = config_get(&whole, i, text, sizeof text)) != NULL; i++)
        if (config_is_written(&whole, i))
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
    uint8_t *section = bytes_extend(&writer->vocabulary, len);
    if (section == NULL)
        return fail_memory(writer);
    const char *wrong = vocabulary_build(section, len, texts, lens, n, &bad_id);
    if (wrong != NULL)
        return refuse(writer, "vocabulary, id %zu: %s", bad_id, wrong);
    return ENGINE_OK;
}

/* ---- Tensors ---- */

static struct tensor_record *current(struct weight_writer *writer)
{
    return &writer->tensors[writer->n_tensors - 1];
}

static engine_status check_whole(struct weight_writer *writer)
{
    if (writer->status == ENGINE_OK && writer->in_tensor)
        return refuse(writer, "tensor '%.100s' got %zu of its %zu rows", current(writer)->name,
                      writer->rows_done + writer->n_pending, current(writer)->rows);
    return writer->status;
}

static engine_status check_tensor(struct weight_writer *writer, const struct tensor_record *tensor)
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
            wrong = "there is one of that name already";
    if (wrong != NULL)
        return refuse(writer, "tensor '%.100s' [%zu, %zu]: %s", tensor->name, tensor->rows,
                      tensor->cols, wrong);
    return ENGINE_OK;
}

static engine_status add_record(struct weight_writer *writer, const struct tensor_record *tensor)
{
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

static void free_buffers(struct weight_writer *writer)
{
    free(writer->pending);
    free(writer->encoded);
    free(writer->scales);
    writer->pending = writer->scales = NULL;
    writer->encoded = NULL;
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
    if (check_whole(writer) != ENGINE_OK || check_tensor(writer, &tensor) != ENGINE_OK ||
        add_record(writer, &tensor) != ENGINE_OK)
        return writer->status;
    size_t group_bytes = tensor_bytes(type, layout, PANEL, cols);
    writer->pending = calloc(cols, PANEL * sizeof(float));
    writer->encoded = group_bytes > 0 ? calloc(1, group_bytes) : NULL;
    if (type == TENSOR_INT8)
        writer->scales = calloc(rows / PANEL + 1, PANEL * sizeof(float));
    if (writer->pending == NULL || writer->encoded == NULL ||
        (type == TENSOR_INT8 && writer->scales == NULL))
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

/* A number that its type cannot hold would come back as another one, silently. */
static engine_status check_values(struct weight_writer *writer, const float *values, size_t n)
{
    const struct tensor_record *tensor = current(writer);
    const float least_too_large = tensor->type == TENSOR_F16 ? 65520.0f : INFINITY;
    for (size_t i = 0; tensor->type != TENSOR_F32 && i < n; i++)
        if (!(fabsf(values[i]) < least_too_large))
            return refuse(
                writer, "tensor '%.100s', row %zu, column %zu: %g does not fit its type; take f32",
                tensor->name, writer->rows_done + i / tensor->cols, i % tensor->cols,
                (double)values[i]);
    return ENGINE_OK;
}

static engine_status write_group(struct weight_writer *writer, const float *values, size_t count)
{
    const struct tensor_record *tensor = current(writer);
    if (check_values(writer, values, count * tensor->cols) != ENGINE_OK)
        return writer->status;
    float *scales = writer->scales != NULL ? writer->scales + writer->rows_done : NULL;
    size_t len = matrix_encode(tensor->type, tensor->layout, values, count, tensor->cols,
                               writer->encoded, scales);
    writer->rows_done += count;
    return emit_tensor(writer, writer->encoded, len);
}

static engine_status end_tensor(struct weight_writer *writer)
{
    struct tensor_record *tensor = current(writer);
    if (tensor->type == TENSOR_INT8) {
        size_t n_scales = tensor->rows;
        if (tensor->layout == LAYOUT_PANELS)
            n_scales = (tensor->rows + PANEL - 1) / PANEL * PANEL;
        size_t elements = (size_t)(writer->offset - tensor->offset);
        emit_tensor(writer, zeros,
                    tensor_scales_offset(tensor->layout, tensor->rows, tensor->cols) - elements);
        emit_tensor(writer, writer->scales, n_scales * sizeof *writer->scales);
    }
    if (writer->status == ENGINE_OK && writer->offset - tensor->offset != tensor->n_bytes)
        return stop(writer, ENGINE_ERROR_INTERNAL, "tensor '%.100s' has an unexpected length",
                    tensor->name);
    free_buffers(writer);
    writer->in_tensor = false;
    return emit(writer, zeros, (size_t)to_alignment(writer->offset));
}

engine_status weight_writer_rows(struct weight_writer *writer, const float *values, size_t n_rows)
{
    if (writer->status != ENGINE_OK || n_rows == 0)
        return writer->status;
    if (!writer->in_tensor)
        return refuse(writer, "rows outside a tensor, or too many for it");
    const struct tensor_record *tensor = current(writer);
    if (n_rows > tensor->rows - writer->rows_done - writer->n_pending)
        return refuse(writer, "tensor '%.100s' got more than its %zu rows", tensor->name,
                      tensor->rows);
    while (n_rows > 0 && writer->status == ENGINE_OK) {
        size_t left = tensor->rows - writer->rows_done;
        size_t group = left < PANEL ? left : PANEL;
        size_t count = group - writer->n_pending < n_rows ? group - writer->n_pending : n_rows;
        if (count == group) {
            write_group(writer, values, group);
        } else {
            memcpy(writer->pending + writer->n_pending * tensor->cols, values,
                   count * tensor->cols * sizeof *values);
            writer->n_pending += count;
            if (writer->n_pending == group) {
                writer->n_pending = 0;
                write_group(writer, writer->pending, group);
            }
        }
        values += count * tensor->cols;
        n_rows -= count;
    }
    if (writer->status == ENGINE_OK && writer->rows_done == tensor->rows)
        end_tensor(writer);
    return writer->status;
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

static void write_directory(struct weight_writer *writer)
{
    struct bytes directory = {0};
    begin_section(writer, "TENS", true);
    if (writer->status == ENGINE_OK &&
        !directory_build(&directory, writer->tensors, writer->n_tensors))
        fail_memory(writer);
    emit(writer, directory.data, directory.len);
    free(directory.data);
}

/* The table and the header are in no section; they have checksums of their own. */
static void write_header(struct weight_writer *writer)
{
    uint8_t table[MAX_SECTIONS * SECTION_ENTRY_BYTES], header[HEADER_BYTES];
    pad_between(writer);
    section_table(writer->sections, writer->n_sections, table);
    file_header(table, writer->n_sections, writer->offset, header);
    if (writer->status == ENGINE_OK)
        writer->status =
            output_file_write(writer->file, table, writer->n_sections * SECTION_ENTRY_BYTES);
    if (writer->status == ENGINE_OK)
        writer->status = output_file_rewrite(writer->file, 0, header, sizeof header);
}

engine_status weight_writer_frequencies(struct weight_writer *writer, const float *frequencies,
                                        size_t n)
{
    if (n == 0)
        return writer->status;
    weight_writer_begin_tensor(writer, "position.frequencies", TENSOR_F32, LAYOUT_ROWS, 1, n, 1);
    return weight_writer_rows(writer, frequencies, n);
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
    free_buffers(writer);
    for (size_t i = 0; i < N_SETTINGS; i++)
        free(writer->settings[i].entries.data);
    for (size_t i = 0; i < writer->n_tensors; i++)
        free(writer->tensors[i].name);
    free(writer->tensors);
    free(writer->vocabulary.data);
    free(writer);
}
