/* The encoder once more, to be read beside the paper: every step is a plain loop over doubles,
 * every formula stands as weights/FORMAT.md has it, and nothing is shared with the engine.
 *
 * Matrices of linear layers are [out, in], y = x·Wᵀ + b; K = D/H is the width of a head. */
#include "tests/reference/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *new_doubles(size_t n)
{
    double *values = calloc(n + 1, sizeof *values);
    if (!values)
        abort();
    return values;
}

/* ---- The steps ---- */

/* to = round(from / scale) · scale, scale = max |from| / 127, ties to even */
static void round_row(const double *from, size_t n, double *to)
{
    double scale = 0;
    for (size_t i = 0; i < n; i++)
        scale = fmax(scale, fabs(from[i]) / 127);
    for (size_t i = 0; i < n; i++)
        to[i] = scale > 0 ? nearbyint(from[i] / scale) * scale : 0;
}

/* With v = from · factors, low = min(v, 0) and high = max(v, 0): scale = (high - low) / levels,
 * zero = round(-low / scale), q = round(v / scale + zero), which is 0 to levels; and back,
 * to = (q - zero) · scale / factors. A v of 0 has q = zero, so that it stays 0. */
static void round_row_from_zero(const double *from, const double *factors, size_t n, double levels,
                                double *to)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, from[i] * factors[i]);
        high = fmax(high, from[i] * factors[i]);
    }
    double scale = (high - low) / levels, zero = scale > 0 ? nearbyint(-low / scale) : 0;
    for (size_t i = 0; i < n; i++) {
        double q = scale > 0 ? nearbyint(from[i] * factors[i] / scale + zero) : 0;
        to[i] = (fmin(q, levels) - zero) * scale / factors[i];
    }
}

/* What a layer multiplies: x, or with int8_rows and int8 panels its rows rounded. The caller frees.
 */
static double *multiplied(const struct reference_model *model, const char *weight, const double *x,
                          size_t n_tokens, size_t n_in)
{
    const struct reference_tensor *tensor = reference_tensor(model->weights, weight);
    double *rows = new_doubles(n_tokens * n_in);
    memcpy(rows, x, n_tokens * n_in * sizeof *x);
    if (!model->int8_rows || tensor == NULL || tensor->type < REFERENCE_INT8 ||
        tensor->layout != REFERENCE_PANELS)
        return rows;
    for (size_t t = 0; t < n_tokens; t++)
        if (tensor->factors == NULL)
            round_row(x + t * n_in, n_in, rows + t * n_in);
        else
            round_row_from_zero(x + t * n_in, tensor->factors, n_in,
                                tensor->type == REFERENCE_INT8A8 ? 255 : 127, rows + t * n_in);
    return rows;
}

/* y [T, out] = x [T, in] · Wᵀ + b, with the weights `name`.weight and, if there is one,
 * `name`.bias. */
static double *linear(struct reference_model *model, const char *name, bool has_bias,
                      const double *x, size_t n_tokens, size_t n_in, size_t n_out)
{
    char full[96];
    snprintf(full, sizeof full, "%s.weight", name);
    const double *weight = reference_matrix(model, n_out, n_in, full), *bias = NULL;
    double *rows = multiplied(model, full, x, n_tokens, n_in);
    snprintf(full, sizeof full, "%s.bias", name);
    if (has_bias)
        bias = reference_vector(model, n_out, full);
    double *y = new_doubles(n_tokens * n_out);
    for (size_t t = 0; t < n_tokens && model->error[0] == '\0'; t++) {
        for (size_t n = 0; n < n_out; n++) {
            double sum = bias ? bias[n] : 0;
            for (size_t k = 0; k < n_in; k++)
                sum += rows[t * n_in + k] * weight[n * n_in + k];
            y[t * n_out + n] = sum;
        }
    }
    free(rows);
    return y;
}

/* x [T, D] in place. */
static void normalise(struct reference_model *model, const char *kind, const char *name, double *x,
                      size_t n_tokens)
{
    size_t width = model->width;
    char full[96];
    snprintf(full, sizeof full, "%s.weight", name);
    const double *weight = reference_vector(model, width, full), *bias = NULL;
    snprintf(full, sizeof full, "%s.bias", name);
    bool layer = reference_is(kind, "layer");
    if (layer && model->norm_bias)
        bias = reference_vector(model, width, full);
    if (model->error[0] != '\0')
        return;
    for (size_t t = 0; t < n_tokens; t++) {
        double *row = x + t * width, mean = 0, square = 0;
        for (size_t i = 0; layer && i < width; i++)
            mean += row[i] / (double)width;
        for (size_t i = 0; i < width; i++)
            square += (row[i] - mean) * (row[i] - mean) / (double)width;
        double root = sqrt(square + model->norm_eps);
        for (size_t i = 0; i < width; i++)
            row[i] = (row[i] - mean) / root * weight[i] + (bias ? bias[i] : 0);
    }
}

