/* npy_values.h - the array that encode wrote in NumPy's format. */
#ifndef TESTS_TOOLS_ENCODE_NPY_VALUES_H
#define TESTS_TOOLS_ENCODE_NPY_VALUES_H

#include "tests/tools/shell.h"

enum { NPY_HEADER = 128, MAX_VALUES = 4096 };

struct values {
    size_t n_rows, width;
    float data[MAX_VALUES];
};

/* Checks the header on the way. */
void read_npy(const struct shell_result *result, struct values *values);
void encode_npy(struct values *values, const char *arguments);

const float *row(const struct values *values, size_t i);

#endif
