/* plan_head.h - the tensors of the head that stands on the body. */
#ifndef TOOLS_IMPORT_PLAN_HEAD_H
#define TOOLS_IMPORT_PLAN_HEAD_H

#include "tools/import/checkpoint/plan_parts.h"

/* NULL: there is none. Settles in `model`, which is that of `making`, what the tensors decide. */
bool plan_add_head(const struct making *making, const struct head *head,
                   struct model_config *model);

#endif
