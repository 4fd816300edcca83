/* disentangled.h - positions that meet the content inside attention, as in DeBERTa:
 *
 *     score(i, j) = scale·q_i·k_j + q_i·key[2S - 1 - b] + k_j·query[b]
 *     b = bucket(i - j) + S, but at least 0 and at most 2S - 1
 *
 * The rows of `key` are in reverse order: so the products of a token with all positions are read
 * along neighbouring columns in both terms. Source: He et al. 2021, equations 4 to 6; keys and
 * queries of positions are constants of a layer, here with the scale.
 */
#ifndef MODEL_DISENTANGLED_H
#define MODEL_DISENTANGLED_H

#include "model/arena.h"
#include "model/encoder.h"

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
