/* picture_attention.c - encode-plot attention: the weights a softmax(q·k / sqrt(K)) of one head, of
 * the mean of a layer's heads, or of all heads of a layer; or the rollout over layers (Abnar,
 * Zuidema: Quantifying Attention Flow in Transformers, 2020):
 *
 *     R = A_L * … * A_1   with A_l = 0.5 * mean over heads of a_l + 0.5 * I
 *
 * Padding has zero rows and columns: no token sees it, and nothing is computed for it.
 */
#include "tools/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/plot/memory.h"
#include "tools/plot/plot_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTENTION_CELLS_MOST = 1 << 28 }; /* [L, H, T, T] of double: 2 GiB */

static const double *head_of(const struct states *states, size_t layer, size_t head)
{
    size_t n = states->n_tokens;
    return states->attention + (layer * states->n_heads + head) * n * n;
}

static void add_mean(const struct states *states, size_t layer, double *out)
{
    size_t n = states->n_tokens;
    for (size_t h = 0; h < states->n_heads; h++) {
        const double *head = head_of(states, layer, h);
        for (size_t i = 0; i < n * n; i++)
            out[i] += head[i] / (double)states->n_heads;
    }
}

/* rolled becomes (0.5 * mean + 0.5 * I) * rolled. Padding has no row in the mean, and gets none. */
static void roll_layer(const struct states *states, const double *mean, const uint8_t *is_padding,
                       double *rolled, double *scratch)
{
    size_t n = states->n_tokens;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = is_padding[i] ? 0 : 0.5 * rolled[i * n + j];
            for (size_t k = 0; k < n; k++)
                sum += 0.5 * mean[i * n + k] * rolled[k * n + j];
            scratch[i * n + j] = sum;
        }
    memcpy(rolled, scratch, n * n * sizeof *rolled);
}

static void roll_out(const struct states *states, size_t n_layers, const uint8_t *is_padding,
                     double *out)
{
    size_t n = states->n_tokens;
    double *mean = memory_zeros(n * n, sizeof *mean);
    double *scratch = memory_zeros(n * n, sizeof *scratch);
    for (size_t i = 0; i < n; i++)
        out[i * n + i] = is_padding[i] ? 0 : 1;
    for (size_t layer = 0; layer < n_layers; layer++) {
        memset(mean, 0, n * n * sizeof *mean);
        add_mean(states, layer, mean);
        roll_layer(states, mean, is_padding, out, scratch);
    }
    free(mean);
    free(scratch);
}

/* ---- Panels ---- */

struct request {
    const struct plot_options *options;
    const struct source *source;
    const struct item *item;
    const struct states *states;
    size_t layer;        /* from 0; of the rollout, the last */
    uint8_t *is_padding; /* [T] */
};

static void name_tokens(const struct request *request, struct axis *axis)
{
    size_t next = 0;
    axis_name_all(axis);
    for (size_t t = 0; t < axis->n; t++)
        if (request->is_padding[t])
            text_set(&axis->labels[t], "[padding]");
        else
            source_label(request->source, request->item, next++, &axis->labels[t]);
}

static struct panel *add_panel(const struct request *request, struct figure *figure)
{
    const struct plot_options *options = request->options;
    size_t n = request->states->n_tokens;
    struct panel *panel = figure_add(figure, PANEL_MAP, n, n);
    bool is_grid = !options->head && !options->is_head_mean && !options->is_rollout &&
                   request->states->n_heads > 2;
    panel->is_square = panel->shows_values = true;
    panel->palette = picture_palette(options, PALETTE_BLUES);
    name_tokens(request, &panel->x);
    name_tokens(request, &panel->y);
    text_set(&panel->x.title, is_grid ? "key" : "key: what is looked at");
    text_set(&panel->y.title, is_grid ? "query" : "query: what looks");
    text_set(&panel->unit, options->is_rollout ? "rollout" : "attention weight");
    return panel;
}

static struct panel *add_head(const struct request *request, struct figure *figure, size_t head)
{
    size_t n = request->states->n_tokens;
    struct panel *panel = add_panel(request, figure);
    memcpy(panel->values, head_of(request->states, request->layer, head), n * n * sizeof(double));
    return panel;
}

static void add_heads(const struct request *request, struct figure *figure)
{
    bool are_many = request->states->n_heads > 1;
    for (size_t head = 0; head < request->states->n_heads; head++) {
        struct panel *panel = add_head(request, figure, head);
        if (are_many)
            text_set(&panel->title, "head %zu", head + 1);
    }
    figure->shares_x = figure->shares_y = figure->shares_scale = are_many;
}

