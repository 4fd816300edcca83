/* steps.c - linear layers, norms and activations, as weights/FORMAT.md has them. */
#include "engine/plain/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double *plain_doubles(size_t n)
{
    double *values = calloc(n + 1, sizeof *values);
    if (!values)
        abort();
    return values;
}

void plain_show(const struct plain_model *model, const char *what, const double *rows,
                size_t n_rows, size_t width)
{
    if (model->trace != NULL && model->error[0] == '\0')
        model->trace(what, rows, n_rows, width);
}

/* to = round(from / scale) · scale, scale = max |from| / 127, ties to even */
static void round_row(const double *from, size_t n, double *to)
{
    double scale = 0;
    for (size_t i = 0; i < n; i++)
        scale = fmax(scale, fabs(from[i]) / 127);
    for (size_t i = 0; i < n; i++)
        to[i] = scale > 0 ? nearbyint(from[i] / scale) * scale : 0;
}

/* With v = from · factors, low = min(v, 0) and high = max(v, 0): scale = (high - low) / levels,
 * zero = round(-low / scale), q = round(v / scale + zero), which is 0 to levels; and back,
 * to = (q - zero) · scale / factors. A v of 0 has q = zero, so that it stays 0. */
static void round_row_from_zero(const double *from, const double *factors, size_t n, double levels,
                                double *to)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, from[i] * factors[i]);
        high = fmax(high, from[i] * factors[i]);
    }
    double scale = (high - low) / levels, zero = scale > 0 ? nearbyint(-low / scale) : 0;
    for (size_t i = 0; i < n; i++) {
        double q = scale > 0 ? nearbyint(from[i] * factors[i] / scale + zero) : 0;
        to[i] = factors[i] == 0 ? from[i] : (fmin(q, levels) - zero) * scale / factors[i];
    }
}

bool plain_rounds(const struct plain_model *model, const char *name)
{
    const struct plain_tensor *tensor = plain_find(model, name, ".weight");
    return model->int8_rows && tensor != NULL && tensor->type >= PLAIN_INT8 &&
           tensor->layout == PLAIN_PANELS;
}

/* What a layer multiplies: x, or its rows rounded. The caller frees. */
static double *multiplied(const struct plain_model *model, const char *name, const double *x,
                          size_t n_tokens, size_t n_in)
{
    const struct plain_tensor *tensor = plain_find(model, name, ".weight");
    double *rows = plain_doubles(n_tokens * n_in);
    memcpy(rows, x, n_tokens * n_in * sizeof *x);
    if (!plain_rounds(model, name))
        return rows;
    for (size_t t = 0; t < n_tokens; t++)
        if (tensor->factors == NULL)
            round_row(x + t * n_in, n_in, rows + t * n_in);
        else
            round_row_from_zero(x + t * n_in, tensor->factors, n_in,
                                tensor->type == PLAIN_INT8A7 ? 127 : 255, rows + t * n_in);
    return rows;
}

const double *plain_bias_of(struct plain_model *model, const char *name, size_t n)
{
    return plain_find(model, name, ".bias") ? plain_values(model, name, ".bias", n, 0) : NULL;
}

double *plain_linear(struct plain_model *model, const char *name, const double *x, size_t n_tokens,
                     size_t n_in, size_t n_out)
{
    char title[96];
    const double *weight = plain_values(model, name, ".weight", n_out, n_in);
    const double *bias = plain_bias_of(model, name, n_out);
    double *rows = multiplied(model, name, x, n_tokens, n_in);
    double *y = plain_doubles(n_tokens * n_out);
    for (size_t t = 0; t < n_tokens && model->error[0] == '\0'; t++) {
        for (size_t n = 0; n < n_out; n++) {
            double sum = bias ? bias[n] : 0;
            for (size_t k = 0; k < n_in; k++)
                sum += rows[t * n_in + k] * weight[n * n_in + k];
            y[t * n_out + n] = sum;
        }
    }
    free(rows);
    snprintf(title, sizeof title, "%s%s: x·Wᵀ%s", model->prefix, name, bias ? " + b" : "");
    plain_show(model, title, y, n_tokens, n_out);
    return y;
}

void plain_normalise(struct plain_model *model, const char *kind, const char *name, double *x,
                     size_t n_rows, size_t width)
{
    char title[96];
    bool layer = plain_is(kind, "layer");
    const double *weight = plain_values(model, name, ".weight", width, 0);
    const double *bias = layer ? plain_bias_of(model, name, width) : NULL;
    if (!layer && !plain_is(kind, "rms"))
        plain_complain(model, "norm %s is not known", kind);
    if (model->error[0] != '\0')
        return;
    for (size_t t = 0; t < n_rows; t++) {
        double *row = x + t * width, mean = 0, square = 0;
        for (size_t i = 0; layer && i < width; i++)
            mean += row[i] / (double)width;
        for (size_t i = 0; i < width; i++)
            square += (row[i] - mean) * (row[i] - mean) / (double)width;
        double root = sqrt(square + model->norm_eps);
        for (size_t i = 0; i < width; i++)
            row[i] = (row[i] - mean) / root * weight[i] + (bias ? bias[i] : 0);
    }
    snprintf(title, sizeof title, "%s%s: %s(x)", model->prefix, name,
             layer ? "LayerNorm" : "RMSNorm");
    plain_show(model, title, x, n_rows, width);
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

double plain_activate(struct plain_model *model, const char *kind, bool near, double x)
{
    if (near && plain_is(kind, "gelu"))
        return gelu_near(x);
    if (plain_is(kind, "relu"))
        return x > 0 ? x : 0;
    if (plain_is(kind, "silu"))
        return x / (1 + exp(-x));
    if (plain_is(kind, "gelu_tanh"))
        return x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
    if (!plain_is(kind, "gelu"))
        plain_complain(model, "activation %s is not known", kind);
    return x * (1 + erf(x / sqrt(2.0))) / 2;
}