/* Column i of position p of a text of n_tokens, as weights/FORMAT.md has it; nothing learned. */
static double computed_position(const struct reference_model *model, size_t p, size_t n_tokens,
                                size_t i)
{
    double place = (double)p, width = (double)model->width, angle = 0;
    if (reference_is(model->position, "index"))
        return place / (double)n_tokens;
    if (reference_is(model->position, "binary")) {
        for (size_t bit = 0; bit < i; bit++)
            p /= 2;
        return p % 2 == 1 ? 1 : 0;
    }
    if (reference_is(model->position, "exponential"))
        return exp(-place / exp(log(model->position_base) * (double)i / width));
    if (reference_is(model->position, "sinusoidal")) {
        angle = place / pow(model->position_base, (double)(i / 2 * 2) / width);
    } else if (reference_is(model->position, "fourier")) {
        if (model->n_frequencies > 0 && i / 2 >= model->n_frequencies)
            return 0;
        double frequency = (double)(i / 2 + 1) / (double)model->max_tokens;
        if (model->n_frequencies > 0)
            frequency = model->given_frequencies ? (double)model->given_frequencies[i / 2]
                                                 : model->frequencies[i / 2];
        angle = 2 * acos(-1.0) * frequency * place;
    } else {
        return 0;
    }
    return i % 2 == 0 ? sin(angle) : cos(angle);
}

/* x [T, D] += position_scale · PE; positions [T], of a text of `length` tokens (hidden ones within
 * it count). */
static void add_positions(struct reference_model *model, const size_t *positions, size_t length,
                          double *x, size_t n_tokens)
{
    size_t width = model->width, n_rows = 0;
    const double *learned =
        reference_is(model->position, "learned") ? reference_position_table(model, &n_rows) : NULL;
    if (model->error[0] != '\0')
        return;
    for (size_t t = 0; t < n_tokens; t++) {
        size_t p = positions[t];
        if (learned && p + model->position_offset >= n_rows) {
            reference_complain(model, "position %zu is not in the table", p);
            return;
        }
        for (size_t i = 0; i < width; i++)
            x[t * width + i] +=
                model->position_scale * (learned ? learned[(p + model->position_offset) * width + i]
                                                 : computed_position(model, p, length, i));
    }
}

static void embed(struct reference_model *model, const int32_t *ids, const int32_t *types,
                  const size_t *positions, size_t length, double *x, size_t n_tokens)
{
    size_t width = model->width;
    const double *tokens = reference_table(model, model->vocabulary, "embedding.token.weight"),
                 *kinds = NULL;
    if (model->n_types > 0)
        kinds = reference_table(model, model->n_types, "embedding.type.weight");
    for (size_t t = 0; t < n_tokens && model->error[0] == '\0'; t++) {
        if (ids[t] < 0 || (size_t)ids[t] >= model->vocabulary)
            reference_complain(model, "id %d", (int)ids[t]);
        else if (types[t] < 0 || (kinds && (size_t)types[t] >= model->n_types))
            reference_complain(model, "type %d", (int)types[t]);
        else
            for (size_t i = 0; i < width; i++)
                x[t * width + i] = model->embedding_scale * tokens[(size_t)ids[t] * width + i] +
                                   (kinds ? kinds[(size_t)types[t] * width + i] : 0);
    }
    add_positions(model, positions, length, x, n_tokens);
    if (!reference_is(model->embedding_norm, "none"))
        normalise(model, model->embedding_norm, "embedding.norm", x, n_tokens);
}

/* Probabilities [T] of one query over the keys it may see: softmax of q·kᵀ/√K. */
static void attend(const struct reference_model *model, const double *query, const double *keys,
                   size_t stride, size_t t, size_t n_tokens, double *probability)
{
    size_t head_width = model->width / model->n_heads, n_seen = model->causal ? t + 1 : n_tokens;
    double largest = -(double)INFINITY, sum = 0;
    for (size_t s = 0; s < n_seen; s++) {
        double score = 0;
        for (size_t i = 0; i < head_width; i++)
            score += query[i] * keys[s * stride + i];
        probability[s] = score / sqrt((double)head_width);
        largest = fmax(largest, probability[s]);
    }
    for (size_t s = 0; s < n_seen; s++)
        sum += probability[s] = exp(probability[s] - largest);
    for (size_t s = 0; s < n_seen; s++)
        probability[s] /= sum;
}

/* The result [T, D] of multi-head attention; probabilities go to map [H, T, T], which starts as
 * zeros. */
