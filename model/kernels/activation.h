/* activation.h - activations and gates, elementwise.
 *
 * gelu: x·Φ(x) with Φ(-a) = e^(-a²/2)·R(a), a ≥ 0, R a rational function: exact in the tails, where
 * 1 + erf cancels. Coefficients: least squares, reweighted towards equal relative error (5e-9 on
 * [0, 13.5]); the remaining error is float rounding: test_kernels.c states and checks the errors.
 * Plain twin: plain_activation in tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_ACTIVATION_H
#define MODEL_KERNELS_ACTIVATION_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

INLINE vec sigmoid_times(vec x, vec y) /* x / (1 + e^-y); zero where that is below 1e-36 */
{
    vec power, factor = exp_factors(smaller(splat(88.3f), larger(splat(-87.3f), -y)), &power);
    vec result = x / multiply_add(factor, power, splat(1.0f));
    return choose(y < -88.0f, splat(0.0f), result);
}

/* e^(-a²/2) for a² up to 169, as 2^y, y = a² · (-log2(e) / 2), 2^y = 2^n · 2^r, n = round(y):
 * exp_between would take two more steps. The polynomial is fitted like that of exp (3e-9). */
INLINE vec half_square_exp(vec a)
{
    const float to_integer = 12582912.0f + 127; /* 1.5 · 2^23: the sum's low bits are n + 127 */
    const vec square = a * a, factor = splat(-0.7213475108146667f);
    vec shifted = multiply_add(square, factor, splat(to_integer));
    vec n = shifted - to_integer;
    vec r = multiply_add(square, factor, -n);
    vec p = splat(0.00015327802975662053f);
    p = horner(p, r, 0.0013390997191891074f);
    p = horner(p, r, 0.009618503041565418f);
    p = horner(p, r, 0.05550359562039375f);
    p = horner(p, r, 0.24022647738456726f);
    p = horner(p, r, 0.6931471824645996f);
    p = horner(p, r, 1.0f);
    return p * (vec)((uvec)shifted << 23);
}

INLINE vec gelu_vec(vec x)
{
    vec a = smaller(magnitude(x), splat(13.0f)); /* for a > 13, Φ(-a) is below 1e-37 */
    vec p = splat(0.004036827478557825f);
    p = horner(p, a, 0.04009699076414108f);
    p = horner(p, a, 0.1816428005695343f);
    p = horner(p, a, 0.43614235520362854f);
    p = horner(p, a, 0.5f);
    vec q = splat(0.010118686594069004f);
    q = horner(q, a, 0.1005154624581337f);
    q = horner(q, a, 0.4652671813964844f);
    q = horner(q, a, 1.195883870124817f);
    q = horner(q, a, 1.6701695919036865f);
    q = horner(q, a, 1.0f);
    vec below = half_square_exp(a) * (p / q); /* Φ(-|x|) */
    return multiply_add(-a, below, larger(splat(0), x));
}

/* gelu for sums of int8 products: within 6e-5, where rounding to int8 moves by 1e-2, and in a third
 * of the time. max(x, 0) - a·Φ(-a), a = |x|, as a polynomial of a ≤ 4.3; beyond it,
 * a·Φ(-a) is nearly 0. Coefficients: least squares, reweighted towards equal errors. */
INLINE vec gelu_near_vec(vec x)
{
    vec a = smaller(magnitude(x), splat(4.3f));
    vec p = splat(-1.51621125e-05f);
    p = horner(p, a, 0.00035293444f);
    p = horner(p, a, -0.0033995367f);
    p = horner(p, a, 0.0170169f);
    p = horner(p, a, -0.043890018f);
    p = horner(p, a, 0.03996445f);
    p = horner(p, a, 0.03896935f);
    p = horner(p, a, 0.010127035f);
    p = horner(p, a, -0.40051827f);
    p = horner(p, a, 0.5000405f);
    return multiply_add(-a, p, larger(splat(0), x));
}

INLINE vec gelu_tanh_vec(vec x)
{
    const float two_sqrt_2_over_pi = 1.5957691216057308f;
    return sigmoid_times(x, two_sqrt_2_over_pi * multiply_add(x * x * x, splat(0.044715f), x));
}

INLINE vec activation_vec(const enum activation activation, vec x)
{
    switch (activation) {
    case ACTIVATION_RELU: return larger(splat(0), x);
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
    switch (activation) { /* one loop per activation, specialised at compile time */
    case ACTIVATION_RELU: activate_all(ACTIVATION_RELU, x, n); return;
    case ACTIVATION_GELU: activate_all(ACTIVATION_GELU, x, n); return;
    case ACTIVATION_GELU_TANH: activate_all(ACTIVATION_GELU_TANH, x, n); return;
    case ACTIVATION_SILU: activate_all(ACTIVATION_SILU, x, n); return;
    }
}

/* The same, near it where that is enough: n is a multiple of LANES. */
static void activate_near(enum activation activation, float *x, size_t n)
{
    if (activation != ACTIVATION_GELU) {
        activate(activation, x, n);
        return;
    }
    for (size_t i = 0; i < n; i += LANES)
        store(x + i, gelu_near_vec(load(x + i)));
}

static void multiply(float *out, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] *= y[i];
}

#endif
