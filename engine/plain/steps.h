/* steps.h - what the steps of the plain encoder have in common. */
#ifndef PLAIN_STEPS_H
#define PLAIN_STEPS_H

#include "engine/plain/config.h"

/* Zeros; the caller frees them. */
double *plain_doubles(size_t n);

/* Passes a step's result on if steps are traced. */
void plain_show(const struct plain_model *model, const char *what, const double *rows,
                size_t n_rows, size_t width);

/* y [T, out] = x [T, in] · Wᵀ + b, with the weights `name`.weight and, if the file has it, the bias
 * `name`.bias. The caller frees it. */
double *plain_linear(struct plain_model *model, const char *name, const double *x, size_t n_tokens,
                     size_t n_in, size_t n_out);

/* The bias `name`.bias [n], or NULL if the file has none. */
const double *plain_bias_of(struct plain_model *model, const char *name, size_t n);

/* Whether plain_linear() rounds x for the weights `name`.weight. */
bool plain_rounds(const struct plain_model *model, const char *name);

/* act(x); near: as after a product that was computed in whole numbers. */
double plain_activate(struct plain_model *model, const char *kind, bool near, double x);

/* x [rows, width] in place, by the norm `kind` with the weights `name`.weight and .bias. */
void plain_normalise(struct plain_model *model, const char *kind, const char *name, double *x,
                     size_t n_rows, size_t width);

/* One text: its tokens [T], and its length, in which hidden tokens count. */
struct plain_text {
    size_t n_tokens, length;
    struct plain_place {
        int32_t id, type;
        size_t position;
        size_t row; /* of a learned table */
    } * places;
    size_t n_unseen; /* the last tokens, which no token sees */
};

/* The result [T, D] of multi-head attention in the layer, to be freed; probabilities go to map
 * [H, T, T], which starts as zeros. */
double *plain_self_attention(struct plain_model *model, const double *x,
                             const struct plain_text *text, double *map);

#endif
