/* tensor_file.h - the tensors of a checkpoint, from safetensors files or those of torch
 * (torch_file.h): their names, types and shapes, checked against the length of the file, and their
 * numbers, a chunk of rows at a time, so that memory is one chunk for any size of model.
 *
 * A safetensors file is a u64 (little-endian) n, n bytes of JSON, and the data:
 *     {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …, "__metadata__": {…}}
 * Offsets count from the start of the data, tensors are row-major and fill it without gaps. */
#ifndef TOOLS_IMPORT_TENSOR_FILE_H
#define TOOLS_IMPORT_TENSOR_FILE_H

#include "model/tensor.h"
#include "tools/import/files/json_file.h"

enum { TENSOR_DIMS = 8, TENSOR_FILES = 256 };

/* One tensor. */
struct stored_tensor {
    const char *name; /* as the file has it */
    const char *key;  /* the same without the model's prefix; see tensor_set_strip */
    const char *dtype;
    enum tensor_type type; /* f32 (also of F64), f16 or bf16, which can be read; 0: another */
    unsigned element_bytes;
    size_t file; /* index */
    size_t n_dims;
    uint64_t shape[TENSOR_DIMS];
    uint64_t offset, n_bytes;      /* in the file */
    bool is_transposed;            /* columns follow each other there, not rows */
    bool used;                     /* set by the caller */
    const struct low_rank *change; /* added to a matrix when it is read; NULL: none */
};

/* scale · up · down, [rows, rank] and [rank, cols], each number `index` of equal ones in its
 * tensor. */
struct low_rank {
    const struct tensor_set *set;
    struct stored_tensor up, down;
    size_t rank, index;
    double scale;
};

struct tensor_file {
    struct json_file header; /* owns names and types */
    int fd;
    bool is_torch;
    uint64_t data_offset, data_bytes;
};

/* The tensors of all files, in the order of their keys. */
struct tensor_set {
    struct tensor_file files[TENSOR_FILES];
    size_t n_files;
    struct stored_tensor *tensors;
    size_t n;
};

/* Adds the tensors of an open file, which the set keeps open. A name that does not end in
 * ".safetensors" is a torch file's. */
void tensor_set_add(struct tensor_set *set, const char *name, int fd, uint64_t file_bytes);

/* Into an empty set: in `place` ("" or "2_Dense/") the first that exists of model.safetensors, the
 * shards of model.safetensors.index.json, pytorch_model.bin, and its shards. */
void tensor_set_read(struct tensor_set *set, struct folder *folder, const char *place);

/* The same of one file there, "sparse_linear.pt". */
void tensor_set_read_file(struct tensor_set *set, struct folder *folder, const char *place,
                          const char *file);

/* Removes the first of the prefixes (NULL ends them) that any name has from all names. */
void tensor_set_strip(struct tensor_set *set, const char *const *prefixes);

/* Gives the keys of tensors whose names end in `ending` another ending. */
void tensor_set_rename(struct tensor_set *set, const char *ending, const char *other);

/* Finds a tensor by its key; NULL if it is absent. */
struct stored_tensor *tensor_set_find(const struct tensor_set *set, const char *key);

/* The same of numbers [rows, cols] (cols 0: a vector [rows]), which are marked used. Refuses any
 * other. */
struct stored_tensor *tensor_set_need(const struct tensor_set *set, const char *key, uint64_t rows,
                                      uint64_t cols);

/* The rows of a matrix; 1 if it is none, or NULL, which is then refused. */
size_t tensor_matrix_rows(const struct stored_tensor *tensor);

/* The name of the only file, or "the checkpoint", for messages. */
const char *tensor_set_name(const struct tensor_set *set);

/* `len` of a tensor's bytes, from byte `at` of them on. */
void tensor_read(const struct tensor_set *set, const struct stored_tensor *tensor, uint64_t at,
                 void *data, size_t len);

/* The same of a matrix that should be the one of key `twin`; NULL, too, if it is. */
const struct stored_tensor *tensor_set_find_other(const struct tensor_set *set, const char *key,
                                                  const char *twin);

/* "FILE: tensor 'NAME'", until the next call: the start of messages of tensor_die. */
const char *tensor_title(const struct tensor_set *set, const struct stored_tensor *tensor);
#define tensor_die(set, tensor, ...) file_die(tensor_title(set, tensor), __VA_ARGS__)

/* Refuses a tensor that is not used: it "is not part of WHAT". */
void tensor_set_check_used(const struct tensor_set *set, const char *what);

/* "[2, 3]" in text. */
enum { SHAPE_TEXT = 200 };
const char *tensor_shape_text(const struct stored_tensor *tensor, char text[SHAPE_TEXT]);

/* ---- Numbers, as f32 ---- */

struct tensor_rows {
    float *values;     /* [most, cols] */
    uint16_t *scratch; /* the same as stored, unless that is f32 */
    size_t most, cols;
};

/* Room for as many of `rows` rows as a chunk has; for all of them with is_whole. */
void tensor_rows_open(struct tensor_rows *chunk, size_t rows, size_t cols, bool is_whole);
void tensor_rows_free(struct tensor_rows *chunk);

/* Reads the next rows of [rows, cols] from *row on, as many as a chunk has, and moves *row past
 * them. Returns how many, 0 at the end. */
size_t tensor_rows_next(struct tensor_rows *chunk, const struct tensor_set *set,
                        const struct stored_tensor *tensor, size_t rows, size_t *row);

/* Reads rows first .. first+n-1 of [rows, cols], n at most `most`, into `values`. A tensor that is
 * not transposed may have another shape. NaN and infinities are refused. */
void tensor_rows_read(struct tensor_rows *chunk, const struct tensor_set *set,
                      const struct stored_tensor *tensor, uint64_t first, size_t n);

/* Returns rows first .. first+rows-1 of [.., cols], to be freed. */
float *tensor_floats(const struct tensor_set *set, const struct stored_tensor *tensor,
                     uint64_t first, size_t rows, size_t cols);

#endif
