/* config_keys.h - config.json by the tables of architecture.h: keys into struct model_config. */
#ifndef TOOLS_IMPORT_CONFIG_KEYS_H
#define TOOLS_IMPORT_CONFIG_KEYS_H

#include "tools/import/families/architecture.h"

/* The keys of the body that hold for this file. */
const struct config_key *config_keys_of(const struct json_file *file, const struct body *body);

/* Reads each key of the list, refusing what cannot be its value. */
void config_keys_read(const struct json_file *file, const struct config_key *keys,
                      struct model_config *model);

/* The name of the key that sets a field, by its offset, or NULL. */
const char *config_key_name(const struct config_key *keys, size_t field);

/* Refuses keys with another value than the one that the engine computes. */
void config_keys_only(const struct json_file *file, const struct only_value *only);

#endif
