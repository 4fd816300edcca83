/* embedding.h - the embedding step: token + type + position, then the optional norm.
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
#ifndef MODEL_EMBEDDING_H
#define MODEL_EMBEDDING_H

#include "model/encoder.h"

/* A computed encoding: every scheme but the learned table. */
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
