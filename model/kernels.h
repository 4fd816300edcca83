/* kernels.h - the inner loops, compiled once per instruction set from the one source kernels.c.
 *
 * Each function's result depends on its arguments alone, element by element: every element of a product is one
 * sum over k in ascending order, whatever the tile it is computed in. So a row's result does not change
 * with its neighbours, and sharing work between threads does not change a bit.
 */
#ifndef MODEL_KERNELS_H
#define MODEL_KERNELS_H

#include "model/config.h"
#include "model/tensor.h"

/* out[r, c] = act(Σ_k x[r, k] · W[c, k] (+ bias[c]) (+ residual[r, c])) (· gate[r, c]), for n_rows rows and 16·n_panels columns;
 * W[c, k] is panels[c / 16][k][c mod 16]. A panel is [K, 16], int8: [⌈K/4⌉, 16, 4]; panel j starts at element j·panel_stride.
 * bias is readable to 16·n_panels, and out is written to 16·n_panels columns: strides are multiples of 16.
 * residual and gate are [n_rows, out_stride], or NULL; they may be out itself. */
struct product {
    const void *x; /* f32; product_int8: int8, its rows filled up with zeros to a multiple of QUANTIZED_STEP */
    size_t x_stride;
    const struct quantization *x_quantization; /* product_int8: [n_rows] */
    const void *panels;
    size_t panel_stride, k;
    const float *scales; /* product_int8: of the columns, [16·n_panels] */
    const float *bias;   /* or NULL */
    const float *residual;
    bool activated;
    enum activation activation;
    const float *gate;
    float *out;
    size_t out_stride;
    size_t n_rows, n_panels;
};

/* How a row was rounded to int8: x ≈ q · scale, |q| ≤ 127; sum = Σ q. */
struct quantization {
    float scale;
    int32_t sum;
};

enum { QUANTIZED_STEP = 64 };

/* Sums over at most so many keys are taken in double: rounded once, they do not depend on the keys'
 * order. Without positions, the same words in any order then give the same vectors. */
enum { EXACT_KEYS = 32 };

struct kernels {
    const char *isa;
    void (*product)(const struct product *product); /* by the type of the panels */
    void (*product_f16)(const struct product *product);
    void (*product_bf16)(const struct product *product);

    /* Exact sums in int32 (K ≤ 2^17), then times both scales: the same bits on every instruction set. */
    void (*product_int8)(const struct product *product);

    /* q[i] = round(x[i] / scale), scale = max|x| / 127; q is filled up with zeros to a multiple of QUANTIZED_STEP. */
    struct quantization (*quantize)(const float *x, size_t n, int8_t *q);

    /* out[c] = Σ_j weights[j] · v[j, c] over n ≤ EXACT_KEYS keys, in double; c < width */
    void (*mix_exactly)(const float *weights, const float *v, size_t v_stride, size_t n, size_t width,
                        float *out);

    /* x[i] = act(x[i]). gelu: x·Φ(x) by erf; gelu_tanh: its tanh form; silu: x/(1+e^-x). */
    void (*activate)(enum activation activation, float *x, size_t n);

    /* out[i] = out[i] · y[i] */
    void (*multiply)(float *out, const float *y, size_t n);

    /* x[i] = e^(x[i]-max) / Σ e^(x-max); n > 0. The sum of n ≤ EXACT_KEYS is taken in double. */
    void (*softmax)(float *x, size_t n);

    /* out = (x - mean) / sqrt(variance + eps) · weight (+ bias); in place allowed */
    void (*layer_norm)(const float *x, const float *weight, const float *bias, float eps, size_t n,
                       float *out);

    /* out = x / sqrt(mean of squares + eps) · weight */
    void (*rms_norm)(const float *x, const float *weight, float eps, size_t n, float *out);
};

extern const struct kernels kernels_portable, kernels_avx2, kernels_avx512, kernels_avx512vnni;

/* The best set this CPU has, or the one named by isa ("portable", "avx2", "avx512", "avx512vnni"; NULL: the best). A name that the CPU or the
 * build does not have gives the best one below it; NULL for a name that does not exist. */
const struct kernels *kernels_select(const char *isa);

#endif
