/* inspect_file.c - what a weight file holds, through the public interface alone. Each part has one
 * function, which shows it in both forms.
 *
 * Names and values come from the file: in text control characters are escaped, in JSON what is not
 * UTF-8 is U+FFFD.
 */
#include "tools/inspect/inspect_file.h"

#include "tools/common/display.h"
#include "tools/common/json_writer.h"
#include "tools/common/model_setting.h"
#include "tools/common/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KEY_COLUMNS = 18, VALUE_COLUMNS = 400, NAME_COLUMNS = 60, TENSOR_TYPES_MOST = 8 };

struct inspection {
    const char *path;
    const engine_model *model;
    engine_info info;
    struct json_writer *json; /* NULL: text */
};

/* ---- Head ---- */

/* The format's version stands in bytes 8 to 11; that it is one the library reads has been
 * checked. */
static uint32_t read_version(const char *path)
{
    unsigned char header[12] = {0};
    FILE *file = fopen(path, "rb");
    size_t n = file != NULL ? fread(header, 1, sizeof header, file) : 0;
    if (file != NULL)
        fclose(file);
    return n < sizeof header ? 0
                             : header[8] | (uint32_t)header[9] << 8 | (uint32_t)header[10] << 16 |
                                   (uint32_t)header[11] << 24;
}

static void show_head(const struct inspection *inspection)
{
    const engine_info *info = &inspection->info;
    uint32_t version = read_version(inspection->path);
    if (inspection->json != NULL) {
        json_write_text(inspection->json, "file", inspection->path);
        json_write_count(inspection->json, "version", version);
        json_write_count(inspection->json, "bytes", info->file_bytes);
        return;
    }
    display_text(stdout, inspection->path, strlen(inspection->path), VALUE_COLUMNS);
    if (info->name[0] != '\0') {
        fputs(": ", stdout);
        display_text(stdout, info->name, strlen(info->name), VALUE_COLUMNS);
    }
    printf("\nweight file, version %" PRIu32 ", little-endian, %" PRIu64 " bytes\n", version,
           info->file_bytes);
}

/* ---- Sections ---- */

static void show_section(struct json_writer *json, const engine_section_info *section)
{
    char crc[16];
    snprintf(crc, sizeof crc, "%08" PRIX32, section->crc32c);
    if (json != NULL) {
        json_begin_object(json, NULL);
        json_write_text(json, "tag", section->tag);
        json_write_truth(json, "required", section->required);
        json_write_count(json, "offset", section->offset);
        json_write_count(json, "bytes", section->n_bytes);
        json_write_text(json, "crc32c", crc);
        json_end_object(json);
        return;
    }
    fputs("  ", stdout);
    display_cell(stdout, section->tag, strlen(section->tag), 4);
    printf("  %-8s  %12" PRIu64 "  %12" PRIu64 "  %s\n", section->required ? "yes" : "no",
           section->offset, section->n_bytes, crc);
}

static void show_sections(const struct inspection *inspection)
{
    engine_section_info section;
    if (inspection->json != NULL)
        json_begin_array(inspection->json, "sections");
    else
        printf("\nsections\n  tag   required        offset         bytes  crc32c\n");
    for (size_t i = 0; engine_model_section(inspection->model, i, &section) == ENGINE_OK; i++)
        show_section(inspection->json, &section);
    if (inspection->json != NULL)
        json_end_array(inspection->json);
}

/* ---- Settings ---- */

/* Ids that have a text. */
static size_t count_texts(const struct inspection *inspection)
{
    const char *text;
    size_t len, n = 0;
    for (size_t id = 0; id < inspection->info.n_vocabulary; id++)
        n += engine_token_text(inspection->model, (int32_t)id, &text, &len) == ENGINE_OK;
    return n;
}

/* A value in quotes where a blank or nothing would not be seen. */
static void print_setting(const char *key, const char *value, size_t len)
{
    const char *quote = len == 0 || value[0] == ' ' || value[len - 1] == ' ' ? "\"" : "";
    size_t columns = display_width(key, strlen(key), NAME_COLUMNS);
    fputs("  ", stdout);
    display_cell(stdout, key, strlen(key), columns > KEY_COLUMNS ? columns : KEY_COLUMNS);
    printf("  %s", quote);
    display_text(stdout, value, len, VALUE_COLUMNS);
    printf("%s\n", quote);
}

