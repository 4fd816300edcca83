/* embedding.h - the embedding step: token + type + position, then the optional norm. */
#ifndef MODEL_EMBEDDING_H
#define MODEL_EMBEDDING_H

#include "model/encoder.h"

/* What a session may choose otherwise than the model: the weights of the sum, and its positions. */
struct embedding {
    float token_scale;     /* W1 */
    double position_scale; /* W2 */
    enum position_scheme scheme;
    const float *rows; /* W2·PE [positions, row_stride(E)], where position_has_rows */
};

/* The place of a token in its text: p of T. */
struct place {
    size_t position, n_tokens;
};

/* out [E] = norm(W1·token[id] + type[type] + W2·PE[position]); scratch [E] */
void embed_token(const struct encoder *encoder, const struct embedding *embedding, int32_t id,
                 int32_t type, struct place place, float *out, float *scratch);

#endif
