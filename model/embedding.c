/* embedding.c - rows of the tables, added up. */
#include "model/embedding.h"

#include "model/norm.h"

static void add_row(const float *row, size_t width, float *out)
{
    for (size_t i = 0; i < width; i++)
        out[i] += row[i];
}

void embed_token(const struct encoder *encoder, const struct positions *positions, int32_t id,
                 int32_t type, size_t position, float *out, float *scratch)
{
    const struct model_config *config = &encoder->config;
    size_t width = (size_t)config->embedding_width;

    matrix_row(&encoder->token_table, (size_t)id, out);
    if (config->embedding_scale != 1)
        for (size_t i = 0; i < width; i++)
            out[i] *= (float)config->embedding_scale;

    if (encoder->type_table.rows > 0) {
        matrix_row(&encoder->type_table, (size_t)type, scratch);
        add_row(scratch, width, out);
    }
    switch (positions->scheme) {
    case POSITION_NONE: break;
    case POSITION_SINUSOIDAL:
        add_row(positions->sinusoids + position * row_stride(width), width, out);
        break;
    case POSITION_LEARNED:
        matrix_row(&encoder->position_table, position + (size_t)config->position_offset, scratch);
        add_row(scratch, width, out);
        break;
    }
    norm_row(encoder->kernels, &encoder->embedding_norm, (float)config->norm_eps, width, out, out);
}
