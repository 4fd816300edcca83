/* tensor_types.c - see tensor_types.h. */
#include "tools/common/weights/tensor_types.h"

#include "engine/file/weight_writer.h"

const struct option_choice TENSOR_TYPES[] = {
    {"f32", TENSOR_F32}, {"f16", TENSOR_F16}, {"bf16", TENSOR_BF16}, {"int8", TENSOR_INT8}, {0},
};
