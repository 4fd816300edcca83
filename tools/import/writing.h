/* writing.h - what every import does to the file it writes. */
#ifndef TOOLS_IMPORT_WRITING_H
#define TOOLS_IMPORT_WRITING_H

#include "engine/file/weight_writer.h"
#include "tools/common/weights/problem.h"

void import_setting(struct weight_writer *writer, engine_settings settings, const char *key,
                    const char *value);
void import_metadata(struct weight_writer *writer, const char *key, const char *value);

/* Puts the file in its place if all went well (ok), else leaves nothing; of two failures the one
 * that came first is told: the writer's (error), if it has one. An exit code. */
int import_finish(struct weight_writer *writer, bool ok, const engine_error *error,
                  const struct problem *problem);

#endif
