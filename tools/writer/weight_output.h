/* weight_output.h - a weight file that a program writes: what every such file says about itself in
 * META. Of a file that is not finished when the program ends nothing is left.
 */
#ifndef TOOLS_WEIGHT_OUTPUT_H
#define TOOLS_WEIGHT_OUTPUT_H

#include "engine/engine.h"
#include "tools/common/options/option_table.h"

#include <stdbool.h>

/* The types that tensors are stored as, for options. */
#define TENSOR_TYPE_AT(type, member) CHOICE_AT(type, member, TENSOR_F32, "f32 f16 bf16 int8")

struct weight_output {
    struct weight_writer *writer;
    engine_error error; /* the writer's */
};

/* Ends the program unless there is room for so many bytes where the file will be, as far as the
 * system tells: to be called before minutes are spent on writing them. */
void weight_output_check_room(const char *path, double n_bytes);

/* Opens the file and says in META what it is called and which program made it. Ends the program
 * where it cannot, or where the file is one that it reads (tools/common/inputs.h). */
void weight_output_open(struct weight_output *output, const char *path, const char *name);

/* Puts the file in its place; if something went wrong, leaves nothing and ends the program. */
void weight_output_finish(struct weight_output *output);

/* Removes what was not finished, as the end of the program does. */
void weight_output_drop(void);

/* Whether nothing has failed so far. */
bool weight_output_is_right(const struct weight_output *output);

/* Adds a setting; to META; and the name of a label, [len]. */
void weight_output_set(struct weight_output *output, engine_settings settings, const char *key,
                       const char *value);
void weight_output_metadata(struct weight_output *output, const char *key, const char *value);
void weight_output_label(struct weight_output *output, size_t label, const char *name, size_t len);

#endif
