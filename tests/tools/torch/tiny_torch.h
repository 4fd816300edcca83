/* tiny_torch.h - files as torch.save writes them, small enough to break in every way: a zip archive
 * of entries, and the pickle of a dictionary of tensors, opcode by opcode. */
#ifndef TESTS_TOOLS_TINY_TORCH_H
#define TESTS_TOOLS_TINY_TORCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tiny_bytes {
    uint8_t bytes[8192];
    size_t len;
};

/* Adds bytes, and a whole number of n bytes, little-endian. */
void tiny_put(struct tiny_bytes *to, const void *bytes, size_t len);
void tiny_put_number(struct tiny_bytes *to, uint64_t number, size_t n);

/* ---- The pickle ---- */

struct tiny_tensor {
    const char *name, *storage, *key; /* "w", "FloatStorage", "0" */
    int n_stored, first, sizes[4], strides[4], n_dims;
};

/* Begins the dictionary, puts tensors into it, and ends the pickle. */
void tiny_pickle_begin(struct tiny_bytes *pickle);
void tiny_pickle_text(struct tiny_bytes *pickle, const char *text);
void tiny_pickle_tensor(struct tiny_bytes *pickle, const struct tiny_tensor *tensor);
void tiny_pickle_end(struct tiny_bytes *pickle);

/* ---- The archive ---- */

struct tiny_entry {
    const char *name;
    const void *data;
    size_t len;
};

/* The archive of the entries, each stored; is_64: with numbers of 64 bits where it has them. */
void tiny_zip(struct tiny_bytes *file, const struct tiny_entry *entries, size_t n, bool is_64);

/* A complete file: x/data.pkl, and the storage x/data/0 of 24 numbers. */
void tiny_torch(struct tiny_bytes *file, const struct tiny_bytes *pickle);

/* A sound one, of a matrix, a vector that shares its storage, and a transposed matrix. */
void tiny_torch_sound(struct tiny_bytes *file);

#endif
