/* json_file.h - a JSON file of a checkpoint, and reading its members with their types checked.
 *
 * Numbers are decoded as doubles: tokenizer_config.json has whole numbers of 31 digits.
 */
#ifndef TOOLS_IMPORT_JSON_FILE_H
#define TOOLS_IMPORT_JSON_FILE_H

#include "tools/import/checkpoint/folder.h"

#include <jansson.h>

struct json_file {
    char name[256]; /* relative, for messages */
    json_t *root;   /* NULL: the file is absent */
};

/* From text; the root must be an object, or an array where is_array. */
bool json_file_parse(struct json_file *file, const char *name, const char *text, size_t len,
                     bool is_array, struct problem *problem);

/* From a file of the folder; absent leaves root NULL, unless it is needed. */
bool json_file_read(struct json_file *file, struct folder *folder, const char *name, bool needed,
                    bool is_array, struct problem *problem);
void json_file_free(struct json_file *file);

/* A member of an object of the file (NULL: of the root). Where it is absent or null the value is
 * left as it is; json_need_count refuses that. Texts are borrowed. */
bool json_count(const struct json_file *file, const json_t *object, const char *key, int64_t least,
                int64_t *value, struct problem *problem);
bool json_need_count(const struct json_file *file, const json_t *object, const char *key,
                     int64_t least, int64_t *value, struct problem *problem);
bool json_number(const struct json_file *file, const json_t *object, const char *key, double *value,
                 struct problem *problem);
bool json_flag(const struct json_file *file, const json_t *object, const char *key, bool *value,
               struct problem *problem);
bool json_text(const struct json_file *file, const json_t *object, const char *key,
               const char **value, struct problem *problem);

/* The member, whatever it is, or NULL: absent or null. */
const json_t *json_member(const struct json_file *file, const json_t *object, const char *key);

/* "a number", "an object" ... of a value, for messages. */
const char *json_kind(const json_t *value);

/* A whole number from 0 to 2^53, or false. */
bool json_whole(const json_t *value, uint64_t *whole);

#endif
