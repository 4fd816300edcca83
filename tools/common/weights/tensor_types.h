/* tensor_types.h - names of the types that tensors are stored as, for the command line. */
#ifndef TOOLS_TENSOR_TYPES_H
#define TOOLS_TENSOR_TYPES_H

#include "tools/common/options/option_table.h"

/* Each an enum tensor_type. */
extern const struct option_choice TENSOR_TYPES[];

#endif
