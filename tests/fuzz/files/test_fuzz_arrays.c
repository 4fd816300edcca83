/* The fuzz target of VECTORS, on files made from a sound one of each type. */
#include "tests/fuzz/files/fuzz_arrays.c"

#include "tests/support.h"
#include "tests/tools/torch/tiny_torch.h"

#include <string.h>

enum { HEAD = 128 };

/* An array of NumPy's format 1.0 in `out`; returns its length. */
static size_t put_array(uint8_t *out, const char *dict, const void *items, size_t n)
{
    memset(out, ' ', HEAD);
    memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(out + 10, dict, strlen(dict));
    out[HEAD - 1] = '\n';
    memcpy(out + HEAD, items, n);
    return HEAD + n;
}

#define DICT(type, shape) "{'descr': " type ", 'fortran_order': False, 'shape': " shape ", }"

TEST(arrays)
{
    static const char *const dicts[] = {
        DICT("'<f4'", "(3, 2)"), DICT("'<f2'", "(3, 4)"), DICT("'|u1'", "(3, 8)"),
        DICT("[('scale', '<f4'), ('values', '|i1', (4,))]", "(3,)")};
    static const uint8_t items[24] = {1, 2, 3};
    uint8_t file[HEAD + sizeof items];
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        const size_t len = put_array(file, dicts[i], items, sizeof items);
        replay(file, len, 4000);
    }
}

TEST(archives)
{
    static uint8_t data[5][2 * HEAD];
    static const int64_t starts[] = {0, 1, 3}, shape[] = {2, 9};
    static const int32_t ids[] = {4, 0, 8};
    static const float values[] = {1, 2, 3, 4, 5, 6};
    const struct tiny_entry sparse[] = {
        {"data.npy", data[0], put_array(data[0], DICT("'<f4'", "(3,)"), values, 12)},
        {"indices.npy", data[1], put_array(data[1], DICT("'<i4'", "(3,)"), ids, 12)},
        {"indptr.npy", data[2], put_array(data[2], DICT("'<i8'", "(3,)"), starts, 24)},
        {"shape.npy", data[3], put_array(data[3], DICT("'<i8'", "(2,)"), shape, 16)},
        {"format.npy", data[4], put_array(data[4], DICT("'|S3'", "()"), "csr", 3)},
    };
    struct tiny_bytes file = {.len = 0};
    tiny_zip(&file, sparse, 5, false);
    replay(file.bytes, file.len, 4000);
    const struct tiny_entry tokens[] = {
        {"vectors.npy", data[0], put_array(data[0], DICT("'<f4'", "(3, 2)"), values, 24)},
        {"offsets.npy", data[1], put_array(data[1], DICT("'<i8'", "(3,)"), starts, 24)},
    };
    file.len = 0;
    tiny_zip(&file, tokens, 2, true);
    replay(file.bytes, file.len, 4000);
}
