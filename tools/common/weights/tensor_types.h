/* tensor_types.h - the types that tensors are stored as, for options. */
#ifndef TOOLS_TENSOR_TYPES_H
#define TOOLS_TENSOR_TYPES_H

#include "engine/file/weight_writer.h"
#include "tools/common/options/option_table.h"

#define TENSOR_TYPE_AT(type, member) CHOICE_AT(type, member, TENSOR_F32, "f32 f16 bf16 int8")

#endif
