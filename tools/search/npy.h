/* npy.h - arrays of NumPy in mapped files, alone or in an archive. Errors end the program. */
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
    const char *items; /* after the header, not aligned */
    size_t n_bytes;    /* from items to the end */
};

/* Reads the header of a file of one array, or of a member of an .npz archive, which must not be
 * compressed. */
struct npy npy_read(const struct mapped *file, const char *member);

/* Checks that items of so many bytes fill the rest of the file or member. */
void npy_check_bytes(const struct npy *npy, size_t item_bytes);

/* Ends the program with the message "'x.npy' …" or "data.npy in 'x.npz' …". */
const char *npy_title(const struct npy *npy);
#define npy_die(npy, ...) file_die(npy_title(npy), " " __VA_ARGS__)

#endif
