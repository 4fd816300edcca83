/* embedding.c - norm(W1·token[id] + type[type] + W2·PE[position]): the sum of a row of each table.
 * Source: Vaswani et al. 2017, 3.4 and 3.5; types and norm: Devlin et al. 2019.
 */
#include "model/layers/embedding.h"

#include <string.h>

void embed_token(const struct encoder *encoder, const struct embedding *embedding, int32_t id,
                 int32_t type, struct text_position at, float *out, float *scratch)
{
    const struct model_config *config = &encoder->config;
    const struct kernels *kernels = encoder->kernels;
    const enum position_scheme scheme = embedding->positions.scheme;
    const double scale = embedding->positions.scale;
    size_t width = config->embedding_width;

    memset(out, 0, width * sizeof *out);
    kernels->add_row(&encoder->token_table, (size_t)id, out);
    if (embedding->token_scale != 1)
        for (size_t i = 0; i < width; i++)
            out[i] *= embedding->token_scale;
    if (encoder->type_table.rows > 0)
        kernels->add_row(&encoder->type_table, (size_t)type, out);
    if (position_has_rows(scheme)) {
        for (size_t i = 0; i < width; i++)
            out[i] += embedding->rows[at.position * row_stride(width) + i];
    } else if (scheme == POSITION_LEARNED) {
        size_t row =
            embedding_skips(config, id) ? (size_t)id : config->position_offset + at.position;
        bool is_scaled = scale != 1;
        if (is_scaled)
            memset(scratch, 0, width * sizeof *scratch);
        kernels->add_row(&encoder->position_table, row, is_scaled ? scratch : out);
        for (size_t i = 0; is_scaled && i < width; i++)
            out[i] += (float)scale * scratch[i];
    } else if (scheme == POSITION_INDEX) {
        float index = position_index(scale, at.position, at.n_tokens);
        for (size_t i = 0; i < width; i++)
            out[i] += index;
    }
    kernels->norm_row(&encoder->embedding_norm, (float)config->norm_eps, width, out, out);
}
