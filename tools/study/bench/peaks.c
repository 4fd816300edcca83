/* peaks.c - chains of multiply-adds, as many at once as hide their latency.
 *
 *     a_i = a_i · x + y,   i = 0 .. 11, each in its own register and none waiting for another
 *
 * A core starts two of them in a cycle and each takes four to six, so twelve chains are enough.
 * They are variables with names: gcc 12 keeps an array of vectors in memory. x = 0.5 and y = 1
 * bring the numbers to 2: no overflow, no denormals. Steps are assembly: the compiler fuses no
 * product with a sum (-ffp-contract=off). NEON's step is a_i + x · y.
 */
#include "tools/study/bench/peaks.h"

#include "tools/common/options.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { CHAINS = 12, STRETCHES = 6 };

static const double STRETCH_SECONDS = 0.003;

/* ---- Loops ---- */

#define EVERY(X)        X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define CHAIN(i)        vector a##i = x + i;
#define ADD(i)          a0 += a##i;
#define MULTIPLY_ADD(i) a##i = a##i * x + y;

#define LOOP(name, attributes, type, n_bytes, step, first, second)                                 \
    attributes static float name(size_t n_turns)                                                   \
    {                                                                                              \
        typedef type vector __attribute__((vector_size(n_bytes)));                                 \
        const vector x = (vector){0} + (first), y = (vector){0} + (second);                        \
        EVERY(CHAIN)                                                                               \
        for (size_t i = 0; i < n_turns; i++) {                                                     \
            EVERY(step)                                                                            \
        }                                                                                          \
        EVERY(ADD)                                                                                 \
        return (float)a0[0];                                                                       \
    }

#if defined(__x86_64__)
#define TARGET(instructions) __attribute__((target(instructions)))
#define STEP(i, code)        __asm__(code : "+v"(a##i) : "v"(x), "v"(y));
#define FUSED(i)             STEP(i, "vfmadd213ps %2, %1, %0")
#define PAIRS(i)             STEP(i, "vpmaddubsw %1, %0, %0\n\tvpaddw %2, %0, %0")
#define DOT_256(i)           STEP(i, "%{vex%} vpdpbusd %2, %1, %0")
#define DOT_512(i)           STEP(i, "vpdpbusd %2, %1, %0")
#define DOT_BF16(i)          STEP(i, "vdpbf16ps %2, %1, %0")
LOOP(f32_128, , float, 16, MULTIPLY_ADD, 0.5F, 1)
LOOP(f32_256, TARGET("avx2,fma"), float, 32, FUSED, 0.5F, 1)
LOOP(f32_512, TARGET("avx512f"), float, 64, FUSED, 0.5F, 1)
LOOP(pairs_256, TARGET("avx2"), uint16_t, 32, PAIRS, 0x0303, 0x0101)
LOOP(pairs_512, TARGET("avx512f,avx512bw"), uint16_t, 64, PAIRS, 0x0303, 0x0101)
LOOP(dots_256, TARGET("avx2"), uint32_t, 32, DOT_256, 0x03030303, 0x01010101)
LOOP(dots_512, TARGET("avx512f,avx512vnni"), uint32_t, 64, DOT_512, 0x03030303, 0x01010101)
LOOP(dots_bf16, TARGET("avx512f,avx512bf16"), uint32_t, 64, DOT_BF16, 0x3F003F00, 0x3F003F00)

enum { TILES = 8, TILE_ROWS = 16, TILE_BYTES = 64 };

/* 16 x 16 sums of 64 products in one instruction; four of them, as many as there are registers for.
 * The engine has asked the system for the tile registers. */
#define TILE_LOOP(name, multiply)                                                                  \
    TARGET("amx-tile,amx-int8,amx-bf16") static float name(size_t n_turns)                         \
    {                                                                                              \
        struct {                                                                                   \
            uint8_t palette, start_row, reserved[14];                                              \
            uint16_t row_bytes[16];                                                                \
            uint8_t rows[16];                                                                      \
        } shapes = {.palette = 1};                                                                 \
        for (int i = 0; i < TILES; i++) {                                                          \
            shapes.row_bytes[i] = TILE_BYTES;                                                      \
            shapes.rows[i] = TILE_ROWS;                                                            \
        }                                                                                          \
        _tile_loadconfig(&shapes); /* sets all tiles to zeros */                                   \
        for (size_t i = 0; i < n_turns; i++) {                                                     \
            multiply(0, 4, 6);                                                                     \
            multiply(1, 4, 7);                                                                     \
            multiply(2, 5, 6);                                                                     \
            multiply(3, 5, 7);                                                                     \
        }                                                                                          \
        int32_t sums[TILE_ROWS * TILE_BYTES / 4];                                                  \
        _tile_stored(0, sums, TILE_BYTES);                                                         \
        _tile_release();                                                                           \
        return (float)sums[0];                                                                     \
    }
