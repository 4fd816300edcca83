/* weights.h - a second reader of weight files, written from weights/FORMAT.md alone.
 *
 * The whole file is read into memory, and every tensor becomes a matrix of doubles. Checked are the
 * checksums of header and sections, and all that an address is computed from: a damaged file is
 * refused. Zeros, order and sums, which nothing here depends on, are encode-inspect --verify's.
 */
#ifndef PLAIN_WEIGHTS_H
#define PLAIN_WEIGHTS_H

#include "engine/plain/decode.h"

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

/* Zeros for n + 1 things of n_bytes, to be freed. Without memory the program ends. */
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

#endif
