/* inspect_file.c - prints the contents of a weight file, by the public interface alone.
 *
 * Names and values come from the file: in text control characters are escaped, in JSON invalid
 * UTF-8 becomes U+FFFD.
 */
#include "tools/inspect/inspect_options.h"

#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"
#include "tools/common/print/rows.h"
#include "tools/common/texts/request_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KEY_COLUMNS = 18, VALUE_COLUMNS = 400, NAME_COLUMNS = 60, TENSOR_TYPES_MOST = 8 };

/* Of all tensors whose elements are of one type. */
struct total {
    const char *type; /* "f32" */
    uint64_t n_tensors, n_parameters, n_bytes;
};

struct inspection {
    const char *path;
    const engine_model *model;
    engine_info info;
    uint32_t version;
    size_t n_texts; /* ids that have a text */
    struct total totals[TENSOR_TYPES_MOST];
    size_t n_totals;
    bool is_verified, is_sound; /* the checksums were compared; they agree */
};

static const char *const SETTINGS[] = {"config", "tokenizer", "metadata"}; /* by engine_settings */

/* ---- Contents that are counted ---- */

/* Reads the format's version, which the library has checked, from bytes 8 to 11 of the file. */
static uint32_t read_version(const char *path)
{
    uint32_t header[3]; /* little-endian, as the library's machines are */
    FILE *file = fopen(path, "rb");
    if (file == NULL || fread(header, sizeof header, 1, file) != 1)
        program_die("'%s' cannot be read again: %s", path,
                    strerror(file != NULL && !ferror(file) ? EIO : errno)); /* it was cut off */
    fclose(file);
    return header[2];
}

/* Counts the ids that have a text, and adds up the tensors of each type. */
static void count(struct inspection *inspection)
{
    const char *text;
    size_t len;
    engine_tensor_info tensor;
    for (size_t id = 0; id < inspection->info.n_vocabulary; id++)
        inspection->n_texts +=
            engine_token_text(inspection->model, (int32_t)id, &text, &len) == ENGINE_OK;
    for (size_t i = 0; engine_model_tensor(inspection->model, i, &tensor) == ENGINE_OK; i++) {
        struct total *total = inspection->totals, *end = total + inspection->n_totals;
        uint64_t n_parameters = 1;
        for (size_t d = 0; d < tensor.n_dims; d++)
            n_parameters *= tensor.shape[d];
        while (total < end && strcmp(total->type, tensor.type) != 0)
            total++;
        if (total == inspection->totals + TENSOR_TYPES_MOST)
            continue;
        if (total == end)
            inspection->totals[inspection->n_totals++].type = tensor.type;
        total->n_tensors++;
        total->n_parameters += n_parameters;
        total->n_bytes += tensor.n_bytes;
    }
}

/* ---- Rows, of both formats ---- */

static void show_sections(struct rows *rows, const engine_model *model)
{
    engine_section_info section;
    char crc[16];
    rows_begin(rows, "sections", "\ttag \trequired\t      offset\t       bytes\tcrc32c");
    for (size_t i = 0; engine_model_section(model, i, &section) == ENGINE_OK; i++) {
        const char *required = section.required ? "yes" : "no";
        snprintf(crc, sizeof crc, "%08" PRIX32, section.crc32c);
        row_begin(rows);
        row_text(rows, ROWS_TABLE, "", "", 0, 0);
        row_text(rows, ROWS_ALL, "tag", section.tag, strlen(section.tag), 4);
        row_text(rows, ROWS_TABLE, "required", required, strlen(required), 3);
        if (rows->format == ROWS_JSON)
            json_write_truth(&rows->json, "required", section.required);
        row_integer(rows, ROWS_ALL, "offset", (int64_t)section.offset);
        row_integer(rows, ROWS_ALL, "bytes", (int64_t)section.n_bytes);
        row_text(rows, ROWS_ALL, "crc32c", crc, strlen(crc), sizeof crc);
        row_end(rows);
    }
    rows_end(rows, "<<<>><");
}

