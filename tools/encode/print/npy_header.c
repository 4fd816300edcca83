/* npy_header.c - see npy_header.h. */
#include "tools/encode/print/npy_header.h"

#include <stdio.h>
#include <string.h>

enum { PREFIX_BYTES = 10 };

void npy_header(char out[NPY_HEADER_BYTES], const char *descr, const char *shape)
{
    char dict[NPY_HEADER_BYTES - PREFIX_BYTES];
    const char *quote = descr[0] == '[' ? "" : "'";
    int n =
        snprintf(dict, sizeof dict, "{'descr': %s%s%s, 'fortran_order': False, 'shape': (%s), }",
                 quote, descr, quote, shape);
    memset(out, ' ', NPY_HEADER_BYTES);
    memcpy(out, "\x93NUMPY\x01\x00\x76\x00", PREFIX_BYTES); /* 0x76 = 128 - 10 */
    memcpy(out + PREFIX_BYTES, dict, (size_t)n);
    out[NPY_HEADER_BYTES - 1] = '\n';
}
