/* json_file.c - JSON files of a checkpoint; see json_file.h.
 *
 * A tree of small values takes about twenty times the memory of its text, so the length of the text
 * is bounded. The settings of public checkpoints take a few kilobytes. */
#include "tools/import/files/json_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JSON_BYTES = 4 << 20 };

const char *json_kind(const json_t *value)
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return kinds[value == NULL ? JSON_NULL : json_typeof(value)];
}

/* ---- Files ---- */

void json_file_parse(struct json_file *file, const char *name, const char *text, size_t len,
                     bool is_array)
{
    json_error_t error;
    *file = (struct json_file){0};
    snprintf(file->name, sizeof file->name, "%s", name);
    file->root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    file->seen = json_object();
    if (file->root == NULL)
        program_die("%s, line %d: not JSON: %s", name, error.line, error.text);
    if (is_array ? !json_is_array(file->root) : !json_is_object(file->root))
        program_die("%s is %s; expected %s", name, json_kind(file->root),
                    is_array ? "an array" : "an object");
}

void json_file_read(struct json_file *file, struct folder *folder, const char *place,
                    const char *name, bool needed, bool is_array)
{
    char full[FOLDER_PATH];
    size_t len = 0;
    *file = (struct json_file){0};
    char *text = folder_text(folder, folder_name(full, place, name), needed, MOST_JSON_BYTES, &len);
    if (text != NULL)
        json_file_parse(file, full, text, len, is_array);
}

/* ---- Members ---- */

const json_t *json_member(const struct json_file *file, const json_t *object, const char *key)
{
    if (object == NULL || object == file->root) {
        json_object_set_new(file->seen, key, json_true());
        object = file->root;
    }
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

_Noreturn static void value_die(const struct json_file *file, const char *key, const json_t *value,
                                const char *expected)
{
    if (json_is_number(value))
        file_die(file->name, "'%s' is %.17g; expected %s", key, json_number_value(value), expected);
    if (json_is_string(value))
        file_die(file->name, "'%s' is \"%.100s\"; expected %s", key, json_string_value(value),
                 expected);
    file_die(file->name, "'%s' is %s; expected %s", key,
             value == NULL ? "missing" : json_kind(value), expected);
}

bool json_whole(const json_t *value, uint64_t *whole)
{
    static const double TWO_TO_53 = 9007199254740992.0; /* above it doubles skip numbers */
    double number = json_is_number(value) ? json_number_value(value) : -1;
    if (!(number >= 0 && number <= TWO_TO_53) || number != floor(number))
        return false;
    *whole = (uint64_t)number;
    return true;
}

size_t json_count(const struct json_file *file, const json_t *object, const char *key, size_t least,
                  size_t otherwise)
{
    const json_t *member = json_member(file, object, key);
    char expected[64];
    uint64_t whole;
    if (member == NULL && otherwise == JSON_NEEDED)
        value_die(file, key, NULL, "a whole number");
    if (member == NULL)
        return otherwise;
    if (json_whole(member, &whole) && whole <= INT32_MAX && whole >= least)
        return (size_t)whole;
    snprintf(expected, sizeof expected, "a whole number from %zu to %d", least, INT32_MAX);
    value_die(file, key, member, expected);
}

double json_number(const struct json_file *file, const char *key, double otherwise)
{
    const json_t *member = json_member(file, NULL, key);
    if (member != NULL && !json_is_number(member))
        value_die(file, key, member, "a number");
    return member != NULL ? json_number_value(member) : otherwise;
}

bool json_flag(const struct json_file *file, const json_t *object, const char *key, bool otherwise)
{
    const json_t *member = json_member(file, object, key);
    if (member != NULL && !json_is_boolean(member))
        value_die(file, key, member, "true or false");
    return member != NULL ? json_is_true(member) : otherwise;
}

const char *json_text(const struct json_file *file, const json_t *object, const char *key,
                      const char *otherwise)
{
    const json_t *member = json_member(file, object, key);
    if (member != NULL && !json_is_string(member))
        value_die(file, key, member, "a string");
    return member != NULL ? json_string_value(member) : otherwise;
}

json_t *json_typed(const struct json_file *file, const char *key, json_type type,
                   const char *expected)
{
    const json_t *value = json_member(file, NULL, key);
    if (value != NULL && json_typeof(value) != type)
        file_die(file->name, "'%s' is %s; expected %s", key, json_kind(value), expected);
    return value != NULL ? json_object_get(file->root, key) : NULL;
}

void json_only_check(const struct json_file *file, const struct json_only *only)
{
    for (; only->name != NULL; only++) {
        if (json_object_get(file->seen, only->name) != NULL)
            continue;
        const json_t *member = json_member(file, NULL, only->name);
        json_t *value = json_loads(only->value, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
        bool is_right = member == NULL ? !only->is_needed : json_equal(member, value) != 0;
        char expected[300];
        snprintf(expected, sizeof expected, "%s%s%s", only->value, only->advice != NULL ? "; " : "",
                 only->advice != NULL ? only->advice : "");
        if (!is_right)
            value_die(file, only->name, member, expected);
    }
}

/* ---- Names ---- */

int64_t json_name_value(const struct json_name *names, const char *name)
{
    for (; names->name != NULL; names++)
        if (strcmp(names->name, name) == 0)
            return names->value;
    return -1;
}

const char *json_last_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

int64_t json_choice(const struct json_file *file, const char *key, const struct json_name *names,
                    const char *expected, int64_t otherwise)
{
    const char *name = json_text(file, NULL, key, NULL);
    int64_t found = name != NULL ? json_name_value(names, name) : otherwise;
    if (name != NULL && found < 0)
        file_die(file->name, "'%s' is '%.100s'; expected %s", key, name, expected);
    return found;
}
