/* npy_header.h - the header of NumPy's file format, version 1.0: magic, its length, a Python dict
 * that is padded with blanks (https://numpy.org/neps/nep-0001-npy-format.html). */
#ifndef TOOLS_ENCODE_NPY_HEADER_H
#define TOOLS_ENCODE_NPY_HEADER_H

enum { NPY_HEADER_BYTES = 128 };

/* descr: "<f4", or the fields "[('scale', '<f4'), ...]"; shape: "3, 128", "3," or "". */
void npy_header(char out[NPY_HEADER_BYTES], const char *descr, const char *shape);

#endif
