/* plain.h - what the suites share that compare model/ with the formulas of engine/plain/: stored
 * matrices, comparisons that no NaN passes, and the twins of what kernels do to numbers before
 * rounding ends: sums as floats take them, and bfloat16. */
#ifndef TESTS_MODEL_PLAIN_H
#define TESTS_MODEL_PLAIN_H

#include "engine/plain/attention.h"
#include "engine/plain/steps.h"
#include "tests/owned.h"
#include "tests/support.h"

#include "model/kernels/kernels.h"
#include "model/tensor.h"

/* Half the distance from 1 to the next float: what one rounding to nearest may be off. */
#define FLOAT_ROUNDING 0x1p-24

/* The kernels of the index-th instruction set that this CPU runs; NULL past the last. */
const struct kernels *tested_kernels(size_t index);

/* The same for computations of floats: NEON's sets after its first have other kernels for int8
 * alone, so an emulator leaves them out. */
const struct kernels *float_kernels(size_t index);

/* Elements that n_rows rows of `width` take, `stride` apart: the last row ends at its width. */
size_t extent(size_t n_rows, size_t stride, size_t width);

/* A matrix that is encoded as weight files hold it. */
struct stored {
    struct matrix matrix;
    size_t n_bytes;
    void *bytes;
};
struct stored store_matrix(enum tensor_type type, enum tensor_layout layout, const float *values,
                           size_t rows, size_t cols);

/* ---- Comparing ---- */

/* The distance from expected to got in steps of the floats around expected (subnormals' steps below
 * 2^-126). */
double in_steps(double got, double expected);

/* The largest of many errors, in any unit, and where; a NaN counts as infinitely large. */
struct largest {
    double error, got, expected, at;
    size_t n;
};
void note_error(struct largest *largest, double error, double got, double expected, double at);

/* Prints the largest error and the bound, and fails unless the error is within the bound. */
__attribute__((format(printf, 3, 4))) void assert_bound(const struct largest *largest, double bound,
                                                        const char *what, ...);

/* ---- Timing, for bench_*.c ---- */

/* Nanoseconds of one call: the least, and the median of `runs` runs of about a millisecond. */
struct timed {
    double least, median;
};
struct timed time_calls(void (*call)(const void *of), const void *of, size_t runs);

/* Whether a bench measures these: ENGINE_ISA names one set, or none is named. */
bool is_measured(const struct kernels *kernels);

/* ---- The twins ---- */

/* The same numbers in double, as the formulas of engine/plain/ take them. */
double *widened(const float *x, size_t n);

/* Σ x[i]·w[i·step], i < n, and Σ |x[i]·w[i·step]|: rounding errors grow with the latter. */
struct plain_sum {
    double sum, magnitude;
};
struct plain_sum plain_product(const float *x, const float *w, size_t step, size_t n);

/* The same sum as the kernels take it, in float: chains of SUM_BLOCK products and their sum, each
 * product rounded before it is added, or, fused, not. */
float plain_chains(const float *x, const float *w, size_t step, size_t n, bool fused);

/* x rounded to bfloat16, to nearest even; subnormal numbers become zeros. */
uint16_t plain_bf16(float x);

/* The sum of a row x [k] and a column of pairs w [k/2, 16, 2], as in product_bf16.h. */
float plain_pairs(const uint16_t *x, const uint16_t *w, size_t k);

#endif
