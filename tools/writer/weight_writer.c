/* weight_writer.c - writes weights/FORMAT.md from start to end: space for the header, DATA as the
 * tensors come, the other sections, the section table; last the header, without which the file is
 * invalid. In memory are 16 rows of one tensor, the data after its int8 elements, and the
 * directory.
 */
#include "tools/writer/weight_writer.h"

#include "engine/file/crc32c.h"
#include "model/tokenizer/pieces/merges.h"
#include "model/unicode/utf8.h"
#include "tools/writer/writer_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- The file and its sections ---- */

engine_status writer_fail_memory(struct weight_writer *writer)
{
    return stop(writer, ENGINE_ERROR_MEMORY, "no memory to write the weight file");
}

engine_status writer_emit(struct weight_writer *writer, const void *data, size_t len)
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
    size_t len = writer_to_alignment(writer);
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
        return writer_fail_memory(&none);
    }
    writer->error = error != NULL ? error : &writer->own;
    writer->version = FORMAT_VERSION;
    writer->status = output_file_open(path, OUTPUT_REWRITES, &writer->file, writer->error);
    writer_emit(writer, zeros, HEADER_BYTES);
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
        return writer_fail_memory(writer);
    return ENGINE_OK;
}

engine_status weight_writer_config(struct weight_writer *writer, const struct model_config *config)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    struct model_config whole = *config; /* as completed by config_check */
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
        return writer_fail_memory(writer);
    const char *wrong = vocabulary_build(section, len, texts, lens, n, &bad_id);
    if (wrong != NULL)
        return refuse(writer, "vocabulary, id %zu: %s", bad_id, wrong);
    return ENGINE_OK;
}

engine_status weight_writer_section(struct weight_writer *writer, const char tag[4],
                                    const void *data, size_t len)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    if (writer->n_own_sections == MAX_OWN_SECTIONS)
        return refuse(writer, "more than %d tokenizer sections", MAX_OWN_SECTIONS);
    struct own_section *section = &writer->own_sections[writer->n_own_sections];
    uint8_t *copy = bytes_extend(&section->bytes, len);
    if (copy == NULL)
        return writer_fail_memory(writer);
    memcpy(copy, data, len);
    memcpy(section->tag, tag, sizeof section->tag);
    writer->n_own_sections++;
    return ENGINE_OK;
}

const char *weight_writer_merges(const struct writer_merges *merges, void **section, size_t *len,
                                 size_t *bad)
{
    const struct merge_affixes affixes = {{merges->prefix, strlen(merges->prefix)},
                                          {merges->suffix, strlen(merges->suffix)}};
    const struct writer_merge *from = merges->merges;
    struct merge *in_order = calloc(merges->n + 1, sizeof *in_order);
    struct vocabulary vocabulary = {.n = 0};
    const size_t vocabulary_len = vocabulary_bytes(merges->lens, merges->n_texts);
    void *texts = vocabulary_len > 0 ? malloc(vocabulary_len) : NULL, *memory = NULL;
    *section = NULL;
    const char *wrong = texts == NULL ? "there is no memory"
                                      : vocabulary_build(texts, vocabulary_len, merges->texts,
                                                         merges->lens, merges->n_texts, bad);
    if (wrong == NULL)
        wrong = vocabulary_view(&vocabulary, texts, vocabulary_len);
    if (wrong == NULL) {
        *len = merges_bytes(merges->n, vocabulary.n);
        *section = *len > 0 ? malloc(*len) : NULL;
        memory = malloc(merges_build_bytes(&vocabulary) + 1);
        for (size_t i = 0; in_order != NULL && i < merges->n; i++)
            in_order[i] = (struct merge){from[i].left, from[i].right, 0, from[i].id};
        wrong = *section == NULL || memory == NULL || in_order == NULL
                    ? "there is no memory"
                    : merges_build(*section, *len, in_order, merges->n, &vocabulary, &affixes,
                                   memory, bad);
    }
    free(in_order);
    free(texts);
    free(memory);
    if (wrong != NULL)
        free(*section);
    return wrong;
}

/* ---- The end of the file ---- */

static void write_settings(struct weight_writer *writer, engine_settings which, const char *tag,
                           bool required)
{
    const struct settings *settings = &writer->settings[which];
    uint8_t count[4];
    put_u32(count, settings->n);
    begin_section(writer, tag, required);
    writer_emit(writer, count, sizeof count);
    writer_emit(writer, settings->entries.data, settings->entries.len);
}

static void write_directory(struct weight_writer *writer)
{
    struct bytes directory = {0};
    begin_section(writer, "TENS", true);
    if (writer->status == ENGINE_OK &&
        !directory_build(&directory, writer->tensors, writer->n_tensors))
        writer_fail_memory(writer);
    writer_emit(writer, directory.data, directory.len);
    free(directory.data);
}

/* The table and the header are in no section; they have checksums of their own. */
static void write_header(struct weight_writer *writer)
{
    uint8_t table[MAX_SECTIONS * SECTION_ENTRY_BYTES], header[HEADER_BYTES];
    pad_between(writer);
    section_table(writer->sections, writer->n_sections, table);
    file_header(writer->version, table, writer->n_sections, writer->offset, header);
    if (writer->status == ENGINE_OK)
        writer->status =
            output_file_write(writer->file, table, writer->n_sections * SECTION_ENTRY_BYTES);
    if (writer->status == ENGINE_OK)
        writer->status = output_file_rewrite(writer->file, 0, header, sizeof header);
}

engine_status weight_writer_finish(struct weight_writer *writer)
{
    writer_check_whole(writer);
    if (writer->status == ENGINE_OK && writer->vocabulary.len == 0)
        weight_writer_vocabulary(writer, NULL, NULL, 0);
    write_settings(writer, ENGINE_SETTINGS_CONFIG, "CONF", true);
    write_settings(writer, ENGINE_SETTINGS_TOKENIZER, "TOKN", true);
    begin_section(writer, "VOCB", true);
    writer_emit(writer, writer->vocabulary.data, writer->vocabulary.len);
    for (size_t i = 0; i < writer->n_own_sections; i++) {
        begin_section(writer, writer->own_sections[i].tag, true);
        writer_emit(writer, writer->own_sections[i].bytes.data, writer->own_sections[i].bytes.len);
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
    writer_free_tensor(writer);
    for (size_t i = 0; i < N_SETTINGS; i++)
        free(writer->settings[i].entries.data);
    for (size_t i = 0; i < writer->n_tensors; i++)
        free(writer->tensors[i].name);
    free(writer->tensors);
    free(writer->vocabulary.data);
    for (size_t i = 0; i < MAX_OWN_SECTIONS; i++)
        free(writer->own_sections[i].bytes.data);
    free(writer);
}
