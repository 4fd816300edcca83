/* model_file.h - what programs ask of a weight file, and what to do where another kind of file or a
 * folder was taken for one. */
#ifndef TOOLS_MODEL_FILE_H
#define TOOLS_MODEL_FILE_H

#include "engine/engine.h"

/* Returns the value of a setting, borrowed from the model; NULL if the file does not have it. */
const char *model_setting(const engine_model *model, engine_settings settings, const char *key);

/* Returns a number of the config, or `otherwise` if the file does not have it or model is NULL. */
double model_number(const engine_model *model, const char *key, double otherwise);

/* Ends the program: prints why a model could not be opened and, if the path (NULL: the default
 * weights) is a checkpoint or the like, the command that makes a weight file of it. */
_Noreturn void model_open_die(const char *path, const engine_error *error);

/* Returns the name of the format of a file that holds a model as other engines read it, by its
 * ending: "ONNX"; or NULL. */
const char *model_foreign_format(const char *path);

#endif
