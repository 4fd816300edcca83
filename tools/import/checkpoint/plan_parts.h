/* plan_parts.h - parts of the tables, added to a plan one by one; for plan_make.c alone. */
#ifndef TOOLS_IMPORT_PLAN_PARTS_H
#define TOOLS_IMPORT_PLAN_PARTS_H

#include "tools/import/checkpoint/plan.h"

/* What a plan is made from, and where the sizes of a part come from. */
struct making {
    struct plan *plan;
    struct stored_types types;
    struct tensor_set *tensors;
    struct model_config *model;
    bool is_int8; /* linear layers become int8 now: it was asked for, and the layer bears it */
    bool in_layer;
    const struct layout *layout;
};

/* Of Keras' dense layers, whose weight is [in, out]. */
extern const char KERNEL[];

/* How large a dimension is. */
uint64_t size_of(const struct making *making, enum part_dim dim);

/* A tensor of the checkpoint: the pattern with the layer's number for '#', and an ending. find:
 * NULL where there is none; need: refuses any but one of this shape (cols 0: a vector). */
struct stored_tensor *find_tensor(const struct making *making, const char *pattern, int64_t layer,
                                  const char *ending);
const struct stored_tensor *need_tensor(const struct making *making, const char *pattern,
                                        int64_t layer, const char *ending, uint64_t rows,
                                        uint64_t cols);

/* The file of the tensors, for messages. */
const char *place_of(const struct tensor_set *set);

/* Adds all tensors of a part; of each part of a list (NULL: none). */
void add_part(const struct making *making, const struct part *part, int64_t layer);
void add_parts(const struct making *making, const struct part *parts, int64_t layer);

#endif
