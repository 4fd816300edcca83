/* known_keys.h - what a key of a JSON file means that nothing here asked for. Of each key that the
 * code of transformers, tokenizers or sentence-transformers reads (tests/tools/families/keys.py
 * lists them), this is one: read here (json_file.h remembers that), harmless, or refused by name
 * unless it has its default. No code reads other keys: they change nothing, and a note names them.
 */
#ifndef TOOLS_IMPORT_KNOWN_KEYS_H
#define TOOLS_IMPORT_KNOWN_KEYS_H

#include "tools/import/files/json_file.h"

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
