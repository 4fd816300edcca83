/* token_dense.h - the Dense modules of a model of many vectors, which work on each token: those of
 * PyLate, and of MultiVectorEncoder of sentence-transformers 6. As they have no activation, several
 * of them, and residuals, are one linear layer, which is computed in double. Source:
 * sentence_transformers/base/modules/dense.py. */
#ifndef TOOLS_IMPORT_TOKEN_DENSE_H
#define TOOLS_IMPORT_TOKEN_DENSE_H

#include "tools/import/checkpoint/plan.h"

/* Reads the modules' config.json into st and the model. */
void token_dense_read(struct sentence_transformers *st, struct folder *folder,
                      struct model_config *model);

/* Adds their layer to the plan. sets: [MAX_PROJECTIONS], empty. */
void token_dense_plan(struct plan *plan, struct stored_types types, struct tensor_set *sets,
                      const struct sentence_transformers *st, struct folder *folder);

/* Reads MultiVectorMask/config.json. Returns the file, which has the words to skip. */
struct json_file token_mask_read(const struct sentence_transformers *st, struct folder *folder);

#endif
