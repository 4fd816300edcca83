/* embedding.c - norm(W1·token[id] + type[type] + W2·PE[position]): the sum of a row of each table.
 * Source: Vaswani et al. 2017, 3.4 and 3.5; types and norm: Devlin et al. 2019.
 *
 * Positions are computed column by column: factors that depend on the column alone (a frequency, a
 * time constant) once for all rows. The angle of fourier is reduced in cycles before it is
 * multiplied by 2π: fmod is exact, so that a frequency of 1/8 repeats after 8 tokens exactly.
 */
#include "model/layers/embedding.h"

#include <math.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586476925286766559;

float position_index(double scale, size_t p, size_t n_tokens)
{
    return (float)(scale * ((double)p / (double)n_tokens));
}

/* Returns the factor shared by a column's rows: 1 / base^(2i/D) in both columns of a pair, the
 * frequency of a pair, or the time constant. */
static double column_factor(const struct position_encoding *encoding, size_t column)
{
    double width = (double)encoding->width;
    switch (encoding->scheme) {
    case POSITION_SINUSOIDAL: return pow(encoding->base, -(double)(column - column % 2) / width);
    case POSITION_FOURIER:
        return encoding->n_frequencies > 0 ? (double)encoding->frequencies[column / 2]
                                           : (double)(column / 2 + 1) / (double)encoding->period;
    case POSITION_EXPONENTIAL: return pow(encoding->base, (double)column / width);
    case POSITION_NONE:
    case POSITION_LEARNED:
    case POSITION_INDEX:
    case POSITION_BINARY: break;
    }
    return 0;
}

static double wave(double angle, size_t column)
{
    return column % 2 == 0 ? sin(angle) : cos(angle);
}

static double element(const struct position_encoding *encoding, double factor, size_t p,
                      size_t column)
{
    switch (encoding->scheme) {
    case POSITION_SINUSOIDAL: return wave((double)p * factor, column);
    case POSITION_INDEX: return (double)p / (double)encoding->n_tokens;
    case POSITION_BINARY: return column < 64 ? (double)((uint64_t)p >> column & 1) : 0;
    case POSITION_FOURIER: return wave(TWO_PI * fmod((double)p * factor, 1), column);
    case POSITION_EXPONENTIAL: return exp(-(double)p / factor);
    case POSITION_NONE:
    case POSITION_LEARNED: break;
    }
    return 0;
}

void position_rows(const struct position_encoding *encoding, size_t begin, size_t end,
                   size_t stride, float *out, double *exact)
{
    for (size_t column = 0; column < encoding->width; column++) {
        bool empty = encoding->scheme == POSITION_FOURIER && encoding->n_frequencies > 0 &&
                     column / 2 >= encoding->n_frequencies; /* it has no frequency */
        double factor = empty ? 0 : column_factor(encoding, column);
        for (size_t p = begin; p < end; p++) {
            double value = empty ? 0 : encoding->scale * element(encoding, factor, p, column);
            if (out != NULL)
                out[p * stride + column] = (float)value;
            else
                exact[p * stride + column] = value;
        }
    }
}

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