TILE_LOOP(tiles_int8, _tile_dpbssd)
TILE_LOOP(tiles_bf16, _tile_dpbf16ps)
#elif defined(__aarch64__)
#if defined(__clang__)
#define TARGET(extension) __attribute__((target(extension)))
#else
#define TARGET(extension) __attribute__((target("arch=armv8.2-a+" extension)))
#endif
#define STEP(i, code) __asm__(code : "+w"(a##i) : "w"(x), "w"(y));
#define FUSED(i)      STEP(i, "fmla %0.4s, %1.4s, %2.4s")
#define DOT(i)        STEP(i, "sdot %0.4s, %1.16b, %2.16b")
#define SQUARE(i)     STEP(i, "smmla %0.4s, %1.16b, %2.16b")
LOOP(f32_128, , float, 16, FUSED, 0.5F, 1)
LOOP(words_128, , uint16_t, 16, MULTIPLY_ADD, 12345, 1)
LOOP(dots_128, TARGET("dotprod"), uint32_t, 16, DOT, 0x03030303, 0x01010101)
LOOP(squares_128, TARGET("i8mm"), uint32_t, 16, SQUARE, 0x03030303, 0x01010101)
#else
LOOP(f32_128, , float, 16, MULTIPLY_ADD, 0.5F, 1)
#endif

/* ---- Measuring ---- */

struct loop {
    double n_products; /* of a step of one chain */
    float (*run)(size_t n_turns);
};

/* The last: portable kernels leave products to OpenBLAS, which multiplies int8 as float32, too. */
static const struct set {
    const char *isa;
    struct loop f32, int8, bf16;
} SETS[] = {
#if defined(__x86_64__)
    {"amx",
     {16, f32_512},
     {4.0 * TILE_ROWS * TILE_ROWS * TILE_BYTES / CHAINS, tiles_int8},
     {2.0 * TILE_ROWS * TILE_ROWS * TILE_BYTES / CHAINS, tiles_bf16}},
    {"avx512bf16", {16, f32_512}, {64, dots_512}, {32, dots_bf16}},
    {"avx512vnni", {16, f32_512}, {64, dots_512}, {16, f32_512}},
    {"avx512", {16, f32_512}, {64, pairs_512}, {16, f32_512}},
    {"avxvnni", {8, f32_256}, {32, dots_256}, {8, f32_256}},
    {"avx2", {8, f32_256}, {32, pairs_256}, {8, f32_256}},
#elif defined(__aarch64__)
    {"neoni8mm", {4, f32_128}, {32, squares_128}, {4, f32_128}},
    {"neondot", {4, f32_128}, {16, dots_128}, {4, f32_128}},
    {"neon", {4, f32_128}, {8, words_128}, {4, f32_128}},
#endif
    {"portable", {4, f32_128}, {4, f32_128}, {4, f32_128}},
};

/* Returns seconds from the first start to the last end of threads that take so many turns each. */
static double time_turns(struct loop loop, size_t n_turns, size_t n_threads)
{
    double begin = INFINITY, end = 0;
#pragma omp parallel num_threads((int)n_threads) reduction(min : begin) reduction(max : end)
    {
        begin = program_seconds();
        volatile float kept = loop.run(n_turns);
        (void)kept;
        end = program_seconds();
    }
    return end - begin;
}

/* Returns the best rate of some stretches and of those before. */
static double best_rate(struct loop loop, size_t n_threads, double best)
{
    size_t n_turns = 10000;
    while (time_turns(loop, n_turns, 1) < STRETCH_SECONDS)
        n_turns *= 2;
    const double n_operations = 2 * CHAINS * loop.n_products * (double)(n_turns * n_threads);
    for (int i = 0; i < STRETCHES; i++)
        best = fmax(best, 1e-9 * n_operations / time_turns(loop, n_turns, n_threads));
    return best;
}

void peaks_measure(struct peaks *peaks, const char *isa)
{
    const bool is_portable = strcmp(isa, "portable") == 0;
    const struct set *set = SETS;
#if defined(__x86_64__)
    if (is_portable) /* OpenBLAS uses the widest instructions of the CPU */
        isa = __builtin_cpu_supports("avx512f") ? "avx512"
              : __builtin_cpu_supports("fma")   ? "avx2"
                                                : isa;
#endif
    while (set + 1 < SETS + sizeof SETS / sizeof *SETS && strcmp(set->isa, isa) != 0)
        set++;
    peaks->f32 = best_rate(set->f32, peaks->n_threads, peaks->f32);
    peaks->bf16 = best_rate(set->bf16, peaks->n_threads, peaks->bf16);
    peaks->int8 = best_rate(is_portable ? set->f32 : set->int8, peaks->n_threads, peaks->int8);
}
