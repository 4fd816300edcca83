/* json_members.c - goes through the text of an object beside what jansson has made of it, which
 * keeps the order of the members; see json_members.h. The text has been parsed, so it is right. */
#include "tools/common/texts/json_members.h"

#include "tools/common/alloc.h"

#include <string.h>

static const char BLANKS[] = " \t\r\n";

/* From the quote that opens a string to what is behind the one that closes it. */
static const char *skip_string(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (depth > 0 || !strchr(",]} \t\r\n", *at));
    return at;
}

/* The value of the next member of an object; *at, behind "{" or a value, goes behind it. */
static const char *next_value(const char **at, size_t *len)
{
    const char *key = *at + strspn(*at, " \t\r\n,");
    const char *colon = skip_string(key) + strspn(skip_string(key), BLANKS);
    const char *value = colon + 1 + strspn(colon + 1, BLANKS);
    *at = skip_value(value);
    *len = (size_t)(*at - value);
    return value;
}

static void keep_id(struct record *record, const struct record_member *member, const json_t *value)
{
    const bool is_first_choice = strcmp(member->key, "_id") == 0;
    if (json_is_null(value) || (!is_first_choice && (record->id || strcmp(member->key, "id") != 0)))
        return;
    record->id = member->value;
    record->id_len = member->value_len;
}

void json_members_keep(json_t *object, const char *text, bool (*taken)(const char *key),
                       struct record *record)
{
    size_t n = 0, n_bytes = strlen(text) + 1, len;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        n += !taken(key);
        n_bytes += strlen(key) + 1;
    }
    if (n == 0)
        return;
    struct record_member *members = alloc_zeros(n * sizeof *members + n_bytes, 1);
    char *copy = (char *)(members + n), *keys = copy + strlen(text) + 1;
    const char *at = strchr(strcpy(copy, text), '{') + 1;
    record->members = record->members_storage = members;
    json_object_foreach(object, key, value)
    {
        const char *written = next_value(&at, &len);
        if (taken(key))
            continue;
        struct record_member *member = &members[record->n_members++];
        *member = (struct record_member){strcpy(keys, key), written, len};
        keys += strlen(key) + 1;
        keep_id(record, member, value);
    }
}