/* In text: what the file leaves to the format, or says in another section. */
static void print_more(const struct inspection *inspection, engine_settings settings)
{
    const engine_info *info = &inspection->info;
    if (settings == ENGINE_SETTINGS_CONFIG && info->head == ENGINE_HEAD_SEQUENCE &&
        model_setting(inspection->model, ENGINE_SETTINGS_CONFIG, "head_pooling") == NULL)
        printf("  %-*s  cls (the default: the file does not say)\n", KEY_COLUMNS, "head_pooling");
    if (settings == ENGINE_SETTINGS_TOKENIZER)
        printf("  %-*s  %zu id%s, %zu with a text\n", KEY_COLUMNS, "(vocabulary)",
               info->n_vocabulary, plural(info->n_vocabulary), count_texts(inspection));
}

static void show_settings(const struct inspection *inspection, const char *name,
                          engine_settings settings)
{
    struct json_writer *json = inspection->json;
    const char *key, *value;
    size_t len, i = 0;
    if (json != NULL)
        json_begin_object(json, name);
    else
        printf("\n%s\n", name);
    for (; engine_model_setting(inspection->model, settings, i, &key, &value, &len) == ENGINE_OK;
         i++)
        if (json != NULL)
            json_write_string(json, key, value, len);
        else
            print_setting(key, value, len);
    if (json != NULL) {
        json_end_object(json);
        return;
    }
    print_more(inspection, settings);
    if (i == 0)
        printf("  (none)\n");
}

/* ---- Tensors ---- */

static size_t name_columns(const struct inspection *inspection)
{
    engine_tensor_info tensor;
    size_t columns = strlen("name");
    for (size_t i = 0; engine_model_tensor(inspection->model, i, &tensor) == ENGINE_OK; i++) {
        size_t width = display_width(tensor.name, strlen(tensor.name), NAME_COLUMNS);
        columns = width > columns ? width : columns;
    }
    return columns;
}

static void write_tensor(struct json_writer *json, const engine_tensor_info *tensor)
{
    json_begin_object(json, NULL);
    json_write_text(json, "name", tensor->name);
    json_write_text(json, "type", tensor->type);
    json_write_text(json, "layout", tensor->layout);
    json_begin_array(json, "shape");
    for (size_t d = 0; d < tensor->n_dims && d < 4; d++)
        json_write_count(json, NULL, tensor->shape[d]);
    json_end_array(json);
    json_write_count(json, "offset", tensor->offset);
    json_write_count(json, "bytes", tensor->n_bytes);
    json_end_object(json);
}

static void print_tensor(const engine_tensor_info *tensor, size_t columns)
{
    char shape[96] = "";
    for (size_t d = 0, used = 0; d < tensor->n_dims && d < 4; d++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%" PRIu64,
                                 d == 0 ? "[" : ", ", tensor->shape[d]);
    fputs("  ", stdout);
    display_cell(stdout, tensor->name, strlen(tensor->name), columns);
    printf("  %-4s  %-6s  %-16s  %12" PRIu64 "  %12" PRIu64 "\n", tensor->type, tensor->layout,
           strcat(shape, "]"), tensor->offset, tensor->n_bytes);
}

static void show_tensors(const struct inspection *inspection)
{
    engine_tensor_info tensor;
    size_t columns = name_columns(inspection);
    if (inspection->json != NULL)
        json_begin_array(inspection->json, "tensors");
    else
        printf("\ntensors\n  %-*s  type  layout  %-16s        offset         bytes\n", (int)columns,
               "name", "shape");
    for (size_t i = 0; engine_model_tensor(inspection->model, i, &tensor) == ENGINE_OK; i++)
        if (inspection->json != NULL)
            write_tensor(inspection->json, &tensor);
        else
            print_tensor(&tensor, columns);
    if (inspection->json != NULL)
        json_end_array(inspection->json);
}

/* ---- Totals ---- */

struct total {
    const char *type; /* "f32" */
    uint64_t n_tensors, n_parameters, n_bytes;
};

