/* attention.c - multi-head attention: which keys a query sees, and what heads know of positions. */
#include "engine/plain/attention.h"

#include "engine/plain/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The window of a layer; 0: a query sees all tokens. */
static size_t window_of(const struct plain_model *model)
{
    bool is_global =
        model->global_every > 0 && model->layer % model->global_every == model->global_first;
    return is_global ? 0 : model->window;
}

bool plain_sees(const struct plain_model *model, size_t i, size_t j)
{
    size_t window = window_of(model), distance = i > j ? i - j : j - i;
    return (window == 0 || distance <= window) && (j <= i || plain_is(model->mask, "full"));
}

/* ---- Positions ---- */

/* Turns pair n of w/2 pairs of columns by θ = position / base^(2n/w). A factor f without a trained
 * length makes it position / (f·base)^(2n/w) / f^(2/w). */
void plain_turn(const struct plain_model *model, double *head, size_t head_width, size_t position,
                size_t length)
{
    size_t turned = head_width == model->head_width ? model->rotary_width : head_width;
    double width = (double)turned, trained = (double)model->rotary_trained;
    double base = window_of(model) > 0 ? model->rotary_local_base : model->rotary_base;
    if (model->rotary_trained > 0 && length > model->rotary_trained)
        base *= pow(model->rotary_factor * (double)length / trained - (model->rotary_factor - 1),
                    width / (width - 2));
    double scale = model->rotary_trained == 0 ? pow(model->rotary_factor, 2 / width) : 1;
    base *= model->rotary_trained == 0 ? model->rotary_factor : 1;
    for (size_t n = 0; n < turned / 2; n++) {
        bool half = plain_is(model->rotary_pairs, "half");
        size_t first = half ? n : 2 * n, second = half ? n + turned / 2 : 2 * n + 1;
        double a = head[first], b = head[second];
        double angle = (double)position / pow(base, 2 * (double)n / width) / scale;
        head[first] = a * cos(angle) - b * sin(angle);
        head[second] = b * cos(angle) + a * sin(angle);
    }
}

/* ALiBi: 2^(-8(h + 1)/H); the heads after the largest power of two P have the slopes number 0, 2,
 * 4 ... of 2P heads. */
static double slope(size_t head, size_t n_heads)
{
    size_t power = 1;
    while (2 * power <= n_heads)
        power *= 2;
    return head < power ? pow(2, -8 * (double)(head + 1) / (double)power)
                        : slope(2 * (head - power), 2 * power);
}

/* S of disentangled positions, of which there are 2S. */
static size_t span_of(const struct plain_model *model)
{
    return model->position_buckets > 0 ? model->position_buckets : model->distances;
}

/* The number of the position of a key so many tokens before a query: 0 to 2S - 1. */
static size_t position_of(const struct plain_model *model, ptrdiff_t distance)
{
    double n = fabs((double)distance), middle = (double)(model->position_buckets / 2);
    if (model->position_buckets > 0 && n > middle) {
        float near = (float)n / (float)middle;
        float far = (float)(model->distances - 1) / (float)middle;
        float share = (float)log((double)near) / (float)log((double)far);
        n = (double)ceilf(share * (float)(middle - 1)) + middle;
    }
    double span = (double)span_of(model), place = span + (distance < 0 ? -n : n);
    return (size_t)fmin(fmax(place, 0), 2 * span - 1);
}

/* The rows of a head in a table of positions, which all heads have in the layer. */
static const double *positions_of(struct plain_model *model, const char *name, size_t head,
                                  size_t width)
{
    const size_t n = (2 * span_of(model) + 15) / 16 * 16;
    const double *table = plain_values(model, name, ".weight", model->n_heads * n, width);
    return table ? table + head * n * width : NULL;
}

/* What positions add to the score of query i and key j: a number by their distance, or
 * q_i·key[2S - 1 - b] + k_j·query[b], b the number of the position of i - j. */
static double position_score(const struct plain_model *model, const struct plain_head *head,
                             size_t i, size_t j)
{
    const ptrdiff_t most = (ptrdiff_t)model->distances, ahead = (ptrdiff_t)j - (ptrdiff_t)i;
    const size_t width = head->width;
    const size_t b = span_of(model) > 0 ? position_of(model, -ahead) : 0;
    double sum = -head->slope * fabs((double)ahead);
    if (head->biases)
        sum += head->biases[ahead > most ? most : ahead < -most ? -most : ahead];
    if (head->position_keys)
        sum += plain_dot(head->queries + i * head->stride,
                         head->position_keys + (2 * span_of(model) - 1 - b) * width, width);
    if (head->position_queries)
        sum += plain_dot(head->keys + j * head->stride, head->position_queries + b * width, width);
    return sum;
}

/* ---- Heads ---- */

