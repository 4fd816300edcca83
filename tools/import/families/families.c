/* families.c - finds a class that can be imported and what belongs to it; rope_parameters and
 * layer_types of config.json. */
#include "tools/import/families/families.h"

#include <math.h>
#include <string.h>

static const struct architecture *const FAMILIES[] = {
    BERT_CLASSES, NOMIC_CLASSES, JINA_CLASSES, ROTARY_CLASSES,   DEBERTA_CLASSES,   DECODER_CLASSES,
    T5_CLASSES,   GTE_CLASSES,   CLIP_CLASSES, BERT_KIN_CLASSES, EMBEDDING_CLASSES,
};
enum { N_FAMILIES = sizeof FAMILIES / sizeof FAMILIES[0] };

const struct architecture *architecture_at(size_t index)
{
    for (size_t family = 0; family < N_FAMILIES; family++)
        for (const struct architecture *at = FAMILIES[family]; at->class_name != NULL; at++)
            if (index-- == 0)
                return at;
    return NULL;
}

const struct architecture *architecture_find(const char *class_name, const char *model_type)
{
    const struct architecture *at, *found = NULL;
    for (size_t i = 0; (at = architecture_at(i)) != NULL; i++) {
        bool is_type = model_type != NULL && strcmp(at->model_type, model_type) == 0;
        bool is_named = class_name != NULL ? strcmp(at->class_name, class_name) == 0 : is_type;
        if (is_named && (is_type || found == NULL))
            found = at;
        if (is_named && is_type)
            break;
    }
    return found;
}

const struct part *part_of_kind(const struct part *parts, enum part_kind kind)
{
    while (parts->to != NULL && parts->kind != kind)
        parts++;
    return parts->to != NULL ? parts : NULL;
}

bool architecture_leaves_out(const struct body *body, const struct head *head, const char *key)
{
    for (const char *const *start = body->left_out; *start != NULL; start++) {
        size_t len = strlen(*start);
        bool is_head = false;
        for (const struct part *part = head != NULL ? head->parts : NULL;
             part != NULL && part->to != NULL; part++)
            is_head = is_head || strncmp(part->from[0], *start, len) == 0;
        if (!is_head && strncmp(key, *start, len) == 0)
            return true;
    }
    return false;
}

double rotary_base_read(const struct json_file *file, const char *kind, double otherwise)
{
    static const char key[] = "rope_parameters";
    json_t *parameters = json_typed(file, key, JSON_OBJECT, "an object");
    json_t *of_kind = kind != NULL ? json_object_get(parameters, kind) : parameters;
    json_t *base = json_object_get(of_kind, "rope_theta");
    const char *old_type = json_string_value(json_object_get(of_kind, "type"));
    const char *type = json_string_value(json_object_get(of_kind, "rope_type"));
    type = type != NULL ? type : old_type;
    const char *name;
    json_t *member;
    json_object_foreach(kind != NULL ? NULL : parameters, name, member) if (json_is_object(member))
        file_die(file->name,
                 "'%s' has '%.100s' of its own; expected one rope_theta for all "
                 "layers",
                 key, name);
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
    size_t n_global = 0;
    if (types == NULL)
        return;
    model->global_first = model->global_every = 0;
    for (size_t layer = 0; layer < model->layers; layer++) {
        const char *type = json_string_value(json_array_get(types, layer));
        bool is_global = type != NULL && strcmp(type, "full_attention") == 0;
        if (!is_global && (type == NULL || strcmp(type, "sliding_attention") != 0))
            file_die(file->name,
                     "'layer_types' does not have full_attention or sliding_attention for each of "
                     "%zu layers",
                     model->layers);
        n_global += is_global;
        if (is_global && n_global == 1) {
            model->global_first = layer;
            model->global_every = model->layers; /* if it is the only one */
        } else if (is_global && n_global == 2) {
            model->global_every = layer - model->global_first;
        }
        if (config_is_global(model, layer) != is_global)
            file_die(file->name,
                     "'layer_types' has full_attention at uneven distances (layer %zu); expected "
                     "every n-th layer",
                     layer);
    }
}

/* Buckets as MPNet's relative_position_bucket has them, which are those of T5 (Raffel et al. 2020):
 * half of them are for keys before the query and half for keys after it; of these, half for a
 * distance each and the others for ranges that grow:
 *
 *     8 + ⌊ln(n / 8) / ln(128 / 8) · 8⌋, at most 15
 *
 * The logarithm is taken in single precision, as it is published: it decides on which side of a
 * border a distance falls. */
int distance_bucket(int64_t distance)
{
    enum { OF_A_SIDE = DISTANCE_BUCKETS / 2, EXACT = OF_A_SIDE / 2 };
    int side = distance > 0 ? OF_A_SIDE : 0;
    int64_t n = distance > 0 ? distance : -distance;
    if (n < EXACT)
        return side + (int)n;
    float share = logf((float)n / EXACT) / (float)log((double)DISTANCES / EXACT);
    int bucket = EXACT + (int)(share * (OF_A_SIDE - EXACT));
    return side + (bucket < OF_A_SIDE ? bucket : OF_A_SIDE - 1);
}
