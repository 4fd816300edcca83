/* embedding.h - the embedding step: token + type + position, then the optional norm. */
#ifndef MODEL_EMBEDDING_H
#define MODEL_EMBEDDING_H

#include "model/encoder.h"

/* The position rows that are added: none, a table of f32, or the model's learned table. */
struct positions {
    enum position_scheme scheme;
    const float *sinusoids; /* POSITION_SINUSOIDAL: [positions, row_stride(E)] */
};

/* out [E] = norm(scale · token[id] + type[type] + PE[position]) */
void embed_token(const struct encoder *encoder, const struct positions *positions, int32_t id,
                 int32_t type, size_t position, float *out);

#endif
