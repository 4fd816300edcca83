/* position.c - the computed positional encodings, column by column: factors that depend on the
 * column alone (a frequency, a time constant) are computed once for all rows.
 *
 * The angle of fourier is reduced in cycles before it is multiplied by 2π: fmod is exact, so that a
 * frequency of 1/8 repeats after 8 tokens to the last bit.
 */
#include "model/layers/position.h"

#include <math.h>

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

bool position_has_base(enum position_scheme scheme)
{
    return scheme == POSITION_SINUSOIDAL || scheme == POSITION_EXPONENTIAL;
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

/* Returns whether a column of fourier has no frequency. */
static bool is_empty(const struct position_encoding *encoding, size_t column)
{
    return encoding->scheme == POSITION_FOURIER && encoding->n_frequencies > 0 &&
           column / 2 >= encoding->n_frequencies;
}

void position_rows(const struct position_encoding *encoding, size_t begin, size_t end,
                   size_t stride, float *out, double *exact)
{
    for (size_t column = 0; column < encoding->width; column++) {
        bool empty = is_empty(encoding, column);
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
