/* kernels.c - the inner loops in GNU vector types, compiled once per instruction set: KERNELS names the table
 * that this compile makes, and the vector width follows from what the compiler may use.
 *
 * product: a register tile of TILE_ROWS rows by TILE_PANELS panels of 16 columns; per step of k one load per vector of
 * weights and one broadcast per row. Each element is one chain acc += x·w over ascending k.
 *
 * exp: e^x = 2^n · e^r, n = round(x / ln 2), |r| ≤ ln 2 / 2, e^r by a polynomial of degree 6.
 * gelu: x·Φ(x) with Φ(-a) = e^(-a²/2)·R(a), a ≥ 0, R a rational function: exact in the tails, where 1 + erf cancels.
 * Coefficients: least squares, reweighted towards equal relative error (exp 3e-9 on |r| ≤ ln 2 / 2; R 5e-9 on
 * [0, 13.5]); what is left is float rounding. tests/model/test_kernels.c states and checks the errors.
 */
#include "model/kernels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define ISA "avx512"
enum { LANES = 16, TILE_ROWS = 12, TILE_PANELS = 2 };
#elif defined(__AVX2__)
#define ISA "avx2"
enum { LANES = 8, TILE_ROWS = 6, TILE_PANELS = 1 };
#else
#define ISA "portable"
enum { LANES = 4, TILE_ROWS = 2, TILE_PANELS = 1 };
#endif

enum { PANEL_WIDTH = 16, VECTORS = PANEL_WIDTH / LANES, DOUBLE_LANES = LANES / 2 };

typedef float vec __attribute__((vector_size(LANES * 4)));
typedef int32_t ivec __attribute__((vector_size(LANES * 4)));
typedef uint32_t uvec __attribute__((vector_size(LANES * 4)));
typedef double dvec __attribute__((vector_size(LANES * 4)));
typedef float half_vec __attribute__((vector_size(LANES * 2), aligned(4), may_alias));
typedef float vec_memory __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

/* Loops over registers: unrolled in full before the compiler decides what lives in memory. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 24")
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const float *p)
{
    return *(const vec_memory *)p;
}

INLINE void store(float *p, vec v)
{
    *(vec_memory *)p = v;
}

INLINE vec splat(float value)
{
    return value - (vec){0};
}

INLINE vec select(ivec mask, vec yes, vec no)
{
    return (vec)(((ivec)yes & mask) | ((ivec)no & ~mask));
}

INLINE float horizontal_sum(vec v)
{
    float sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += v[i];
    return sum;
}

/* The last, partial vector of a row, filled up with `rest`. */
INLINE vec load_tail(const float *x, size_t n, float rest)
{
    vec v = splat(rest);
    for (size_t i = 0; i < n; i++)
        v[i] = x[i];
    return v;
}

INLINE void store_tail(float *x, vec v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = v[i];
}

/* ---- product ---- */

/* ROWS and PANELS are constants at every call, so that the accumulators stay in registers. */
INLINE void tile(const struct product *p, size_t row, size_t panel, const int rows, const int panels)
{
    vec acc[TILE_ROWS][TILE_PANELS * VECTORS];
    const float *x = p->x + row * p->x_stride;
    const float *w = p->panels + panel * p->panel_stride;
    const size_t panel_stride = p->panel_stride, x_stride = p->x_stride;

    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < panels * VECTORS; v++)
            acc[r][v] = (vec){0};

    for (size_t k = 0; k < p->k; k++) {
        vec weights[TILE_PANELS * VECTORS];
        UNROLL for (int v = 0; v < panels * VECTORS; v++)
            weights[v] = load(w + (size_t)(v / VECTORS) * panel_stride + k * PANEL_WIDTH +
                              (size_t)(v % VECTORS) * LANES);
        UNROLL for (int r = 0; r < rows; r++) {
            vec value = splat(x[(size_t)r * x_stride + k]);
            UNROLL for (int v = 0; v < panels * VECTORS; v++)
                acc[r][v] += value * weights[v];
        }
    }

    size_t column = panel * PANEL_WIDTH;
    UNROLL for (int r = 0; r < rows; r++) {
        size_t at = (row + (size_t)r) * p->out_stride + column;
        UNROLL for (int v = 0; v < panels * VECTORS; v++) {
            size_t lane = (size_t)v * LANES;
            vec sum = acc[r][v];
            if (p->bias != NULL)
                sum += load(p->bias + column + lane);
            if (p->residual != NULL)
                sum += load(p->residual + at + lane);
            store(p->out + at + lane, sum);
        }
    }
}

