/* attention_position.c - rotary positions and biases by distance. Angles and slopes are in double:
 * in float, the angle of token 511 would be off by 3e-5.
 * Plain twins: plain_turn and plain_bias in tests/model/plain.c.
 */
#include "model/layers/attention_position.h"

#include <math.h>

/* ---- Rotary ---- */

struct rotary rotary_of(const struct model_config *config, bool is_local)
{
    return (struct rotary){
        .width = config->rotary_width,
        .interleaved = config->rotary_pairs == ROTARY_INTERLEAVED,
        .base = is_local ? config->rotary_local_base : config->rotary_base,
        .factor = config->rotary_factor,
        .trained = config->rotary_trained,
    };
}

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

bool distance_bias_of(const struct model_config *config, const float *table, size_t head,
                      struct distance_bias *bias)
{
    size_t reach = config->distances;
    *bias = (struct distance_bias){.reach = reach};
    if (config->attention_position == ATTENTION_POSITION_ALIBI)
        bias->slope = alibi_slope(head, config->heads);
    else if (config->attention_position == ATTENTION_POSITION_DISTANCE)
        bias->table = table + head * (2 * reach + 1);
    else
        return false;
    return true;
}

static void alibi_row(double slope, size_t n_tokens, float *row)
{
    float *middle = row + n_tokens - 1;
    for (size_t distance = 0; distance < n_tokens; distance++)
        middle[distance] = *(middle - distance) = (float)(-slope * (double)distance);
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
    if (bias->table != NULL)
        table_row(bias, n_tokens, row);
    else
        alibi_row(bias->slope, n_tokens, row);
}