static double *attention(struct reference_model *model, size_t layer, const double *x,
                         size_t n_tokens, double *map)
{
    size_t width = model->width, head_width = width / model->n_heads, stride = 3 * width;
    char name[64];
    snprintf(name, sizeof name, "layers.%zu.attention.qkv", layer);
    double *qkv = linear(model, name, model->attention_bias, x, n_tokens, width, stride);
    double *heads = new_doubles(n_tokens * width);
    for (size_t h = 0; h < model->n_heads; h++) {
        for (size_t t = 0; t < n_tokens; t++) {
            const double *query = qkv + t * stride + h * head_width;
            const double *keys = qkv + width + h * head_width;
            const double *values = qkv + 2 * width + h * head_width;
            double *probability = map + (h * n_tokens + t) * n_tokens;
            attend(model, query, keys, stride, t, n_tokens, probability);
            for (size_t s = 0; s < n_tokens; s++)
                for (size_t i = 0; i < head_width; i++)
                    heads[t * width + h * head_width + i] +=
                        probability[s] * values[s * stride + i];
        }
    }
    snprintf(name, sizeof name, "layers.%zu.attention.output", layer);
    double *result = linear(model, name, model->attention_bias, heads, n_tokens, width, width);
    free(qkv);
    free(heads);
    return result;
}

static double activate(const char *kind, double x)
{
    if (reference_is(kind, "relu"))
        return x > 0 ? x : 0;
    if (reference_is(kind, "silu"))
        return x / (1 + exp(-x));
    if (reference_is(kind, "gelu_tanh"))
        return x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
    return x * (1 + erf(x / sqrt(2.0))) / 2;
}

static double *feed_forward(struct reference_model *model, size_t layer, const double *x,
                            size_t n_tokens)
{
    size_t width = model->width, middle = model->feed_forward;
    bool gated = !reference_is(model->gate, "none"), has_bias = model->feed_forward_bias;
    size_t n_in = gated ? 2 * middle : middle;
    char name[64];
    snprintf(name, sizeof name, "layers.%zu.feed_forward.in", layer);
    double *in = linear(model, name, has_bias, x, n_tokens, width, n_in);
    double *between = new_doubles(n_tokens * middle);
    for (size_t t = 0; t < n_tokens; t++) {
        for (size_t i = 0; i < middle; i++) {
            double first = in[t * n_in + i], second = gated ? in[t * n_in + middle + i] : 1;
            between[t * middle + i] = reference_is(model->gate, "second")
                                          ? first * activate(model->activation, second)
                                          : activate(model->activation, first) * second;
        }
    }
    snprintf(name, sizeof name, "layers.%zu.feed_forward.out", layer);
    double *result = linear(model, name, has_bias, between, n_tokens, middle, width);
    free(in);
    free(between);
    return result;
}

/* post: x = norm(x + part(x));  pre: x = x + part(norm(x)). map NULL: the feed-forward part. */
static void sublayer(struct reference_model *model, size_t layer, double *x, size_t n_tokens,
                     double *map)
{
    size_t n = n_tokens * model->width;
    char name[64];
    snprintf(name, sizeof name, "layers.%zu.%s.norm", layer, map ? "attention" : "feed_forward");
    double *input = new_doubles(n);
    memcpy(input, x, n * sizeof *x);
    if (model->pre_norm)
        normalise(model, model->norm, name, input, n_tokens);
    double *result = map ? attention(model, layer, input, n_tokens, map)
                         : feed_forward(model, layer, input, n_tokens);
    for (size_t i = 0; i < n; i++)
        x[i] += result[i];
    if (!model->pre_norm)
        normalise(model, model->norm, name, x, n_tokens);
    free(input);
    free(result);
}

static void run_layers(struct reference_model *model, struct reference_output *output)
{
    size_t n_tokens = output->n_tokens, n = n_tokens * model->width;
    double *x = output->tokens;
    memcpy(output->hidden, x, n * sizeof *x);
    for (size_t layer = 0; layer < model->n_layers && model->error[0] == '\0'; layer++) {
        double *map = output->attention + layer * model->n_heads * n_tokens * n_tokens;
        sublayer(model, layer, x, n_tokens, map);
        sublayer(model, layer, x, n_tokens, NULL);
        memcpy(output->hidden + (layer + 1) * n, x, n * sizeof *x);
    }
    if (model->final_norm)
        normalise(model, model->norm, "final.norm", x, n_tokens);
}

/* ---- The whole ---- */

