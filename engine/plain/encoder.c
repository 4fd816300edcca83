/* encoder.c - to be read along with the paper: every step is a plain loop over doubles, every
 * formula is written as in weights/FORMAT.md, and nothing is shared with the engine.
 *
 * Matrices of linear layers are [out, in], y = x·Wᵀ + b; attention is in attention.c. */
#include "engine/plain/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Embedding ---- */

/* Column i of position p of a text of n_tokens, as weights/FORMAT.md has it; nothing learned. */
static double computed_position(struct plain_model *model, size_t p, size_t n_tokens, size_t i)
{
    double place = (double)p, width = (double)model->embedding_width, angle = 0;
    if (plain_is(model->position, "index"))
        return place / (double)n_tokens;
    if (plain_is(model->position, "binary")) {
        for (size_t bit = 0; bit < i; bit++)
            p /= 2;
        return p % 2 == 1 ? 1 : 0;
    }
    if (plain_is(model->position, "exponential"))
        return exp(-place / exp(log(model->position_base) * (double)i / width));
    if (plain_is(model->position, "sinusoidal")) {
        angle = place / pow(model->position_base, (double)(i / 2 * 2) / width);
    } else if (plain_is(model->position, "fourier")) {
        if (model->n_frequencies > 0 && i / 2 >= model->n_frequencies)
            return 0;
        double frequency = (double)(i / 2 + 1) / (double)model->max_tokens;
        if (model->n_frequencies > 0)
            frequency = model->given_frequencies ? (double)model->given_frequencies[i / 2]
                                                 : model->frequencies[i / 2];
        angle = 2 * acos(-1.0) * frequency * place;
    } else {
        if (!plain_is(model->position, "none"))
            plain_complain(model, "position %s is not known", model->position);
        return 0;
    }
    return i % 2 == 0 ? sin(angle) : cos(angle);
}

/* x [T, E] += position_scale · PE */
static void add_positions(struct plain_model *model, const struct plain_text *text, double *x)
{
    size_t n_tokens = text->n_tokens;
    size_t width = model->embedding_width, n_rows = 0;
    const double *learned =
        plain_is(model->position, "learned") ? plain_position_table(model, &n_rows) : NULL;
    if (model->error[0] != '\0')
        return;
    for (size_t t = 0; t < n_tokens; t++) {
        size_t row = text->rows[t];
        if (learned && row >= n_rows) {
            plain_complain(model, "row %zu is not in the table of positions", row);
            return;
        }
        for (size_t i = 0; i < width; i++)
            x[t * width + i] +=
                model->position_scale *
                (learned ? learned[row * width + i]
                         : computed_position(model, text->positions[t], text->length, i));
    }
}

/* x [T, D] */
static double *embed(struct plain_model *model, const int32_t *ids, const int32_t *types,
                     const struct plain_text *text)
{
    size_t width = model->embedding_width, n_tokens = text->n_tokens;
    double *x = plain_doubles(n_tokens * width);
    const double *tokens = plain_table(model, model->vocabulary, "embedding.token.weight"),
                 *kinds = NULL;
    if (model->n_types > 0)
        kinds = plain_table(model, model->n_types, "embedding.type.weight");
    for (size_t t = 0; t < n_tokens && model->error[0] == '\0'; t++) {
        if (ids[t] < 0 || (size_t)ids[t] >= model->vocabulary)
            plain_complain(model, "id %d", (int)ids[t]);
        else if (types[t] < 0 || (kinds && (size_t)types[t] >= model->n_types))
            plain_complain(model, "type %d", (int)types[t]);
        else
            for (size_t i = 0; i < width; i++)
                x[t * width + i] = model->embedding_scale * tokens[(size_t)ids[t] * width + i] +
                                   (kinds ? kinds[(size_t)types[t] * width + i] : 0);
    }
    plain_show(model, "scale · token + type", x, n_tokens, width);
    add_positions(model, text, x);
    plain_show(model, "+ position", x, n_tokens, width);
    if (!plain_is(model->embedding_norm, "none"))
        plain_normalise(model, model->embedding_norm, "embedding.norm", x, n_tokens, width);
    if (width == model->width)
        return x;
    double *projected =
        plain_linear(model, "embedding.projection", true, x, n_tokens, width, model->width);
    free(x);
    return projected;
}

