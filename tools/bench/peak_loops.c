/* peak_loops.c - chains of multiply-adds, as many at once as hide their latency.
 *
 *     a_i = a_i · x + y,   i = 0 .. n-1, each with its own register and none waiting for another
 *
 * A core starts two of them in a cycle and each takes four or five, so that ten would do: 16 where
 * there are 32 registers, 12 where there are 16 (two hold x and y). The chains are variables with
 * names, and the instruction stands as it is: from intrinsics gcc 12 makes two copies for each
 * vpdpbusd, and it keeps an array of vectors in memory. x = 0.5 and y = 1 bring the numbers to 2:
 * no overflow, no denormals.
 */
#include "tools/bench/peak_loops.h"

#include <stdbool.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#define TWELVE(X)  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define SIXTEEN(X) TWELVE(X) X(12) X(13) X(14) X(15)

#define CHAIN(i) vector a##i = x + i;
#define ADD(i)   a0 += a##i;

typedef float f32x4 __attribute__((vector_size(16)));
typedef int16_t i16x8 __attribute__((vector_size(16)));

#if defined(__x86_64__)
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef int32_t i32x16 __attribute__((vector_size(64)));

#define ASSEMBLY_LOOP(name, instructions, type, n_chains, turn, first, second)                     \
    __attribute__((target(instructions))) static float name(size_t n_turns)                        \
    {                                                                                              \
        typedef type vector;                                                                       \
        const vector x = (vector){0} + (first), y = (vector){0} + (second);                        \
        n_chains(CHAIN) for (size_t i = 0; i < n_turns;                                            \
                             i++){n_chains(turn)} n_chains(ADD) return (float)a0[0];               \
    }

#define FMA(i)      __asm__("vfmadd213ps %2, %1, %0" : "+v"(a##i) : "v"(x), "v"(y));
#define FMA_AVX2(i) __asm__("vfmadd213ps %2, %1, %0" : "+x"(a##i) : "x"(x), "x"(y));
ASSEMBLY_LOOP(f32_avx512, "avx512f", f32x16, SIXTEEN, FMA, 0.5F, 1)
ASSEMBLY_LOOP(f32_avx2, "avx2,fma", f32x8, TWELVE, FMA_AVX2, 0.5F, 1)

/* 64 products of bytes and their sums in one instruction. */
#define DOT(i) __asm__("vpdpbusd %2, %1, %0" : "+v"(a##i) : "v"(x), "v"(y));
ASSEMBLY_LOOP(int8_vnni, "avx512f,avx512vnni", i32x16, SIXTEEN, DOT, 0x03030303, 0x01010101)

/* 16 products, of bytes widened to 16 bits so that nothing saturates, and their sums. */
#define DOT_AVX2(i)                                                                                \
    __asm__("vpmaddwd %1, %0, %0\n\tvpaddd %2, %0, %0" : "+x"(a##i) : "x"(x), "x"(y));
ASSEMBLY_LOOP(int8_avx2, "avx2", i32x8, TWELVE, DOT_AVX2, 0x00030003, 1)
#endif

#if defined(__x86_64__)
static bool ask_for_tiles(void)
{
    enum {
        AMX_TILE = 1 << 24,
        AMX_INT8 = 1 << 25,
        ARCH_REQ_XCOMP_PERM = 0x1023,
        XFEATURE_XTILEDATA = 18
    };
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_TILE) != 0 && (d & AMX_INT8) != 0 &&
           syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}

enum { TILES = 8, TILE_ROWS = 16, TILE_BYTES = 64 };

/* 16 x 16 sums of 64 products in one instruction; four of them, as many as there are registers for.
 */
__attribute__((target("amx-tile,amx-int8"))) static float int8_amx(size_t n_turns)
{
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } shapes = {.palette = 1};
    for (int i = 0; i < TILES; i++) {
        shapes.row_bytes[i] = TILE_BYTES;
        shapes.rows[i] = TILE_ROWS;
    }
    _tile_loadconfig(&shapes); /* and all tiles are zeros */
    for (size_t i = 0; i < n_turns; i++) {
        _tile_dpbssd(0, 4, 6);
        _tile_dpbssd(1, 4, 7);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
    int32_t sums[TILE_ROWS * TILE_BYTES / 4];
    _tile_stored(0, sums, TILE_BYTES);
    _tile_release();
    return (float)sums[0];
}
#endif

/* What every compiler makes of 16 bytes at a time. */
#define PORTABLE_LOOP(name, type, first, second)                                                   \
    static float name(size_t n_turns)                                                              \
    {                                                                                              \
        typedef type vector;                                                                       \
        const vector x = (vector){0} + (first), y = (vector){0} + (second);                        \
        TWELVE(CHAIN)                                                                              \
        for (size_t i = 0; i < n_turns; i++) {                                                     \
            TWELVE(MULTIPLY_ADD)                                                                   \
        }                                                                                          \
        TWELVE(ADD)                                                                                \
        return (float)a0[0];                                                                       \
    }
#define MULTIPLY_ADD(i) a##i = a##i * x + y;
PORTABLE_LOOP(f32_portable, f32x4, 0.5F, 1)
PORTABLE_LOOP(int8_portable, i16x8, 12345, 1)

struct peak_loop peak_f32(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return (struct peak_loop){"avx512", 16 * 16 * 2, f32_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct peak_loop){"avx2", 12 * 8 * 2, f32_avx2};
#endif
    return (struct peak_loop){"portable", 12 * 4 * 2, f32_portable};
}

struct peak_loop peak_int8(void)
{
#if defined(__x86_64__)
    if (ask_for_tiles())
        return (struct peak_loop){"amx", 4.0 * TILE_ROWS * TILE_ROWS * TILE_BYTES * 2, int8_amx};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni"))
        return (struct peak_loop){"avx512-vnni", 16 * 64 * 2, int8_vnni};
    if (__builtin_cpu_supports("avx2"))
        return (struct peak_loop){"avx2", 12 * 16 * 2, int8_avx2};
#endif
    return (struct peak_loop){"portable", 12 * 8 * 2, int8_portable};
}

/* ---- Memory ---- */

/* Four chains: additions alone would wait for each other. */
#define READ(name, attributes, bytes)                                                              \
    attributes static uint64_t name(const void *data, size_t n_bytes)                              \
    {                                                                                              \
        typedef uint64_t vector __attribute__((vector_size(bytes)));                               \
        const vector *at = data, *end = at + n_bytes / sizeof(vector);                             \
        vector s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                             \
        for (; at < end; at += 8) {                                                                \
            s0 += at[0] ^ at[4];                                                                   \
            s1 += at[1] ^ at[5];                                                                   \
            s2 += at[2] ^ at[6];                                                                   \
            s3 += at[3] ^ at[7];                                                                   \
        }                                                                                          \
        s0 += s1 + s2 + s3;                                                                        \
        return s0[0] + s0[1];                                                                      \
    }

READ(read_portable, , 16)
#if defined(__x86_64__)
READ(read_avx2, __attribute__((target("avx2"))), 32)
READ(read_avx512, __attribute__((target("avx512f"))), 64)
#endif

uint64_t peak_read(const void *data, size_t n_bytes)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return read_avx512(data, n_bytes);
    if (__builtin_cpu_supports("avx2"))
        return read_avx2(data, n_bytes);
#endif
    return read_portable(data, n_bytes);
}
