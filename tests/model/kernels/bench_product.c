/* bench_product - GFLOP/s of the products of a layer (2·rows·K·N), for every instruction set
 * (ENGINE_ISA: one of them), beside OpenBLAS' sgemm on the same weights; f16 and bf16 weights, and
 * int8 with rows of 8 and of 7 bits, too.
 *
 *     build/tests/model/kernels/bench_product [WIDTH [ROWS ...]]
 *
 * The layers are those of an encoder with a feed-forward of 4·WIDTH, one thread. COPIES weight
 * matrices take turns, as the layers of a model do, so that with few rows they come from where they
 * come from in a pass. Each figure is the median of RUNS runs.
 * OPENBLAS_CORETYPE=Haswell gives OpenBLAS' AVX2 kernels on a CPU that has more. */
#include "tests/model/plain.h"

#include "engine/runtime/machine.h"
#include "model/kernels/blas.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 15, COPIES = 6 };

/* out [n_rows, n] = x [n_rows, k]·Wᵀ by each of COPIES weights, in rows and as panels; q: x of
 * int8. */
struct shape {
    size_t n_rows, k, n;
    float *x, *out, *rows[COPIES];
    int8_t *q;
    struct quantization *quantization;
    struct matrix weights[COPIES];
};

struct call {
    const struct kernels *kernels;
    const struct blas *blas;
    enum tensor_type type;
    bool is_unsigned; /* 7 bits */
    const struct shape *shape;
};

static void by_kernel(const void *of)
{
    const struct call *call = of;
    const struct shape *shape = call->shape;
    const bool is_int8 = call->type == TENSOR_INT8;
    for (size_t i = 0; i < COPIES; i++) {
        const struct product product = {
            .x = is_int8 ? (const void *)shape->q : (const void *)shape->x,
            .x_stride = is_int8 ? round_up(shape->k, QUANTIZED_STEP) : shape->k,
            .x_quantization = shape->quantization,
            .type = call->type,
            .panels = shape->weights[i].data,
            .panel_stride = (is_int8 ? round_up(shape->k, 4) : shape->k) * PANEL,
            .k = shape->k,
            .scales = shape->weights[i].scales,
            .is_unsigned = call->is_unsigned,
            .out = shape->out,
            .out_stride = shape->n,
            .n_rows = shape->n_rows,
            .n_panels = shape->n / PANEL,
        };
        if (is_int8)
            call->kernels->product_int8(&product);
        else
            call->kernels->product(&product);
    }
}

static void by_blas(const void *of)
{
    const struct call *call = of;
    const struct shape *shape = call->shape;
    for (size_t i = 0; i < COPIES; i++)
        blas_multiply(call->blas, shape->n_rows, shape->n, shape->k, 1,
                      (struct blas_operand){shape->x, shape->k, false},
                      (struct blas_operand){shape->rows[i], shape->k, true}, false, shape->out,
                      shape->n);
}

static struct shape new_shape(enum tensor_type type, size_t n_rows, size_t k, size_t n)
{
    uint64_t state = 1;
    struct shape shape = {n_rows, k, n, .x = random_floats(&state, n_rows * k, 1),
                          .out = new_floats(n_rows * n)};
    for (size_t i = 0; i < COPIES; i++) {
        shape.rows[i] = random_floats(&state, n * k, 1);
        shape.weights[i] = store_matrix(type, LAYOUT_PANELS, shape.rows[i], n, k).matrix;
    }
    shape.quantization = new_bytes(n_rows * sizeof *shape.quantization);
    shape.q = new_bytes(n_rows * round_up(k, QUANTIZED_STEP));
    for (size_t i = 0; i < n_rows * round_up(k, QUANTIZED_STEP); i++)
        shape.q[i] = (int8_t)support_below(&state, 128);
    return shape;
}

static void measure(const char *name, const struct call *call)
{
    const struct shape *shape = call->shape;
    double flops = 2.0 * COPIES * (double)shape->n_rows * (double)shape->k * (double)shape->n;
    double ours = time_calls(by_kernel, call, RUNS).median;
    printf("%-8s %-4s rows %4zu  K %4zu  N %4zu  %6.1f GFLOP/s", call->kernels->isa, name,
           shape->n_rows, shape->k, shape->n, flops / ours);
    if (call->blas != NULL) {
        double theirs = time_calls(by_blas, call, RUNS).median;
        printf("  OpenBLAS %6.1f  ratio %.2f", flops / theirs, theirs / ours);
    }
    putchar('\n');
}

static void measure_types(const struct kernels *kernels, size_t n_rows, size_t k, size_t n,
                          const struct blas *blas)
{
    const struct {
        const char *name;
        enum tensor_type type;
    } types[] = {{"f32", TENSOR_F32},
                 {"f16", TENSOR_F16},
                 {"bf16", TENSOR_BF16},
                 {"int8", TENSOR_INT8},
                 {"int7", TENSOR_INT8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const size_t mark = owned_mark();
        struct shape shape = new_shape(types[i].type, n_rows, k, n);
        measure(types[i].name,
                &(struct call){kernels, i == 0 ? blas : NULL, types[i].type, i == 4, &shape});
        owned_release(mark);
    }
}

int main(int argc, char **argv)
{
    static const size_t ROWS[] = {16, 128, 512};
    const struct blas *blas = machine_blas();
    size_t width = argc > 1 ? (size_t)atol(argv[1]) : 384;
    size_t n = argc > 2 ? (size_t)argc - 2 : sizeof ROWS / sizeof *ROWS;
    size_t layers[][2] = {
        {width, 3 * width}, {width, width}, {width, 4 * width}, {4 * width, width}};
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        if (!is_measured(tested_kernels(s)))
            continue;
        for (size_t i = 0; i < n; i++)
            for (size_t layer = 0; layer < 4; layer++)
                measure_types(tested_kernels(s), argc > 2 ? (size_t)atol(argv[i + 2]) : ROWS[i],
                              layers[layer][0], layers[layer][1], blas);
    }
    return 0;
}
