/* vector.h - GNU vector types of this compile's width, and operations that every kernel uses. The
 * headers of this folder are included by kernels.c, which is compiled once per width.
 *
 * exp: e^x = 2^n · e^r, n = round(x / ln 2), |r| ≤ ln 2 / 2, e^r by a polynomial of degree 6 (least
 * squares, reweighted towards equal relative error: 3e-9; the remaining error is float rounding,
 * within 2 units of the last place); 2^n is composed as bits and multiplied.
 */
#ifndef MODEL_KERNELS_VECTOR_H
#define MODEL_KERNELS_VECTOR_H

#include "model/tensor.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 16, TILE_ROWS = 8, TILE_PANELS = 3 };
#elif defined(__AVX2__)
enum { LANES = 8, TILE_ROWS = 6, TILE_PANELS = 1 };
#elif defined(KERNELS_NEON) /* 24 of 32 registers hold sums, as with AVX-512 */
enum { LANES = 4, TILE_ROWS = 6, TILE_PANELS = 1 };
#else
enum { LANES = 4, TILE_ROWS = 2, TILE_PANELS = 1 };
#endif

enum { PANEL_WIDTH = 16, VECTORS = PANEL_WIDTH / LANES, DOUBLE_LANES = LANES / 2 };

typedef float vec __attribute__((vector_size(LANES * 4)));
typedef int32_t ivec __attribute__((vector_size(LANES * 4)));
typedef uint32_t uvec __attribute__((vector_size(LANES * 4)));
typedef double dvec __attribute__((vector_size(LANES * 4)));
typedef float half_vec __attribute__((vector_size(LANES * 2), aligned(4), may_alias));
typedef float vec_memory __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

/* Loops over registers: unrolled fully before the compiler decides what is kept in memory. */
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#define AS_IT_IS _Pragma("clang loop unroll(disable)")
#else
#define UNROLLED _Pragma("GCC unroll 24")
#define AS_IT_IS _Pragma("GCC unroll 1")
#endif
#define UNROLL(i, n) UNROLLED for (__typeof__(+(n)) i = 0; i < (n); i++)

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const float *p)
{
    return *(const vec_memory *)p;
}

INLINE void store(float *p, vec v)
{
    *(vec_memory *)p = v;
}

/* Loads one vector of weights from a panel, widened to f32. */
INLINE vec load_bf16(const uint16_t *p)
{
#if defined(KERNELS_NEON)
    return (vec)vshll_n_u16(vld1_u16(p), 16);
#else
    typedef uint16_t halves __attribute__((vector_size(LANES * 2), aligned(2), may_alias));
    return (vec)(__builtin_convertvector(*(const halves *)p, uvec) << 16);
#endif
}

INLINE vec load_f16(const void *p) /* at any address */
{
#if defined(__AVX512F__)
    return (vec)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined(__F16C__)
    return (vec)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#elif defined(KERNELS_NEON)
    return (vec)vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p)));
#else /* the exponent moves by 112 in an exact product; infinity and NaN keep the largest */
    typedef uint16_t halves __attribute__((vector_size(LANES * 2), aligned(1), may_alias));
    uvec bits = __builtin_convertvector(*(const halves *)p, uvec);
    uvec magnitude = (bits & 0x7FFFu) << 13;
    uvec finite = (uvec)((vec)magnitude * 0x1p112f);
    uvec special = (uvec)(magnitude >= 0x7C00u << 13);
    return (vec)((bits & 0x8000u) << 16 | finite | (special & 0x7F800000u));
#endif
}

INLINE vec load_weights(const enum tensor_type type, const void *panels, size_t index)
{
    switch (type) {
    case TENSOR_F16: return load_f16((const uint16_t *)panels + index);
    case TENSOR_BF16: return load_bf16((const uint16_t *)panels + index);
    default: return load((const float *)panels + index);
    }
}

INLINE size_t weight_bytes(const enum tensor_type type)
{
    return type == TENSOR_F16 || type == TENSOR_BF16 ? sizeof(uint16_t) : sizeof(float);
}

INLINE vec load_int8(const void *p)
{
#if defined(__AVX512F__)
    return (vec)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)));
#elif defined(__AVX2__)
    return (vec)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadu_si64(p)));
#else
    typedef int8_t bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
    return __builtin_convertvector(__builtin_convertvector(*(const bytes *)p, ivec), vec);
#endif
}

INLINE vec splat(float value)
{
    return value - (vec){0};
}

