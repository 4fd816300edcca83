/* attention.h - multi-head attention. */
#ifndef PLAIN_ATTENTION_H
#define PLAIN_ATTENTION_H

#include "engine/plain/config.h"

/* One text: its tokens [T], and its length, in which hidden tokens count. */
struct plain_text {
    size_t n_tokens, length;
    struct plain_place {
        size_t id, type, position;
        size_t row; /* of a learned table */
    } * places;
    size_t n_unseen; /* the last tokens, which no token sees, unless they are all */
};

/* The result [T, D] of multi-head attention in the layer, to be freed; probabilities go to map
 * [H, T, T], which starts as zeros. */
double *plain_self_attention(struct plain_model *model, const double *x,
                             const struct plain_text *text, double *map);

/* ---- Its formulas ---- */

/* A head's queries, keys and values [T, K], their rows `stride` apart, and what it knows of
 * positions; NULL and 0 unless the model has it. */
struct plain_head {
    size_t width, stride;
    const double *queries, *keys, *values;
    double slope;                                   /* of ALiBi */
    const double *biases;                           /* of the distances, at that of 0 */
    const double *position_keys, *position_queries; /* [2S, K] */
};

/* Whether query i sees key j in the model's layer. */
bool plain_sees(const struct plain_model *model, size_t i, size_t j);

/* Turns a query or key of rotary positions. */
void plain_turn(const struct plain_model *model, double *head, size_t head_width, size_t position,
                size_t length);

/* Scores [T, T]: scale · q·kᵀ + what positions add; -inf for keys unseen, and, unless n_keys is 0,
 * from n_keys on. */
void plain_score(const struct plain_model *model, const struct plain_head *head, size_t n_tokens,
                 size_t n_keys, double *scores);

/* out [T, K] = softmax(scores) · v, rows `stride` apart. Scores become probabilities. */
void plain_mix(const struct plain_head *head, double *scores, size_t n_tokens, double *out,
               size_t stride);

#endif
