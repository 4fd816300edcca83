/* model_file.h - what programs ask of a weight file, and what to do where another kind of file or a
 * folder was taken for one. */
#ifndef TOOLS_MODEL_FILE_H
#define TOOLS_MODEL_FILE_H

#include "engine/engine.h"

/* The value of a setting, borrowed from the model; NULL: the file does not say. */
const char *model_setting(const engine_model *model, engine_settings settings, const char *key);

/* A number of the config, or `otherwise` where the file does not say or model is NULL. */
double model_number(const engine_model *model, const char *key, double otherwise);

/* Ends the program: says why a model could not be opened and, where the path (NULL: the default
 * weights) tells what it is, the command that makes a weight file of it. */
_Noreturn void model_open_die(const char *path, const engine_error *error);

#endif
