/* plan_make.h - from the tables of families/ to the tensors of one checkpoint. */
#ifndef TOOLS_IMPORT_PLAN_MAKE_H
#define TOOLS_IMPORT_PLAN_MAKE_H

#include "tools/import/checkpoint/plan.h"

/* Settles what the tensors decide (whether there is a pooler, how many labels) in `config`, and
 * marks the tensors used. The sets and the config must outlive the plan. */
void plan_make(struct plan *plan, struct stored_types types, struct tensor_set *tensors,
               struct checkpoint_config *config);

/* A linear layer [out, in] that has a file of its own, with these tensors and no others; '#' in the
 * names of the weight file stands for the index. */
struct linear_names {
    const char *weight_to, *bias_to; /* in the weight file */
    const char *weight, *bias;
};
void plan_linear(struct plan *plan, struct stored_types types, struct tensor_set *tensors,
                 const struct linear_names *names, size_t index, int64_t out, int64_t in,
                 bool has_bias);

/* Adds projection.index from the module's own tensors. */
void plan_projection(struct plan *plan, struct stored_types types, struct tensor_set *tensors,
                     size_t index, const struct dense_module *dense, bool has_bias);
void plan_free(struct plan *plan);

#endif
