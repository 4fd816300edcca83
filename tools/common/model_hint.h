/* model_hint.h - what to do where another kind of file or a folder was taken for a weight file. */
#ifndef TOOLS_MODEL_HINT_H
#define TOOLS_MODEL_HINT_H

#include "engine/engine.h"

/* Says why a model could not be opened and, where the path (NULL: the default weights) tells what
 * it is, the command that makes a weight file of it. Returns PROGRAM_FAILED. */
int model_open_failed(const char *path, const engine_error *error);

#endif
