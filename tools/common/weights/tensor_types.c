/* tensor_types.c - see tensor_types.h. */
#include "tools/common/weights/tensor_types.h"

#include "engine/file/weight_writer.h"

const struct option_choice TENSOR_TYPES[] = {
    [TENSOR_F32 - 1] = {"f32", TENSOR_F32},
    [TENSOR_F16 - 1] = {"f16", TENSOR_F16},
    [TENSOR_BF16 - 1] = {"bf16", TENSOR_BF16},
    [TENSOR_INT8 - 1] = {"int8", TENSOR_INT8},
    [TENSOR_INT8] = {0},
};
