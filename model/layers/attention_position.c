/* attention_position.c - rotary positions and biases by distance. Angles and slopes are in double:
 * in float, the angle of token 511 would be off by 3e-5.
 * Plain twins: plain_turn and plain_bias in tests/model/plain.c.
 */
#include "model/layers/attention_position.h"

#include <math.h>

/* ---- Rotary ---- */

static double base_of_text(const struct rotary *rotary, size_t n_tokens)
{
    double width = (double)rotary->width, times;
    if (rotary->trained == 0 || n_tokens <= rotary->trained)
        return rotary->base;
    times = rotary->factor * (double)n_tokens / (double)rotary->trained - (rotary->factor - 1);
    return rotary->base * pow(times, width / (width - 2));
}

void rotary_rows(const struct rotary *rotary, const uint32_t *positions, const uint32_t *lengths,
                 size_t n_rows, float *out)
{
    size_t n_pairs = rotary->width / 2, n_tokens = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        double frequency = 0, exponent = -2 * (double)i / (double)rotary->width;
        for (size_t r = 0; r < n_rows; r++) {
            if (r == 0 || lengths[r] != n_tokens) {
                n_tokens = lengths[r];
                frequency = pow(base_of_text(rotary, n_tokens), exponent);
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

static float bias_at(const struct distance_bias *bias, ptrdiff_t distance)
{
    ptrdiff_t reach = (ptrdiff_t)bias->reach;
    if (bias->table == NULL)
        return (float)(-bias->slope * (double)(distance < 0 ? -distance : distance));
    return bias->table[distance < -reach ? 0 : distance > reach ? 2 * reach : distance + reach];
}

void distance_bias_row(const struct distance_bias *bias, size_t n_tokens, float *row)
{
    ptrdiff_t last = (ptrdiff_t)n_tokens - 1;
    for (ptrdiff_t distance = last; distance >= -last; distance--)
        *row++ = bias_at(bias, distance); /* j - i of key j and query i */
}
