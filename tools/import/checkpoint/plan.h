/* plan.h - every tensor that a weight file will have, each with the tensors of the checkpoint that
 * it is made of, found and checked before a byte is written, so that what cannot be imported is
 * refused whole. */
#ifndef TOOLS_IMPORT_PLAN_H
#define TOOLS_IMPORT_PLAN_H

#include "tools/import/checkpoint/checkpoint_config.h"
#include "tools/import/checkpoint/sentence_transformers.h"
#include "tools/import/files/tensor_file.h"
#include "tools/writer/weight_writer.h"

enum { PLAN_PARTS = 5, PLAN_NAME = 96 };

/* Types of matrices, and of tables of embeddings; 0: each as in the checkpoint, but tables in f16
 * if matrices are int8. */
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
    const float *values;    /* [rows, cols], borrowed: a tensor in memory, without parts; or NULL */
    bool is_transposed;     /* the only part is [cols, rows] */
    double added, times;    /* to each number; 0: not multiplied */
    const float *added_row; /* [cols] or NULL: added to each row */
    const double *row_numbers, *row_weights; /* [rows] or NULL: the row of the part, its factor */
    const struct model_config *model;        /* of positions, whose parts are of several shapes */
    enum part_kind kind;
};

/* The rows of one of its parts. */
static inline size_t planned_rows(const struct planned_tensor *tensor, size_t part)
{
    return tensor->n_parts > 1 ? (size_t)tensor->parts[part]->shape[0] : tensor->rows;
}

/* The layers of an encoder that can be int8. */
struct int8_layers {
    size_t n, n_f16;
    bool *in_f16; /* [n]: the whole layer is stored in f16 */
    double worst; /* the largest outlier there is */
};

struct plan {
    struct stored_types types; /* set before anything is planned */
    struct planned_tensor *tensors;
    size_t n, cap;
    uint64_t n_parameters, n_bytes; /* numbers; bytes of the tensors in the weight file */
    uint64_t n_source_bytes;        /* bytes that will be read */
    size_t n_left_out;              /* tensors of the checkpoint that are not needed */
    const struct stored_tensor **left_out;
    bool is_post_norm;              /* norms replace the residual stream */
    struct int8_layers int8_layers; /* judged where the matrices become int8 */
};

/* By the tables of families/. Stores in `config` what depends on the tensors (whether there is a
 * pooler, how many labels), and marks the tensors used. Sets and config must outlive the plan. */
void plan_make(struct plan *plan, struct tensor_set *tensors, struct checkpoint_config *config);

/* Adds a linear layer [out, in] (PART_LINEAR, PART_NO_BIAS, PART_SCORES) or a layer norm [out]
 * (PART_NORM), from a file that has no other tensors: `from` and `to` are their names in that file
 * and in the weight file, without ".weight" and ".bias"; '#' in `to` is the index. */
void plan_linear(struct plan *plan, struct tensor_set *tensors, enum part_kind kind, const char *to,
                 const char *from, size_t index, size_t out, size_t in, bool has_bias);

/* Adds a matrix [rows, cols], or with cols 0 a vector, of numbers in memory, which the plan
 * borrows. */
void plan_values(struct plan *plan, const char *name, const float *values, size_t rows,
                 size_t cols);

/* Appends a tensor that is complete but for its layout. */
void plan_add(struct plan *plan, struct planned_tensor *tensor);

/* Writes all tensors, and advances the progress by the bytes read. Failures are the writer's. */
void plan_write(const struct plan *plan, struct weight_writer *writer);

/* ---- int8 ---- */

/* Returns whether a table can be int8: no few columns are far larger than the others. */
bool int8_bears_table(const struct planned_tensor *table);

/* Judges a layer by its feed_forward.out. */
void int8_layers_judge(struct int8_layers *layers, size_t layer, const struct planned_tensor *out);

/* One line: which layers are stored in f16 and why; "" if none is. */
enum { INT8_NOTE = 512 };
void int8_layers_note(const struct int8_layers *layers, char note[INT8_NOTE]);

/* Root mean squares of the residual stream's columns, estimated from the weights. */
struct residual_stream {
    size_t cap;
    double *size;   /* [cap] */
    double *seen;   /* [cap]: after the last norm */
    float *rows;    /* [cap]: largest magnitude of each row of the last matrix added; at first 1 */
    float *largest; /* [cap]: scratch, of a matrix's columns */
};

/* Room for all tensors of the plan. */
void residual_stream_open(struct residual_stream *stream, const struct plan *plan);

/* Advances past the tensor at `index`; tensors of a plan are in the order of the model. */
void residual_stream_pass(struct residual_stream *stream, const struct plan *plan, size_t index);

/* Computes the factors [cols] of the columns of the matrix at `index` for weight_writer_factors(),
 * 0 for columns to store in f32. The stream has passed the tensors before it. */
void int8_factors(struct residual_stream *stream, const struct plan *plan, size_t index,
                  float *factors);

#endif