/* Each query, key and value of qkv [T, stride]: its norm, alone or of all heads, then its turn. */
static void prepare(struct plain_model *model, const struct plain_text *text, double *qkv,
                    size_t stride, size_t n_key_heads, size_t width)
{
    const char *parts[] = {"attention.query_norm", "attention.key_norm", "attention.value_norm"};
    const size_t n_heads[] = {model->n_heads, n_key_heads, n_key_heads};
    const bool is_rotary = plain_is(model->attention_position, "rotary");
    for (size_t t = 0; t < text->n_tokens && model->error[0] == '\0'; t++) {
        double *heads = qkv + t * stride;
        for (size_t part = 0; part < 3; heads += n_heads[part++] * width) {
            const bool is_value = part == 2;
            if (is_value ? model->value_norm : plain_is(model->query_key_norm, "yes"))
                plain_normalise(model, "rms", parts[part], heads, n_heads[part], width);
            else if (!is_value && plain_is(model->query_key_norm, "all"))
                plain_normalise(model, model->norm, parts[part], heads, 1, n_heads[part] * width);
            for (size_t h = 0; h < n_heads[part] && !is_value && is_rotary; h++)
                plain_turn(model, heads + h * width, width, text->places[t].position, text->length);
        }
    }
}

void plain_score(const struct plain_model *model, const struct plain_head *head, size_t n_tokens,
                 size_t n_keys, double *scores)
{
    for (size_t i = 0; i < n_tokens; i++)
        for (size_t j = 0; j < n_tokens; j++)
            scores[i * n_tokens + j] =
                !plain_sees(model, i, j) || (n_keys > 0 && j >= n_keys)
                    ? -(double)INFINITY
                    : model->score_scale * plain_dot(head->queries + i * head->stride,
                                                     head->keys + j * head->stride, head->width) +
                          position_score(model, head, i, j);
}

void plain_mix(const struct plain_head *head, double *scores, size_t n_tokens, double *out,
               size_t stride)
{
    for (size_t t = 0; t < n_tokens; t++) {
        double *probability = scores + t * n_tokens;
        plain_softmax(probability, n_tokens, probability);
        for (size_t i = 0; i < head->width; i++) {
            double sum = 0;
            for (size_t s = 0; s < n_tokens; s++)
                sum += probability[s] * head->values[s * head->stride + i];
            out[t * stride + i] = sum;
        }
    }
}

/* Head h of qkv [T, stride], in which n_key_heads keys and values follow the queries. */
static struct plain_head head_of(struct plain_model *model, size_t h, const double *qkv,
                                 size_t width, size_t n_key_heads)
{
    const char *position = model->attention_position, *terms = model->position_terms;
    const bool is_disentangled = plain_is(position, "disentangled");
    struct plain_head head = {.width = width,
                              .stride = (model->n_heads + 2 * n_key_heads) * width,
                              .queries = qkv + h * width};
    head.keys = qkv + (model->n_heads + h * n_key_heads / model->n_heads) * width;
    head.values = head.keys + n_key_heads * width;
    if (plain_is(position, "alibi"))
        head.slope = slope(h, model->n_heads);
    if (model->distance_bias)
        head.biases = model->distance_bias + h * (2 * model->distances + 1) + model->distances;
    if (is_disentangled && !plain_is(terms, "p2c"))
        head.position_keys = positions_of(model, "attention.position_key", h, width);
    if (is_disentangled && !plain_is(terms, "c2p"))
        head.position_queries = positions_of(model, "attention.position_query", h, width);
    return head;
}

double *plain_self_attention(struct plain_model *model, const double *x,
                             const struct plain_text *text, double *map)
{
    const bool is_local = window_of(model) > 0;
    const size_t n_tokens = text->n_tokens, n_heads = model->n_heads;
    const size_t width = is_local ? model->head_width : model->global_head_width;
    const size_t n_key_heads = is_local ? model->n_key_heads : model->global_key_heads;
    const size_t n_queries = n_heads * width, stride = n_queries + 2 * n_key_heads * width;
    double *qkv = plain_linear(model, "attention.qkv", x, n_tokens, model->width, stride);
    double *heads = plain_doubles(n_tokens, n_queries);
    prepare(model, text, qkv, stride, n_key_heads, width);
    for (size_t h = 0; h < n_heads && model->error[0] == '\0'; h++) {
        const struct plain_head head = head_of(model, h, qkv, width, n_key_heads);
        double *scores = map + h * n_tokens * n_tokens;
        plain_score(model, &head, n_tokens, n_tokens - text->n_unseen, scores);
        plain_show(model, scores, n_tokens, n_tokens, "layers.%zu head %zu: scale · q·kᵀ + bias",
                   model->layer, h);
        plain_mix(&head, scores, n_tokens, heads + h * width, n_queries);
        plain_show(model, scores, n_tokens, n_tokens,
                   "layers.%zu head %zu: softmax(scale · q·kᵀ + bias)", model->layer, h);
    }
    plain_show(model, heads, n_tokens, n_queries, "heads side by side: probabilities · v");
    double *result =
        plain_linear(model, "attention.output", heads, n_tokens, n_queries, model->width);
    free(qkv);
    free(heads);
    return result;
}
