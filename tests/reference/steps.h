/* steps.h - what the steps of the second implementation have in common. */
#ifndef TESTS_REFERENCE_STEPS_H
#define TESTS_REFERENCE_STEPS_H

#include "tests/reference/config.h"

/* Zeros; the caller frees them. */
double *reference_doubles(size_t n);

/* y [T, out] = x [T, in] · Wᵀ + b, with the weights `name`.weight and, if there is one,
 * `name`.bias. The caller frees it. */
double *reference_linear(struct reference_model *model, const char *name, bool has_bias,
                         const double *x, size_t n_tokens, size_t n_in, size_t n_out);

/* Whether reference_linear() rounds x for the weights `name`.weight. */
bool reference_rounds(const struct reference_model *model, const char *name);

/* x [rows, width] in place, by the norm `kind` with the weights `name`.weight and .bias. */
void reference_normalise(struct reference_model *model, const char *kind, const char *name,
                         double *x, size_t n_rows, size_t width);

/* One text: the positions of its tokens [T], and its length, in which hidden tokens count. */
struct reference_text {
    size_t n_tokens, length;
    const size_t *positions;
    const size_t *rows; /* [T] of a learned table */
};

/* The result [T, D] of multi-head attention in a layer, which the caller frees; probabilities go to
 * map [H, T, T], which starts as zeros. */
double *reference_attention(struct reference_model *model, size_t layer, const double *x,
                            const struct reference_text *text, double *map);

/* "layers.g.PART", where g is the group of layers whose tensors the layer uses. */
void reference_name(const struct reference_model *model, size_t layer, const char *part,
                    char name[64]);

#endif
