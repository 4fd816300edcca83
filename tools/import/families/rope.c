/* rope.c - see rope.h. */
#include "tools/import/families/rope.h"

#include <string.h>

double rotary_base_read(const struct json_file *file, const char *kind, double otherwise)
{
    static const char key[] = "rope_parameters";
    json_t *parameters = json_typed(file, key, JSON_OBJECT, "an object");
    json_t *of_kind = kind != NULL ? json_object_get(parameters, kind) : parameters;
    json_t *base = json_object_get(of_kind, "rope_theta");
    const char *type = json_string_value(json_object_get(of_kind, "rope_type"));
    if (of_kind != NULL && !json_is_object(of_kind) && !json_is_null(of_kind))
        json_refuse(file, "'%s' holds %s; expected an object", key, json_kind(of_kind));
    if (type != NULL && strcmp(type, "default") != 0)
        json_refuse(file, "the 'rope_type' of '%s' is '%.100s'; expected default", key, type);
    if (base != NULL && !json_is_null(base) && !(json_number_value(base) > 0))
        json_refuse(file, "the 'rope_theta' of '%s' is not above 0; expected a number", key);
    return base != NULL && !json_is_null(base) ? json_number_value(base) : otherwise;
}
