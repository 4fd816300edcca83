/* npy_values.c - see npy_values.h. */
#include "tests/tools/encode/npy_values.h"

#include <stdio.h>
#include <string.h>

void read_npy(const struct shell_result *result, struct values *values)
{
    assert_true(result->out_len >= NPY_HEADER);
    assert_memory_equal(result->out, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_int_equal(result->out[NPY_HEADER - 1], '\n');
    assert_int_equal(sscanf(result->out + 10,
                            "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }",
                            &values->n_rows, &values->width),
                     2);
    size_t n = values->n_rows * values->width;
    assert_true(n <= MAX_VALUES);
    assert_int_equal(result->out_len, NPY_HEADER + 4 * n);
    memcpy(values->data, result->out + NPY_HEADER, 4 * n);
}

void encode_npy(struct values *values, const char *arguments)
{
    read_npy(shell_expect(0, "$ENCODE -f npy %s", arguments), values);
}

const float *row(const struct values *values, size_t i)
{
    return values->data + i * values->width;
}
