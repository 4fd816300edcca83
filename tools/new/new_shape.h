/* new_shape.h - the options of encode-new that set the model's shape: one for each key of
 * model/config.h, with dashes for underscores, so that a new key is an option at once; but
 * --frequencies has the numbers themselves, not how many there are, and --labels may have names. */
#ifndef TOOLS_NEW_SHAPE_H
#define TOOLS_NEW_SHAPE_H

#include "engine/file/weight_writer.h"

#include <stdbool.h>
#include <stddef.h>

enum { SHAPE_NAME_BYTES = 32 };

/* The name of the index-th option without its dashes; false past the last. */
bool shape_option(size_t index, char name[SHAPE_NAME_BYTES]);

/* What each takes, its default and what it is, on stdout. */
void shape_print_help(const struct model_config *defaults);

struct shape {
    struct model_config config;
    bool scale_is_sqrt;      /* --embedding-scale sqrt: the width may come later */
    const char *label_names; /* "pos,neg", or NULL: numbers alone */
    bool has_head, has_scores, has_head_pooling; /* these were given */
    float *frequencies;                          /* [config.position_frequencies], owned */
};

/* Sets the index-th option. PROGRAM_DONE, or PROGRAM_MISUSED after a message. */
int shape_set(struct shape *shape, size_t index, const char *text);

void shape_free(struct shape *shape);

/* The name of a label of label_names: its start, and its length in *len. */
const char *shape_label_name(const struct shape *shape, size_t label, size_t *len);

/* Gives what depends on the width its number, then checks the whole; the vocabulary may be open
 * (-1). PROGRAM_DONE, or PROGRAM_MISUSED after a message. */
int shape_settle(struct shape *shape);

#endif
