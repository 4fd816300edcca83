/* sparse.h - a weight for every id of the vocabulary, most of them 0: a text as weighed words.
 *
 *     linear: weight[id] = the largest relu(x[t]·w + b) of the tokens t with that id
 *     mask:   weight[id] = the largest, or the sum, over tokens t of log(1 + relu(logit[t, id]))
 *     query_weights: weight[id] = w[id] of each id that a query has
 *
 * Sources: Chen et al. 2024 (bge-m3) and FlagEmbedding; Formal et al. 2021 (SPLADE) and the module
 * SpladePooling of sentence-transformers, whose activation `log1p_relu` takes the logarithm twice.
 */
#ifndef MODEL_SPARSE_H
#define MODEL_SPARSE_H

#include "model/layers/linear.h"

/* One thread's memory for the functions below. */
struct sparse_work {
    float *logits;             /* of a block; linear: of a token */
    float *panels;             /* mask: a block's, if the layer's are decoded */
    struct linear_work linear; /* linear */
};
void sparse_work_carve(struct sparse_work *work, const struct encoder *encoder,
                       struct arena *arena);

/* linear: computes weights [V] of the rows x of a text with these ids; ids in `skipped` keep 0.
 * Returns false if a weight is not finite. */
bool sparse_of_tokens(const struct encoder *encoder, const float *x, size_t stride,
                      const int32_t *ids, size_t n_rows, const int32_t *skipped, size_t n_skipped,
                      float *weights, const struct sparse_work *work);

/* Of a query: computes weights [V], those of the encoder's query_weights at these ids (-1: none).
 */
void sparse_of_ids(const struct encoder *encoder, const int32_t *ids, size_t n, float *weights);

/* mask: n ids from `first` on, and the layer that computes their logits. */
struct sparse_block {
    struct linear linear; /* the head's output layer, or a part of it packed in work->panels */
    size_t panel_begin, panel_end; /* panels of that layer */
    size_t first, n;
};

enum { SPARSE_PANELS = 8 }; /* per block, at most */

/* Returns panels panel_begin .. panel_end - 1 of the output layer, for all texts of a group: a
 * table in rows is packed once. */
struct sparse_block sparse_block(const struct encoder *encoder, size_t panel_begin,
                                 size_t panel_end, const struct sparse_work *work);

/* mask: computes the weights of a block's ids, at their indexes in weights [V], from the rows z
 * [n_rows] that the head's output layer reads (head_hidden). Returns false if a logit is not
 * finite. */
bool sparse_of_logits(const struct encoder *encoder, const struct sparse_block *block,
                      const float *z, size_t stride, size_t n_rows, float *weights,
                      const struct sparse_work *work);

#endif