/* Of each type of elements, in the order in which they are met; returns how many types. */
static size_t add_up(const engine_model *model, struct total totals[TENSOR_TYPES_MOST])
{
    engine_tensor_info tensor;
    size_t n = 0;
    for (size_t i = 0; engine_model_tensor(model, i, &tensor) == ENGINE_OK; i++) {
        uint64_t n_parameters = 1;
        size_t t = 0;
        for (size_t d = 0; d < tensor.n_dims; d++)
            n_parameters *= tensor.shape[d];
        while (t < n && strcmp(totals[t].type, tensor.type) != 0)
            t++;
        if (t == TENSOR_TYPES_MOST)
            continue;
        if (t == n)
            totals[n++] = (struct total){.type = tensor.type};
        totals[t].n_tensors++;
        totals[t].n_parameters += n_parameters;
        totals[t].n_bytes += tensor.n_bytes;
    }
    return n;
}

static void write_totals(struct json_writer *json, const struct total *totals, size_t n)
{
    json_begin_object(json, "types");
    for (size_t i = 0; i < n; i++) {
        json_begin_object(json, totals[i].type);
        json_write_count(json, "tensors", totals[i].n_tensors);
        json_write_count(json, "parameters", totals[i].n_parameters);
        json_write_count(json, "bytes", totals[i].n_bytes);
        json_end_object(json);
    }
    json_end_object(json);
}

static void print_totals(const struct total *totals, size_t n)
{
    struct total all = {.type = "all"};
    printf("\ntotals\n  type   tensors    parameters         bytes\n");
    for (size_t i = 0; i <= n; i++) {
        const struct total *total = i < n ? &totals[i] : &all;
        printf("  %-4s  %8" PRIu64 "  %12" PRIu64 "  %12" PRIu64 "\n", total->type,
               total->n_tensors, total->n_parameters, total->n_bytes);
        all.n_tensors += total->n_tensors;
        all.n_parameters += total->n_parameters;
        all.n_bytes += total->n_bytes;
    }
}

/* ---- All of it ---- */

static void show(const struct inspection *inspection)
{
    struct total totals[TENSOR_TYPES_MOST];
    size_t n_totals = add_up(inspection->model, totals);
    show_head(inspection);
    show_sections(inspection);
    show_settings(inspection, "config", ENGINE_SETTINGS_CONFIG);
    show_settings(inspection, "tokenizer", ENGINE_SETTINGS_TOKENIZER);
    show_settings(inspection, "metadata", ENGINE_SETTINGS_METADATA);
    if (inspection->json != NULL)
        json_write_count(inspection->json, "tokens", count_texts(inspection));
    show_tensors(inspection);
    if (inspection->json != NULL) {
        json_write_count(inspection->json, "parameters", inspection->info.n_parameters);
        write_totals(inspection->json, totals, n_totals);
    } else {
        print_totals(totals, n_totals);
    }
}

static int inspect(struct inspection *inspection, bool verify)
{
    struct json_writer *json = inspection->json;
    engine_error error = {ENGINE_OK, ""};
    if (engine_model_info(inspection->model, &inspection->info) != ENGINE_OK)
        return program_fail("'%s': cannot be described", inspection->path);
    bool is_sound = !verify || engine_model_verify(inspection->model, &error) == ENGINE_OK;
    if (json != NULL)
        json_begin_object(json, NULL);
    show(inspection);
    if (json == NULL && verify)
        printf("\nchecksums: %s\n",
               is_sound ? "every section and tensor agrees" : "the file is damaged");
    if (json != NULL && verify)
        json_write_truth(json, "verified", is_sound);
    else if (json != NULL)
        json_write_null(json, "verified");
    if (json != NULL)
        json_end_object(json);
    return is_sound ? PROGRAM_DONE : program_fail("'%s': %s", inspection->path, error.message);
}

int inspect_file(const char *path, bool is_json, bool verify)
{
    struct json_writer json = {.stream = stdout, .indent = 2};
    struct inspection inspection = {
        .path = path,
        .info = {.struct_bytes = sizeof(engine_info)},
        .json = is_json ? &json : NULL,
    };
    engine_model *model;
    engine_error error;
    if (engine_model_open(path, NULL, &model, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    inspection.model = model;
    int code = inspect(&inspection, verify);
    engine_model_close(model);
    return code;
}