/* "[384, 128]" */
static void show_shape(struct rows *rows, const engine_tensor_info *tensor)
{
    char shape[96] = "[";
    if (rows->format == ROWS_JSON)
        json_begin_array(&rows->json, "shape");
    for (size_t d = 0, len = 1; d < tensor->n_dims; d++) {
        const char *end = d + 1 < tensor->n_dims ? ", " : "]";
        len += (size_t)snprintf(shape + len, sizeof shape - len, "%" PRIu64 "%s", tensor->shape[d],
                                end);
        if (rows->format == ROWS_JSON)
            json_write_count(&rows->json, NULL, tensor->shape[d]);
    }
    if (rows->format == ROWS_JSON)
        json_end_array(&rows->json);
    row_text(rows, ROWS_TABLE, "shape", shape, strlen(shape), sizeof shape);
}

static void show_tensors(struct rows *rows, const engine_model *model)
{
    engine_tensor_info tensor;
    rows_begin(rows, "tensors",
               "\tname\ttype  \tlayout\tshape           \t      offset\t       bytes");
    for (size_t i = 0; engine_model_tensor(model, i, &tensor) == ENGINE_OK; i++) {
        row_begin(rows);
        row_text(rows, ROWS_TABLE, "", "", 0, 0);
        row_text(rows, ROWS_ALL, "name", tensor.name, strlen(tensor.name), NAME_COLUMNS);
        row_text(rows, ROWS_ALL, "type", tensor.type, strlen(tensor.type), NAME_COLUMNS);
        row_text(rows, ROWS_ALL, "layout", tensor.layout, strlen(tensor.layout), NAME_COLUMNS);
        show_shape(rows, &tensor);
        row_integer(rows, ROWS_ALL, "offset", (int64_t)tensor.offset);
        row_integer(rows, ROWS_ALL, "bytes", (int64_t)tensor.n_bytes);
        row_end(rows);
    }
    rows_end(rows, "<<<<<>>");
}

/* ---- JSON ---- */

static void write_settings_object(struct json_writer *json, const engine_model *model,
                                  engine_settings settings)
{
    const char *key, *value;
    size_t len;
    json_begin_object(json, SETTINGS[settings]);
    for (size_t i = 0; engine_model_setting(model, settings, i, &key, &value, &len) == ENGINE_OK;
         i++)
        json_write_string(json, key, value, len);
    json_end_object(json);
}

static void write_json(const struct inspection *inspection, struct rows *rows)
{
    struct json_writer *json = &rows->json;
    const engine_model *model = inspection->model;
    json->indent = 2;
    json_begin_object(json, NULL);
    json_write_text(json, "file", inspection->path);
    json_write_count(json, "version", inspection->version);
    json_write_count(json, "bytes", inspection->info.file_bytes);
    show_sections(rows, model);
    for (int i = 0; i < 3; i++)
        write_settings_object(json, model, (engine_settings)i);
    json_write_count(json, "tokens", inspection->n_texts);
    show_tensors(rows, model);
    json_write_count(json, "parameters", inspection->info.n_parameters);
    json_begin_object(json, "types");
    for (size_t i = 0; i < inspection->n_totals; i++) {
        const struct total *total = &inspection->totals[i];
        json_begin_object(json, total->type);
        json_write_count(json, "tensors", total->n_tensors);
        json_write_count(json, "parameters", total->n_parameters);
        json_write_count(json, "bytes", total->n_bytes);
        json_end_object(json);
    }
    json_end_object(json);
    if (inspection->is_verified)
        json_write_truth(json, "verified", inspection->is_sound);
    else
        json_write_null(json, "verified");
    json_end_object(json);
}

/* ---- Text ---- */