/* ---- Layers ---- */

/* gelu of a product that was computed in whole numbers. */
static double gelu_near(double x)
{
    static const double p[] = {-1.51621125e-05, 0.00035293444, -0.0033995367, 0.0170169,
                               -0.043890018,    0.03996445,    0.03896935,    0.010127035,
                               -0.40051827,     0.5000405};
    double a = fmin(fabs(x), 4.3), sum = 0;
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        sum = sum * a + p[i];
    return fmax(x, 0) - a * sum;
}

static double activate(struct plain_model *model, const char *kind, bool is_near, double x)
{
    if (is_near && plain_is(kind, "gelu"))
        return gelu_near(x);
    if (plain_is(kind, "relu"))
        return x > 0 ? x : 0;
    if (plain_is(kind, "silu"))
        return x / (1 + exp(-x));
    if (plain_is(kind, "gelu_tanh"))
        return x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
    if (!plain_is(kind, "gelu"))
        plain_complain(model, "activation %s is not known", kind);
    return x * (1 + erf(x / sqrt(2.0))) / 2;
}

void plain_name(const struct plain_model *model, size_t layer, const char *part, char name[64])
{
    size_t group = layer * model->n_groups / model->n_layers;
    snprintf(name, 64, "layers.%zu.%s", group, part);
}

/* Adds to y [D] a share of one expert's result: act(x·Winᵀ)·Woutᵀ, x and y [D]. */
static void add_expert(struct plain_model *model, const double *in, const double *out,
                       const double *x, double share, double *y)
{
    size_t width = model->width;
    for (size_t f = 0; f < model->feed_forward; f++) {
        double sum = 0;
        for (size_t i = 0; i < width; i++)
            sum += in[f * width + i] * x[i];
        sum = activate(model, model->activation, false, sum);
        for (size_t i = 0; i < width; i++)
            y[i] += share * sum * out[i * model->feed_forward + f];
    }
}

/* Each token's sum of a few experts: those of its largest logits, by their shares, which softmax
 * gives over the logits of all. */
static double *experts(struct plain_model *model, size_t layer, const double *x, size_t n_tokens)
{
    size_t width = model->width, middle = model->feed_forward, n = model->experts;
    double *result = plain_doubles(n_tokens * width);
    char router[64], name[64];
    plain_name(model, layer, "feed_forward.router", router);
    double *logits = plain_linear(model, router, false, x, n_tokens, width, n);
    plain_name(model, layer, "feed_forward.in.weight", name);
    const double *in = plain_matrix(model, n * middle, width, name), *bias = NULL;
    plain_name(model, layer, "feed_forward.out.weight", name);
    const double *out = plain_matrix(model, n * width, middle, name);
    plain_name(model, layer, "feed_forward.out.bias", name);
    if (model->feed_forward_bias)
        bias = plain_vector(model, width, name);
    for (size_t t = 0; t < n_tokens && model->error[0] == '\0'; t++) {
        double *own = logits + t * n, sum = 0;
        for (size_t i = 0; i < width; i++)
            result[t * width + i] = bias ? bias[i] : 0;
        for (size_t e = 0; e < n; e++)
            sum += own[e] = exp(own[e]);
        for (size_t used = 0; used < model->experts_used; used++) {
            size_t best = 0;
            for (size_t e = 1; e < n; e++)
                best = own[e] > own[best] ? e : best;
            add_expert(model, in + best * middle * width, out + best * width * middle,
                       x + t * width, own[best] / sum, result + t * width);
            own[best] = -1;
        }
    }
    free(logits);
    return result;
}

