/* weight_writer.c - writes weights/FORMAT.md from start to end: space for the header, DATA as the
 * tensors come, the other sections, the section table; last the header, without which the file is
 * invalid. In memory are 16 rows of one tensor, the data after its int8 elements, and the
 * directory. */
#include "tools/writer/weight_writer.h"

#include "engine/file/crc32c.h"
#include "model/tokenizer/tokenizer.h"
#include "model/unicode/unicode.h"
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
        return writer_fail_memory(writer);
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
    char text[64];
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
    uint8_t *copy = extend(&section->bytes, len);
    if (copy == NULL)
        return writer_fail_memory(writer);
    memcpy(copy, data, len);
    memcpy(section->tag, tag, sizeof section->tag);
    writer->n_own_sections++;
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
        const char tag[] = {own->tag[0], own->tag[1], own->tag[2], own->tag[3], '\0'};
        wrong = tokenizer_view(&tokenizer, tag, own->bytes.data, own->bytes.len);
    }
    wrong = wrong != NULL ? wrong : tokenizer_check(&tokenizer, SIZE_MAX);
    void *tables = wrong == NULL ? malloc(tokenizer_table_bytes(&tokenizer) + 1) : NULL;
    if (wrong == NULL)
        wrong = tables != NULL ? tokenizer_build(&tokenizer, tables) : "there is no memory";
    free(tables);
    return wrong != NULL ? refuse(writer, "tokenizer: %s", wrong) : ENGINE_OK;
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
            writer_fail_memory(writer);
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
    writer_emit(writer, directory.data, directory.len);
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
