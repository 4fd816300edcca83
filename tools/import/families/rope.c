/* rope.c - rope_parameters and layer_types of config.json. */
#include "tools/import/families/tables.h"

#include <string.h>

double rotary_base_read(const struct json_file *file, const char *kind, double otherwise)
{
    static const char key[] = "rope_parameters";
    json_t *parameters = json_typed(file, key, JSON_OBJECT, "an object");
    json_t *of_kind = kind != NULL ? json_object_get(parameters, kind) : parameters;
    json_t *base = json_object_get(of_kind, "rope_theta");
    const char *old_type = json_string_value(json_object_get(of_kind, "type"));
    const char *type = json_string_value(json_object_get(of_kind, "rope_type"));
    type = type != NULL ? type : old_type;
    if (of_kind != NULL && !json_is_object(of_kind) && !json_is_null(of_kind))
        file_die(file->name, "'%s' holds %s; expected an object", key, json_kind(of_kind));
    if (type != NULL && strcmp(type, "default") != 0)
        file_die(file->name, "the 'rope_type' of '%s' is '%.100s'; expected default", key, type);
    const json_t *share = json_object_get(of_kind, "partial_rotary_factor");
    if (json_is_number(share) && json_number_value(share) != 1)
        file_die(file->name, "the 'partial_rotary_factor' of '%s' is %g; expected 1", key,
                 json_number_value(share));
    if (base != NULL && !json_is_null(base) && !(json_number_value(base) > 0))
        file_die(file->name, "the 'rope_theta' of '%s' is not above 0; expected a number", key);
    return base != NULL && !json_is_null(base) ? json_number_value(base) : otherwise;
}

void layer_types_read(const struct json_file *file, struct model_config *model)
{
    const json_t *types = json_typed(file, "layer_types", JSON_ARRAY, "an array of names");
    size_t first = model->layers, second = model->layers;
    if (types == NULL)
        return;
    for (size_t layer = model->layers; layer-- > 0;) {
        const char *type = json_string_value(json_array_get(types, layer));
        if (type != NULL && strcmp(type, "full_attention") == 0) {
            second = first;
            first = layer;
        } else if (type == NULL || strcmp(type, "sliding_attention") != 0) {
            file_die(file->name,
                     "'layer_types' does not have full_attention or sliding_attention for each of "
                     "%zu layers",
                     model->layers);
        }
    }
    /* After only one such layer the next would be the first one after the model. */
    model->global_every = second - first + (second == model->layers ? first : 0);
    model->global_first = first;
    if (first == model->layers)
        model->global_every = model->global_first = 0;
    for (size_t layer = 0; layer < model->layers; layer++) {
        const char *type = json_string_value(json_array_get(types, layer));
        if (config_is_global(model, layer) != (strcmp(type, "full_attention") == 0))
            file_die(file->name,
                     "'layer_types' has full_attention at uneven distances (layer %zu); expected "
                     "every n-th layer",
                     layer);
    }
}
