/* default_weights.h - where the weights are that come with the program. */
#ifndef TOOLS_DEFAULT_WEIGHTS_H
#define TOOLS_DEFAULT_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the weight file to use where the user names none: $ENCODE_MODEL; else, for a
 * program that was built and not installed, weights/default.weights of its tree; else the one of
 * the installation. False: there is none; a message that lists where it was looked for has been
 * printed. */
bool default_weights_path(char *path, size_t cap);

#endif
