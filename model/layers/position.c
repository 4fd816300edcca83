/* position.c - the computed positional encodings, column by column: factors that depend on the
 * column alone (a frequency, a time constant) are computed once for all rows.
 *
 * The angle of fourier is reduced in cycles before it is multiplied by 2π: fmod is exact, so that a
 * frequency of 1/8 repeats after 8 tokens to the last bit.
 */
#include "model/layers/position.h"

#include <math.h>

/* ---- Rows that the embedding adds ---- */

static const double TWO_PI = 6.283185307179586476925286766559;

bool position_has_rows(enum position_scheme scheme)
{
    switch (scheme) {
    case POSITION_SINUSOIDAL:
    case POSITION_BINARY:
    case POSITION_FOURIER:
    case POSITION_EXPONENTIAL: return true;
    case POSITION_NONE:
    case POSITION_LEARNED:
    case POSITION_INDEX: break;
    }
    return false;
}

float position_index(double scale, size_t p, size_t n_tokens)
{
    return (float)(scale * ((double)p / (double)n_tokens));
}

static double frequency(const struct position_encoding *encoding, size_t i)
{
    if (encoding->n_frequencies == 0)
        return (double)(i + 1) / (double)encoding->period;
    return (double)encoding->frequencies[i];
}

/* Returns the factor shared by a column's rows: 1 / base^(2i/D) in both columns of a pair, the
 * frequency of a pair, or the time constant. */
static double column_factor(const struct position_encoding *encoding, size_t column)
{
    double width = (double)encoding->width;
    switch (encoding->scheme) {
    case POSITION_SINUSOIDAL: return pow(encoding->base, -(double)(column - column % 2) / width);
    case POSITION_FOURIER: return frequency(encoding, column / 2);
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

/* ---- Rotary ---- Angles and slopes are in double: in float, the angle of token 511 would be off
 * by 3e-5. Plain twins: plain_turn and plain_bias in tests/model/plain.c. */

struct rotary rotary_of(const struct model_config *config, bool is_local)
{
    return (struct rotary){
        .width = is_local || config->global_head_width == config->head_width
                     ? config->rotary_width
                     : config->global_head_width,
        .interleaved = config->rotary_pairs == ROTARY_INTERLEAVED,
        .base = is_local ? config->rotary_local_base : config->rotary_base,
        .factor = config->rotary_factor,
        .trained = config->rotary_trained,
    };
}

static double base_of_text(const struct rotary *rotary, size_t n_tokens)
{
    double width = (double)rotary->width, times;
    if (rotary->trained == 0)
        return rotary->base * rotary->factor;
    if (n_tokens <= rotary->trained)
        return rotary->base;
    times = rotary->factor * (double)n_tokens / (double)rotary->trained - (rotary->factor - 1);
    return rotary->base * pow(times, width / (width - 2));
}

void rotary_rows(const struct rotary *rotary, const uint32_t *positions, const uint32_t *lengths,
                 size_t n_rows, float *out)
{
    size_t n_pairs = rotary->width / 2, n_tokens = 0;
    double scale = rotary->trained == 0 ? pow(rotary->factor, -2 / (double)rotary->width) : 1;
    for (size_t i = 0; i < n_pairs; i++) {
        double frequency = 0, exponent = -2 * (double)i / (double)rotary->width;
        for (size_t r = 0; r < n_rows; r++) {
            if (r == 0 || lengths[r] != n_tokens) {
                n_tokens = lengths[r];
                frequency = scale * pow(base_of_text(rotary, n_tokens), exponent);
            }
            double angle = (double)positions[r] * frequency;
            out[r * rotary->width + i] = (float)cos(angle);
            out[r * rotary->width + n_pairs + i] = (float)sin(angle);
        }
    }
}

static void turn_halves(const float *restrict cosines, const float *restrict sines, size_t n_pairs,
                        float *restrict first, float *restrict second)
{
    for (size_t i = 0; i < n_pairs; i++) {
        float a = first[i], b = second[i];
        first[i] = a * cosines[i] - b * sines[i];
        second[i] = b * cosines[i] + a * sines[i];
    }
}

static void turn_interleaved(const float *restrict cosines, const float *restrict sines,
                             size_t n_pairs, float *restrict columns)
{
    for (size_t i = 0; i < n_pairs; i++) {
        float a = columns[2 * i], b = columns[2 * i + 1];
        columns[2 * i] = a * cosines[i] - b * sines[i];
        columns[2 * i + 1] = b * cosines[i] + a * sines[i];
    }
}

void rotary_turn(const struct rotary *rotary, const float *angles, size_t n_heads,
                 size_t head_width, float *row)
{
    size_t n_pairs = rotary->width / 2;
    for (size_t head = 0; head < n_heads; head++, row += head_width)
        if (rotary->interleaved)
            turn_interleaved(angles, angles + n_pairs, n_pairs, row);
        else
            turn_halves(angles, angles + n_pairs, n_pairs, row, row + n_pairs);
}

/* ---- Biases by distance ---- */

double alibi_slope(size_t head, size_t n_heads)
{
    size_t power = 1;
    while (power <= n_heads / 2)
        power *= 2;
    if (head < power)
        return exp2(-8 * (double)(head + 1) / (double)power);
    return exp2(-8 * (double)(2 * (head - power) + 1) / (double)(2 * power));
}

void distance_bias_of(const struct model_config *config, const float *table, size_t head,
                      struct distance_bias *bias)
{
    size_t reach = config->distances;
    *bias = (struct distance_bias){.reach = reach};
    if (config->attention_position == ATTENTION_POSITION_ALIBI)
        bias->slope = alibi_slope(head, config->heads);
    else
        bias->table = table + head * (2 * reach + 1);
}

/* The table is indexed by the distance j - i, the row by i - j, so the order is reversed. Distances
 * beyond the table have the bias of its farthest distance. */
static void table_row(const struct distance_bias *bias, size_t n_tokens, float *row)
{
    size_t last = n_tokens - 1, reach = last < bias->reach ? last : bias->reach;
    const float *zero = bias->table + bias->reach;
    float *middle = row + last;
    for (size_t i = 0; i <= reach; i++) {
        middle[i] = *(zero - i);
        *(middle - i) = zero[i];
    }
    for (size_t i = reach + 1; i < n_tokens; i++) {
        middle[i] = middle[reach];
        *(middle - i) = *(middle - reach);
    }
}

void distance_bias_row(const struct distance_bias *bias, size_t n_tokens, float *row)
{
    float *middle = row + n_tokens - 1;
    if (bias->table != NULL)
        table_row(bias, n_tokens, row);
    else
        for (size_t distance = 0; distance < n_tokens; distance++)
            middle[distance] = *(middle - distance) = (float)(-bias->slope * (double)distance);
}
