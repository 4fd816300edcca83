/* inspect_text.c - a weight file as aligned text. Names and values come from the file, so control
 * characters in them are escaped.
 */
#include "tools/inspect/inspect.h"

#include "tools/common/display.h"
#include "tools/common/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KEY_COLUMNS = 18, VALUE_COLUMNS = 400, NAME_COLUMNS = 60, SHAPE_BYTES = 96 };

static void print_head(const struct inspection *inspection)
{
    const engine_info *info = &inspection->info;
    display_text(stdout, inspection->path, strlen(inspection->path), VALUE_COLUMNS);
    if (info->name[0] != '\0') {
        fputs(": ", stdout);
        display_text(stdout, info->name, strlen(info->name), VALUE_COLUMNS);
    }
    printf("\nweight file, version %" PRIu32 ", little-endian, %" PRIu64 " bytes\n",
           inspection->version, info->file_bytes);
}

static void print_sections(const struct inspection *inspection)
{
    engine_section_info section;
    printf("\nsections\n  tag   required        offset         bytes  crc32c\n");
    for (size_t i = 0; engine_model_section(inspection->model, i, &section) == ENGINE_OK; i++) {
        fputs("  ", stdout);
        display_cell(stdout, section.tag, strlen(section.tag), 4);
        printf("  %-8s  %12" PRIu64 "  %12" PRIu64 "  %08" PRIX32 "\n",
               section.required ? "yes" : "no", section.offset, section.n_bytes, section.crc32c);
    }
}

/* In quotes where a blank or nothing would not be seen. */
static void print_value(const char *value, size_t len)
{
    const char *quote = len == 0 || value[0] == ' ' || value[len - 1] == ' ' ? "\"" : "";
    fputs(quote, stdout);
    display_text(stdout, value, len, VALUE_COLUMNS);
    printf("%s\n", quote);
}

static void print_settings(const struct inspection *inspection, engine_settings settings)
{
    const engine_model *model = inspection->model;
    const char *key, *value;
    size_t len, i = 0;
    printf("\n%s\n", INSPECT_SETTINGS[settings]);
    for (; engine_model_setting(model, settings, i, &key, &value, &len) == ENGINE_OK; i++) {
        fputs("  ", stdout);
        size_t columns = display_width(key, strlen(key), NAME_COLUMNS);
        display_cell(stdout, key, strlen(key), columns > KEY_COLUMNS ? columns : KEY_COLUMNS);
        fputs("  ", stdout);
        print_value(value, len);
    }
    const char *head_pooling = inspect_head_pooling(inspection);
    if (settings == ENGINE_SETTINGS_CONFIG && head_pooling != NULL)
        printf("  %-*s  %s (the default: the file does not say)\n", KEY_COLUMNS, "head_pooling",
               head_pooling);
    size_t n_ids = inspection->info.n_vocabulary;
    if (settings == ENGINE_SETTINGS_TOKENIZER)
        printf("  %-*s  %zu id%s, %zu with a text\n", KEY_COLUMNS, "(vocabulary)", n_ids,
               plural(n_ids), inspection->n_texts);
    if (i == 0)
        printf("  (none)\n");
}

static size_t name_columns(const struct inspection *inspection)
{
    engine_tensor_info tensor;
    size_t columns = 4;
    for (size_t i = 0; engine_model_tensor(inspection->model, i, &tensor) == ENGINE_OK; i++) {
        size_t width = display_width(tensor.name, strlen(tensor.name), NAME_COLUMNS);
        columns = width > columns ? width : columns;
    }
    return columns;
}

static void shape_text(const engine_tensor_info *tensor, char text[SHAPE_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t d = 0; d < tensor->n_dims && d < 4; d++) {
        int n = snprintf(text + used, SHAPE_BYTES - used, "%s%" PRIu64, d == 0 ? "[" : ", ",
                         tensor->shape[d]);
        used += n > 0 ? (size_t)n : 0;
    }
    snprintf(text + used, SHAPE_BYTES - used, "]");
}

static void print_tensors(const struct inspection *inspection)
{
    engine_tensor_info tensor;
    size_t columns = name_columns(inspection);
    printf("\ntensors\n  %-*s  type  layout  %-16s        offset         bytes\n", (int)columns,
           "name", "shape");
    for (size_t i = 0; engine_model_tensor(inspection->model, i, &tensor) == ENGINE_OK; i++) {
        char shape[SHAPE_BYTES];
        shape_text(&tensor, shape);
        fputs("  ", stdout);
        display_cell(stdout, tensor.name, strlen(tensor.name), columns);
        printf("  %-4s  %-6s  %-16s  %12" PRIu64 "  %12" PRIu64 "\n", tensor.type, tensor.layout,
               shape, tensor.offset, tensor.n_bytes);
    }
}

static void print_totals(const struct inspection *inspection)
{
    printf("\ntotals\n  type   tensors    parameters         bytes\n");
    struct type_total all = {.type = "all"};
    for (size_t i = 0; i <= inspection->n_totals; i++) {
        const struct type_total *total = i < inspection->n_totals ? &inspection->totals[i] : &all;
        printf("  %-4s  %8" PRIu64 "  %12" PRIu64 "  %12" PRIu64 "\n", total->type,
               total->n_tensors, total->n_parameters, total->n_bytes);
        all.n_tensors += total->n_tensors;
        all.n_parameters += total->n_parameters;
        all.n_bytes += total->n_bytes;
    }
}

void inspect_print_text(const struct inspection *inspection)
{
    print_head(inspection);
    print_sections(inspection);
    print_settings(inspection, ENGINE_SETTINGS_CONFIG);
    print_settings(inspection, ENGINE_SETTINGS_TOKENIZER);
    print_settings(inspection, ENGINE_SETTINGS_METADATA);
    print_tensors(inspection);
    print_totals(inspection);
    if (inspection->checksums == CHECKSUMS_AGREE)
        printf("\nchecksums: every section and tensor agrees\n");
    if (inspection->checksums == CHECKSUMS_DIFFER)
        printf("\nchecksums: the file is damaged\n");
}
