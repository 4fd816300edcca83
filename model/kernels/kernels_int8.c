/* kernels_int8.c - the int8 products of VNNI (both widths), AMX and NEON's byte products,
 * and bfloat16 of AMX and AVX-512 BF16, one of them per compile.
 */
#include "model/kernels/kernels.h"

#if defined(__AMX_INT8__) || defined(__AMXINT8__) /* gcc, clang 14 */
#include "model/kernels/attend_bf16.h"

void product_int8_amx(const struct product *product)
{
    if (product->n_rows < FEW_ROWS)
        product_int8_avx512vnni(product);
    else
        product_amx(product);
}

const struct pair_kernels pairs_amx = PAIR_KERNELS;
#elif defined(KERNELS_DOT)
#include "model/kernels/attend_bf16.h"

const struct pair_kernels pairs_avx512bf16 = PAIR_KERNELS;
#else
#include "model/kernels/product_int8.h"

#if defined(__AVX512VNNI__)
#define PRODUCT product_int8_avx512vnni
#elif defined(__AVXVNNI__)
#define PRODUCT product_int8_avxvnni
#elif defined(__ARM_FEATURE_MATMUL_INT8)
#define PRODUCT product_int8_neoni8mm
#else
#define PRODUCT product_int8_neondot
#endif

void PRODUCT(const struct product *p)
{
    product_of_bytes(p);
}
#endif
