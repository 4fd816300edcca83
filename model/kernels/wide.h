/* wide.h - vectors of doubles, half as many as of floats, and their conversions. GCC 12 splits
 * __builtin_convertvector of 8 numbers into quarters, so the AVX-512 instruction is named. */
#ifndef MODEL_KERNELS_WIDE_H
#define MODEL_KERNELS_WIDE_H

#include "model/kernels/vector.h"

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

#endif
