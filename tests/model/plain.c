/* plain.c - see plain.h. */
#include "tests/model/plain.h"

#include "engine/runtime/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct kernels *tested_kernels(size_t index)
{
    const char *isa = support_isa(index);
    if (isa == NULL)
        return NULL;
    const struct kernels *kernels = kernels_select(isa, true);
    assert_non_null(kernels);
    assert_string_equal(kernels->isa, isa);
    assert_true(!kernels->needs_tiles || machine_allow_tiles());
    return kernels;
}

const struct kernels *float_kernels(size_t index)
{
    return support_emulated() && index > 1 ? NULL : tested_kernels(index);
}

size_t extent(size_t n_rows, size_t stride, size_t width)
{
    return n_rows == 0 ? 0 : (n_rows - 1) * stride + width;
}

/* Four of the columns, the first and the last among them, are kept in f32: factors 0, their numbers
 * after the factors, and their panels. `divided` gets zeros there. */
static void keep_columns(struct stored *stored, float *divided)
{
    const size_t rows = stored->matrix.rows, cols = stored->matrix.cols;
    const uint32_t kept[KEPT] = {0, (uint32_t)(cols / 3), (uint32_t)(cols / 2), (uint32_t)cols - 1};
    float *factors = (float *)(uintptr_t)stored->matrix.factors;
    float *panels = (float *)(uintptr_t)stored->matrix.kept_panels;
    memcpy(factors + round_up(cols, PANEL), kept, sizeof kept);
    for (size_t i = 0; i < KEPT; i++) {
        factors[kept[i]] = 0;
        for (size_t n = 0; n < rows; n++) {
            panels[(n / PANEL * KEPT + i) * PANEL + n % PANEL] = divided[n * cols + kept[i]];
            divided[n * cols + kept[i]] = 0;
        }
    }
}

/* Column sums, and a factor of 1/2, 1 or 2 for each column, by which `values` are divided. */
static float *add_factors(struct stored *stored, const float *values)
{
    const struct matrix *matrix = &stored->matrix;
    float *factors = (float *)(uintptr_t)matrix->factors;
    float *divided = copy_floats(values, matrix->rows * matrix->cols);
    for (size_t k = 0; k < matrix->cols; k++)
        factors[k] = (float)(1 << k % 3) / 2;
    if (matrix->kept_panels != NULL)
        keep_columns(stored, divided);
    for (size_t i = 0; i < matrix->rows * matrix->cols; i++)
        divided[i] /= factors[i % matrix->cols] > 0 ? factors[i % matrix->cols] : 1;
    return divided;
}

struct stored store_matrix(enum tensor_type type, enum tensor_layout layout, const float *values,
                           size_t rows, size_t cols)
{
    size_t n_bytes = tensor_bytes(type, layout, rows, cols), at = 0;
    struct stored stored = {.n_bytes = n_bytes, .bytes = new_bytes(n_bytes)};
    stored.matrix = tensor_matrix(type, layout, rows, cols, stored.bytes);
    float *scales = (float *)(uintptr_t)stored.matrix.scales;
    int32_t *column_sums = (int32_t *)(uintptr_t)stored.matrix.column_sums;
    if (tensor_has_factors(type))
        values = add_factors(&stored, values);
    for (size_t n = 0; n < rows; n += PANEL) {
        char *to = (char *)stored.bytes + at;
        at += matrix_encode(type, layout, values + n * cols, rows - n < PANEL ? rows - n : PANEL,
                            cols, false, to, scales != NULL ? scales + n : NULL);
        if (column_sums != NULL)
            panel_sums((const int8_t *)to, cols, column_sums + n);
    }
    assert_true(at <= n_bytes);
    stored.matrix = tensor_matrix(type, layout, rows, cols, stored.bytes);
    return stored;
}

double in_steps(double got, double expected)
{
    int exponent = expected == 0 ? -126 : ilogb(expected);
    return fabs(got - expected) / ldexp(1, (exponent < -126 ? -126 : exponent) - 23);
}

void note_error(struct largest *largest, double error, double got, double expected, double at)
{
    largest->n++;
    if (!(error <= largest->error) && !isinf(largest->error))
        *largest = (struct largest){isnan(error) ? (double)INFINITY : error, got, expected, at,
                                    largest->n};
}

void assert_bound(const struct largest *largest, double bound, const char *what, ...)
{
    char words[256];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(words, sizeof words, what, arguments);
    va_end(arguments);
    print_message("%s: largest of %zu is %.3g of %.3g: %.9g, expected %.9g, at %.9g\n", words,
                  largest->n, largest->error, bound, largest->got, largest->expected, largest->at);
    assert_true(largest->n > 0);
    if (!(largest->error <= bound))
        fail_msg("%s: %.3g is more than %.3g", words, largest->error, bound);
}

static double nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_some(void (*call)(const void *of), const void *of, size_t n)
{
    const double begin = nanoseconds();
    for (size_t i = 0; i < n; i++)
        call(of);
    return nanoseconds() - begin;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct timed time_calls(void (*call)(const void *of), const void *of, size_t runs)
{
    double *times = new_doubles(runs);
    size_t repeats = 1;
    while (time_some(call, of, repeats) < 1e6)
        repeats *= 2;
    for (size_t run = 0; run < runs; run++)
        times[run] = time_some(call, of, repeats) / (double)repeats;
    qsort(times, runs, sizeof *times, ascending);
    return (struct timed){times[0], times[runs / 2]};
}

bool is_measured(const struct kernels *kernels)
{
    const char *only = getenv("ENGINE_ISA");
    return only == NULL || strcmp(only, kernels->isa) == 0;
}

double *widened(const float *x, size_t n)
{
    double *wide = new_doubles(n);
    for (size_t i = 0; i < n; i++)
        wide[i] = (double)x[i];
    return wide;
}

struct plain_sum plain_product(const float *x, const float *w, size_t step, size_t n)
{
    struct plain_sum result = {0};
    for (size_t i = 0; i < n; i++) {
        double product = (double)x[i] * (double)w[i * step];
        result.sum += product;
        result.magnitude += fabs(product);
    }
    return result;
}

float plain_chains(const float *x, const float *w, size_t step, size_t n, bool fused)
{
    float sum = 0, chain = 0;
    for (size_t i = 0; i < n; i++) {
        volatile float product = x[i] * w[i * step]; /* rounded */
        chain = fused ? fmaf(x[i], w[i * step], chain) : chain + product;
        if ((i + 1) % SUM_BLOCK == 0 || i + 1 == n) {
            sum = i < SUM_BLOCK ? chain : sum + chain;
            chain = 0;
        }
    }
    return sum;
}

uint16_t plain_bf16(float x)
{
    if (fabsf(x) < 0x1p-126f)
        return signbit(x) ? 0x8000 : 0;
    double unit = isfinite(x) ? ldexp(1, ilogbf(x) - 7) : 1;
    float rounded = (float)(rint((double)x / unit) * unit);
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* x, or a zero of its sign if x is subnormal. */
static float flushed(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

float plain_pairs(const uint16_t *x, const uint16_t *w, size_t k)
{
    float sum = 0;
    for (size_t step = 0; step < k; step += BF16_STEP) {
        float chain[2] = {0, 0};
        for (size_t i = step; i < step + BF16_STEP; i++)
            chain[i % 2] =
                flushed(fmaf(flushed(bf16_to_f32(x[i])),
                             flushed(bf16_to_f32(w[i / 2 * 2 * PANEL + i % 2])), chain[i % 2]));
        sum = flushed(sum + flushed(chain[0] + chain[1]));
    }
    return sum;
}
