/* attention.c - multi-head attention: which keys a query sees, and what heads know of positions. */
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

static bool sees(const struct plain_model *model, size_t i, size_t j)
{
    size_t window = window_of(model), distance = i > j ? i - j : j - i;
    return (window == 0 || distance <= window) && (j <= i || plain_is(model->mask, "full"));
}

/* ---- Positions ---- */

/* Turns pair n of w/2 pairs of columns by θ = position / base^(2n/w). A factor f without a trained
 * length makes it position / (f·base)^(2n/w) / f^(2/w). */
static void turn(const struct plain_model *model, double *head, size_t head_width, size_t position,
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

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* A head's queries, keys and values [T, K], their rows `stride` apart, and its keys and queries of
 * positions, NULL unless the model has them. */
struct head {
    size_t index, width, stride;
    const double *queries, *keys, *values;
    const double *position_keys, *position_queries; /* [2S, K] */
};

/* The rows of a head in a table of positions, which all heads have in the layer. */
static const double *positions_of(struct plain_model *model, const char *name,
                                  const struct head *head)
{
    const size_t n = (2 * span_of(model) + 15) / 16 * 16;
    const double *table = plain_values(model, name, ".weight", model->n_heads * n, head->width);
    return table ? table + head->index * n * head->width : NULL;
}

/* What positions add to the score of query i and key j: a number by their distance, or
 * q_i·key[2S - 1 - b] + k_j·query[b], b the number of the position of i - j. */
static double position_score(const struct plain_model *model, const struct head *head, size_t i,
                             size_t j)
{
    const size_t most = model->distances, distance = i > j ? i - j : j - i;
    const size_t reach = distance < most ? distance : most;
    const double *biases = model->distance_bias, *q = head->queries + i * head->stride;
    double sum = 0;
    if (plain_is(model->attention_position, "alibi"))
        return -slope(head->index, model->n_heads) * (double)distance;
    if (biases)
        return biases[head->index * (2 * most + 1) + (j < i ? most - reach : most + reach)];
    if (!head->position_keys && !head->position_queries)
        return 0;
    const size_t b = position_of(model, (ptrdiff_t)i - (ptrdiff_t)j);
    if (head->position_keys)
        sum +=
            dot(q, head->position_keys + (2 * span_of(model) - 1 - b) * head->width, head->width);
    if (head->position_queries)
        sum += dot(head->keys + j * head->stride, head->position_queries + b * head->width,
                   head->width);
    return sum;
}

/* ---- Heads ---- */

/* Each query, key and value of qkv [T, stride] by itself: its norm, then its turn. Norms of all
 * heads of queries, or of keys, begin at the first of them. */
static void prepare(struct plain_model *model, const struct plain_text *text, double *qkv,
                    size_t stride, size_t n_key_heads, size_t width)
{
    const char *parts[] = {"attention.query_norm", "attention.key_norm", "attention.value_norm"};
    const size_t n_heads[] = {model->n_heads, n_key_heads, n_key_heads};
    for (size_t t = 0; t < text->n_tokens && model->error[0] == '\0'; t++) {
        double *head = qkv + t * stride;
        for (size_t part = 0; part < 3; part++) {
            const bool is_value = part == 2;
            const char *name = parts[part];
            if (!is_value && plain_is(model->query_key_norm, "all"))
                plain_normalise(model, model->norm, name, head, 1, n_heads[part] * width);
            for (size_t h = 0; h < n_heads[part]; h++, head += width) {
                if (is_value ? model->value_norm : plain_is(model->query_key_norm, "yes"))
                    plain_normalise(model, "rms", name, head, 1, width);
                if (!is_value && plain_is(model->attention_position, "rotary"))
                    turn(model, head, width, text->places[t].position, text->length);
            }
        }
    }
}

/* Scores [T, T] of a head: scale · q·kᵀ + what positions add, -inf where a query may not see a key,
 * which are the first n_keys tokens. */
static void score(const struct plain_model *model, const struct head *head, size_t n_tokens,
                  size_t n_keys, double *scores)
{
    for (size_t i = 0; i < n_tokens; i++)
        for (size_t j = 0; j < n_tokens; j++)
            scores[i * n_tokens + j] =
                !sees(model, i, j) || j >= n_keys
                    ? -(double)INFINITY
                    : model->score_scale * dot(head->queries + i * head->stride,
                                               head->keys + j * head->stride, head->width) +
                          position_score(model, head, i, j);
}

static void softmax(double *row, size_t n)
{
    double largest = row[0], sum = 0;
    for (size_t j = 1; j < n; j++)
        largest = fmax(largest, row[j]);
    for (size_t j = 0; j < n; j++)
        sum += row[j] = exp(row[j] - largest);
    for (size_t j = 0; j < n; j++)
        row[j] /= sum;
}

/* Adds the head's probabilities · v to out [T, K], rows `stride` apart. Scores become
 * probabilities. */
static void mix(const struct head *head, double *scores, size_t n_tokens, double *out,
                size_t stride)
{
    for (size_t t = 0; t < n_tokens; t++) {
        double *probability = scores + t * n_tokens;
        softmax(probability, n_tokens);
        for (size_t s = 0; s < n_tokens; s++)
            for (size_t i = 0; i < head->width; i++)
                out[t * stride + i] += probability[s] * head->values[s * head->stride + i];
    }
}

double *plain_self_attention(struct plain_model *model, const double *x,
                             const struct plain_text *text, double *map)
{
    const bool is_local = window_of(model) > 0;
    const bool is_disentangled = plain_is(model->attention_position, "disentangled");
    const size_t n_tokens = text->n_tokens, n_heads = model->n_heads;
    const size_t width = is_local ? model->head_width : model->global_head_width;
    const size_t n_key_heads = is_local ? model->n_key_heads : model->global_key_heads;
    const size_t n_queries = n_heads * width, stride = n_queries + 2 * n_key_heads * width;
    char title[96];
    double *qkv = plain_linear(model, "attention.qkv", x, n_tokens, model->width, stride);
    double *heads = plain_doubles(n_tokens * n_queries);
    prepare(model, text, qkv, stride, n_key_heads, width);
    for (size_t h = 0; h < n_heads; h++) {
        struct head head = {.index = h, .width = width, .stride = stride};
        double *scores = map + h * n_tokens * n_tokens;
        head.queries = qkv + h * width;
        head.keys = qkv + n_queries + h * n_key_heads / n_heads * width;
        head.values = head.keys + n_key_heads * width;
        if (is_disentangled && !plain_is(model->position_terms, "p2c"))
            head.position_keys = positions_of(model, "attention.position_key", &head);
        if (is_disentangled && !plain_is(model->position_terms, "c2p"))
            head.position_queries = positions_of(model, "attention.position_query", &head);
        score(model, &head, n_tokens, n_tokens - text->n_unseen, scores);
        snprintf(title, sizeof title, "layers.%zu head %zu: scale · q·kᵀ + bias", model->layer, h);
        plain_show(model, title, scores, n_tokens, n_tokens);
        mix(&head, scores, n_tokens, heads + h * width, n_queries);
        snprintf(title, sizeof title, "layers.%zu head %zu: softmax(scale · q·kᵀ + bias)",
                 model->layer, h);
        plain_show(model, title, scores, n_tokens, n_tokens);
    }
    plain_show(model, "heads side by side: probabilities · v", heads, n_tokens, n_queries);
    double *result =
        plain_linear(model, "attention.output", heads, n_tokens, n_queries, model->width);
    free(qkv);
    free(heads);
    return result;
}
