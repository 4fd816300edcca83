/* config_keys.c - see config_keys.h. */
#include "tools/import/checkpoint/config_keys.h"

#include <stddef.h>
#include <string.h>

const char *config_key_name(const struct config_key *keys, size_t field)
{
    while (keys->kind != KEY_END && keys->field != field)
        keys++;
    return keys->kind != KEY_END ? keys->name : NULL;
}

const struct config_key *config_keys_of(const struct json_file *file, const struct body *body)
{
    const char *width = config_key_name(body->keys, offsetof(struct model_config, width));
    bool is_other = body->other_keys != NULL && json_member(file, NULL, width) == NULL;
    return is_other ? body->other_keys : body->keys;
}

/* The value of one key that is a whole number in struct model_config. */
static int64_t read_whole(const struct json_file *file, const struct config_key *key)
{
    int64_t least = key->kind == KEY_SIZE, absent = (int64_t)key->absent;
    bool is_needed = key->absent == NO_DEFAULT;
    switch (key->kind) {
    case KEY_FIXED: return absent;
    case KEY_FLAG: return json_flag(file, NULL, key->name, absent != 0);
    case KEY_NAME:
        if (is_needed && json_member(file, NULL, key->name) == NULL)
            json_refuse(file, "'%s' is missing; expected %s", key->name, key->expected);
        return json_choice(file, key->name, key->names, key->expected, absent);
    default:
        return is_needed ? json_need_count(file, NULL, key->name, least)
                         : json_count(file, NULL, key->name, least, absent);
    }
}

void config_keys_read(const struct json_file *file, const struct config_key *keys,
                      struct model_config *model)
{
    for (; keys->kind != KEY_END; keys++) {
        void *field = (char *)model + keys->field;
        if (keys->kind != KEY_NUMBER)
            *(int64_t *)field = read_whole(file, keys);
        else
            *(double *)field =
                keys->name != NULL ? json_number(file, keys->name, keys->absent) : keys->absent;
    }
}

void config_keys_only(const struct json_file *file, const struct only_value *only)
{
    for (; only->name != NULL; only++)
        json_only(file, only->name, only->value, only->is_needed);
}
