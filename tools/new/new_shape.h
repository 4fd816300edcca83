/* new_shape.h - the options of encode-new that set the model's shape: one for each key of
 * model/config.h, with dashes for underscores, so that a new key is an option at once; but
 * --frequencies has the numbers themselves, not how many there are, and --labels may have names. */
#ifndef TOOLS_NEW_SHAPE_H
#define TOOLS_NEW_SHAPE_H

#include "engine/file/weight_writer.h"
#include "tools/common/options/option_table.h"

#include <stdbool.h>
#include <stddef.h>

struct shape {
    struct model_config config;
    bool scale_is_sqrt;      /* --embedding-scale sqrt: the width may come later */
    const char *label_names; /* "pos,neg", or NULL: numbers alone */
    bool has_head, has_scores, has_head_pooling; /* these were given */
    float *frequencies;                          /* [config.position_frequencies], owned */
};

enum {
    SHAPE_OPTIONS_MOST = 64,
    SHAPE_VALUES_MOST = 16,
    SHAPE_NAME_BYTES = 32,
    SHAPE_HELP_BYTES = 256
};

/* What the rows of the table point at. */
struct shape_row {
    char name[SHAPE_NAME_BYTES], help[SHAPE_HELP_BYTES];
    struct option_choice choices[SHAPE_VALUES_MOST];
};

/* Rows for a struct shape, one for each key; returns how many. The texts name these defaults. Both
 * arrays start all zero. */
size_t shape_rows(const struct model_config *defaults, struct shape_row rows[SHAPE_OPTIONS_MOST],
                  struct option_row table[SHAPE_OPTIONS_MOST]);

void shape_free(struct shape *shape);

/* The name of a label of label_names: its start, and its length in *len. */
const char *shape_label_name(const struct shape *shape, size_t label, size_t *len);

/* Gives what depends on the width its number, then checks the whole; the vocabulary may be open
 * (-1). PROGRAM_DONE, or PROGRAM_MISUSED after a message. */
int shape_settle(struct shape *shape);

#endif
