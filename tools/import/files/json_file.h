/* json_file.h - a JSON file of a checkpoint, and reading its members strictly: each function knows
 * the type and the range that a member must have, and refuses another with the message "FILE: 'KEY'
 * is ...; expected ...".
 *
 * Numbers are decoded as doubles: tokenizer_config.json has whole numbers of 31 digits. */
#ifndef TOOLS_IMPORT_JSON_FILE_H
#define TOOLS_IMPORT_JSON_FILE_H

#include "tools/import/files/folder.h"

#include <jansson.h>

struct json_file {
    char name[256]; /* relative, for messages */
    json_t *root;   /* NULL: the file is absent */
    json_t *seen;   /* names of the root's members that were asked for */
};

/* From text; the root must be an object, or an array if is_array. */
void json_file_parse(struct json_file *file, const char *name, const char *text, size_t len,
                     bool is_array);

/* From a file of the folder, below `place`; absent leaves root NULL, unless it is needed. */
void json_file_read(struct json_file *file, struct folder *folder, const char *place,
                    const char *name, bool needed, bool is_array);

/* A member of an object of the file (NULL: of the root), or `otherwise` if it is absent or null,
 * which is refused if `otherwise` is JSON_NEEDED. Texts are borrowed. */
#define JSON_NEEDED (SIZE_MAX - 1)
size_t json_count(const struct json_file *file, const json_t *object, const char *key, size_t least,
                  size_t otherwise);

/* Refuses a count that is there and another than `expected`, whose reason is "" or ", as …". */
void json_count_only(const struct json_file *file, const char *key, size_t expected,
                     const char *reason);
double json_number(const struct json_file *file, const char *key, double otherwise);
bool json_flag(const struct json_file *file, const json_t *object, const char *key, bool otherwise);
const char *json_text(const struct json_file *file, const json_t *object, const char *key,
                      const char *otherwise);

/* A text that is one of these names, which end with the name NULL; `expected` lists them. Names of
 * one value are between blanks. */
struct json_name {
    const char *name;
    int64_t value;
};
int64_t json_choice(const struct json_file *file, const char *key, const struct json_name *names,
                    const char *expected, int64_t otherwise);

/* Keys, between blanks, that must have this value, as JSON ("false"), or be absent or null, unless
 * they have been read. A list (NULL: none) ends with the names NULL. */
struct json_only {
    const char *names, *value;
    bool is_needed;     /* the class' default is another */
    const char *advice; /* what to do if the file has another value, or NULL */
};
// clang-format off
#define ONLY(...)        (const struct json_only[]){__VA_ARGS__, {.names = NULL}}
#define IS(names, value) {names, value, false, NULL}
// clang-format on
void json_only_check(const struct json_file *file, const struct json_only *only);

/* The value of a name, or -1. */
int64_t json_name_value(const struct json_name *names, const char *name);

/* "Sigmoid" of "torch.nn.modules.activation.Sigmoid". */
const char *json_last_name(const char *name);

/* The member, of any type, or NULL: absent or null. */
const json_t *json_member(const struct json_file *file, const json_t *object, const char *key);

/* A member of the root of that type, or NULL: absent or null. `expected` names the type ("an
 * object"). */
json_t *json_typed(const struct json_file *file, const char *key, json_type type,
                   const char *expected);

/* "a number", "an object" ... of a value, for messages. */
const char *json_kind(const json_t *value);

/* A whole number from 0 to 2^53, or false. */
bool json_whole(const json_t *value, uint64_t *whole);

enum known_keys {
    KEYS_CONFIG,      /* config.json of a transformer */
    KEYS_STATIC,      /* config.json of static embeddings */
    KEYS_TRANSFORMER, /* sentence_bert_config.json */
    KEYS_ARGUMENTS,   /* arguments of the model, its config and its tokenizer, there */
    KEYS_PROMPTS,     /* config_sentence_transformers.json */
    KEYS_MODULE,      /* config.json of a module */
    KEYS_TOKENIZER,   /* tokenizer_config.json */
    KEYS_SPECIAL,     /* special_tokens_map.json */
    KEYS_TOKENIZER_JSON
};

/* Returns whether a list with blanks between names has one of them. */
bool name_is_listed(const char *list, const char *name);

/* Returns whether a key of such a file changes no number. */
bool known_keys_are_harmless(enum known_keys kind, const char *key);

/* Checks all keys of a file that has been read. Adds keys that no code reads to the folder's note.
 * `unread`: names between blanks that the note need not name, or NULL. */
void known_keys_check(const struct json_file *file, enum known_keys kind, const char *unread,
                      struct folder *folder);

#endif
