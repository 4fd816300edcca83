/* plan_parts.h - the tensors that a weight file will have, each with the tensors of the checkpoint
 * that it is made of, and adding the parts of architecture.h to them: found and checked.
 */
#ifndef TOOLS_IMPORT_PLAN_PARTS_H
#define TOOLS_IMPORT_PLAN_PARTS_H

#include "tools/import/checkpoint/architecture.h"
#include "tools/import/checkpoint/int8_layers.h"
#include "tools/import/files/tensor_file.h"

enum { PLAN_PARTS = 3, PLAN_NAME = 96, PLAN_KEY = 128 };

struct planned_tensor {
    char name[PLAN_NAME];
    enum tensor_type type;
    enum tensor_layout layout;
    size_t n_dims, rows, cols; /* cols 1 for vectors */
    const struct tensor_set *set;
    const struct stored_tensor *parts[PLAN_PARTS]; /* rows / n_parts rows each */
    size_t n_parts;
    bool is_transposed; /* the only part is [cols, rows] */
};

struct plan {
    struct planned_tensor *tensors;
    size_t n, cap;
    uint64_t n_parameters, n_bytes; /* numbers; bytes of the tensors in the weight file */
    uint64_t n_source_bytes;        /* bytes that will be read */
    size_t n_left_out;              /* tensors of the checkpoint that are not needed */
    const struct stored_tensor **left_out;
    struct int8_layers int8_layers; /* judged where the matrices become int8 */
};

/* What a plan is made from, and where the sizes of a part come from. */
struct making {
    struct plan *plan;
    enum tensor_type type; /* how matrices are stored; 0: each as the checkpoint has it */
    struct tensor_set *tensors;
    const struct model_config *model;
    bool is_int8; /* linear layers become int8 now, for such matrices are wanted and the layer bears
                     them */
};

/* The name with the layer's number for '#', and an ending. Returns `name`. */
const char *plan_name(char name[PLAN_KEY], const char *pattern, int64_t layer, const char *ending);

/* The file of the tensors, for messages. */
const char *plan_place_of(const struct tensor_set *set);

/* ".kernel", the ending of the weight [in, out] of Keras' dense layers. */
extern const char PLAN_KERNEL[];

uint64_t plan_size(const struct making *making, enum part_dim dim);

/* A tensor of the checkpoint of this shape, cols 0: a vector; NULL after a refusal. */
const struct stored_tensor *plan_need(const struct making *making, const char *key, uint64_t rows,
                                      uint64_t cols);

/* All tensors of a part; of a list of parts. */
bool plan_add_part(const struct making *making, const struct part *part, int64_t layer);
bool plan_add_parts(const struct making *making, const struct part *parts, int64_t layer);

#endif
