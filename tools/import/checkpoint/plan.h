/* plan.h - every tensor that a weight file will have, found and checked before a byte is written, so
 * that what cannot be imported is refused whole.
 */
#ifndef TOOLS_IMPORT_PLAN_H
#define TOOLS_IMPORT_PLAN_H

#include "tools/import/checkpoint/checkpoint_config.h"
#include "tools/import/checkpoint/plan_parts.h"
#include "tools/import/checkpoint/sentence_transformers.h"
#include "tools/import/progress.h"

/* Settles what the tensors decide (whether there is a pooler, how many labels) in `config`, and
 * marks the tensors used. The sets and the config must outlive the plan. */
bool plan_make(struct plan *plan, enum tensor_type type, struct tensor_set *tensors,
               struct checkpoint_config *config);

/* Adds projection.index from the module's own tensors. */
bool plan_projection(struct plan *plan, enum tensor_type type, struct tensor_set *tensors,
                     size_t index, const struct dense_module *dense, bool has_bias);
void plan_free(struct plan *plan);

/* Writes all tensors; progress is told how many bytes were read. False: a tensor cannot be read,
 * which the problem of its set says, or written, which the writer knows. */
bool plan_write(const struct plan *plan, struct weight_writer *writer, struct progress *progress);

#endif
