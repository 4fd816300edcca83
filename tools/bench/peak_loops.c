/* peak_loops.c - chains of multiply-adds, as many at once as hide their latency.
 *
 *     a_i = a_i · x + y,   i = 0 .. 11, each in its own register and none waiting for another
 *
 * A core starts two of them in a cycle and each takes four or five, so that ten chains would do.
 * They are variables with names, because gcc 12 keeps an array of vectors in memory. x = 0.5 and
 * y = 1 bring the numbers to 2: no overflow, no denormals.
 */
#include "tools/bench/machine.h"

#include <stdint.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { CHAINS = 12 };

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

/* The compiler fuses no product with a sum by itself (-ffp-contract=off), so it is said here. */
#if defined(__aarch64__)
#define FUSED_128(i) a##i = vfmaq_f32(y, a##i, x);
#else
#define FUSED_128(i) MULTIPLY_ADD(i)
#endif
#define FUSED_256(i) a##i = _mm256_fmadd_ps(a##i, x, y);
#define FUSED_512(i) a##i = _mm512_fmadd_ps(a##i, x, y);

/* Bytes are multiplied as 16-bit numbers where no instruction sums up their products. */
LOOP(f32_portable, , float, 16, FUSED_128, 0.5F, 1)
LOOP(int8_portable, , int16_t, 16, MULTIPLY_ADD, 12345, 1)

#if defined(__x86_64__)
#define TARGET(instructions) __attribute__((target(instructions)))
LOOP(f32_avx2, TARGET("avx2,fma"), float, 32, FUSED_256, 0.5F, 1)
LOOP(f32_avx512, TARGET("avx512f"), float, 64, FUSED_512, 0.5F, 1)
LOOP(int8_avx2, TARGET("avx2"), int16_t, 32, MULTIPLY_ADD, 12345, 1)

/* 64 or 32 products of bytes and their sums in one instruction, of which gcc 12 makes two copies
 * where it is written as an intrinsic. */
#define DOT_512(i) __asm__("vpdpbusd %2, %1, %0" : "+v"(a##i) : "v"(x), "v"(y));
#define DOT_256(i) __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(a##i) : "x"(x), "x"(y));
LOOP(int8_vnni, TARGET("avx512f,avx512vnni"), int32_t, 64, DOT_512, 0x03030303, 0x01010101)
LOOP(int8_avx_vnni, TARGET("avx2"), int32_t, 32, DOT_256, 0x03030303, 0x01010101)

static bool has_avx_vnni(void)
{
    enum { AVX_VNNI = 1 << 4 }; /* of eax */
    unsigned a, b, c, d;
    return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) &&
           (a & AVX_VNNI) != 0;
}

/* Linux gives a process the tile registers when it asks for them. */
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

/* 16 x 16 sums of 64 products in one instruction; four of them, as many as there are registers
 * for. */
TARGET("amx-tile,amx-int8") static float int8_amx(size_t n_turns)
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

struct peak_loop peak_f32(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return (struct peak_loop){"avx512", CHAINS * 16 * 2, f32_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct peak_loop){"avx2", CHAINS * 8 * 2, f32_avx2};
#endif
    return (struct peak_loop){"portable", CHAINS * 4 * 2, f32_portable};
}

struct peak_loop peak_int8(void)
{
#if defined(__x86_64__)
    if (ask_for_tiles())
        return (struct peak_loop){"amx", 4.0 * TILE_ROWS * TILE_ROWS * TILE_BYTES * 2, int8_amx};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni"))
        return (struct peak_loop){"avx512-vnni", CHAINS * 64 * 2, int8_vnni};
    if (has_avx_vnni())
        return (struct peak_loop){"avx-vnni", CHAINS * 32 * 2, int8_avx_vnni};
    if (__builtin_cpu_supports("avx2"))
        return (struct peak_loop){"avx2", CHAINS * 16 * 2, int8_avx2};
#endif
    return (struct peak_loop){"portable", CHAINS * 8 * 2, int8_portable};
}
