/* kernels.c - the inner loops in GNU vector types, compiled once per instruction set: KERNELS names
 * the table that this compile makes, and the vector width follows from what the compiler may use.
 * The loops stand in model/kernels/.
 */
#include "model/kernels/kernels.h"

#include "model/kernels/activation.h"
#include "model/kernels/add_row.h"
#include "model/kernels/mix.h"
#include "model/kernels/norm.h"
#include "model/kernels/pack.h"
#include "model/kernels/product.h"
#include "model/kernels/product_amx.h"
#include "model/kernels/product_int8.h"
#include "model/kernels/softmax.h"

#if defined(KERNELS_AMX)
enum { NEEDS_TILES = true };
#define product_int8_of_isa product_amx
#else
enum { NEEDS_TILES = false };
#define product_int8_of_isa product_int8
#endif

#ifndef KERNELS
#define KERNELS kernels_portable
#endif

const struct kernels KERNELS = {
    .isa = ISA,
    .needs_tiles = NEEDS_TILES,
    .product = product,
    .product_f16 = product_f16,
    .product_bf16 = product_bf16,
    .product_int8 = product_int8_of_isa,
    .quantize = quantize,
    .add_row = add_row,
    .pack_rows = pack_rows,
    .softmax_block = softmax_block,
    .mix = mix,
    .softmax_exactly = softmax_exactly,
    .mix_exactly = mix_exactly,
    .activate = activate,
    .multiply = multiply,
    .layer_norm = layer_norm,
    .rms_norm = rms_norm,
};