static double *feed_forward(struct plain_model *model, size_t layer, const double *x,
                            size_t n_tokens)
{
    if (model->experts_every > 0 && layer % model->experts_every == 1)
        return experts(model, layer, x, n_tokens);
    size_t width = model->width, middle = model->feed_forward;
    bool gated = !plain_is(model->gate, "none");
    size_t n_in = gated ? 2 * middle : middle;
    char name[64];
    plain_name(model, layer, "feed_forward.in", name);
    double *in = plain_linear(model, name, model->feed_forward_in_bias, x, n_tokens, width, n_in);
    double *between = plain_doubles(n_tokens * middle);
    bool near = plain_rounds(model, name) && (!gated || middle % 16 == 0);
    for (size_t t = 0; t < n_tokens; t++) {
        for (size_t i = 0; i < middle; i++) {
            double first = in[t * n_in + i], second = gated ? in[t * n_in + middle + i] : 1;
            between[t * middle + i] =
                plain_is(model->gate, "second")
                    ? first * activate(model, model->activation, near, second)
                    : activate(model, model->activation, near, first) * second;
        }
    }
    plain_show(model, "activated, times the gate if there is one", between, n_tokens, middle);
    plain_name(model, layer, "feed_forward.out", name);
    double *result =
        plain_linear(model, name, model->feed_forward_bias, between, n_tokens, middle, width);
    free(in);
    free(between);
    return result;
}

/* x [T, D] in place, by the norm of that name of the layer. */
static void layer_norm(struct plain_model *model, size_t layer, const char *part, double *x,
                       size_t n_tokens)
{
    char name[64];
    plain_name(model, layer, part, name);
    plain_normalise(model, model->norm, name, x, n_tokens, model->width);
}

/* post:     x = norm(x + part(x))
 * pre:      x = x + part(norm(x)), without the norm in the first layer's attention if first_norm is
 *           no
 * sandwich: x = x + norm_after(part(norm(x)))
 * twice:    x = norm(x + norm_after(x + attention(x))); else as post
 * map NULL: the feed-forward part. */
static void sublayer(struct plain_model *model, size_t layer, double *x,
                     const struct plain_text *text, double *map)
{
    size_t n_tokens = text->n_tokens, n = n_tokens * model->width;
    const char *norm = map ? "attention.norm" : "feed_forward.norm";
    bool is_twice = plain_is(model->norm_place, "twice");
    bool is_post = is_twice || plain_is(model->norm_place, "post");
    double *input = plain_doubles(n);
    memcpy(input, x, n * sizeof *x);
    if (!is_post && (model->first_norm || layer > 0 || !map))
        layer_norm(model, layer, norm, input, n_tokens);
    double *result = map ? plain_self_attention(model, layer, input, text, map)
                         : feed_forward(model, layer, input, n_tokens);
    for (size_t i = 0; is_twice && map && i < n; i++)
        result[i] += x[i];
    if ((is_twice && map) || plain_is(model->norm_place, "sandwich"))
        layer_norm(model, layer, map ? "attention.norm_after" : "feed_forward.norm_after", result,
                   n_tokens);
    for (size_t i = 0; i < n; i++)
        x[i] += result[i];
    plain_show(model, map ? "x + attention" : "x + feed-forward", x, n_tokens, model->width);
    if (is_post)
        layer_norm(model, layer, norm, x, n_tokens);
    free(input);
    free(result);
}

