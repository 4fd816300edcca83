/* inspect_json.c - a weight file as one JSON object. Text that is not UTF-8 is given with
 * U+FFFD. */
#include "tools/inspect/inspect.h"

#include "tools/common/utf8.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_text(const char *text, size_t len)
{
    bool invalid;
    size_t repaired_len = utf8_repaired_len(text, len, &invalid);
    char *repaired = malloc(repaired_len + 1);
    if (repaired == NULL)
        return NULL;
    utf8_repair(text, len, repaired);
    json_t *value = json_stringn(repaired, repaired_len);
    free(repaired);
    return value;
}

static json_t *json_number(uint64_t number)
{
    return json_integer((json_int_t)number);
}

/* Every part is added through these, which take what they are given, and NULL for no memory. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool append(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) == 0;
}

static json_t *settings_object(const engine_model *model, engine_settings settings)
{
    const char *key, *value;
    size_t len;
    json_t *object = json_object();
    bool ok = object != NULL;
    for (size_t i = 0;
         ok && engine_model_setting(model, settings, i, &key, &value, &len) == ENGINE_OK; i++) {
        json_t *name = json_text(key, strlen(key));
        ok = name != NULL && set(object, json_string_value(name), json_text(value, len));
        json_decref(name);
    }
    if (!ok) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *sections_array(const engine_model *model)
{
    engine_section_info section;
    json_t *array = json_array();
    for (size_t i = 0; engine_model_section(model, i, &section) == ENGINE_OK; i++) {
        char crc[16];
        snprintf(crc, sizeof crc, "%08" PRIX32, section.crc32c);
        json_t *object = json_object();
        bool ok = set(object, "tag", json_text(section.tag, strlen(section.tag))) &&
                  set(object, "required", json_boolean(section.required)) &&
                  set(object, "offset", json_number(section.offset)) &&
                  set(object, "bytes", json_number(section.n_bytes)) &&
                  set(object, "crc32c", json_string(crc));
        if (!append(array, object) || !ok) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *shape_array(const engine_tensor_info *tensor)
{
    json_t *array = json_array();
    for (size_t d = 0; d < tensor->n_dims && d < 4; d++)
        if (!append(array, json_number(tensor->shape[d]))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *tensors_array(const engine_model *model)
{
    engine_tensor_info tensor;
    json_t *array = json_array();
    for (size_t i = 0; engine_model_tensor(model, i, &tensor) == ENGINE_OK; i++) {
        json_t *object = json_object();
        bool ok = set(object, "name", json_text(tensor.name, strlen(tensor.name))) &&
                  set(object, "type", json_string(tensor.type)) &&
                  set(object, "layout", json_string(tensor.layout)) &&
                  set(object, "shape", shape_array(&tensor)) &&
                  set(object, "offset", json_number(tensor.offset)) &&
                  set(object, "bytes", json_number(tensor.n_bytes));
        if (!append(array, object) || !ok) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *totals_object(const struct inspection *inspection)
{
    json_t *totals = json_object();
    for (size_t i = 0; i < inspection->n_totals; i++) {
        const struct type_total *total = &inspection->totals[i];
        json_t *object = json_object();
        bool ok = set(object, "tensors", json_number(total->n_tensors)) &&
                  set(object, "parameters", json_number(total->n_parameters)) &&
                  set(object, "bytes", json_number(total->n_bytes));
        if (!set(totals, total->type, object) || !ok) {
            json_decref(totals);
            return NULL;
        }
    }
    return totals;
}

static json_t *verified(enum checksums checksums)
{
    return checksums == CHECKSUMS_NOT_COMPARED ? json_null()
                                               : json_boolean(checksums == CHECKSUMS_AGREE);
}

bool inspect_print_json(const struct inspection *inspection)
{
    const engine_model *model = inspection->model;
    json_t *root = json_object();
    bool ok = set(root, "file", json_text(inspection->path, strlen(inspection->path))) &&
              set(root, "version", json_number(inspection->version)) &&
              set(root, "bytes", json_number(inspection->info.file_bytes)) &&
              set(root, "sections", sections_array(model));
    for (size_t i = 0; ok && i < 3; i++)
        ok = set(root, INSPECT_SETTINGS[i], settings_object(model, (engine_settings)i));
    ok = ok && set(root, "tokens", json_number(inspection->n_texts)) &&
         set(root, "tensors", tensors_array(model)) &&
         set(root, "parameters", json_number(inspection->info.n_parameters)) &&
         set(root, "types", totals_object(inspection)) &&
         set(root, "verified", verified(inspection->checksums));
    if (ok) {
        json_dumpf(root, stdout, JSON_INDENT(2)); /* program_end sees a write that failed */
        putchar('\n');
    }
    json_decref(root);
    return ok;
}
