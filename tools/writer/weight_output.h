/* weight_output.h - a weight file that a program writes, with its name and program in META. A file
 * that is not finished when the program ends is removed. */
#ifndef TOOLS_WEIGHT_OUTPUT_H
#define TOOLS_WEIGHT_OUTPUT_H

#include "engine/engine.h"
#include "tools/common/options/option_table.h"

#include <stdbool.h>

/* An option whose value is a type of tensors. */
#define TENSOR_TYPE_AT(type, member) CHOICE_AT(type, member, TENSOR_F32, "f32 f16 bf16 int8")

struct weight_output {
    struct weight_writer *writer;
    engine_error error; /* the writer's */
};

/* Opens the file and adds its name and the program to META. Ends the program if it cannot, or if
 * the file is one that it reads (tools/common/output.h). */
void weight_output_open(struct weight_output *output, const char *path, const char *name);

/* Completes the file; if something went wrong, leaves nothing and ends the program. */
void weight_output_finish(struct weight_output *output);

/* Removes an unfinished file, as the end of the program does, and frees its writer. */
void weight_output_drop(void);

/* Add a setting; one of META; and the name of a label, [len]. */
void weight_output_set(struct weight_output *output, engine_settings settings, const char *key,
                       const char *value);
#define weight_output_metadata(output, key, value)                                                 \
    weight_output_set(output, ENGINE_SETTINGS_METADATA, key, value)
void weight_output_label(struct weight_output *output, size_t label, const char *name, size_t len);

#endif