/* x = scale · (x + norm_after(out · (act(x·Wby) · norm(embedding·Win)))) */
static void take_from_embedding(struct plain_model *model, size_t layer, const double *embedding,
                                double *x, size_t n_tokens)
{
    size_t width = model->width, own = model->layer_input_width, n = n_tokens * own;
    char in[64], norm[64], by[64], out[64], scale_name[64];
    if (own == 0)
        return;
    plain_name(model, layer, "layer_input.in", in);
    plain_name(model, layer, "layer_input.norm", norm);
    plain_name(model, layer, "layer_input.by", by);
    plain_name(model, layer, "layer_input.out", out);
    plain_name(model, layer, "layer_input.scale.weight", scale_name);
    double *signal = plain_linear(model, in, false, embedding, n_tokens, width, own);
    double *gate = plain_linear(model, by, false, x, n_tokens, width, own);
    const double *scale = plain_vector(model, 1, scale_name);
    plain_normalise(model, "rms", norm, signal, n_tokens, own);
    for (size_t i = 0; i < n; i++)
        signal[i] *= activate(model, model->activation, plain_rounds(model, by), gate[i]);
    double *result = plain_linear(model, out, false, signal, n_tokens, own, width);
    plain_name(model, layer, "layer_input.norm_after", norm);
    plain_normalise(model, "rms", norm, result, n_tokens, width);
    for (size_t i = 0; scale && i < n_tokens * width; i++)
        x[i] = *scale * (x[i] + result[i]);
    plain_show(model, "scale · (x + what the layer takes from the embedding)", x, n_tokens, width);
    free(signal);
    free(gate);
    free(result);
}

static void run_layers(struct plain_model *model, const struct plain_text *text,
                       struct plain_output *output)
{
    size_t n_tokens = output->n_tokens, n = n_tokens * model->width;
    double *x = output->tokens;
    memcpy(output->hidden, x, n * sizeof *x);
    for (size_t layer = 0; layer < model->n_layers && model->error[0] == '\0'; layer++) {
        double *map = output->attention + layer * model->n_heads * n_tokens * n_tokens;
        sublayer(model, layer, x, text, map);
        sublayer(model, layer, x, text, NULL);
        take_from_embedding(model, layer, output->hidden, x, n_tokens);
        memcpy(output->hidden + (layer + 1) * n, x, n * sizeof *x);
    }
    if (model->final_norm)
        plain_normalise(model, model->norm, "final.norm", x, n_tokens, model->width);
}

/* ---- The complete encoder ---- */

bool plain_encode(const struct plain_weights *weights, const struct plain_input *input,
                  const struct plain_options *options, struct plain_output *output, char error[256])
{
    struct plain_model model = plain_model_open(weights, options, error);
    *output = (struct plain_output){0};
    if (error[0] != '\0')
        return false;
    int32_t *ids = calloc(input->n + 1, sizeof *ids), *types = calloc(input->n + 1, sizeof *types);
    size_t *positions = calloc(input->n + 1, sizeof *positions), first = 0, n_tokens = 0;
    size_t *rows = calloc(input->n + 1, sizeof *rows), offset = model.position_offset, counted = 0;
    if (!ids || !types || !positions || !rows)
        abort();
    for (size_t t = 0; t < input->n; t++) {
        bool is_hidden = input->mask && !input->mask[t];
        bool is_padding = model.skips_padding && input->ids[t] == (int32_t)offset - 1;
        if (is_hidden && n_tokens == 0)
            continue;
        counted += !is_padding;
        if (is_hidden)
            continue;
        first = n_tokens == 0 ? t : first;
        ids[n_tokens] = input->ids[t];
        types[n_tokens] = input->types ? input->types[t] : 0;
        rows[n_tokens] = is_padding ? offset - 1 : offset + counted - 1;
        positions[n_tokens++] = t - first;
    }
    *output = (struct plain_output){.n_tokens = n_tokens,
                                    .n_layers = model.n_layers,
                                    .n_heads = model.n_heads,
                                    .width = model.width};
    output->hidden = plain_doubles((model.n_layers + 1) * n_tokens * model.width);
    output->attention = plain_doubles(model.n_layers * model.n_heads * n_tokens * n_tokens);
    struct plain_text text = {n_tokens, n_tokens > 0 ? positions[n_tokens - 1] + 1 : 0, positions,
                              rows, input->n_unseen};
    output->tokens = embed(&model, ids, types, &text);
    run_layers(&model, &text, output);
    free(ids);
    free(types);
    free(positions);
    free(rows);
    return error[0] == '\0';
}

