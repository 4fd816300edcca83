/* weights.h - a second reader of weight files, written from weights/FORMAT.md alone.
 *
 * The whole file is read into memory, and every tensor becomes a matrix of doubles. Checked are the
 * checksums of header and sections, and all that an address is computed from: a damaged file is
 * refused. Zeros, order and sums, which nothing here depends on, are encode-inspect --verify's.
 */
#ifndef PLAIN_WEIGHTS_H
#define PLAIN_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plain_type {
    PLAIN_F32 = 1,
    PLAIN_F16,
    PLAIN_BF16,
    PLAIN_INT8,
    PLAIN_INT8A8,
    PLAIN_INT8A7,
    PLAIN_INT8K
};
enum plain_layout { PLAIN_ROWS = 0, PLAIN_PANELS = 1 };

/* values: [rows, cols], for every type and layout in the file. A vector [N] has cols 1. */
struct plain_tensor {
    const char *name;
    enum plain_type type;
    enum plain_layout layout;
    size_t n_dims, rows, cols;
    uint64_t offset, n_bytes;
    double *values;
    double *factors; /* int8 types but int8: [cols], which the values have in them, 0 of columns in
                        f32; else NULL */
};

/* Keys and values are NUL-terminated and point into the file's copy. */
struct plain_settings {
    size_t n;
    struct plain_pair {
        const char *key, *value;
    } * pairs;
};

struct plain_weights {
    uint8_t *file;
    size_t n_bytes;
    struct plain_settings conf, tokn;
    uint32_t n_words, n_slots;             /* ids of the vocabulary, section VOCB */
    const uint8_t *slots, *starts, *texts; /* its parts: u32, u32, and bytes */
    size_t n_tensors;
    struct plain_tensor *tensors;
    char error[256];
};

/* False with the words in weights->error; plain_weights_free is due in both cases. The second reads
 * n_bytes in memory, which weights own from then on. */
bool plain_weights_read(struct plain_weights *weights, const char *path);
bool plain_weights_parse(struct plain_weights *weights, uint8_t *file, size_t n_bytes);
void plain_weights_free(struct plain_weights *weights);

/* Writes what is wrong, unless error has something already. Returns false. */
__attribute__((format(printf, 2, 3))) bool plain_complain(char error[256], const char *format, ...);

/* Puts question marks for control characters, which no terminal obeys then. */
void plain_make_printable(char *text);

/* Zeros for n + 1 things of n_bytes, to be freed. Without memory the program ends (status 1). */
void *plain_new(size_t n, size_t n_bytes);

/* The value of a key, or if_absent. */
const char *plain_setting(const struct plain_settings *settings, const char *key,
                          const char *if_absent);

/* The text of an id, and its length; "" if it has none. */
const char *plain_word_text(const struct plain_weights *weights, int32_t id, size_t *len);

/* The id of a text of the vocabulary, or -1. */
int32_t plain_word(const struct plain_weights *weights, const char *text, size_t len);

/* NULL when the file has no such tensor. */
const struct plain_tensor *plain_tensor(const struct plain_weights *weights, const char *name);

/* ---- Numbers and matrices as a file stores them ---- */

/* The little-endian number of n bytes, of 4, and the float of these 4. */
uint64_t plain_number(const uint8_t *bytes, unsigned n);
uint32_t plain_u32(const uint8_t *bytes);
double plain_f32(const uint8_t *bytes);

/* The value of a binary16 number. */
double plain_f16(uint32_t bits);

/* Fills tensor->values [rows, cols], and factors where it has them, from the stored bytes, whose
 * sums and zeros are not read. False if n_bytes is not the length of a tensor of this type, layout
 * and shape, or a column that is kept in f32 is none of the matrix. */
bool plain_decode(const struct plain_tensor *tensor, const uint8_t *bytes);

#endif
