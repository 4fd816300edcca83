/* npy.h - arrays of NumPy that are read where they lie: files of one, and those in an archive. */
#ifndef TOOLS_SEARCH_NPY_H
#define TOOLS_SEARCH_NPY_H

#include <stdbool.h>
#include <stddef.h>

enum { NPY_MESSAGE_BYTES = 320, NPY_TYPE_BYTES = 96, NPY_MOST_DIMENSIONS = 4 };

struct npy {
    /* The dtype as JSON without blanks: "<f4", with its quotes, or [["scale","<f4"],…]. */
    char type[NPY_TYPE_BYTES];
    size_t n_dimensions, shape[NPY_MOST_DIMENSIONS];
    size_t n_items;    /* the product of the shape */
    const char *items; /* behind the header, of any alignment */
    size_t n_bytes;    /* from there to the end */
};

/* Reads the header at the start of data [len]. False: the message says what is wrong, in words
 * that go behind the name of the file. */
bool npy_read(const char *data, size_t len, struct npy *npy, char message[NPY_MESSAGE_BYTES]);

/* Whether items of so many bytes fill what is behind the header, to its end. */
bool npy_check_bytes(const struct npy *npy, size_t item_bytes, char message[NPY_MESSAGE_BYTES]);

/* The bytes of a member of an .npz archive [len], which must be stored as they are; NULL: the
 * message says why not, as above. */
const char *npz_find(const char *archive, size_t len, const char *name, size_t *n_bytes,
                     char message[NPY_MESSAGE_BYTES]);

#endif
