/* steps.c - linear layers, norms, activations and positions, as weights/FORMAT.md has them. */
#include "engine/plain/steps.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double *plain_doubles(size_t rows, size_t cols)
{
    return plain_new(rows, cols * sizeof(double));
}

void plain_show(const struct plain_model *model, const double *rows, size_t n_rows, size_t width,
                const char *format, ...)
{
    char what[128];
    va_list arguments;
    if (model->trace == NULL || model->error[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    model->trace(what, rows, n_rows, width);
}

/* x = round(x / scale) · scale, scale = max |x| / 127, ties to even */
static void round_row(double *x, size_t n)
{
    double scale = 0;
    for (size_t i = 0; i < n; i++)
        scale = fmax(scale, fabs(x[i]) / 127);
    for (size_t i = 0; i < n; i++)
        x[i] = scale > 0 ? nearbyint(x[i] / scale) * scale : 0;
}

/* With v = x · factors, low = min(v, 0) and high = max(v, 0): scale = (high - low) / levels,
 * zero = round(-low / scale), q = round(v / scale + zero), which is 0 to levels; and back,
 * x = (q - zero) · scale / factors. A v of 0 has q = zero, so that it stays 0. */
static void round_row_from_zero(double *x, const double *factors, size_t n, double levels)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, x[i] * factors[i]);
        high = fmax(high, x[i] * factors[i]);
    }
    double scale = (high - low) / levels, zero = scale > 0 ? nearbyint(-low / scale) : 0;
    for (size_t i = 0; i < n; i++) {
        double q = scale > 0 ? nearbyint(x[i] * factors[i] / scale + zero) : 0;
        x[i] = factors[i] == 0 ? x[i] : (fmin(q, levels) - zero) * scale / factors[i];
    }
}

/* The weights `name`.weight if they are multiplied in whole numbers, or NULL. */
static const struct plain_tensor *find_whole(const struct plain_model *model, const char *name)
{
    const struct plain_tensor *tensor = plain_find(model, name, ".weight");
    const bool is_whole = model->int8_rows && tensor != NULL && tensor->type >= PLAIN_INT8;
    return is_whole && tensor->layout == PLAIN_PANELS ? tensor : NULL;
}

/* Rounds the rows x [T, in] for weights of whole numbers, if any. */
static void round_rows(const struct plain_tensor *weight, double *x, size_t n_tokens, size_t n_in)
{
    for (size_t t = 0; weight && t < n_tokens; t++, x += n_in)
        if (weight->factors == NULL)
            round_row(x, n_in);
        else
            round_row_from_zero(x, weight->factors, n_in, weight->type == PLAIN_INT8A7 ? 127 : 255);
}

const double *plain_bias_of(struct plain_model *model, const char *name, size_t n)
{
    return plain_find(model, name, ".bias") ? plain_values(model, name, ".bias", n, 0) : NULL;
}

double *plain_linear(struct plain_model *model, const char *name, const double *x, size_t n_tokens,
                     size_t n_in, size_t n_out)
{
    const double *weight = plain_values(model, name, ".weight", n_out, n_in);
    const double *bias = plain_bias_of(model, name, n_out);
    double *y = plain_doubles(n_tokens, n_out);
    if (model->error[0] != '\0')
        return y;
    double *rows = plain_doubles(n_tokens, n_in);
    memcpy(rows, x, n_tokens * n_in * sizeof *x);
    round_rows(find_whole(model, name), rows, n_tokens, n_in);
    for (size_t t = 0; t < n_tokens; t++)
        for (size_t n = 0; n < n_out; n++)
            y[t * n_out + n] =
                plain_dot(rows + t * n_in, weight + n * n_in, n_in) + (bias ? bias[n] : 0);
    free(rows);
    plain_show(model, y, n_tokens, n_out, "%s%s: x·Wᵀ%s", model->prefix, name, bias ? " + b" : "");
    return y;
}

const char *plain_activation_after(const struct plain_model *model, const char *name)
{
    const bool is_near = find_whole(model, name) && plain_is(model->activation, "gelu");
    return is_near ? "gelu_near" : model->activation;
}

