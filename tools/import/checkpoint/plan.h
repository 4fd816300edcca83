/* plan.h - every tensor that a weight file will have, each with the tensors of the checkpoint that
 * it is made of, found and checked before a byte is written, so that what cannot be imported is
 * refused whole.
 */
#ifndef TOOLS_IMPORT_PLAN_H
#define TOOLS_IMPORT_PLAN_H

#include "tools/import/checkpoint/checkpoint_config.h"
#include "tools/import/checkpoint/int8_layers.h"
#include "tools/import/checkpoint/sentence_transformers.h"
#include "tools/import/files/tensor_file.h"

enum { PLAN_PARTS = 3, PLAN_NAME = 96 };

/* How matrices are stored, and tables of embeddings; 0: each as the checkpoint has it, tables
 * beside int8 matrices in f16. */
struct stored_types {
    enum tensor_type matrices, tables;
};

static inline enum tensor_type table_type(struct stored_types types)
{
    if (types.tables != 0)
        return types.tables;
    return types.matrices == TENSOR_INT8 ? TENSOR_F16 : types.matrices;
}

struct planned_tensor {
    char name[PLAN_NAME];
    enum tensor_type type;
    enum tensor_layout layout;
    size_t n_dims, rows, cols; /* cols 1 for vectors */
    const struct tensor_set *set;
    const struct stored_tensor *parts[PLAN_PARTS]; /* planned_rows() rows each */
    size_t n_parts;
    bool is_transposed; /* the only part is [cols, rows] */
    double added;       /* to each number */
    /* Of static_embedding.h: the row of the part that each row is, and its factor; or NULL. */
    const struct stored_tensor *row_numbers, *row_weights;
    enum part_kind kind;
};

/* The rows of one of its parts. */
static inline size_t planned_rows(const struct planned_tensor *tensor, size_t part)
{
    return tensor->n_parts > 1 ? (size_t)tensor->parts[part]->shape[0] : tensor->rows;
}

struct plan {
    struct planned_tensor *tensors;
    size_t n, cap;
    uint64_t n_parameters, n_bytes; /* numbers; bytes of the tensors in the weight file */
    uint64_t n_source_bytes;        /* bytes that will be read */
    size_t n_left_out;              /* tensors of the checkpoint that are not needed */
    const struct stored_tensor **left_out;
    bool is_post_norm; /* a norm makes the residual stream anew, and does not only read it */
    struct int8_layers int8_layers; /* judged where the matrices become int8 */
};

/* Writes all tensors; the progress goes on by the bytes that were read. Failures are the
 * writer's. */
void plan_write(const struct plan *plan, struct weight_writer *writer);

#endif
