/* bench_rows - nanoseconds of what is done to rows between the products: norms, activations and
 * softmax, for every instruction set (ENGINE_ISA: one of them).
 *
 *     make bench-kernels [ARGS="N"]
 *
 * N elements a row (384); activations of a tile of 12 x 32, as the products call them, softmax of a
 * block of 96 queries and 96 keys. Each figure is the least of RUNS runs of about 1 ms. */
#include "tests/model/plain.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 25, MOST = 4096, TILE = 12 * 32, BLOCK = 96 };

struct bench {
    const struct kernels *kernels;
    size_t n;
    float *x, *weight, *bias, *out, *kept;
    double *wide;
    enum activation activation;
};

static void layer_norm(const void *of)
{
    const struct bench *b = of;
    const struct norm norm = {NORM_LAYER, b->weight, b->bias};
    b->kernels->norm_row(&norm, 1e-12f, b->n, b->x, b->out);
}

static void rms_norm(const void *of)
{
    const struct bench *b = of;
    const struct norm norm = {NORM_RMS, b->weight, NULL};
    b->kernels->norm_row(&norm, 1e-12f, b->n, b->x, b->out);
}

/* Results must not become the next inputs, which would sink to zero. */
static void activate(const void *of)
{
    const struct bench *b = of;
    memcpy(b->out, b->x, TILE * sizeof *b->out);
    b->kernels->activate(b->activation, b->out, TILE);
}

static struct score_block block_of(float *scores, size_t n)
{
    return (struct score_block){.scores = scores,
                                .stride = BLOCK,
                                .n_keys = n,
                                .n_queries = n,
                                .first = -BLOCK,
                                .last = BLOCK};
}

static void softmax(const void *of)
{
    const struct bench *b = of;
    struct score_block block = block_of(b->out, BLOCK);
    float *max = b->kept, *sum = max + BLOCK, *factor = sum + BLOCK;
    memcpy(b->out, b->x, sizeof(float) * BLOCK * BLOCK);
    for (size_t i = 0; i < BLOCK; i++)
        max[i] = -FLT_MAX, sum[i] = 0;
    b->kernels->softmax_block(&block, max, sum, factor);
}

static void softmax_exactly(const void *of)
{
    const struct bench *b = of;
    struct score_block block = block_of(b->x, EXACT_KEYS);
    b->kernels->softmax_exactly(&block, b->wide, b->wide + EXACT_KEYS * BLOCK);
}

static void measure(const struct bench *bench, const char *name, size_t n_elements,
                    void (*call)(const void *of))
{
    const double least = time_calls(call, bench, RUNS).least;
    printf("%-10s %-16s %5zu elements  %9.1f ns  %6.3f ns each\n", bench->kernels->isa, name,
           n_elements, least, least / (double)n_elements);
}

int main(int argc, char **argv)
{
    uint64_t state = 1;
    struct bench bench = {.n = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 384};
    if (bench.n < 1 || bench.n > MOST)
        return 2;
    bench.x = random_floats(&state, BLOCK * BLOCK, 3);
    bench.weight = random_floats(&state, MOST, 2);
    bench.bias = random_floats(&state, MOST, 2);
    bench.out = new_floats(BLOCK * BLOCK);
    bench.kept = new_floats(3 * BLOCK);
    bench.wide = new_doubles((EXACT_KEYS + 1) * BLOCK);
    for (size_t s = 0; (bench.kernels = tested_kernels(s)) != NULL; s++) {
        static const enum activation activations[] = {CONSTANTS_OF(ACTIVATIONS)};
        if (!is_measured(bench.kernels))
            continue;
        measure(&bench, "layer norm", bench.n, layer_norm);
        measure(&bench, "rms norm", bench.n, rms_norm);
        for (size_t a = 0; a < sizeof activations / sizeof *activations; a++) {
            bench.activation = activations[a];
            measure(&bench, config_value_name("activation", activations[a]), TILE, activate);
        }
        measure(&bench, "softmax", BLOCK * BLOCK, softmax);
        measure(&bench, "softmax exactly", EXACT_KEYS * EXACT_KEYS, softmax_exactly);
    }
    return 0;
}
