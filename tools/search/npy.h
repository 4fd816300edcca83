/* npy.h - arrays of NumPy that are read where they lie: files of one, and those in an archive. What
 * is wrong with them ends the program. */
#ifndef TOOLS_SEARCH_NPY_H
#define TOOLS_SEARCH_NPY_H

#include "tools/common/options.h"
#include "tools/search/mapped.h"

enum { NPY_TYPE_BYTES = 96, NPY_MOST_DIMENSIONS = 4 };

struct npy {
    const struct mapped *file;
    const char *member; /* of an archive; or NULL */
    /* The dtype as JSON without blanks: "<f4", with its quotes, or [["scale","<f4"],…]. */
    char type[NPY_TYPE_BYTES];
    size_t n_dimensions, shape[NPY_MOST_DIMENSIONS];
    size_t n_items;    /* the product of the shape */
    const char *items; /* behind the header, of any alignment */
    size_t n_bytes;    /* from there to the end */
};

/* The array that the file is, or the member of an .npz archive, which must be stored as it is. */
struct npy npy_read(const struct mapped *file, const char *member);

/* Items of so many bytes must fill what is behind the header, to its end. */
void npy_check_bytes(const struct npy *npy, size_t item_bytes);

/* "'x.npy' is ...", "data.npy in 'x.npz' is ...", and the end of the program. */
const char *npy_title(const struct npy *npy);
#define npy_die(npy, ...) file_die(npy_title(npy), " " __VA_ARGS__)

#endif
