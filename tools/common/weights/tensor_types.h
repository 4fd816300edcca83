/* tensor_types.h - names of the types that tensors are stored as, for options and reports. */
#ifndef TOOLS_TENSOR_TYPES_H
#define TOOLS_TENSOR_TYPES_H

#include "tools/common/options/option_table.h"

/* Each an enum tensor_type; that of a type is TENSOR_TYPES[type - 1]. */
extern const struct option_choice TENSOR_TYPES[];

#endif
