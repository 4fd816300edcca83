/* encoder.c - to be read along with the paper: every step is a plain loop over doubles, every
 * formula is written as in weights/FORMAT.md, and nothing is shared with the engine.
 *
 * Matrices of linear layers are [out, in], y = x·Wᵀ + b; attention is in attention.c. */
#include "engine/plain/attention.h"
#include "engine/plain/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Embedding ---- */

/* x [T, E] += position_scale · PE, of a learned table or by a formula */
static void add_positions(const struct plain_model *model, const struct plain_text *text, double *x)
{
    const size_t width = model->embedding_width;
    for (size_t t = 0; t < text->n_tokens; t++) {
        const struct plain_place *at = &text->places[t];
        for (size_t i = 0; i < width; i++)
            x[t * width + i] +=
                model->position_scale *
                (model->learned ? model->learned[at->row * width + i]
                                : plain_position(model, at->position, text->length, i));
    }
}

/* x [T, D]; NULL after a complaint. */
static double *embed(struct plain_model *model, const struct plain_text *text)
{
    const size_t width = model->embedding_width, n_tokens = text->n_tokens;
    const double *tokens =
        plain_values(model, "embedding.token", ".weight", model->vocabulary, width);
    const size_t n_types = model->n_types;
    const double *types =
        n_types > 0 ? plain_values(model, "embedding.type", ".weight", n_types, width) : NULL;
    if (model->error[0] != '\0')
        return NULL;
    double *x = plain_doubles(n_tokens, width);
    for (size_t t = 0; t < n_tokens; t++)
        for (size_t i = 0; i < width; i++)
            x[t * width + i] = model->embedding_scale * tokens[text->places[t].id * width + i] +
                               (types ? types[text->places[t].type * width + i] : 0);
    plain_show(model, x, n_tokens, width, "scale · token + type");
    add_positions(model, text, x);
    plain_show(model, x, n_tokens, width, "+ position");
    if (!plain_is(model->embedding_norm, "none"))
        plain_normalise(model, model->embedding_norm, "embedding.norm", x, n_tokens, width);
    if (width == model->width)
        return x;
    double *projected =
        plain_linear(model, "embedding.projection", x, n_tokens, width, model->width);
    free(x);
    return projected;
}

/* ---- Layers ---- */

/* Adds to y [D] a share of one expert's result: act(x·Winᵀ)·Woutᵀ, x and y [D]. */
static void add_expert(struct plain_model *model, const double *in, const double *out,
                       const double *x, double share, double *y)
{
    const size_t width = model->width, middle = model->feed_forward;
    for (size_t f = 0; f < middle; f++) {
        double sum = plain_dot(in + f * width, x, width);
        for (size_t i = 0; i < width; i++)
            y[i] += share * plain_activation(model->activation, sum) * out[i * middle + f];
    }
}

/* Each token's sum of a few experts: those of its largest shares, the softmax of all logits. */
static double *experts(struct plain_model *model, const double *x, size_t n_tokens)
{
    size_t width = model->width, middle = model->feed_forward, n = model->experts;
    double *result = plain_doubles(n_tokens, width);
    double *shares = plain_linear(model, "feed_forward.router", x, n_tokens, width, n);
    const double *in = plain_values(model, "feed_forward.in", ".weight", n * middle, width);
    const double *out = plain_values(model, "feed_forward.out", ".weight", n * width, middle);
    const double *bias = plain_bias_of(model, "feed_forward.out", width);
    for (size_t t = 0; t < n_tokens && model->error[0] == '\0'; t++) {
        double *own = shares + t * n;
        for (size_t i = 0; i < width; i++)
            result[t * width + i] = bias ? bias[i] : 0;
        plain_softmax(own, n, own);
        for (size_t used = 0; used < model->experts_used; used++) {
            size_t best = 0;
            for (size_t e = 1; e < n; e++)
                best = own[e] > own[best] ? e : best;
            add_expert(model, in + best * middle * width, out + best * width * middle,
                       x + t * width, own[best], result + t * width);
            own[best] = -1;
        }
    }
    free(shares);
    return result;
}

