/* json_file.c - JSON files of a checkpoint; see json_file.h.
 *
 * A tree of small values takes about twenty times the memory of its text, so the length of the
 * text is what bounds it. The settings of public checkpoints take a few kilobytes.
 */
#include "tools/import/checkpoint/json_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

bool json_file_parse(struct json_file *file, const char *name, const char *text, size_t len,
                     bool is_array, struct problem *problem)
{
    json_error_t error;
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

static bool read_text(int fd, char *text, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = read(fd, text + done, len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool json_file_read(struct json_file *file, struct folder *folder, const char *name, bool needed,
                    bool is_array, struct problem *problem)
{
    int fd;
    uint64_t n_bytes = 0;
    *file = (struct json_file){.root = NULL};
    if (!folder_file(folder, name, needed, &fd, &n_bytes, problem))
        return false;
    if (fd < 0)
        return true;
    bool ok = true;
    char *text = NULL;
    if (n_bytes > MOST_JSON_BYTES)
        ok = problem_say(problem, "%s has %" PRIu64 " bytes; at most %d are read", name, n_bytes,
                         MOST_JSON_BYTES);
    else if ((text = malloc((size_t)n_bytes + 1)) == NULL)
        ok = problem_memory(problem);
    else if (!read_text(fd, text, (size_t)n_bytes))
        ok = problem_say(problem, "%s cannot be read: %s", name, strerror(errno));
    else
        ok = json_file_parse(file, name, text, (size_t)n_bytes, is_array, problem);
    free(text);
    close(fd);
    return ok;
}

void json_file_free(struct json_file *file)
{
    json_decref(file->root);
    file->root = NULL;
}

const json_t *json_member(const struct json_file *file, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object != NULL ? object : file->root, key);
    return json_is_null(value) ? NULL : value;
}

static bool refuse(const struct json_file *file, const char *key, const json_t *value,
                   const char *expected, struct problem *problem)
{
    if (json_is_number(value))
        return problem_say(problem, "%s: '%s' is %.17g; expected %s", file->name, key,
                           json_number_value(value), expected);
    if (json_is_string(value))
        return problem_say(problem, "%s: '%s' is \"%.100s\"; expected %s", file->name, key,
                           json_string_value(value), expected);
    return problem_say(problem, "%s: '%s' is %s; expected %s", file->name, key,
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
                int64_t *value, struct problem *problem)
{
    const json_t *member = json_member(file, object, key);
    uint64_t whole;
    if (member == NULL)
        return true;
    if (!json_whole(member, &whole) || whole > INT32_MAX || (int64_t)whole < least) {
        char expected[64];
        snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %d", least,
                 INT32_MAX);
        return refuse(file, key, member, expected, problem);
    }
    *value = (int64_t)whole;
    return true;
}

bool json_need_count(const struct json_file *file, const json_t *object, const char *key,
                     int64_t least, int64_t *value, struct problem *problem)
{
    if (json_member(file, object, key) == NULL)
        return refuse(file, key, NULL, "a whole number", problem);
    return json_count(file, object, key, least, value, problem);
}

bool json_number(const struct json_file *file, const json_t *object, const char *key, double *value,
                 struct problem *problem)
{
    const json_t *member = json_member(file, object, key);
    if (member != NULL && !json_is_number(member))
        return refuse(file, key, member, "a number", problem);
    if (member != NULL)
        *value = json_number_value(member);
    return true;
}

bool json_flag(const struct json_file *file, const json_t *object, const char *key, bool *value,
               struct problem *problem)
{
    const json_t *member = json_member(file, object, key);
    if (member != NULL && !json_is_boolean(member))
        return refuse(file, key, member, "true or false", problem);
    if (member != NULL)
        *value = json_is_true(member);
    return true;
}

bool json_text(const struct json_file *file, const json_t *object, const char *key,
               const char **value, struct problem *problem)
{
    const json_t *member = json_member(file, object, key);
    if (member != NULL && !json_is_string(member))
        return refuse(file, key, member, "a string", problem);
    if (member != NULL)
        *value = json_string_value(member);
    return true;
}
