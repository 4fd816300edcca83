/* bench_attention - microseconds of one head and GFLOP/s of its two products (4·T²·K), for every
 * instruction set (ENGINE_ISA: one of them), by the kernels alone and with OpenBLAS.
 *
 *     make bench-kernels [ARGS="K [T ...]"]
 *
 * Heads lie side by side as in the encoder (12 of them, q, k and v in rows of 3·12·K), and a
 * sequence's 12 are computed one after the other, so that a head's rows come from where they do in
 * a pass. Each figure is the median of RUNS runs of about a millisecond, the fastest beside it. */
#include "tests/model/plain.h"

#include "engine/runtime/machine.h"
#include "model/layers/attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 15, HEADS = 12 };

struct heads {
    const struct kernels *kernels;
    struct attention_head head;
    struct attention_work work;
};

static void all_heads(const void *of)
{
    const struct heads *heads = of;
    struct attention_head head = heads->head;
    for (size_t i = 0; i < HEADS; i++) {
        attention_head(heads->kernels, &head, &heads->work);
        head.q += head.head_width;
        head.k += head.head_width;
        head.v += head.head_width;
        head.out += head.head_width;
    }
}

static void measure(const struct kernels *kernels, size_t n_tokens, size_t width,
                    const struct blas *blas)
{
    size_t stride = 3 * HEADS * width;
    struct heads heads = {.kernels = kernels};
    struct arena arena = {0};
    do
        attention_work_carve(&heads.work, n_tokens, width, false, false, &arena);
    while (arena_allocate(&arena));
    uint64_t state = 1;
    float *wide = random_floats(&state, n_tokens * stride, 2);
    float *out = new_floats(n_tokens * stride);
    heads.head = (struct attention_head){
        .q = wide,
        .k = wide + HEADS * width,
        .v = wide + 2 * HEADS * width,
        .stride = stride,
        .n_tokens = n_tokens,
        .head_width = width,
        .scale = (float)(1 / sqrt((double)width)),
        .band = mask_band(MASK_FULL, 0),
        .blas = blas,
        .out = out,
        .out_stride = HEADS * width,
    };
    double flops = 4 * (double)n_tokens * (double)n_tokens * (double)width;
    const struct timed timed = time_calls(all_heads, &heads, RUNS);
    printf("%-8s %-9s K %3zu  T %5zu  %10.2f us  (fastest %10.2f)  %6.1f GFLOP/s\n", kernels->isa,
           blas != NULL ? "OpenBLAS" : "", width, n_tokens, timed.median / HEADS / 1e3,
           timed.least / HEADS / 1e3, flops * HEADS / timed.median);
}

static const size_t LENGTHS[] = {1, 4, 8, 12, 16, 17, 20, 24, 32, 33, 40, 64, 128, 512, 2048};

int main(int argc, char **argv)
{
    const struct blas *blas = machine_blas();
    size_t width = argc > 1 ? (size_t)atol(argv[1]) : 32, n = sizeof LENGTHS / sizeof *LENGTHS;
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        if (!is_measured(tested_kernels(s)))
            continue;
        for (int with_blas = 0; with_blas <= (blas != NULL); with_blas++)
            for (size_t i = 0; i < (argc > 2 ? (size_t)argc - 2 : n); i++) {
                size_t n_tokens = argc > 2 ? (size_t)atol(argv[i + 2]) : LENGTHS[i];
                if (!with_blas || n_tokens > EXACT_KEYS)
                    measure(tested_kernels(s), n_tokens, width, with_blas ? blas : NULL);
            }
    }
    return 0;
}