/* Prints a value in quotes if a blank at its ends, or its emptiness, would not be seen. */
static void print_settings(const struct inspection *inspection, engine_settings settings)
{
    const engine_model *model = inspection->model;
    const engine_info *info = &inspection->info;
    const char *key, *value;
    size_t len, i = 0;
    printf("\n%s\n", SETTINGS[settings]);
    for (; engine_model_setting(model, settings, i, &key, &value, &len) == ENGINE_OK; i++) {
        const char *quote = len == 0 || value[0] == ' ' || value[len - 1] == ' ' ? "\"" : "";
        size_t columns = display_width(key, strlen(key), NAME_COLUMNS);
        fputs("  ", stdout);
        display_cell(stdout, key, strlen(key), columns > KEY_COLUMNS ? columns : KEY_COLUMNS);
        printf("  %s", quote);
        display_text(stdout, value, len, VALUE_COLUMNS);
        printf("%s\n", quote);
    }
    if (settings == ENGINE_SETTINGS_CONFIG && info->head == ENGINE_HEAD_SEQUENCE &&
        model_setting(model, settings, "head_pooling") == NULL)
        printf("  %-*s  cls (the default: the file does not say)\n", KEY_COLUMNS, "head_pooling");
    if (settings == ENGINE_SETTINGS_TOKENIZER)
        printf("  %-*s  %zu id%s, %zu with a text\n", KEY_COLUMNS, "(vocabulary)",
               info->n_vocabulary, plural(info->n_vocabulary), inspection->n_texts);
    if (i == 0)
        printf("  (none)\n");
}

static void print_totals(const struct inspection *inspection)
{
    size_t n = inspection->n_totals;
    struct total all = {.type = "all"};
    printf("\ntotals\n  type     tensors    parameters         bytes\n");
    for (size_t i = 0; i <= n; i++) {
        const struct total *total = i < n ? &inspection->totals[i] : &all;
        printf("  %-6s  %8" PRIu64 "  %12" PRIu64 "  %12" PRIu64 "\n", total->type,
               total->n_tensors, total->n_parameters, total->n_bytes);
        all.n_tensors += total->n_tensors;
        all.n_parameters += total->n_parameters;
        all.n_bytes += total->n_bytes;
    }
}

static void print_text(const struct inspection *inspection, struct rows *rows)
{
    const engine_info *info = &inspection->info;
    display_text(stdout, inspection->path, strlen(inspection->path), VALUE_COLUMNS);
    if (info->name[0] != '\0') {
        fputs(": ", stdout);
        display_text(stdout, info->name, strlen(info->name), VALUE_COLUMNS);
    }
    printf("\nweight file, version %" PRIu32 ", little-endian, %" PRIu64 " bytes\n",
           inspection->version, info->file_bytes);
    printf("\nsections\n");
    show_sections(rows, inspection->model);
    for (int i = 0; i < 3; i++)
        print_settings(inspection, (engine_settings)i);
    printf("\ntensors\n");
    show_tensors(rows, inspection->model);
    print_totals(inspection);
    if (inspection->is_verified)
        printf("\nchecksums: %s\n",
               inspection->is_sound ? "every section and tensor agrees" : "the file is damaged");
}

/* ---- The file ---- */

void inspect_file(const char *path, bool is_json, bool verify)
{
    const engine_model_options options = ENGINE_MODEL_OPTIONS(.verify = -1);
    struct inspection inspection = {.path = path, .info = ENGINE_INFO(), .is_verified = verify};
    engine_model *model;
    engine_error error = {0};
    if (engine_model_open(path, &options, &model, &error) != ENGINE_OK)
        model_open_die(path, &error);
    inspection.model = model;
    if (engine_model_info(model, &inspection.info, NULL) != ENGINE_OK)
        program_die("'%s': cannot be described", path);
    inspection.version = read_version(path);
    count(&inspection);
    inspection.is_sound = !verify || engine_model_verify(model, &error) == ENGINE_OK;
    struct rows rows = ROWS(stdout, is_json ? ROWS_JSON : ROWS_TABLE);
    (is_json ? write_json : print_text)(&inspection, &rows);
    if (!inspection.is_sound)
        program_exit(program_end(program_fail("'%s': %s", path, error.message)));
    engine_model_close(model);
}
