/* json_file.c - JSON files of a checkpoint; see json_file.h.
 *
 * A tree of small values takes about twenty times the memory of its text, so the length of the
 * text is what bounds it. The settings of public checkpoints take a few kilobytes.
 */
#include "tools/import/files/json_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JSON_BYTES = 4 << 20 };

const char *json_kind(const json_t *value)
{
    switch (value == NULL ? JSON_NULL : json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    default: return "null";
    }
}

/* ---- Files ---- */

bool json_file_parse(struct json_file *file, const char *name, const char *text, size_t len,
                     bool is_array, struct problem *problem)
{
    json_error_t error;
    *file = (struct json_file){.problem = problem};
    snprintf(file->name, sizeof file->name, "%s", name);
    file->root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (file->root == NULL)
        return problem_say(problem, "%s, line %d: not JSON: %s", name, error.line, error.text);
    if (is_array ? json_is_array(file->root) : json_is_object(file->root))
        return true;
    problem_say(problem, "%s is %s; expected %s", name, json_kind(file->root),
                is_array ? "an array" : "an object");
    json_file_free(file);
    return false;
}

bool json_file_read(struct json_file *file, struct folder *folder, const char *place,
                    const char *name, bool needed, bool is_array)
{
    char full[FOLDER_PATH], *text;
    size_t len = 0;
    *file = (struct json_file){.problem = folder->problem};
    if (!folder_text(folder, folder_name(full, place, name), needed, MOST_JSON_BYTES, &text, &len))
        return false;
    bool ok = text == NULL || json_file_parse(file, full, text, len, is_array, folder->problem);
    free(text);
    return ok;
}

void json_file_free(struct json_file *file)
{
    json_decref(file->root);
    file->root = NULL;
}

bool json_refuse(const struct json_file *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    problem_in(file->problem, file->name, format, arguments);
    va_end(arguments);
    return false;
}

bool json_is_right(const struct json_file *file)
{
    return file->problem->text[0] == '\0';
}

/* ---- Members ---- */

const json_t *json_member(const struct json_file *file, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object != NULL ? object : file->root, key);
    return json_is_null(value) ? NULL : value;
}

static bool refuse(const struct json_file *file, const char *key, const json_t *value,
                   const char *expected)
{
    if (json_is_number(value))
        return json_refuse(file, "'%s' is %.17g; expected %s", key, json_number_value(value),
                           expected);
    if (json_is_string(value))
        return json_refuse(file, "'%s' is \"%.100s\"; expected %s", key, json_string_value(value),
                           expected);
    return json_refuse(file, "'%s' is %s; expected %s", key,
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

bool json_count(const struct json_file *file, const json_t *object, const char *key, int64_t least,
                int64_t *value)
{
    const json_t *member = json_member(file, object, key);
    char expected[64];
    uint64_t whole;
    if (member == NULL)
        return true;
    if (json_whole(member, &whole) && whole <= INT32_MAX && (int64_t)whole >= least) {
        *value = (int64_t)whole;
        return true;
    }
    snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %d", least, INT32_MAX);
    return refuse(file, key, member, expected);
}

bool json_need_count(const struct json_file *file, const json_t *object, const char *key,
                     int64_t least, int64_t *value)
{
    return json_member(file, object, key) != NULL ? json_count(file, object, key, least, value)
                                                  : refuse(file, key, NULL, "a whole number");
}

bool json_number(const struct json_file *file, const json_t *object, const char *key, double *value)
{
    const json_t *member = json_member(file, object, key);
    if (json_is_number(member))
        *value = json_number_value(member);
    return member == NULL || json_is_number(member) || refuse(file, key, member, "a number");
}

bool json_flag(const struct json_file *file, const json_t *object, const char *key, bool *value)
{
    const json_t *member = json_member(file, object, key);
    if (json_is_boolean(member))
        *value = json_is_true(member);
    return member == NULL || json_is_boolean(member) || refuse(file, key, member, "true or false");
}

bool json_text(const struct json_file *file, const json_t *object, const char *key,
               const char **value)
{
    const json_t *member = json_member(file, object, key);
    if (json_is_string(member))
        *value = json_string_value(member);
    return member == NULL || json_is_string(member) || refuse(file, key, member, "a string");
}

json_t *json_typed(const struct json_file *file, const char *key, json_type type,
                   const char *expected)
{
    json_t *value = json_object_get(file->root, key);
    if (value == NULL || json_is_null(value))
        return NULL;
    if (json_typeof(value) == type)
        return value;
    json_refuse(file, "'%s' is %s; expected %s", key, json_kind(value), expected);
    return NULL;
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

bool json_choice(const struct json_file *file, const char *key, const struct json_name *names,
                 const char *expected, int64_t *value)
{
    const char *name = NULL;
    if (!json_text(file, NULL, key, &name))
        return false;
    int64_t found = name != NULL ? json_name_value(names, name) : *value;
    if (found < 0)
        return json_refuse(file, "'%s' is '%.100s'; expected %s", key, name, expected);
    *value = found;
    return true;
}
