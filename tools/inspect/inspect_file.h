/* inspect_file.h - what a weight file holds, as aligned text or as one JSON object. */
#ifndef TOOLS_INSPECT_FILE_H
#define TOOLS_INSPECT_FILE_H

#include "engine/engine.h"

#include <stdbool.h>

/* Shows the file on stdout; with `verify`, reads all data and compares every checksum first.
 * Returns the program's exit code. */
int inspect_file(const char *path, bool is_json, bool verify);

/* The value of a key of the model's config, borrowed; NULL: the file does not say. */
const char *inspect_config(const engine_model *model, const char *key);

#endif
