/* columns.h - rows of every type as vectors of floats, a step of 16 columns at a time. */
#ifndef MODEL_KERNELS_ROWS_COLUMNS_H
#define MODEL_KERNELS_ROWS_COLUMNS_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

enum { STEP = 16 };

INLINE size_t columns_bytes(const engine_element type, size_t n)
{
    switch (type) {
    case ENGINE_F32: return 4 * n;
    case ENGINE_F16: return 2 * n;
    case ENGINE_INT8: return n;
    default: return (n + 7) / 8;
    }
}

/* Returns the address of a row's first column. */
INLINE const char *columns_of(const engine_element type, const char *row)
{
    return type == ENGINE_INT8 ? row + sizeof(float) : row;
}

/* Loads vector v of a step of bits, the lowest of each byte first, as 0 or 1. */
INLINE vec load_bits(const char *bytes, const int v)
{
    const vec one = splat(1);
    uint16_t bits;
    memcpy(&bits, bytes, sizeof bits);
#if defined(__AVX512F__)
    (void)v;
    return (vec)_mm512_maskz_mov_ps(bits, (__m512)one);
#else
#if defined(__AVX2__)
    const uvec masks = (uvec){1, 2, 4, 8, 16, 32, 64, 128} << (uint32_t)(v * LANES);
#else
    const uvec masks = (uvec){1, 2, 4, 8} << (uint32_t)(v * LANES);
#endif
    return (vec)((ivec)one & (((bits - (uvec){0}) & masks) != 0));
#endif
}

/* Loads vector v of the step at column k. */
INLINE vec load_columns(const engine_element type, const char *columns, size_t k, const int v)
{
    typedef float floats __attribute__((vector_size(LANES * 4), aligned(1), may_alias));
    size_t column = k + (size_t)(v * LANES);
    switch (type) {
    case ENGINE_F32: return *(const floats *)(const void *)(columns + 4 * column);
    case ENGINE_F16: return load_f16(columns + 2 * column);
    case ENGINE_INT8: return load_int8(columns + column);
    default: return load_bits(columns + k / 8, v);
    }
}

/* The last columns, fewer than STEP, padded with zeros. */
struct tail {
    char bytes[STEP * sizeof(float)];
};

INLINE struct tail tail_of(const engine_element type, const char *columns, size_t column, size_t n)
{
    struct tail tail = {{0}};
    memcpy(tail.bytes, columns + columns_bytes(type, column), columns_bytes(type, n));
    return tail;
}

#endif
