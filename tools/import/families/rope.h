/* rope.h - rope_parameters and layer_types of config.json. */
#ifndef TOOLS_IMPORT_ROPE_H
#define TOOLS_IMPORT_ROPE_H

#include "engine/file/weight_writer.h"
#include "tools/import/files/json_file.h"

/* The rope_theta of rope_parameters, or of its member `kind` (NULL: none), or `otherwise`. Only the
 * type "default" is known, which scales nothing. */
double rotary_base_read(const struct json_file *file, const char *kind, double otherwise);

/* Which layers see all tokens, where layer_types says it: a list that must be of the kind "every
 * n-th". */
void layer_types_read(const struct json_file *file, struct model_config *model);

#endif