INLINE vec choose(ivec mask, vec yes, vec no)
{
    return (vec)(((ivec)yes & mask) | ((ivec)no & ~mask));
}

/* a·b + c, rounded once. If the processor has no fused multiply-add (portable on x86-64), the
 * product is rounded too. Code asks for fusing explicitly: the compiler fuses nothing by itself
 * (-ffp-contract=off), so every compiler and every width of vectors gives the same bits. */
INLINE vec multiply_add(vec a, vec b, vec c)
{
#if defined(__AVX512F__)
    return (vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (vec)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

INLINE dvec multiply_add_wide(dvec a, dvec b, dvec c)
{
#if defined(__AVX512F__)
    return (dvec)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    return (dvec)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
    return (dvec)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}

/* sum += a·b in the register of the sum: gcc 12 otherwise moves a tile's sums between registers and
 * stores some of them in memory. */
INLINE void add_product(vec *sum, vec a, vec b)
{
#if defined(__FMA__)
    __asm__("vfmadd231ps %2, %1, %0" : "+v"(*sum) : "v"(a), "v"(b));
#else
    *sum = multiply_add(a, b, *sum);
#endif
}

/* Keeps a vector in its register until here: gcc 12 otherwise moves sums into the registers of
 * weights after their last use, and back. */
#if defined(__FMA__)
#define KEEP(vector) __asm__ volatile("" : : "v"(vector))
#else
#define KEEP(vector) (void)(vector)
#endif

/* Returns ((c[0]·x + c[1])·x + ...) + c[n - 1]. */
INLINE vec polynomial(const float *c, const int n, vec x)
{
    vec p = splat(c[0]);
    UNROLL (i, n - 1)
        p = multiply_add(p, x, splat(c[i + 1]));
    return p;
}
#define POLYNOMIAL(c, x) polynomial(c, sizeof c / sizeof *c, x)

/* b if either is NaN */
INLINE vec smaller(vec a, vec b)
{
#if defined(__AVX512F__)
    return (vec)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (vec)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return choose(a < b, a, b);
#endif
}

INLINE vec larger(vec a, vec b)
{
#if defined(__AVX512F__)
    return (vec)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (vec)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return choose(a > b, a, b);
#endif
}

INLINE vec magnitude(vec x)
{
    return (vec)((ivec)x & INT32_MAX);
}

/* Σ of the lanes, by halves. */
INLINE float sum_of_lanes(vec v)
{
#if defined(__AVX512F__)
    v += __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
#elif defined(__AVX2__)
    v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
#endif
    return (v[0] + v[2]) + (v[1] + v[3]);
}

INLINE float largest_lane(vec v)
{
#if defined(__AVX512F__)
    v = larger(v,
               __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    v = larger(v,
               __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
#elif defined(__AVX2__)
    v = larger(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
#endif
    float a = v[0] > v[2] ? v[0] : v[2], b = v[1] > v[3] ? v[1] : v[3];
    return a > b ? a : b;
}

/* Loads the last, partial vector of a row, padded with `rest`. */
INLINE vec load_tail(const float *x, size_t n, float rest)
{
    vec v = splat(rest);
    for (size_t i = 0; i < n; i++)
        v[i] = x[i];
    return v;
}

/* Loads a vector of a row with n numbers left, zeros after its end. */
INLINE vec load_some(const float *x, size_t n)
{
    return n >= (size_t)LANES ? load(x) : load_tail(x, n, 0);
}

INLINE void store_tail(float *x, vec v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = v[i];
}

#define LOG2_E 1.44269504f

/* Returns f such that e^x = f · *power, for x between -87.3 and 88.3: no product of the two is
 * subnormal or infinite. NaN stays NaN. */
INLINE vec exp_factors(vec x, vec *power)
{
    const float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    const float to_integer = 12582912.0f + 127; /* 1.5 · 2^23: the sum's low bits are n + 127 */
    vec shifted = multiply_add(x, splat(LOG2_E), splat(to_integer));
    vec n = shifted - to_integer;
    vec r = multiply_add(n, splat(-ln2_high), x);
    r = multiply_add(n, splat(-ln2_low), r);
    static const float TERMS[] = {0.0013814612f, 0.00836871f, 0.04166839f, 0.16666521f,
                                  0.49999994f,   1.0f,        1.0f};
    vec p = POLYNOMIAL(TERMS, r);
    *power = (vec)((uvec)shifted << 23);
    return p;
}

INLINE vec exp_between(vec x)
{
    vec power, factor = exp_factors(x, &power);
    return factor * power;
}

/* ---- Doubles ----
 * Vectors of doubles, half as many as of floats, and their conversions. GCC 12 splits
 * __builtin_convertvector of 8 numbers into quarters, so the AVX-512 instruction is named. */

typedef double dvec_memory __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef float half_register __attribute__((vector_size(LANES * 2)));

INLINE void store_wide(double *p, dvec v)
{
    *(dvec_memory *)p = v;
}

INLINE dvec load_wide(const double *p)
{
    return *(const dvec_memory *)p;
}

INLINE dvec widen(half_register v)
{
#if defined(__AVX512F__) && !defined(__clang__)
    return __builtin_ia32_cvtps2pd512_mask(v, (dvec){0}, -1, 4);
#else
    return __builtin_convertvector(v, dvec);
#endif
}

INLINE half_register narrow(dvec v)
{
#if defined(__AVX512F__) && !defined(__clang__)
    return __builtin_ia32_cvtpd2ps512_mask(v, (half_register){0}, -1, 4);
#else
    return __builtin_convertvector(v, half_register);
#endif
}

/* The lanes of v as two halves. */
struct halves {
    half_register low, high;
};

INLINE struct halves halves_of(vec v)
{
    struct halves halves;
    memcpy(&halves, &v, sizeof v);
    return halves;
}

/* ---- Transposing ----
 * LANES x LANES numbers in registers. Two unpack steps transpose the 4 x 4 squares in the 128-bit
 * quarters; then the quarters are swapped. */

/* In every quarter of 4 lanes: elements i, j, k, l of a (0 .. 3) and b (LANES .. LANES + 3). */
#if defined(__AVX512F__)
#define QUARTERS(a, b, i, j, k, l)                                                                 \
    __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4, i + 8, j + 8, k + 8,     \
                            l + 8, i + 12, j + 12, k + 12, l + 12)
/* The even quarters of a, then those of b; and the odd quarters. */
#define EVEN(a, b)                                                                                 \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define ODD(a, b)                                                                                  \
    __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#elif defined(__AVX2__)
#define QUARTERS(a, b, i, j, k, l)                                                                 \
    __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4)
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define ODD(a, b)  __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define QUARTERS(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#endif

/* Transposes the 4 x 4 square in each quarter of r[0 .. 3]. */
INLINE void transpose_squares(vec *r)
{
    vec a = QUARTERS(r[0], r[1], 0, LANES, 1, LANES + 1);
    vec b = QUARTERS(r[0], r[1], 2, LANES + 2, 3, LANES + 3);
    vec c = QUARTERS(r[2], r[3], 0, LANES, 1, LANES + 1);
    vec d = QUARTERS(r[2], r[3], 2, LANES + 2, 3, LANES + 3);
    r[0] = QUARTERS(a, c, 0, 1, LANES, LANES + 1);
    r[1] = QUARTERS(a, c, 2, 3, LANES + 2, LANES + 3);
    r[2] = QUARTERS(b, d, 0, 1, LANES, LANES + 1);
    r[3] = QUARTERS(b, d, 2, 3, LANES + 2, LANES + 3);
}

/* Swaps quarter m of r[4·n + c] and quarter n of r[4·m + c]. */
INLINE void transpose_quarters(vec *r)
{
#if defined(__AVX512F__)
    UNROLL (c, 4) {
        vec even_low = EVEN(r[c], r[4 + c]), odd_low = ODD(r[c], r[4 + c]);
        vec even_high = EVEN(r[8 + c], r[12 + c]), odd_high = ODD(r[8 + c], r[12 + c]);
        r[c] = EVEN(even_low, even_high);
        r[4 + c] = EVEN(odd_low, odd_high);
        r[8 + c] = ODD(even_low, even_high);
        r[12 + c] = ODD(odd_low, odd_high);
    }
#elif defined(__AVX2__)
    UNROLL (c, 4) {
        vec low = EVEN(r[c], r[4 + c]);
        r[4 + c] = ODD(r[c], r[4 + c]);
        r[c] = low;
    }
#else
    (void)r;
#endif
}

/* Transposes LANES vectors: lane i of vector k becomes lane k of vector i. */
INLINE void transpose(vec r[LANES])
{
    UNROLLED for (int i = 0; i < LANES; i += 4) transpose_squares(r + i);
    transpose_quarters(r);
}

#endif