static double *feed_forward(struct plain_model *model, const double *x, size_t n_tokens)
{
    if (model->experts_every > 0 && model->layer % model->experts_every == 1)
        return experts(model, x, n_tokens);
    const size_t width = model->width, middle = model->feed_forward;
    const bool is_gated = !plain_is(model->gate, "none");
    const bool is_second = plain_is(model->gate, "second");
    const size_t n_in = is_gated ? 2 * middle : middle;
    const char *activation = is_gated && middle % 16 != 0
                                 ? model->activation
                                 : plain_activation_after(model, "feed_forward.in");
    double *in = plain_linear(model, "feed_forward.in", x, n_tokens, width, n_in);
    double *between = plain_doubles(n_tokens, middle);
    for (size_t t = 0; t < n_tokens; t++)
        for (size_t i = 0; i < middle; i++) {
            double first = in[t * n_in + i], second = is_gated ? in[t * n_in + middle + i] : 1;
            between[t * middle + i] = is_second ? first * plain_activation(activation, second)
                                                : plain_activation(activation, first) * second;
        }
    plain_show(model, between, n_tokens, middle, "activated, times the gate if there is one");
    double *result = plain_linear(model, "feed_forward.out", between, n_tokens, middle, width);
    free(in);
    free(between);
    return result;
}

/* post:     x = norm(x + part(x))
 * pre:      x = x + part(norm(x)), without the norm in the first layer's attention if first_norm is
 *           no
 * sandwich: x = x + norm_after(part(norm(x)))
 * twice:    x = norm(x + norm_after(x + attention(x))); else as post
 * map NULL: the feed-forward part. */
static void sublayer(struct plain_model *model, double *x, const struct plain_text *text,
                     double *map)
{
    size_t n_tokens = text->n_tokens, n = n_tokens * model->width;
    const char *norm = map ? "attention.norm" : "feed_forward.norm";
    const char *after = map ? "attention.norm_after" : "feed_forward.norm_after";
    bool is_twice = plain_is(model->norm_place, "twice");
    bool is_post = is_twice || plain_is(model->norm_place, "post");
    double *input = plain_doubles(n_tokens, model->width);
    memcpy(input, x, n * sizeof *x);
    if (!is_post && (model->first_norm || model->layer > 0 || !map))
        plain_normalise(model, model->norm, norm, input, n_tokens, model->width);
    double *result =
        map ? plain_self_attention(model, input, text, map) : feed_forward(model, input, n_tokens);
    for (size_t i = 0; is_twice && map && i < n; i++)
        result[i] += x[i];
    if ((is_twice && map) || plain_is(model->norm_place, "sandwich"))
        plain_normalise(model, model->norm, after, result, n_tokens, model->width);
    for (size_t i = 0; i < n; i++)
        x[i] += result[i];
    plain_show(model, x, n_tokens, model->width, "x + %s", map ? "attention" : "feed-forward");
    if (is_post)
        plain_normalise(model, model->norm, norm, x, n_tokens, model->width);
    free(input);
    free(result);
}

