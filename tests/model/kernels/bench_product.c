/* bench_product - GFLOP/s of the products of a layer (2·rows·K·N), for every instruction set
 * (ENGINE_ISA: one of them), beside OpenBLAS' sgemm on the same weights; f16 and bf16 weights too.
 *
 *     build/tests/model/kernels/bench_product [WIDTH [ROWS ...]]
 *
 * The layers are those of an encoder with a feed-forward of 4·WIDTH, one thread. COPIES weight
 * matrices take turns, as the layers of a model do, so that with few rows they come from where they
 * come from in a pass. Kernel and OpenBLAS take turns too; each figure is the median of RUNS runs.
 * OPENBLAS_CORETYPE=Haswell gives OpenBLAS' AVX2 kernels on a CPU that has more. */
#include "tests/model/plain.h"

#include "engine/runtime/machine.h"
#include "model/kernels/blas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 15, COPIES = 6 };

/* out [n_rows, n] = x [n_rows, k]·Wᵀ by each of COPIES weights, in rows and as panels. */
struct shape {
    size_t n_rows, k, n;
    float *x, *out, *rows[COPIES];
    void *panels[COPIES];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double by_kernel(const struct kernels *kernels, enum tensor_type type,
                        const struct shape *shape)
{
    double begin = now();
    for (size_t i = 0; i < COPIES; i++)
        kernels->product(&(struct product){
            .x = shape->x,
            .x_stride = shape->k,
            .type = type,
            .panels = shape->panels[i],
            .panel_stride = shape->k * PANEL,
            .k = shape->k,
            .out = shape->out,
            .out_stride = shape->n,
            .n_rows = shape->n_rows,
            .n_panels = shape->n / PANEL,
        });
    return now() - begin;
}

static double by_blas(const struct blas *blas, const struct shape *shape)
{
    double begin = now();
    for (size_t i = 0; i < COPIES; i++)
        blas_multiply(blas, shape->n_rows, shape->n, shape->k, 1,
                      (struct blas_operand){shape->x, shape->k, false},
                      (struct blas_operand){shape->rows[i], shape->k, true}, false, shape->out,
                      shape->n);
    return now() - begin;
}

static struct shape new_shape(enum tensor_type type, size_t n_rows, size_t k, size_t n)
{
    uint64_t state = 1;
    struct shape shape = {n_rows, k, n, .x = random_floats(&state, n_rows * k, 1),
                          .out = new_floats(n_rows * n)};
    for (size_t i = 0; i < COPIES; i++) {
        shape.rows[i] = random_floats(&state, n * k, 1);
        shape.panels[i] = store_matrix(type, LAYOUT_PANELS, shape.rows[i], n, k).bytes;
    }
    return shape;
}

static void free_shape(struct shape *shape)
{
    for (size_t i = 0; i < COPIES; i++) {
        free(shape->rows[i]);
        free(shape->panels[i]);
    }
    free(shape->x);
    free(shape->out);
}

static void measure(const struct kernels *kernels, const char *name, enum tensor_type type,
                    const struct shape *shape, const struct blas *blas)
{
    double ours[RUNS], theirs[RUNS];
    double flops = 2.0 * COPIES * (double)shape->n_rows * (double)shape->k * (double)shape->n;
    size_t repeats = (size_t)(2e8 / flops) + 1;
    for (size_t run = 0; run < RUNS; run++) {
        ours[run] = theirs[run] = 0;
        for (size_t i = 0; i < repeats; i++)
            ours[run] += by_kernel(kernels, type, shape);
        for (size_t i = 0; blas != NULL && i < repeats; i++)
            theirs[run] += by_blas(blas, shape);
    }
    qsort(ours, RUNS, sizeof *ours, ascending);
    qsort(theirs, RUNS, sizeof *theirs, ascending);
    double rate = flops * (double)repeats / ours[RUNS / 2] * 1e-9;
    printf("%-8s %-4s rows %4zu  K %4zu  N %4zu  %6.1f GFLOP/s", kernels->isa, name, shape->n_rows,
           shape->k, shape->n, rate);
    if (blas != NULL)
        printf("  OpenBLAS %6.1f  ratio %.2f", flops * (double)repeats / theirs[RUNS / 2] * 1e-9,
               theirs[RUNS / 2] / ours[RUNS / 2]);
    putchar('\n');
}

static void measure_types(const struct kernels *kernels, size_t n_rows, size_t k, size_t n,
                          const struct blas *blas)
{
    const struct {
        const char *name;
        enum tensor_type type;
    } types[] = {{"f32", TENSOR_F32}, {"f16", TENSOR_F16}, {"bf16", TENSOR_BF16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct shape shape = new_shape(types[i].type, n_rows, k, n);
        measure(kernels, types[i].name, types[i].type, &shape, i == 0 ? blas : NULL);
        free_shape(&shape);
    }
}

int main(int argc, char **argv)
{
    static const size_t ROWS[] = {16, 128, 512};
    const char *only = getenv("ENGINE_ISA");
    const struct blas *blas = machine_blas();
    size_t width = argc > 1 ? (size_t)atol(argv[1]) : 384;
    size_t n = argc > 2 ? (size_t)argc - 2 : sizeof ROWS / sizeof *ROWS;
    size_t layers[][2] = {
        {width, 3 * width}, {width, width}, {width, 4 * width}, {4 * width, width}};
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        if (only != NULL && strcmp(only, tested_kernels(s)->isa) != 0)
            continue;
        for (size_t i = 0; i < n; i++)
            for (size_t layer = 0; layer < 4; layer++)
                measure_types(tested_kernels(s), argc > 2 ? (size_t)atol(argv[i + 2]) : ROWS[i],
                              layers[layer][0], layers[layer][1], blas);
    }
    return 0;
}