static void add_panels(const struct request *request, struct figure *figure)
{
    const struct plot_options *options = request->options;
    if (options->is_rollout)
        roll_out(request->states, request->layer + 1, request->is_padding,
                 add_panel(request, figure)->values);
    else if (options->is_head_mean)
        add_mean(request->states, request->layer, add_panel(request, figure)->values);
    else if (options->head)
        add_head(request, figure, options->head - 1);
    else
        add_heads(request, figure);
    for (size_t i = 0; i < figure->n_panels; i++) { /* colours begin at 0, which padding is */
        double least;
        panel_range(&figure->panels[i], &least, &figure->panels[i].most);
    }
}

static void name_figure(const struct request *request, struct figure *figure)
{
    const struct plot_options *options = request->options;
    const struct encoder *encoder = &request->source->encoder;
    char what[96], positions[POSITIONS_BYTES];
    size_t layer = request->layer + 1, n_layers = request->states->n_layers;
    if (options->is_rollout)
        snprintf(what, sizeof what, "Attention rollout over layers 1 to %zu", layer);
    else if (options->is_head_mean)
        snprintf(what, sizeof what, "Attention, layer %zu of %zu, mean of %zu heads", layer,
                 n_layers, request->states->n_heads);
    else if (options->head)
        snprintf(what, sizeof what, "Attention, layer %zu of %zu, head %zu of %zu", layer, n_layers,
                 options->head, request->states->n_heads);
    else
        snprintf(what, sizeof what, "Attention, layer %zu of %zu", layer, n_layers);
    text_set(&figure->title, "%s: %s, %s", what, encoder->name,
             source_positions(request->source, WITH_POSITIONS, positions));
}

/* ---- What is asked for ---- */

/* The weights of all heads are kept, and grow with the square of the text. */
static void check_size(const struct plot_options *options, const engine_info *info, size_t n_tokens)
{
    size_t n = options->pad_to ? options->pad_to : n_tokens;
    double n_cells = (double)info->n_layers * (double)info->n_heads * (double)n * (double)n;
    if (n_cells > ATTENTION_CELLS_MOST)
        exit(program_misuse(
            "%zu tokens have %zu x %zu x %zu x %zu attention weights (layers, heads, queries, "
            "keys), and a picture takes at most %d: %s",
            n, info->n_layers, info->n_heads, n, n, ATTENTION_CELLS_MOST,
            options->pad_to > n_tokens ? "pad to fewer with --pad-to"
                                       : "a shorter text is needed"));
}

static void check(const struct plot_options *options, const struct source *source, size_t n_tokens)
{
    const engine_info *info = &source->encoder.info;
    if (info->n_layers == 0)
        exit(
            program_fail("%s has no layers, so there is no attention in it", source->encoder.name));
    if (options->layer > info->n_layers)
        exit(program_misuse("--layer %zu: this model has layers 1 to %zu", options->layer,
                            info->n_layers));
    if (options->head > info->n_heads)
        exit(program_misuse("--head %zu: this model has heads 1 to %zu", options->head,
                            info->n_heads));
    if (n_tokens == 0)
        exit(program_fail("the text has no tokens: there is nothing to look at"));
    if (options->pad_to && options->pad_to < n_tokens)
        exit(program_misuse("--pad-to %zu is less than the %zu tokens of the text", options->pad_to,
                            n_tokens));
    if (options->pad_to > info->max_tokens)
        exit(program_misuse("--pad-to %zu: this model takes at most %zu tokens", options->pad_to,
                            info->max_tokens));
    check_size(options, info, n_tokens);
}

void picture_attention(const struct plot_options *options, struct figure *figure)
{
    const char *text = options->request.texts[0];
    struct source source;
    struct item item;
    struct states states;
    source_open(&source, options);
    source_tokenize(&source, text, strlen(text), 1, &item);
    check(options, &source, item.n_tokens);
    source_trace(&source, WITH_POSITIONS, &item, ENGINE_TRACE_ATTENTION, options->pad_to,
                 options->pad_left, &states);
    size_t n = states.n_tokens, first = options->pad_left ? n - item.n_tokens : 0;
    struct request request = {
        .options = options,
        .source = &source,
        .item = &item,
        .states = &states,
        .layer = options->layer        ? options->layer - 1
                 : options->is_rollout ? states.n_layers - 1
                                       : 0,
        .is_padding = memory_zeros(n, 1),
    };
    for (size_t t = 0; t < n; t++)
        request.is_padding[t] = t < first || t >= first + item.n_tokens;
    add_panels(&request, figure);
    name_figure(&request, figure);
    free(request.is_padding);
    states_free(&states);
    item_free(&item);
    source_close(&source);
}
