/* bench_product_int8 - GOP/s of product_int8 (2·rows·columns·K) at the shapes of MiniLM's layers,
 * with x of 8 and of 7 bits, for every instruction set (ENGINE_ISA: one of them).
 *
 *     make bench-kernels [ARGS="ROWS ..."]
 *
 * Each figure is the median of RUNS runs of about a millisecond, with the fastest beside it. */
#include "tests/model/plain.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 15 };

static int8_t *random_bytes(uint64_t *state, size_t n, bool positive)
{
    int8_t *bytes = new_bytes(n);
    for (size_t i = 0; i < n; i++) {
        int value = (int)support_below(state, 128);
        bytes[i] = (int8_t)(positive || support_below(state, 2) == 0 ? value : -value);
    }
    return bytes;
}

struct call {
    const struct kernels *kernels;
    struct product product;
};

static void multiply(const void *of)
{
    const struct call *call = of;
    call->kernels->product_int8(&call->product);
}

static void measure(const struct kernels *kernels, size_t n_rows, size_t columns, size_t k,
                    bool seven_bits)
{
    uint64_t state = 1;
    int8_t *x = random_bytes(&state, n_rows * k, seven_bits);
    int8_t *panels = random_bytes(&state, columns * k, false);
    float *scales = random_floats(&state, columns, 0.01), *out = new_floats(n_rows * columns);
    struct quantization *quantization = new_bytes(n_rows * sizeof *quantization);
    const struct call call = {kernels,
                              {
                                  .x = x,
                                  .x_stride = k,
                                  .x_quantization = quantization,
                                  .panels = panels,
                                  .panel_stride = k * PANEL,
                                  .k = k,
                                  .scales = scales,
                                  .is_unsigned = seven_bits,
                                  .out = out,
                                  .out_stride = columns,
                                  .n_rows = n_rows,
                                  .n_panels = columns / PANEL,
                              }};
    double n_ops = 2 * (double)n_rows * (double)columns * (double)k;
    const struct timed timed = time_calls(multiply, &call, RUNS);
    printf("%-10s %d bits  rows %4zu  columns %4zu  K %4zu  %9.2f us  %6.1f GOP/s  (best %6.1f)\n",
           kernels->isa, seven_bits ? 7 : 8, n_rows, columns, k, timed.median / 1e3,
           n_ops / timed.median, n_ops / timed.least);
}

int main(int argc, char **argv)
{
    static const size_t rows[] = {16, 128, 480},
                        shapes[][2] = {{1152, 384}, {1536, 384}, {384, 1536}};
    size_t n = argc > 1 ? (size_t)argc - 1 : sizeof rows / sizeof *rows;
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        if (!is_measured(tested_kernels(s)))
            continue;
        for (int seven_bits = 0; seven_bits < 2; seven_bits++)
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
                    measure(tested_kernels(s), argc > 1 ? (size_t)atol(argv[i + 1]) : rows[i],
                            shapes[j][0], shapes[j][1], seven_bits);
    }
    return 0;
}
