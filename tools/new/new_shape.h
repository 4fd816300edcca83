/* new_shape.h - the options of encode-new that set the model's shape: each has the name of a key of
 * model/config.h, with dashes for underscores; but --frequencies has the numbers themselves, not
 * how many there are, and --labels may have names. --set KEY=VALUE sets any key, also those of
 * kinds that few models have. */
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
    const float *frequencies;                    /* [config.position_frequencies] */
};

/* Of a struct shape. */
enum { N_SHAPE_ROWS = 40 };
extern const struct option_row SHAPE_ROWS[N_SHAPE_ROWS];

/* The name of a label of label_names: its start, and its length in *len. */
const char *shape_label_name(const struct shape *shape, size_t label, size_t *len);

/* Gives what depends on the width its number, then checks the whole; the vocabulary may be open
 * (-1). */
void shape_settle(struct shape *shape);

#endif
