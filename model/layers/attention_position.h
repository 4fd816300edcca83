/* attention_position.h - positions that act inside attention, in addition to the row that the
 * embedding adds: queries and keys rotated by their positions, a bias of the scores, or products of
 * queries and keys with positions.
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
 *
 * Disentangled, as in DeBERTa (He et al. 2021, equations 4 to 6):
 *
 *     score(i, j) = scale·q_i·k_j + q_i·key[2S - 1 - b] + k_j·query[b]
 *     b = bucket(i - j) + S, but at least 0 and at most 2S - 1
 *
 * The rows of `key` are in reverse order: so the products of a token with all positions are read
 * along neighbouring columns in both terms. Keys and queries of positions are constants of a layer,
 * here with the scale.
 */
#ifndef MODEL_ATTENTION_POSITION_H
#define MODEL_ATTENTION_POSITION_H

#include "model/arena.h"
#include "model/encoder.h"

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

/* ---- Disentangled positions ---- */

/* The largest block of scores. */
enum { QUERY_BLOCK = 96, KEY_BLOCK = 96 };

/* The positions of one head. */
struct disentangled {
    const float *keys, *queries; /* panels [P/16, K, 16], or NULL: without that term */
    size_t span;                 /* S */
    size_t buckets, reach;       /* as in struct model_config */
};

/* Stores the positions of a head, of a model that has them (config_span). */
void disentangled_of(const struct model_config *config, const struct layer *layer, size_t head,
                     struct disentangled *positions);

/* The products of tokens with positions: of a key, with the queries around it, or of a query. */
struct position_products {
    const float *panels; /* or NULL */
    int32_t *columns;    /* [2T], to be read from -(T - 1) on: the column of a distance */
    size_t skipped;      /* panels before the first column, which the text is too short for */
    float *rows;         /* [T, stride]; of queries, a block of them */
};

struct disentangled_work {
    struct position_products of_keys, of_queries;
    float *square;         /* [96, 96]: a block of products, a row per token */
    float *panels;         /* [96 / 16, 96, 16]: the same transposed */
    size_t n_tokens, near; /* T; distances below `near` have a column each, side by side */
    size_t stride;         /* of rows of products */
};
void disentangled_work_carve(struct disentangled_work *work, const struct model_config *config,
                             size_t n_tokens, struct arena *arena);

/* Rows of one head's keys or queries. */
struct head_rows {
    const float *first;
    size_t stride, width; /* K */
};

/* Begins a head over n tokens with its keys; then a block of its queries, from `query` on; then
 * stores both terms as the scores of a block of these queries and of the keys from `key` on. */
void disentangled_begin(const struct kernels *kernels, const struct disentangled *positions,
                        struct head_rows keys, size_t n_tokens, struct disentangled_work *work);
void disentangled_queries(const struct kernels *kernels, const struct disentangled *positions,
                          struct head_rows queries, size_t query, size_t n_queries,
                          const struct disentangled_work *work);
void disentangled_fill(const struct kernels *kernels, const struct disentangled *positions,
                       const struct score_block *scores, size_t query, size_t key,
                       const struct disentangled_work *work);

#endif
