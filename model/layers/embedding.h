/* embedding.h - the embedding step: token + type + position, then the optional norm. */
#ifndef MODEL_EMBEDDING_H
#define MODEL_EMBEDDING_H

#include "model/encoder.h"
#include "model/layers/position.h"

/* Settings that a session may override: the weights of the sum, and its positions. */
struct embedding {
    float token_scale;                  /* W1 */
    struct position_encoding positions; /* its scale: W2 */
    float *rows; /* W2·PE [positions, row_stride(E)], if position_has_rows; else NULL */
};

/* Returns whether learned positions of later tokens do not count this token, which is padding. */
static inline bool embedding_skips(const struct model_config *config, int32_t id)
{
    return config->position_skips_padding && (size_t)id == config->position_offset - 1;
}

/* A token's position p in a text of T tokens. Padding for which embedding_skips is not counted. */
struct text_position {
    size_t position, n_tokens;
};

/* out [E] = norm(W1·token[id] + type[type] + W2·PE[position]); scratch [E] */
void embed_token(const struct encoder *encoder, const struct embedding *embedding, int32_t id,
                 int32_t type, struct text_position at, float *out, float *scratch);

#endif