/* The rest of fewer than TILE_ROWS rows: one switch, so that each case has constant bounds. */
INLINE void last_rows(const struct product *p, size_t row, size_t panel, const int panels)
{
    switch (p->n_rows - row) {
#if defined(__AVX512F__)
    case 11: tile(p, row, panel, 11, panels); break;
    case 10: tile(p, row, panel, 10, panels); break;
    case 9: tile(p, row, panel, 9, panels); break;
    case 8: tile(p, row, panel, 8, panels); break;
    case 7: tile(p, row, panel, 7, panels); break;
    case 6: tile(p, row, panel, 6, panels); break;
#endif
#if defined(__AVX2__)
    case 5: tile(p, row, panel, 5, panels); break;
    case 4: tile(p, row, panel, 4, panels); break;
    case 3: tile(p, row, panel, 3, panels); break;
    case 2: tile(p, row, panel, 2, panels); break;
#endif
    case 1: tile(p, row, panel, 1, panels); break;
    default: break;
    }
}

INLINE void column_of_tiles(const struct product *p, size_t panel, const int panels)
{
    size_t row = 0;
    for (; row + TILE_ROWS <= p->n_rows; row += TILE_ROWS)
        tile(p, row, panel, TILE_ROWS, panels);
    last_rows(p, row, panel, panels);
}

static void product(const struct product *p)
{
    size_t panel = 0;
    for (; panel + TILE_PANELS <= p->n_panels; panel += TILE_PANELS)
        column_of_tiles(p, panel, TILE_PANELS);
    for (; panel < p->n_panels; panel++)
        column_of_tiles(p, panel, 1);
}

/* Columns c .. c + 15, in registers. */
INLINE void mix_panel(const float *weights, const float *v, size_t v_stride, size_t n, float *out)
{
    dvec sums[PANEL_WIDTH / DOUBLE_LANES];
    UNROLL for (int i = 0; i < PANEL_WIDTH / DOUBLE_LANES; i++)
        sums[i] = (dvec){0};
    for (size_t j = 0; j < n; j++) {
        double weight = (double)weights[j];
        UNROLL for (int i = 0; i < PANEL_WIDTH / DOUBLE_LANES; i++)
            sums[i] += weight * __builtin_convertvector(
                                    *(const half_vec *)(v + j * v_stride + i * DOUBLE_LANES), dvec);
    }
    UNROLL for (int i = 0; i < PANEL_WIDTH / DOUBLE_LANES; i++)
        *(half_vec *)(out + i * DOUBLE_LANES) = __builtin_convertvector(sums[i], half_vec);
}

static void mix_exactly(const float *weights, const float *v, size_t v_stride, size_t n,
                        size_t width, float *out)
{
    size_t c = 0;
    for (; c + PANEL_WIDTH <= width; c += PANEL_WIDTH)
        mix_panel(weights, v + c, v_stride, n, out + c);
    for (; c < width; c++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += (double)weights[j] * (double)v[j * v_stride + c];
        out[c] = (float)sum;
    }
}

/* ---- elementwise ---- */

/* Inputs below -87.3 give 1e-38, above 88.3 give 2e38: no infinities, no subnormals. NaN stays NaN. */
INLINE vec exp_vec(vec x)
{
    const float log2_e = 1.44269504f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    const float to_integer = 12582912.0f; /* 1.5 · 2^23: adding it rounds to a whole number */
    x = select(x < -87.3f, splat(-87.3f), x);
    x = select(x > 88.3f, splat(88.3f), x);
    vec shifted = x * log2_e + to_integer;
    vec n = shifted - to_integer;
    vec r = x - n * ln2_high;
    r = r - n * ln2_low;
    vec p = splat(0.0013814611593261361f);
    p = p * r + 0.008368710055947304f;
    p = p * r + 0.04166838899254799f;
    p = p * r + 0.1666652113199234f;
    p = p * r + 0.4999999403953552f;
    p = p * (r * r) + r;
    p = p + 1.0f;
    uvec exponent = ((uvec)shifted - (uvec)splat(to_integer)) << 23;
    vec result = (vec)((uvec)p + exponent);
    return select(x == x, result, x);
}

INLINE vec sigmoid_times(vec x, vec y) /* x / (1 + e^-y) */
{
    return x / (1.0f + exp_vec(-y));
}

INLINE vec gelu_vec(vec x)
{
    vec a = select(x < 0.0f, -x, x);
    vec p = splat(0.004036827478557825f);
    p = p * a + 0.04009699076414108f;
    p = p * a + 0.1816428005695343f;
    p = p * a + 0.43614235520362854f;
    p = p * a + 0.5f;
    vec q = splat(0.010118686594069004f);
    q = q * a + 0.1005154624581337f;
    q = q * a + 0.4652671813964844f;
    q = q * a + 1.195883870124817f;
    q = q * a + 1.6701695919036865f;
    q = q * a + 1.0f;
    vec tail = x * (exp_vec(-0.5f * (a * a)) * (p / q)); /* x·Φ(-|x|) */
    tail = select(a > 13.0f, splat(0.0f), tail);         /* below 1e-37 */
    return select(x < 0.0f, tail, x - tail);
}

