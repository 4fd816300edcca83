/* head.h - what follows the encoder: projections of pooled vectors, and the model's head, which
 * gives logits. (An attention head is another thing: attention.h.)
 *
 * dense: y = act(x·Wᵀ + b). head: z = norm(dense(x)); logits = z·Wᵀ + b. Each works on one row.
 * Source: Devlin et al. 2019; the parts and their order are settings (weights/FORMAT.md).
 */
#ifndef MODEL_HEAD_H
#define MODEL_HEAD_H

#include "model/encoder.h"

/* Floats of scratch for the functions below. */
size_t head_scratch(const struct encoder *encoder);

/* out = the row x [D] through all projections; out is [output_width]. */
void project_row(const struct encoder *encoder, const float *x, float *out, float *scratch);

/* out [D] = norm(dense(x [D])): what a head's output layer reads, and what a pooler gives. Where
 * the output layer is a narrower embedding table, the columns behind that one's are zeros. */
void head_hidden(const struct encoder *encoder, const float *x, float *out, float *scratch);

/* logits [labels, or V for head mask] of a row x [D]; readable and writable to a multiple of 16. */
void head_logits(const struct encoder *encoder, const float *x, float *logits, float *scratch);

/* logits [n] in place: softmax over them, sigmoid of each, or as they are. */
void head_scores(enum scores scores, float *logits, size_t n);

#endif
