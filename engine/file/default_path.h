/* default_path.h - where the weight file is that is meant where none is named. */
#ifndef ENGINE_DEFAULT_PATH_H
#define ENGINE_DEFAULT_PATH_H

#include "engine/engine.h"

/* Writes a path of less than cap bytes. ENGINE_ERROR_IO: there is none; the message says where it
 * was looked for. */
engine_status find_default_weights(char *path, size_t cap, engine_error *error);

#endif
