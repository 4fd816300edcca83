/* attention.c - multi-head attention: which keys a query sees, and what heads know of positions. */
#include "engine/plain/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The window of a layer; 0: a query sees all tokens. */
static size_t window_of(const struct plain_model *model, size_t layer)
{
    bool is_global = model->global_every > 0 && layer % model->global_every == model->global_first;
    return is_global ? 0 : model->window;
}

static bool sees(const struct plain_model *model, size_t layer, size_t i, size_t j)
{
    size_t window = window_of(model, layer), distance = i > j ? i - j : j - i;
    return (window == 0 || distance <= window) && (j <= i || plain_is(model->mask, "full"));
}

/* ---- Positions ---- */

/* Turns pair n of w/2 pairs of columns by θ = position / base^(2n/w). A factor f without a trained
 * length makes it position / (f·base)^(2n/w) / f^(2/w). */
static void turn(const struct plain_model *model, size_t layer, double *head, size_t head_width,
                 size_t position, size_t length)
{
    size_t turned = head_width == model->head_width ? model->rotary_width : head_width;
    double width = (double)turned, trained = (double)model->rotary_trained;
    double base = window_of(model, layer) > 0 ? model->rotary_local_base : model->rotary_base;
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

/* Returns what is added to the scores of head h: [T, T]; the caller frees it. */
static double *biases(struct plain_model *model, size_t h, size_t n_tokens)
{
    double *bias = plain_doubles(n_tokens * n_tokens);
    size_t most = model->distances, n_columns = 2 * most + 1;
    const double *table = NULL;
    if (plain_is(model->attention_position, "distance"))
        table = plain_matrix(model, model->n_heads, n_columns, "attention.distance.bias");
    for (size_t i = 0; i < n_tokens; i++) {
        for (size_t j = 0; j < n_tokens; j++) {
            size_t distance = i > j ? i - j : j - i;
            size_t reach = distance < most ? distance : most;
            if (plain_is(model->attention_position, "alibi"))
                bias[i * n_tokens + j] = -slope(h, model->n_heads) * (double)distance;
            else if (table)
                bias[i * n_tokens + j] =
                    table[h * n_columns + (j < i ? most - reach : most + reach)];
        }
    }
    return bias;
}

/* The number of the position of a key so many tokens before a query: 0 to 2S - 1. */
static size_t position_of(const struct plain_model *model, ptrdiff_t distance, size_t span)
{
    double n = fabs((double)distance), middle = (double)(model->position_buckets / 2);
    if (model->position_buckets > 0 && n > middle) {
        float near = (float)n / (float)middle;
        float far = (float)(model->distances - 1) / (float)middle;
        float share = (float)log((double)near) / (float)log((double)far);
        n = (double)ceilf(share * (float)(middle - 1)) + middle;
    }
    double place = (double)span + (distance < 0 ? -n : n);
    return (size_t)fmin(fmax(place, 0), (double)(2 * span - 1));
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* bias [T, T] += q_i·key[2S - 1 - b] + k_j·query[b], b the number of the position of i - j. */
static void add_disentangled(struct plain_model *model, size_t layer, size_t h, const double *qkv,
                             const double *keys, size_t width, size_t stride, size_t n_tokens,
                             double *bias)
{
    size_t span = model->position_buckets > 0 ? model->position_buckets : model->distances;
    size_t rows = (2 * span + 15) / 16 * 16;
    const double *tables[2] = {NULL, NULL};
    static const char *const parts[] = {"attention.position_key.weight",
                                        "attention.position_query.weight"};
    char name[64];
    for (int i = 0; i < 2; i++) {
        plain_name(model, layer, parts[i], name);
        if (!plain_is(model->position_terms, i == 0 ? "p2c" : "c2p") &&
            (tables[i] = plain_matrix(model, model->n_heads * rows, width, name)) != NULL)
            tables[i] += h * rows * width;
    }
    for (size_t i = 0; i < n_tokens; i++) {
        for (size_t j = 0; j < n_tokens; j++) {
            size_t b = position_of(model, (ptrdiff_t)i - (ptrdiff_t)j, span);
            if (tables[0])
                bias[i * n_tokens + j] += dot(qkv + i * stride + h * width,
                                              tables[0] + (2 * span - 1 - b) * width, width);
            if (tables[1])
                bias[i * n_tokens + j] += dot(keys + j * stride, tables[1] + b * width, width);
        }
    }
}

/* ---- Heads ---- */

/* Each query, key and value of qkv [T, stride] by itself: its norm, then its turn. */
static void prepare(struct plain_model *model, size_t layer, const struct plain_text *text,
                    double *qkv, size_t stride, size_t n_keys, size_t width)
{
    char name[64];
    for (size_t t = 0; t < text->n_tokens && model->error[0] == '\0'; t++) {
        for (size_t h = 0; h < model->n_heads + 2 * n_keys; h++) {
            double *head = qkv + t * stride + h * width;
            bool of_all = plain_is(model->query_key_norm, "all");
            bool is_query = h < model->n_heads, is_value = h >= model->n_heads + n_keys;
            plain_name(model, layer,
                       is_query   ? "attention.query_norm"
                       : is_value ? "attention.value_norm"
                                  : "attention.key_norm",
                       name);
            if (is_value ? model->value_norm : plain_is(model->query_key_norm, "yes"))
                plain_normalise(model, "rms", name, head, 1, width);
            if (of_all && (h == 0 || h == model->n_heads)) /* the heads that follow, too */
                plain_normalise(model, model->norm, name, head, 1,
                                width * (is_query ? model->n_heads : n_keys));
            if (!is_value && plain_is(model->attention_position, "rotary"))
                turn(model, layer, head, width, text->places[t].position, text->length);
        }
    }
}

/* Scores [T, T] of a head: scale · q·kᵀ + bias [T, T], -inf where a query may not see a key, which
 * are the first n_keys tokens. */
static void score(const struct plain_model *model, size_t layer, const double *queries,
                  const double *keys, size_t width, size_t stride, const double *bias,
                  size_t n_tokens, size_t n_keys, double *scores)
{
    for (size_t i = 0; i < n_tokens; i++) {
        for (size_t j = 0; j < n_tokens; j++) {
            double product = dot(queries + i * stride, keys + j * stride, width);
            scores[i * n_tokens + j] = !sees(model, layer, i, j) || j >= n_keys
                                           ? -(double)INFINITY
                                           : model->score_scale * product + bias[i * n_tokens + j];
        }
    }
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

double *plain_self_attention(struct plain_model *model, size_t layer, const double *x,
                             const struct plain_text *text, double *map)
{
    bool is_local = window_of(model, layer) > 0;
    size_t n_tokens = text->n_tokens, n_heads = model->n_heads;
    size_t width = is_local ? model->head_width : model->global_head_width;
    size_t n_key_heads = is_local ? model->n_key_heads : model->global_key_heads;
    size_t n_queries = n_heads * width, n_keys = n_key_heads * width;
    size_t stride = n_queries + 2 * n_keys;
    char name[64], title[96];
    plain_name(model, layer, "attention.qkv", name);
    double *qkv = plain_linear(model, name, x, n_tokens, model->width, stride);
    double *heads = plain_doubles(n_tokens * n_queries);
    prepare(model, layer, text, qkv, stride, n_key_heads, width);
    for (size_t h = 0; h < n_heads; h++) {
        const double *keys = qkv + n_queries + h * n_key_heads / n_heads * width;
        const double *values = keys + n_keys;
        double *bias = biases(model, h, n_tokens), *rows = map + h * n_tokens * n_tokens;
        if (plain_is(model->attention_position, "disentangled"))
            add_disentangled(model, layer, h, qkv, keys, width, stride, n_tokens, bias);
        score(model, layer, qkv + h * width, keys, width, stride, bias, n_tokens,
              n_tokens - text->n_unseen, rows);
        snprintf(title, sizeof title, "layers.%zu head %zu: scale · q·kᵀ + bias", layer, h);
        plain_show(model, title, rows, n_tokens, n_tokens);
        for (size_t t = 0; t < n_tokens; t++) {
            double *probability = rows + t * n_tokens;
            softmax(probability, n_tokens);
            for (size_t s = 0; s < n_tokens; s++)
                for (size_t i = 0; i < width; i++)
                    heads[t * n_queries + h * width + i] += probability[s] * values[s * stride + i];
        }
        free(bias);
        snprintf(title, sizeof title, "layers.%zu head %zu: softmax(scale · q·kᵀ + bias)", layer,
                 h);
        plain_show(model, title, rows, n_tokens, n_tokens);
    }
    plain_show(model, "heads side by side: probabilities · v", heads, n_tokens, n_queries);
    plain_name(model, layer, "attention.output", name);
    double *result = plain_linear(model, name, heads, n_tokens, n_queries, model->width);
    free(qkv);
    free(heads);
    return result;
}
