/* position.h - positions: rows that the embedding adds, turns of queries and keys, and biases of
 * scores. */
#ifndef MODEL_POSITION_H
#define MODEL_POSITION_H

#include "model/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Rows that the embedding adds ----
 * Positional encodings that are computed: every scheme but the learned table.
 *
 * Row p of a text of T tokens, column i of D (w = scale):
 *   sinusoidal   w·sin(p / base^(2i/D)) in column 2i, w·cos(same) in 2i+1; an odd D ends in a sine
 *   index        w·p / T, in every column
 *   binary       w·bit i of p, the lowest first; 0 from column 64 on
 *   fourier      w·sin(2π·f_i·p) in column 2i, w·cos(same) in 2i+1; f_i in cycles per token.
 *                Columns without a frequency are 0; where none is given, f_i = (i + 1) / period:
 *                the harmonics of a text of that length
 *   exponential  w·exp(-p / base^(i/D)): time constants from 1 to base tokens
 * Source: sinusoidal, Vaswani et al. 2017, section 3.5; the others are from articles that
 * compare schemes with it.
 */

/* Returns whether the scheme's rows are computed, the same in every text: they can be cached. */
bool position_has_rows(enum position_scheme scheme);

struct position_encoding {
    enum position_scheme scheme;
    size_t width; /* D */
    double scale;
    double base;              /* sinusoidal, exponential: > 0 */
    size_t n_frequencies;     /* fourier, at most (D + 1) / 2; 0: harmonics */
    const float *frequencies; /* [n_frequencies], always float32 */
    size_t period;            /* fourier: of the harmonics, in tokens */
    size_t n_tokens;          /* index: T */
};

/* Computes rows begin .. end-1 of out [end, stride], in double; columns from D on are not written.
 * If out is NULL, writes the numbers before rounding to float32 to exact [end, stride]. Zeros for
 * POSITION_NONE (and POSITION_LEARNED, which is not computed). */
void position_rows(const struct position_encoding *encoding, size_t begin, size_t end,
                   size_t stride, float *out, double *exact);

/* Returns the number that scheme index adds to every column: scale·p / T. */
float position_index(double scale, size_t p, size_t n_tokens);

/* ---- Positions inside attention ----
 * Positions that act inside attention, in addition to the row that the
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

/* Stores the bias of a head of a model with biases (config_has_bias), whose file has this table [H,
 * 2·reach + 1], or NULL: ALiBi's. */
void distance_bias_of(const struct model_config *config, const float *table, size_t head,
                      struct distance_bias *bias);

/* Fills row: row[T - 1 + i - j] is added to the score of query i and key j of T = n_tokens, for i -
 * j from -(T - 1) to T - 1. */
void distance_bias_row(const struct distance_bias *bias, size_t n_tokens, float *row);

#endif
