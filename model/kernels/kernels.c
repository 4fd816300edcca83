/* kernels.c - the inner loops in GNU vector types, compiled once per width of vectors: portable,
 * AVX2, AVX-512 and NEON, chosen by the compiler's flags. The loops are in this folder's headers.
 * VNNI, AMX and NEON's byte products add their own int8 product (kernels_int8.c) to the loops of
 * their width.
 */
#include "model/kernels/kernels.h"

#include "model/kernels/attend.h"
#include "model/kernels/attend_bf16.h"
#include "model/kernels/product.h"
#include "model/kernels/product_blas.h"
#include "model/kernels/product_int8.h"
#include "model/kernels/row.h"
#include "model/kernels/stored_rows.h"

#define KERNEL_SET(set, int8_product, bits, fits, tiles, in_bf16)                                  \
    const struct kernels kernels_##set = {                                                         \
        .isa = #set,                                                                               \
        .needs_tiles = tiles,                                                                      \
        .candidate_bits = bits,                                                                    \
        .product = product,                                                                        \
        .product_int8 = int8_product,                                                              \
        .fits_pairs = fits,                                                                        \
        .pairs = &in_bf16,                                                                         \
        .product_blas = product_blas,                                                              \
        .quantize = quantize,                                                                      \
        .add_row = add_row,                                                                        \
        .pack_rows = pack_rows,                                                                    \
        .softmax_block = softmax_block,                                                            \
        .mix = mix,                                                                                \
        .softmax_exactly = softmax_exactly,                                                        \
        .mix_exactly = mix_exactly,                                                                \
        .row_products = row_products,                                                              \
        .pack_row_panels = pack_row_panels,                                                        \
        .panel_products = panel_products,                                                          \
        .pack_byte_panels = pack_byte_panels,                                                      \
        .find_candidates = find_candidates,                                                        \
        .scale_scores = scale_scores,                                                              \
        .activate = activate,                                                                      \
        .multiply = multiply,                                                                      \
        .norm_row = norm_row,                                                                      \
    }

static const struct pair_kernels pairs = PAIR_KERNELS;

#if defined(__AVX512F__)
KERNEL_SET(avx512, product_int8, 7, fits_pairs, false, pairs);
KERNEL_SET(avx512vnni, product_int8_avx512vnni, 8, NULL, false, pairs);
KERNEL_SET(avx512bf16, product_int8_avx512vnni, 8, NULL, false, pairs_avx512bf16);
KERNEL_SET(amx, product_int8_amx, 8, NULL, true, pairs_amx);
#elif defined(__AVX2__)
KERNEL_SET(avx2, product_int8, 7, fits_pairs, false, pairs);
KERNEL_SET(avxvnni, product_int8_avxvnni, 8, NULL, false, pairs);
#elif defined(KERNELS_NEON)
KERNEL_SET(neon, product_int8, 0, NULL, false, pairs);
KERNEL_SET(neondot, product_int8_neondot, 8, NULL, false, pairs);
KERNEL_SET(neoni8mm, product_int8_neoni8mm, 8, NULL, false, pairs);
#else
KERNEL_SET(portable, product_int8, 0, NULL, false, pairs);
#endif
