/* plan_make.h - from the tables of families/ to the tensors of one checkpoint. */
#ifndef TOOLS_IMPORT_PLAN_MAKE_H
#define TOOLS_IMPORT_PLAN_MAKE_H

#include "tools/import/checkpoint/plan.h"

/* type: how matrices are stored; 0: each as the checkpoint has it. Settles what the tensors decide
 * (whether there is a pooler, how many labels) in `config`, and marks the tensors used. The sets
 * and the config must outlive the plan. */
void plan_make(struct plan *plan, enum tensor_type type, struct tensor_set *tensors,
               struct checkpoint_config *config);

/* Adds projection.index from the module's own tensors. */
void plan_projection(struct plan *plan, enum tensor_type type, struct tensor_set *tensors,
                     size_t index, const struct dense_module *dense, bool has_bias);
void plan_free(struct plan *plan);

#endif