INLINE vec gelu_tanh_vec(vec x)
{
    const float two_sqrt_2_over_pi = 1.5957691216057308f;
    return sigmoid_times(x, two_sqrt_2_over_pi * (x + 0.044715f * (x * x * x)));
}

INLINE vec activation_vec(const enum activation activation, vec x)
{
    switch (activation) {
    case ACTIVATION_RELU: return select(x < 0.0f, splat(0.0f), x);
    case ACTIVATION_GELU: return gelu_vec(x);
    case ACTIVATION_GELU_TANH: return gelu_tanh_vec(x);
    case ACTIVATION_SILU: return sigmoid_times(x, x);
    }
    return x;
}

INLINE void activate_all(const enum activation activation, float *x, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        store(x + i, activation_vec(activation, load(x + i)));
    if (i < n)
        store_tail(x + i, activation_vec(activation, load_tail(x + i, n - i, 0)), n - i);
}

static void activate(enum activation activation, float *x, size_t n)
{
    switch (activation) { /* one loop each, with the switch inside decided */
    case ACTIVATION_RELU: activate_all(ACTIVATION_RELU, x, n); return;
    case ACTIVATION_GELU: activate_all(ACTIVATION_GELU, x, n); return;
    case ACTIVATION_GELU_TANH: activate_all(ACTIVATION_GELU_TANH, x, n); return;
    case ACTIVATION_SILU: activate_all(ACTIVATION_SILU, x, n); return;
    }
}

static void multiply(float *out, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] *= y[i];
}

/* ---- rows ---- */

static float exact_sum(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    return (float)sum;
}

static void softmax(float *x, size_t n)
{
    size_t whole = n - n % LANES, rest = n % LANES;
    vec largest = splat(x[0]);
    for (size_t i = 0; i < whole; i += LANES)
        largest = select(load(x + i) > largest, load(x + i), largest);
    vec tail = load_tail(x + whole, rest, x[0]);
    largest = select(tail > largest, tail, largest);
    float max = largest[0];
    for (int i = 1; i < LANES; i++)
        max = largest[i] > max ? largest[i] : max;

    vec sums = {0};
    for (size_t i = 0; i < whole; i += LANES) {
        vec e = exp_vec(load(x + i) - max);
        sums += e;
        store(x + i, e);
    }
    tail = exp_vec(tail - max);
    store_tail(x + whole, tail, rest);
    float sum = horizontal_sum(sums);
    for (size_t i = 0; i < rest; i++)
        sum += tail[i];
    if (n <= EXACT_KEYS)
        sum = exact_sum(x, n);

    float scale = 1 / sum;
    for (size_t i = 0; i < whole; i += LANES)
        store(x + i, load(x + i) * scale);
    for (size_t i = whole; i < n; i++)
        x[i] *= scale;
}

/* Σ (x - shift), or Σ (x - shift)² */
INLINE float sum_of(const float *x, size_t n, float shift, const int squared)
{
    vec sums = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec d = load(x + i) - shift;
        sums += squared ? d * d : d;
    }
    float sum = horizontal_sum(sums);
    for (; i < n; i++) {
        float d = x[i] - shift;
        sum += squared ? d * d : d;
    }
    return sum;
}

/* out = (x - shift) · scale · weight (+ bias) */
INLINE void scale_row(const float *x, float shift, float scale, const float *weight,
                      const float *bias, size_t n, float *out)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec y = (load(x + i) - shift) * scale * load(weight + i);
        if (bias != NULL)
            y += load(bias + i);
        store(out + i, y);
    }
    for (; i < n; i++) {
        float y = (x[i] - shift) * scale * weight[i];
        out[i] = bias != NULL ? y + bias[i] : y;
    }
}

static void layer_norm(const float *x, const float *weight, const float *bias, float eps, size_t n,
                       float *out)
{
    float mean = sum_of(x, n, 0, 0) / (float)n;
    float variance = sum_of(x, n, mean, 1) / (float)n;
    scale_row(x, mean, 1 / sqrtf(variance + eps), weight, bias, n, out);
}

static void rms_norm(const float *x, const float *weight, float eps, size_t n, float *out)
{
    float mean_square = sum_of(x, n, 0, 1) / (float)n;
    scale_row(x, 0, 1 / sqrtf(mean_square + eps), weight, NULL, n, out);
}

#ifndef KERNELS
#define KERNELS kernels_portable
#endif

const struct kernels KERNELS = {
    .isa = ISA,
    .product = product,
    .mix_exactly = mix_exactly,
    .activate = activate,
    .multiply = multiply,
    .softmax = softmax,
    .layer_norm = layer_norm,
    .rms_norm = rms_norm,
};