void plain_output_free(struct plain_output *output)
{
    free(output->hidden);
    free(output->attention);
    free(output->tokens);
    *output = (struct plain_output){0};
}

bool plain_positions(const struct plain_weights *weights, const struct plain_options *options,
                     size_t n, double *out, char error[256])
{
    struct plain_model model = plain_model_open(weights, options, error);
    size_t *positions = calloc(n + 1, sizeof *positions), *rows = calloc(n + 1, sizeof *rows);
    if (!positions || !rows)
        abort();
    for (size_t p = 0; p < n; p++) {
        positions[p] = p;
        rows[p] = p + model.position_offset;
    }
    for (size_t i = 0; i < n * model.embedding_width; i++)
        out[i] = 0;
    if (error[0] == '\0')
        add_positions(&model, &(struct plain_text){n, n, positions, rows, 0}, out);
    free(positions);
    free(rows);
    return error[0] == '\0';
}

/* ---- Vectors of texts, and labels ---- */

/* out [D] from output->tokens, but for the first n_skipped. */
static void pool(struct plain_model *model, const struct plain_output *output, const char *kind,
                 size_t n_skipped, double *out)
{
    size_t n = output->n_tokens, width = output->width, n_used = n > n_skipped ? n - n_skipped : 0;
    double ranks = 0;
    for (size_t t = n_skipped; t < n; t++)
        ranks += (double)(t + 1);
    if (!strstr(" cls mean max mean_sqrt weighted_mean last ", kind))
        plain_complain(model, "pooling %s is not known", kind);
    for (size_t i = 0; i < width; i++) {
        double sum = 0, weighted = 0, largest = -(double)INFINITY;
        for (size_t t = n_skipped; t < n; t++) {
            double value = output->tokens[t * width + i];
            sum += value;
            weighted += (double)(t + 1) * value / ranks;
            largest = fmax(largest, value);
        }
        out[i] = n_used == 0                       ? 0
                 : plain_is(kind, "mean")          ? sum / (double)n_used
                 : plain_is(kind, "mean_sqrt")     ? sum / sqrt((double)n_used)
                 : plain_is(kind, "max")           ? largest
                 : plain_is(kind, "weighted_mean") ? weighted
                 : plain_is(kind, "last")          ? output->tokens[(n - 1) * width + i]
                                                   : output->tokens[n_skipped * width + i];
    }
}

static void to_unit_length(double *x, size_t n)
{
    double square = 0;
    for (size_t i = 0; i < n; i++)
        square += x[i] * x[i];
    for (size_t i = 0; i < n; i++)
        x[i] /= fmax(sqrt(square), 1e-12);
}

void plain_pool(const struct plain_output *output, const char *pooling, bool normalize, double *out)
{
    char error[256] = "";
    memset(out, 0, output->width * sizeof *out);
    if (output->n_tokens > 0)
        pool(&(struct plain_model){.error = error}, output, pooling, 0, out);
    if (normalize)
        to_unit_length(out, output->width);
}

static double activate_dense(struct plain_model *model, const char *kind, double x)
{
    return plain_is(kind, "identity")  ? x
           : plain_is(kind, "tanh")    ? tanh(x)
           : plain_is(kind, "sigmoid") ? 1 / (1 + exp(-x))
                                       : activate(model, kind, false, x);
}

/* Copies the name of a list that begins at *at, and moves that to the next. Returns whether there
 * was one. */
static bool next_name(const char **at, char name[32])
{
    size_t len = strcspn(*at, ",");
    snprintf(name, 32, "%.*s", (int)(len < 31 ? len : 31), *at);
    *at += len + ((*at)[len] == ',');
    return len > 0;
}