bool reference_encode(const struct reference_weights *weights, const struct reference_input *input,
                      const struct reference_options *options, struct reference_output *output,
                      char error[256])
{
    struct reference_model model = reference_model_open(weights, options, error);
    *output = (struct reference_output){0};
    if (error[0] != '\0')
        return false;
    int32_t *ids = calloc(input->n + 1, sizeof *ids), *types = calloc(input->n + 1, sizeof *types);
    size_t *positions = calloc(input->n + 1, sizeof *positions), first = 0, n_tokens = 0;
    if (!ids || !types || !positions)
        abort();
    for (size_t t = 0; t < input->n; t++) {
        if (input->mask && !input->mask[t])
            continue;
        first = n_tokens == 0 ? t : first;
        ids[n_tokens] = input->ids[t];
        types[n_tokens] = input->types ? input->types[t] : 0;
        positions[n_tokens++] = t - first;
    }
    *output = (struct reference_output){.n_tokens = n_tokens,
                                        .n_layers = model.n_layers,
                                        .n_heads = model.n_heads,
                                        .width = model.width};
    output->hidden = new_doubles((model.n_layers + 1) * n_tokens * model.width);
    output->attention = new_doubles(model.n_layers * model.n_heads * n_tokens * n_tokens);
    output->tokens = new_doubles(n_tokens * model.width);
    embed(&model, ids, types, positions, n_tokens > 0 ? positions[n_tokens - 1] + 1 : 0,
          output->tokens, n_tokens);
    run_layers(&model, output);
    free(ids);
    free(types);
    free(positions);
    return error[0] == '\0';
}

void reference_output_free(struct reference_output *output)
{
    free(output->hidden);
    free(output->attention);
    free(output->tokens);
    *output = (struct reference_output){0};
}

void reference_pool(const struct reference_output *output, const char *pooling, bool normalize,
                    double *out)
{
    size_t n_tokens = output->n_tokens, width = output->width;
    double square = 0;
    for (size_t i = 0; i < width; i++) {
        out[i] = n_tokens > 0 ? output->tokens[i] : 0;
        for (size_t t = 1; t < n_tokens && !reference_is(pooling, "cls"); t++) {
            double value = output->tokens[t * width + i];
            out[i] = reference_is(pooling, "mean") ? out[i] + value : fmax(out[i], value);
        }
        if (reference_is(pooling, "mean") && n_tokens > 0)
            out[i] /= (double)n_tokens;
        square += out[i] * out[i];
    }
    for (size_t i = 0; normalize && i < width; i++)
        out[i] /= fmax(sqrt(square), 1e-12);
}

bool reference_positions(const struct reference_weights *weights,
                         const struct reference_options *options, size_t n, double *out,
                         char error[256])
{
    struct reference_model model = reference_model_open(weights, options, error);
    size_t *positions = calloc(n + 1, sizeof *positions);
    if (!positions)
        abort();
    for (size_t p = 0; p < n; p++)
        positions[p] = p;
    for (size_t i = 0; i < n * model.width; i++)
        out[i] = 0;
    if (error[0] == '\0')
        add_positions(&model, positions, n, out, n);
    free(positions);
    return error[0] == '\0';
}

/* ---- Labels ---- */

/* out [D] from output->tokens, as head_pooling says. */
static void pool_for_head(const struct reference_model *model,
                          const struct reference_output *output, double *out)
{
    size_t n = output->n_tokens, width = output->width;
    const char *kind = model->head_pooling;
    for (size_t i = 0; i < width; i++) {
        double sum = 0, weighted = 0, largest = -(double)INFINITY;
        for (size_t t = 0; t < n; t++) {
            double value = output->tokens[t * width + i];
            sum += value;
            weighted += (double)(t + 1) * value / ((double)(n * (n + 1)) / 2);
            largest = fmax(largest, value);
        }
        out[i] = reference_is(kind, "mean")            ? sum / (double)n
                 : reference_is(kind, "mean_sqrt")     ? sum / sqrt((double)n)
                 : reference_is(kind, "max")           ? largest
                 : reference_is(kind, "weighted_mean") ? weighted
                 : reference_is(kind, "last")          ? output->tokens[(n - 1) * width + i]
                                                       : output->tokens[i];
    }
}

bool reference_scores(const struct reference_weights *weights,
                      const struct reference_output *output, double *out, char error[256])
{
    struct reference_model model = reference_model_open(weights, NULL, error);
    if (error[0] != '\0')
        return false;
    double *pooled = new_doubles(model.width), sum = 0;
    pool_for_head(&model, output, pooled);
    double *logits = linear(&model, "head.output", true, pooled, 1, model.width, model.n_labels);
    for (size_t i = 0; i < model.n_labels; i++)
        sum += exp(logits[i]);
    for (size_t i = 0; i < model.n_labels; i++)
        out[i] = reference_is(model.scores, "softmax")   ? exp(logits[i]) / sum
                 : reference_is(model.scores, "sigmoid") ? 1 / (1 + exp(-logits[i]))
                                                         : logits[i];
    free(pooled);
    free(logits);
    return error[0] == '\0';
}
