/* kernels.c - the inner loops in GNU vector types, compiled once per instruction set: KERNELS names the table that this
 * compile makes, and the vector width follows from what the compiler may use. The loops stand in model/kernels/.
 */
#include "model/kernels.h"

#include "model/kernels/activation.h"
#include "model/kernels/attention.h"
#include "model/kernels/norm.h"
#include "model/kernels/product.h"
#include "model/kernels/product_int8.h"

#ifndef KERNELS
#define KERNELS kernels_portable
#endif

const struct kernels KERNELS = {
    .isa = ISA,
    .product = product,
    .product_f16 = product_f16,
    .product_bf16 = product_bf16,
    .product_int8 = product_int8,
    .quantize = quantize,
    .mix_exactly = mix_exactly,
    .activate = activate,
    .multiply = multiply,
    .softmax = softmax,
    .layer_norm = layer_norm,
    .rms_norm = rms_norm,
};
