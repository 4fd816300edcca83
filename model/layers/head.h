/* head.h - the layers after the encoder: projections of pooled vectors, and the model's head, which
 * computes logits. (For attention heads see attention.h.)
 *
 * dense: y = act(x·Wᵀ + b). head: z = norm(dense(x)); logits = z·Wᵀ + b. Each works on one row.
 * Source: Devlin et al. 2019; the layers and their order are settings (weights/FORMAT.md).
 */
#ifndef MODEL_HEAD_H
#define MODEL_HEAD_H

#include "engine/engine_types.h"
#include "model/layers/linear.h"

/* One thread's memory for the functions below. */
struct head_work {
    float *row, *next; /* [the widest row] */
    struct linear_work linear;
};
void head_work_carve(struct head_work *work, const struct encoder *encoder, struct arena *arena);

/* Applies all projections to the row x [config_pooled_width]; out is [output_width]. */
void project_row(const struct encoder *encoder, const float *x, float *out,
                 const struct head_work *work);

/* out = one vector of the rows x [n_tokens, stride] by `pooling` [D]; is_own: with all that the
 * model adds to its own pooling [output_width], which leaves out the first n_skipped rows. */
void pool_text(const struct encoder *encoder, enum pooling pooling, bool is_own, const float *x,
               size_t stride, size_t n_tokens, size_t n_skipped, float *out,
               const struct head_work *work);

/* out [D] = norm(dense(x [D])): the input of a head's output layer, and a pooler's result. If the
 * output layer is a narrower embedding table, the columns past the table's are zeros. */
void head_hidden(const struct encoder *encoder, const float *x, float *out,
                 const struct head_work *work);

/* logits [labels, or V for head mask] of x [D]; both buffers extend to a multiple of 16 floats. */
void head_logits(const struct encoder *encoder, const float *x, float *logits,
                 const struct head_work *work);

/* The same of a text's rows x [n_tokens, stride], one at least, by head_pooling and head_late;
 * pooled [D] is scratch, and extends as they do. */
void head_text_logits(const struct encoder *encoder, const float *x, size_t stride, size_t n_tokens,
                      float *pooled, float *logits, const struct head_work *work);

/* Applies softmax over logits [n], sigmoid to each, or nothing, in place. */
void head_scores(enum scores scores, float *logits, size_t n);

/* out [k] = the k largest of scores [n], k ≤ n, largest first, equal scores by ascending id. */
void top_k(const float *scores, size_t n, size_t k, engine_candidate *out);

#endif
