/* plan_parts.h - adding the parts of architecture.h to a plan. Internal to the making of plans. */
#ifndef TOOLS_IMPORT_PLAN_PARTS_H
#define TOOLS_IMPORT_PLAN_PARTS_H

#include "tools/import/checkpoint/plan.h"

/* What the sizes of a part are made of. */
struct making {
    struct plan *plan;
    const struct plan_options *options;
    struct tensor_set *tensors;
    const struct model_config *model;
    struct problem *problem;
    bool is_int8; /* linear layers become int8 now, for such matrices are wanted and the layer bears
                     them */
};

/* The name with the layer's number for '#', and an ending. */
void plan_name(char *name, size_t cap, const char *pattern, int64_t layer, const char *ending);

/* The file of the tensors, for messages. */
const char *plan_place_of(const struct tensor_set *set);

/* ".kernel", the ending of the weight [in, out] of Keras' dense layers. */
extern const char PLAN_KERNEL[];

/* One tensor of a part: the ending of the name in the weight file, and those that it may have in
 * the checkpoint. */
bool plan_add(const struct making *making, const struct part *part, int64_t layer,
              const char *ending, const char *const endings[2], bool is_matrix);

/* All tensors of a part; of a list of parts. */
bool plan_add_part(const struct making *making, const struct part *part, int64_t layer);
bool plan_add_parts(const struct making *making, const struct part *parts, int64_t layer);

/* The head, NULL: none. Settles in `model` what the tensors decide. */
bool plan_add_head(const struct making *making, const struct head *head,
                   struct model_config *model);

#endif
