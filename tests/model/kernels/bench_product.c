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
#include "tests/model/kernels/operands.h"

#include "engine/runtime/machine.h"
#include "model/kernels/blas.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 15, COPIES = 6 };

/* Products with each of COPIES weights, of the same rows, to the same place. */
struct call {
    const struct kernels *kernels;
    const struct blas *blas;
    bool is_unsigned; /* rows of 7 bits */
    struct operands copies[COPIES];
    float *out;
};

static void by_kernel(const void *of)
{
    const struct call *call = of;
    for (size_t i = 0; i < COPIES; i++) {
        const struct operands *o = &call->copies[i];
        struct product product = product_of(o, 0, o->n_rows, o->n_panels, call->out);
        product.is_unsigned = call->is_unsigned;
        if (product.type == TENSOR_INT8)
            call->kernels->product_int8(&product);
        else
            call->kernels->product(&product);
    }
}

static void by_blas(const void *of)
{
    const struct call *call = of;
    for (size_t i = 0; i < COPIES; i++) {
        const struct operands *o = &call->copies[i];
        blas_multiply(call->blas, o->n_rows, o->out_stride, o->k, 1,
                      (struct blas_operand){o->x, o->x_stride, false},
                      (struct blas_operand){o->values, o->k, true}, false, call->out,
                      o->out_stride);
    }
}

static struct call new_call(const struct kernels *kernels, enum tensor_type type, size_t n_rows,
                            size_t k, size_t n)
{
    uint64_t state = 1;
    struct call call = {.kernels = kernels, .out = new_floats(n_rows * n)};
    for (size_t i = 0; i < COPIES; i++) {
        struct operands *o = &call.copies[i];
        *o = new_operands(kernels, &state, type, n_rows, n / PANEL, k, n);
        o->x = call.copies[0].x;
        o->q = call.copies[0].q;
    }
    for (size_t i = 0; i < n_rows * call.copies[0].q_stride; i++)
        call.copies[0].q[i] &= 127;
    return call;
}

static void measure(const char *name, const struct call *call)
{
    const struct operands *o = call->copies;
    double flops = 2.0 * COPIES * (double)o->n_rows * (double)o->k * (double)o->out_stride;
    double ours = time_calls(by_kernel, call, RUNS).median;
    printf("%-8s %-4s rows %4zu  K %4zu  N %4zu  %6.1f GFLOP/s", call->kernels->isa, name,
           o->n_rows, o->k, o->out_stride, flops / ours);
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
        struct call call = new_call(kernels, types[i].type, n_rows, k, n);
        call.blas = i == 0 ? blas : NULL;
        call.is_unsigned = i == 4;
        measure(types[i].name, &call);
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
