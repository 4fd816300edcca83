/* tensor_file.h - the tensors of a checkpoint, from safetensors files: their names, types and
 * shapes checked against the length of the file. Their numbers: tensor_rows.h.
 *
 * A safetensors file is a u64 (little-endian) n, n bytes of JSON, and the data:
 *     {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …, "__metadata__": {…}}
 * Offsets count from the start of the data, tensors are row-major and fill it without gaps.
 */
#ifndef TOOLS_IMPORT_TENSOR_FILE_H
#define TOOLS_IMPORT_TENSOR_FILE_H

#include "tools/import/files/json_file.h"

enum { TENSOR_DIMS = 8, TENSOR_FILES = 256 };

/* One tensor. */
struct stored_tensor {
    const char *name; /* as the file has it */
    const char *key;  /* the same without the model's prefix; see tensor_set_strip */
    const char *dtype;
    size_t file; /* index */
    size_t n_dims;
    uint64_t shape[TENSOR_DIMS];
    uint64_t offset, n_bytes; /* in the file */
    bool used;                /* the caller's */
};

struct tensor_file {
    char name[256]; /* relative, for messages */
    int fd;
    json_t *header; /* owns names and types */
};

/* The tensors of all files, in the order of their keys. */
struct tensor_set {
    struct tensor_file files[TENSOR_FILES];
    size_t n_files;
    struct stored_tensor *tensors;
    size_t n;
    struct problem *problem; /* borrowed: where every function here says what is wrong */
};

/* Adds the tensors that a header names; `header` [len] is the JSON, and data begins at data_offset
 * and ends at file_bytes. */
bool tensor_set_parse(struct tensor_set *set, const char *name, int fd, const char *header,
                      size_t len, uint64_t data_offset, uint64_t file_bytes);

/* The length of the header from the file's first 8 bytes, checked against that of the file. */
bool tensor_header_bytes(const char *name, const uint8_t first[8], uint64_t file_bytes, size_t *len,
                         struct problem *problem);

/* Into an empty set: model.safetensors in `place` ("" or "2_Dense/"), or the shards of
 * model.safetensors.index.json. */
bool tensor_set_read(struct tensor_set *set, struct folder *folder, const char *place);
void tensor_set_free(struct tensor_set *set);

/* Takes the first of the prefixes (NULL ends them) that is there off every name. */
bool tensor_set_strip(struct tensor_set *set, const char *const *prefixes);

/* By key; NULL: there is none. */
struct stored_tensor *tensor_set_find(const struct tensor_set *set, const char *key);

/* The file that a tensor is in, for messages. */
const char *tensor_file_name(const struct tensor_set *set, const struct stored_tensor *tensor);

/* "FILE: tensor 'NAME': ..." in the set's problem (see problem_in for the colon); false. */
bool tensor_refuse(const struct tensor_set *set, const struct stored_tensor *tensor,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "[2, 3]" in text. */
enum { SHAPE_TEXT = 200 };
const char *tensor_shape_text(const struct stored_tensor *tensor, char text[SHAPE_TEXT]);

/* Whether it is F32, F16 or BF16, which tensor_rows.h can read. */
bool tensor_is_float(const struct stored_tensor *tensor);

/* Bytes of an element of that type; 0: there is no such type. */
unsigned dtype_bytes(const char *name);

#endif
