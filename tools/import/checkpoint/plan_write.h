/* plan_write.h - carrying out a plan. */
#ifndef TOOLS_IMPORT_PLAN_WRITE_H
#define TOOLS_IMPORT_PLAN_WRITE_H

#include "engine/file/weight_writer.h"
#include "tools/import/checkpoint/plan_parts.h"
#include "tools/import/progress.h"

/* Writes all tensors; progress is told how many bytes were read. False: a tensor cannot be read,
 * which the problem of its set says, or written, which the writer knows. */
bool plan_write(const struct plan *plan, struct weight_writer *writer, struct progress *progress);

#endif
