/* steps.h - what the steps of the plain encoder have in common. */
#ifndef PLAIN_STEPS_H
#define PLAIN_STEPS_H

#include "engine/plain/config.h"

/* Zeros [rows, cols]; the caller frees them. */
double *plain_doubles(size_t rows, size_t cols);

/* Passes a step's result on if steps are traced. */
__attribute__((format(printf, 5, 6))) void plain_show(const struct plain_model *model,
                                                      const double *rows, size_t n_rows,
                                                      size_t width, const char *format, ...);

/* y [T, out] = x [T, in] · Wᵀ + b, to be freed: W is `name`.weight, b `name`.bias, if it exists. */
double *plain_linear(struct plain_model *model, const char *name, const double *x, size_t n_tokens,
                     size_t n_in, size_t n_out);

/* The bias `name`.bias [n], or NULL if the file has none. */
const double *plain_bias_of(struct plain_model *model, const char *name, size_t n);

/* The activation of the model after plain_linear() by these weights. */
const char *plain_activation_after(const struct plain_model *model, const char *name);

/* x [rows, width] in place, by the norm `kind` with the weights `name`.weight and .bias. */
void plain_normalise(struct plain_model *model, const char *kind, const char *name, double *x,
                     size_t n_rows, size_t width);

/* ---- Formulas ---- */

double plain_dot(const double *a, const double *b, size_t n);

/* NaN if there is no activation of this name. "gelu_near" is that of a product in whole numbers. */
double plain_activation(const char *name, double x);

/* y = (x - mean) / √(variance + ε) · weight + bias, of n numbers; norm rms: as if the mean were 0.
 * bias NULL: none. Returns the root. y may be x. */
double plain_norm(const char *kind, const double *x, const double *weight, const double *bias,
                  double eps, size_t n, double *y);

/* y [n], which may be x. */
void plain_softmax(const double *x, size_t n, double *y);

/* Column i of position p of a text of n_tokens, computed by the model's scheme; else 0. */
double plain_position(const struct plain_model *model, size_t p, size_t n_tokens, size_t i);

#endif
