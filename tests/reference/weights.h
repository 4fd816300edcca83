/* weights.h - a second reader of weight files, written from weights/FORMAT.md alone.
 *
 * The whole file is read into memory, everything that the document lets a reader check is checked,
 * checksums of all sections and tensors included, and every tensor becomes a matrix of doubles.
 */
#ifndef TESTS_REFERENCE_WEIGHTS_H
#define TESTS_REFERENCE_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reference_type {
    REFERENCE_F32 = 1,
    REFERENCE_F16,
    REFERENCE_BF16,
    REFERENCE_INT8,
    REFERENCE_INT8A8,
    REFERENCE_INT8A7,
    REFERENCE_INT8K
};
enum reference_layout { REFERENCE_ROWS = 0, REFERENCE_PANELS = 1 };

/* Keys and values are NUL-terminated and point into the file's copy. */
struct reference_settings {
    size_t n;
    const char **keys, **values;
};

/* values: [rows, cols], for every type and layout in the file. A vector [N] has cols 1. */
struct reference_tensor {
    const char *name;
    enum reference_type type;
    enum reference_layout layout;
    size_t n_dims, rows, cols;
    uint64_t offset, n_bytes;
    double *values;
    double *factors; /* int8 types but int8: [cols], which the values have in them, 0 of columns in
                        f32; else NULL */
};

struct reference_weights {
    uint8_t *file;
    size_t n_bytes;
    struct reference_settings conf, tokn, meta;
    size_t n_words;            /* ids of the vocabulary */
    const uint8_t *vocabulary; /* section VOCB */
    size_t n_tensors;
    struct reference_tensor *tensors;
    char error[256];
};

/* False with the words in weights->error; reference_weights_free is due in both cases. */
bool reference_weights_read(struct reference_weights *weights, const char *path);
void reference_weights_free(struct reference_weights *weights);

/* The value of a key, or if_absent. */
const char *reference_setting(const struct reference_settings *settings, const char *key,
                              const char *if_absent);

/* The id of a text of the vocabulary, or -1. */
int32_t reference_word(const struct reference_weights *weights, const char *text, size_t len);

/* NULL when the file has no such tensor. */
const struct reference_tensor *reference_tensor(const struct reference_weights *weights,
                                                const char *name);

#endif
