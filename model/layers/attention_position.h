/* attention_position.h - positions that act inside attention, in addition to the row that the
 * embedding adds: queries and keys rotated by their positions, or a bias of the scores.
 *
 * Rotary (Su et al. 2021): of each head's query and key at position p, pair i of w/2 pairs of
 * columns is rotated by the angle p / base^(2i/w), so that their product depends on the distance:
 *
 *     (a, b) becomes (a·cos - b·sin, b·cos + a·sin);   pair i is columns i and i + w/2, or
 *     interleaved, 2i and 2i + 1. Columns from w on are unchanged.
 *
 * In a text of T > trained tokens the base is base · (factor·T/trained - (factor - 1))^(w/(w-2)):
 * dynamic NTK scaling.
 *
 * ALiBi (Press et al. 2022): -slope·|i - j| is added to the scaled score of query i and key j. The
 * slopes of H heads, H a power of two, are 2^(-8/H), 2^(-16/H) ... 2^-8; else the slopes of the
 * next lower power of two, followed by every second slope of the next higher one.
 *
 * Distance: a number from a table is added, by the clamped distance j - i (Raffel et al. 2020).
 */
#ifndef MODEL_ATTENTION_POSITION_H
#define MODEL_ATTENTION_POSITION_H

#include "model/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rotary {
    size_t width; /* w: even, at most the head's */
    bool interleaved;
    double base;
    double factor;
    size_t trained; /* 0: the base is the same in every text */
};

/* Returns a rotary model's settings: for layers with a window, or for layers that see all tokens.
 */
struct rotary rotary_of(const struct model_config *config, bool is_local);

/* Computes cosines and sines of each row: out [n_rows, w] has w/2 cosines, then w/2 sines, computed
 * in double. lengths: T of the row's text. */
void rotary_rows(const struct rotary *rotary, const uint32_t *positions, const uint32_t *lengths,
                 size_t n_rows, float *out);

/* Rotates n_heads heads stored side by side in a row, by that row of cosines and sines. */
void rotary_turn(const struct rotary *rotary, const float *angles, size_t n_heads,
                 size_t head_width, float *row);

/* Returns ALiBi's slope of a head of n_heads. */
double alibi_slope(size_t head, size_t n_heads);

/* The bias of one head's scores: ALiBi's, or from a table unless that is NULL. */
struct distance_bias {
    double slope;
    const float *table; /* [2·reach + 1]: the distances j - i from -reach to reach; or NULL */
    size_t reach;
};

/* Stores the bias of a head, for a model whose file has this table [H, 2·reach + 1] (NULL: no
 * table). Returns false if the model's attention adds no bias. */
bool distance_bias_of(const struct model_config *config, const float *table, size_t head,
                      struct distance_bias *bias);

/* Fills row: row[T - 1 + i - j] is added to the score of query i and key j of T = n_tokens, for i -
 * j from -(T - 1) to T - 1. */
void distance_bias_row(const struct distance_bias *bias, size_t n_tokens, float *row);

#endif
