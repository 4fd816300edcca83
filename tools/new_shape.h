/* new_shape.h - the options of encode-new that set the model's shape: one for each key of
 * model/config.h, with dashes for underscores, so that a new key is an option at once. */
#ifndef TOOLS_NEW_SHAPE_H
#define TOOLS_NEW_SHAPE_H

#include "engine/weight_writer.h"

#include <stdbool.h>
#include <stddef.h>

enum { SHAPE_NAME_BYTES = 32 };

/* The name of the index-th option without its dashes; false past the last. */
bool shape_option(size_t index, char name[SHAPE_NAME_BYTES]);

/* What each takes, its default and what it is, on stdout. */
void shape_print_help(const struct model_config *defaults);

struct shape {
    struct model_config config;
    bool scale_is_sqrt; /* --embedding-scale sqrt: the width may come later */
};

/* Sets the index-th option. PROGRAM_DONE, or PROGRAM_MISUSED after a message. */
int shape_set(struct shape *shape, size_t index, const char *text);

/* Gives what depends on the width its number, then checks the whole; the vocabulary may be open
 * (-1). PROGRAM_DONE, or PROGRAM_MISUSED after a message. */
int shape_settle(struct shape *shape);

#endif
