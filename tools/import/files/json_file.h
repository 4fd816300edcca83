/* json_file.h - a JSON file of a checkpoint, and reading its members strictly: each function knows
 * the type and the range that a member must have, and says "FILE: 'KEY' is ...; expected ..." in
 * the file's problem where it has another. The first problem stays, so a caller may read many
 * members and look once.
 *
 * Numbers are decoded as doubles: tokenizer_config.json has whole numbers of 31 digits.
 */
#ifndef TOOLS_IMPORT_JSON_FILE_H
#define TOOLS_IMPORT_JSON_FILE_H

#include "tools/import/files/folder.h"

#include <jansson.h>

struct json_file {
    char name[256]; /* relative, for messages */
    json_t *root;   /* NULL: the file is absent */
    struct problem *problem;
};

/* From text; the root must be an object, or an array where is_array. */
bool json_file_parse(struct json_file *file, const char *name, const char *text, size_t len,
                     bool is_array, struct problem *problem);

/* From a file of the folder, below `place`; absent leaves root NULL, unless it is needed. */
bool json_file_read(struct json_file *file, struct folder *folder, const char *place,
                    const char *name, bool needed, bool is_array);
void json_file_free(struct json_file *file);

/* "FILE: ..." (or "FILE ..." where the format starts with a blank) in the problem; false. */
bool json_refuse(const struct json_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether nothing was wrong up to here. */
bool json_is_right(const struct json_file *file);

/* A member of an object of the file (NULL: of the root). Where it is absent or null the value is
 * left as it is; json_need_count refuses that. Texts are borrowed. False: refused. */
bool json_count(const struct json_file *file, const json_t *object, const char *key, int64_t least,
                int64_t *value);
bool json_need_count(const struct json_file *file, const json_t *object, const char *key,
                     int64_t least, int64_t *value);
bool json_number(const struct json_file *file, const json_t *object, const char *key,
                 double *value);
bool json_flag(const struct json_file *file, const json_t *object, const char *key, bool *value);
bool json_text(const struct json_file *file, const json_t *object, const char *key,
               const char **value);

/* A text that is one of these names, of which the last has the name NULL; `expected` lists them. */
struct json_name {
    const char *name;
    int64_t value;
};
bool json_choice(const struct json_file *file, const char *key, const struct json_name *names,
                 const char *expected, int64_t *value);

/* The value of a name, or -1. */
int64_t json_name_value(const struct json_name *names, const char *name);

/* "Sigmoid" of "torch.nn.modules.activation.Sigmoid". */
const char *json_last_name(const char *name);

/* The member, whatever it is, or NULL: absent or null. */
const json_t *json_member(const struct json_file *file, const json_t *object, const char *key);

/* A member of the root of that type, or NULL: absent, null, or refused. `expected` names the type
 * ("an object"). */
json_t *json_typed(const struct json_file *file, const char *key, json_type type,
                   const char *expected);

/* "a number", "an object" ... of a value, for messages. */
const char *json_kind(const json_t *value);

/* A whole number from 0 to 2^53, or false. */
bool json_whole(const json_t *value, uint64_t *whole);

#endif
