/* rope.h - rope_parameters of config.json. */
#ifndef TOOLS_IMPORT_ROPE_H
#define TOOLS_IMPORT_ROPE_H

#include "tools/import/files/json_file.h"

/* The rope_theta of rope_parameters, or of its member `kind` (NULL: none), or `otherwise`. Only the
 * type "default" is known, which scales nothing. */
double rotary_base_read(const struct json_file *file, const char *kind, double otherwise);

#endif