void plain_normalise(struct plain_model *model, const char *kind, const char *name, double *x,
                     size_t n_rows, size_t width)
{
    const bool is_layer = plain_is(kind, "layer");
    const double *weight = plain_values(model, name, ".weight", width, 0);
    const double *bias = is_layer ? plain_bias_of(model, name, width) : NULL;
    if (!(model->norm_eps > 0))
        plain_complain(model->error, "norm_eps must be greater than 0");
    for (size_t t = 0; t < n_rows && model->error[0] == '\0'; t++)
        plain_norm(kind, x + t * width, weight, bias, model->norm_eps, width, x + t * width);
    plain_show(model, x, n_rows, width, "%s%s: %s(x)", model->prefix, name,
               is_layer ? "LayerNorm" : "RMSNorm");
}

/* ---- Formulas ---- */

double plain_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

double plain_norm(const char *kind, const double *x, const double *weight, const double *bias,
                  double eps, size_t n, double *y)
{
    double mean = 0, square = 0;
    for (size_t i = 0; plain_is(kind, "layer") && i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / (double)n;
    const double root = sqrt(square + eps);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) / root * weight[i] + (bias ? bias[i] : 0);
    return root;
}

void plain_softmax(const double *x, size_t n, double *y)
{
    double largest = -(double)INFINITY, sum = 0;
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, x[j]);
    for (size_t j = 0; j < n; j++)
        sum += y[j] = exp(x[j] - largest);
    for (size_t j = 0; j < n; j++)
        y[j] /= sum;
}

/* gelu of a product that was computed in whole numbers. */
static double gelu_near(double x)
{
    static const double p[] = {-1.51621125e-05, 0.00035293444, -0.0033995367, 0.0170169,
                               -0.043890018,    0.03996445,    0.03896935,    0.010127035,
                               -0.40051827,     0.5000405};
    double a = fmin(fabs(x), 4.3), sum = 0;
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        sum = sum * a + p[i];
    return fmax(x, 0) - a * sum;
}

/* gelu: x·Φ(x), Φ(x) = (1 + erf(x/√2)) / 2; gelu_tanh: x·(1 + tanh u) / 2. Written so that nothing
 * cancels where Φ is near 0: 1 + erf(z) = erfc(-z), and (1 + tanh u) / 2 = 1 / (1 + e^-2u). */
double plain_activation(const char *name, double x)
{
    const double u = sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x);
    return plain_is(name, "identity")    ? x
           : plain_is(name, "relu")      ? fmax(x, 0)
           : plain_is(name, "gelu")      ? x / 2 * erfc(-x / sqrt(2.0))
           : plain_is(name, "gelu_tanh") ? x / (1 + exp(-2 * u))
           : plain_is(name, "gelu_near") ? gelu_near(x)
           : plain_is(name, "silu")      ? x / (1 + exp(-x))
           : plain_is(name, "tanh")      ? tanh(x)
           : plain_is(name, "sigmoid")   ? 1 / (1 + exp(-x))
                                         : (double)NAN;
}

double plain_position(const struct plain_model *model, size_t p, size_t n_tokens, size_t i)
{
    const char *scheme = model->position;
    const double place = (double)p, width = (double)model->embedding_width;
    double angle = 0;
    if (plain_is(scheme, "index"))
        return place / (double)n_tokens;
    if (plain_is(scheme, "binary"))
        return fmod(floor(ldexp(place, -(int)i)), 2);
    if (plain_is(scheme, "exponential"))
        return exp(-place / pow(model->position_base, (double)i / width));
    if (plain_is(scheme, "sinusoidal")) {
        angle = place / pow(model->position_base, (double)(i / 2 * 2) / width);
    } else if (plain_is(scheme, "fourier")) {
        const double harmonic = (double)(i / 2 + 1) / (double)model->max_tokens;
        const bool is_given = model->n_frequencies > 0;
        if (is_given && i / 2 >= model->n_frequencies)
            return 0;
        angle = 2 * acos(-1.0) * (is_given ? model->frequencies[i / 2] : harmonic) * place;
    } else {
        return 0;
    }
    return i % 2 == 0 ? sin(angle) : cos(angle);
}
