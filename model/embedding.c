/* embedding.c - rows of the tables, added up. */
#include "model/embedding.h"

#include "model/norm.h"

#include <string.h>

static void add_sinusoid(const float *row, size_t width, float *out)
{
    for (size_t i = 0; i < width; i++)
        out[i] += row[i];
}

void embed_token(const struct encoder *encoder, const struct positions *positions, int32_t id,
                 int32_t type, size_t position, float *out)
{
    const struct model_config *config = &encoder->config;
    const struct kernels *kernels = encoder->kernels;
    size_t width = (size_t)config->embedding_width;

    memset(out, 0, width * sizeof *out);
    kernels->add_row(&encoder->token_table, (size_t)id, out);
    if (config->embedding_scale != 1)
        for (size_t i = 0; i < width; i++)
            out[i] *= (float)config->embedding_scale;
    if (encoder->type_table.rows > 0)
        kernels->add_row(&encoder->type_table, (size_t)type, out);
    switch (positions->scheme) {
    case POSITION_NONE: break;
    case POSITION_SINUSOIDAL:
        add_sinusoid(positions->sinusoids + position * row_stride(width), width, out);
        break;
    case POSITION_LEARNED:
        kernels->add_row(&encoder->position_table, position + (size_t)config->position_offset, out);
        break;
    }
    norm_row(kernels, &encoder->embedding_norm, (float)config->norm_eps, width, out, out);
}