/* x = scale · (x + norm_after(out · (act(x·Wby) · norm(embedding·Win)))) */
static void add_layer_input(struct plain_model *model, const double *embedding, double *x,
                            size_t n_tokens)
{
    const size_t width = model->width, own = model->layer_input_width;
    if (own == 0)
        return;
    double *signal = plain_linear(model, "layer_input.in", embedding, n_tokens, width, own);
    plain_normalise(model, "rms", "layer_input.norm", signal, n_tokens, own);
    double *gate = plain_linear(model, "layer_input.by", x, n_tokens, width, own);
    const char *activation = plain_activation_after(model, "layer_input.by");
    for (size_t i = 0; i < n_tokens * own; i++)
        signal[i] *= plain_activation(activation, gate[i]);
    double *result = plain_linear(model, "layer_input.out", signal, n_tokens, own, width);
    plain_normalise(model, "rms", "layer_input.norm_after", result, n_tokens, width);
    const double *scale = plain_values(model, "layer_input.scale", ".weight", 1, 0);
    for (size_t i = 0; scale && i < n_tokens * width; i++)
        x[i] = *scale * (x[i] + result[i]);
    plain_show(model, x, n_tokens, width, "scale · (x + what the layer takes from the embedding)");
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
        model->layer = layer;
        snprintf(model->prefix, sizeof model->prefix, "layers.%zu.",
                 layer * model->n_groups / model->n_layers);
        sublayer(model, x, text, output->attention + layer * model->n_heads * n_tokens * n_tokens);
        sublayer(model, x, text, NULL);
        add_layer_input(model, output->hidden, x, n_tokens);
        memcpy(output->hidden + (layer + 1) * n, x, n * sizeof *x);
    }
    model->prefix[0] = '\0';
    if (model->final_norm)
        plain_normalise(model, model->norm, "final.norm", x, n_tokens, model->width);
}

/* ---- The complete encoder ---- */

/* The tokens that the mask leaves. Positions count from the first of them, hidden ones between them
 * too, rows of a learned table with position_skips_padding only tokens that are no padding. */
static struct plain_text places_of(struct plain_model *model, const struct plain_input *input)
{
    struct plain_place *places = plain_new(input->n, sizeof *places);
    struct plain_text text = {.places = places, .n_unseen = input->n_unseen};
    size_t first = 0, n_counted = 0;
    for (size_t t = 0; t < input->n; t++) {
        const int32_t id = input->ids[t], type = input->types ? input->types[t] : 0;
        const bool is_hidden = input->mask && !input->mask[t];
        const bool is_padding = model->skips_padding && id == (int32_t)model->position_offset - 1;
        n_counted += !is_padding && !(is_hidden && text.n_tokens == 0);
        if (is_hidden)
            continue;
        first = text.n_tokens == 0 ? t : first;
        text.length = t - first + 1;
        places[text.n_tokens++] = (struct plain_place){
            .id = (size_t)id,
            .type = (size_t)type,
            .position = t - first,
            .row = model->position_offset - 1 + (is_padding ? 0 : n_counted),
        };
        if ((size_t)id >= model->vocabulary ||
            (model->n_types > 0 && (size_t)type >= model->n_types))
            plain_complain(model->error, "id %d, type %d: the model has %zu ids, %zu types",
                           (int)id, (int)type, model->vocabulary, model->n_types);
    }
    if (input->n > model->max_tokens)
        plain_complain(model->error, "%zu tokens: the model takes %zu", input->n,
                       model->max_tokens);
    return text;
}

bool plain_encode(const struct plain_weights *weights, const struct plain_input *input,
                  const struct plain_options *options, struct plain_output *output, char error[256])
{
    struct plain_model model = plain_model_open(weights, options, error);
    struct plain_text text = places_of(&model, input);
    const size_t n_tokens = text.n_tokens, n_layers = model.n_layers, n_heads = model.n_heads;
    *output = (struct plain_output){n_tokens, n_layers, n_heads, .width = model.width};
    if (error[0] == '\0')
        output->tokens = embed(&model, &text);
    if (error[0] == '\0') {
        output->hidden = plain_doubles(n_layers + 1, n_tokens * model.width);
        output->attention = plain_doubles(n_layers * n_heads, n_tokens * n_tokens);
        run_layers(&model, &text, output);
    }
    free(text.places);
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
    struct plain_text text = {n, n, plain_new(n, sizeof *text.places), 0};
    for (size_t i = 0; i < n; i++)
        text.places[i] = (struct plain_place){.position = i, .row = model.position_offset + i};
    if (model.learned && n > model.max_tokens)
        plain_complain(error, "%zu positions: the model has %zu", n, model.max_tokens);
    memset(out, 0, n * model.embedding_width * sizeof *out);
    if (error[0] == '\0')
        add_positions(&model, &text, out);
    free(text.places);
    return error[0] == '\0';
}
