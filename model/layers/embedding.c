/* embedding.c - norm(W1·token[id] + type[type] + W2·PE[position]): the sum of a row of each table.
 * Source: Vaswani et al. 2017, 3.4 and 3.5; types and norm: Devlin et al. 2019.
 */
#include "model/layers/embedding.h"

#include "model/layers/position.h"

#include <string.h>

void embed_token(const struct encoder *encoder, const struct embedding *embedding, int32_t id,
                 int32_t type, struct text_position at, float *out, float *scratch)
{
    const struct model_config *config = &encoder->config;
    const struct kernels *kernels = encoder->kernels;
    size_t width = config->embedding_width, row;
    float index;

    memset(out, 0, width * sizeof *out);
    kernels->add_row(&encoder->token_table, (size_t)id, out);
    if (embedding->token_scale != 1)
        for (size_t i = 0; i < width; i++)
            out[i] *= embedding->token_scale;
    if (encoder->type_table.rows > 0)
        kernels->add_row(&encoder->type_table, (size_t)type, out);
    if (position_has_rows(embedding->scheme)) {
        for (size_t i = 0; i < width; i++)
            out[i] += embedding->rows[at.position * row_stride(width) + i];
    } else if (embedding->scheme == POSITION_LEARNED) {
        row = config->position_offset + at.position;
        if (embedding_skips(config, id))
            row = (size_t)id;
        bool is_scaled = embedding->position_scale != 1;
        if (is_scaled)
            memset(scratch, 0, width * sizeof *scratch);
        kernels->add_row(&encoder->position_table, row, is_scaled ? scratch : out);
        for (size_t i = 0; is_scaled && i < width; i++)
            out[i] += (float)embedding->position_scale * scratch[i];
    } else if (embedding->scheme == POSITION_INDEX) {
        index = position_index(embedding->position_scale, at.position, at.n_tokens);
        for (size_t i = 0; i < width; i++)
            out[i] += index;
    }
    kernels->norm_row(&encoder->embedding_norm, (float)config->norm_eps, width, out, out);
}