/* The model's own vector before its projections; stores its width. */
static double *pool_own(struct plain_model *model, const struct plain_output *output, size_t *width)
{
    const size_t n_skipped = model->pools_prompt ? 0 : output->n_prompt;
    const char *at = model->joined_poolings;
    double *x = plain_doubles(9 * output->width);
    char name[32];
    pool(model, output, model->pooling, n_skipped, x);
    for (*width = output->width; next_name(&at, name); *width += output->width)
        pool(model, output, name, n_skipped, x + *width);
    return x;
}

static void projection_norm(struct plain_model *model, const char *name, double *x, size_t n)
{
    const double eps = model->norm_eps;
    const bool has_bias = model->norm_bias;
    model->norm_eps = 1e-5;
    model->norm_bias = true;
    plain_normalise(model, "layer", name, x, 1, n);
    model->norm_eps = eps;
    model->norm_bias = has_bias;
}

double *plain_vector_of_text(const struct plain_weights *weights, const struct plain_output *output,
                             size_t *width, char error[256])
{
    struct plain_model model = plain_model_open(weights, NULL, error);
    double *x = pool_own(&model, output, width);
    const char *at = model.projection_activation;
    char activation[32] = "";
    for (size_t i = 0; i < model.n_projections && error[0] == '\0'; i++) {
        char name[64], next[32];
        if (next_name(&at, next))
            memcpy(activation, next, sizeof next); /* the last one is for all that follow */
        snprintf(name, sizeof name, "projection.%zu.weight", i);
        const struct plain_tensor *weight = plain_tensor(weights, name);
        const size_t n_out = weight ? weight->rows : 0;
        *strrchr(name, '.') = '\0';
        if (plain_is(activation, "layer_norm")) {
            projection_norm(&model, name, x, *width);
            continue;
        }
        double *y = plain_linear(&model, name, model.projection_bias, x, 1, *width, n_out);
        free(x);
        x = y;
        *width = n_out;
        for (size_t k = 0; k < n_out; k++)
            x[k] = activate_dense(&model, activation, x[k]);
    }
    if (model.normalize)
        to_unit_length(x, *width);
    if (error[0] == '\0')
        return x;
    free(x);
    return NULL;
}

/* z = norm(act(x·Wᵀ + b)) where the head has these parts: x [D] in place. */
static void apply_head(struct plain_model *model, double *x)
{
    size_t width = model->width;
    if (!plain_is(model->head_dense, "none")) {
        double *dense =
            plain_linear(model, "head.dense", model->head_dense_bias, x, 1, width, width);
        for (size_t i = 0; i < width; i++)
            x[i] = activate_dense(model, model->head_dense, dense[i]);
        free(dense);
    }
    if (model->head_norm)
        plain_normalise(model, "layer", "head.norm", x, 1, width);
}

bool plain_scores(const struct plain_weights *weights, const struct plain_output *output,
                  double *out, char error[256])
{
    struct plain_model model = plain_model_open(weights, NULL, error);
    if (error[0] != '\0')
        return false;
    double *pooled = plain_doubles(model.width), sum = 0;
    double *rows = plain_doubles(output->n_tokens * model.width);
    struct plain_output late = *output;
    late.tokens = rows;
    for (size_t i = 0; i < output->n_tokens * model.width; i++)
        rows[i] = output->tokens[i];
    for (size_t t = 0; model.head_late && t < output->n_tokens; t++)
        apply_head(&model, rows + t * model.width);
    pool(&model, &late, model.head_pooling, 0, pooled);
    if (!model.head_late)
        apply_head(&model, pooled);
    free(rows);
    double *logits = plain_linear(&model, "head.output", model.head_bias, pooled, 1, model.width,
                                  model.n_labels);
    for (size_t i = 0; i < model.n_labels; i++)
        sum += exp(logits[i]);
    for (size_t i = 0; i < model.n_labels; i++)
        out[i] = plain_is(model.scores, "softmax")   ? exp(logits[i]) / sum
                 : plain_is(model.scores, "sigmoid") ? 1 / (1 + exp(-logits[i]))
                                                     : logits[i];
    free(pooled);
    free(logits);
    return error[0] == '\0';
}
