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

static const char PADDING[] = "[padding]";

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

static bool roll_out(const struct states *states, size_t n_layers, const uint8_t *is_padding,
                     double *out)
{
    size_t n = states->n_tokens;
    double *mean = calloc(n * n + 1, sizeof *mean), *scratch = calloc(n * n + 1, sizeof *scratch);
    bool is_good = mean && scratch;
    for (size_t i = 0; i < n; i++)
        out[i * n + i] = is_padding[i] ? 0 : 1;
    for (size_t layer = 0; layer < n_layers && is_good; layer++) {
        memset(mean, 0, n * n * sizeof *mean);
        add_mean(states, layer, mean);
        roll_layer(states, mean, is_padding, out, scratch);
    }
    free(mean);
    free(scratch);
    return is_good;
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
    size_t n = request->states->n_tokens, next = 0;
    axis_name_all(axis);
    for (size_t t = 0; t < n && axis->labels; t++)
        if (request->is_padding[t])
            text_set_bytes(&axis->labels[t], PADDING, sizeof PADDING - 1);
        else
            source_label(request->source, request->item, next++, &axis->labels[t]);
}

static struct panel *add_panel(const struct request *request, struct figure *figure)
{
    size_t n = request->states->n_tokens;
    struct panel *panel = figure_add(figure, PANEL_MAP, n, n);
    if (!panel)
        return NULL;
    bool is_grid = !request->options->head && !request->options->is_head_mean &&
                   !request->options->is_rollout && request->states->n_heads > 2;
    panel->is_square = panel->shows_values = true;
    panel->palette = picture_palette(request->options, PALETTE_BLUES);
    name_tokens(request, &panel->x);
    name_tokens(request, &panel->y);
    text_set(&panel->x.title, is_grid ? "key" : "key: what is looked at");
    text_set(&panel->y.title, is_grid ? "query" : "query: what looks");
    text_set(&panel->unit, request->options->is_rollout ? "rollout" : "attention weight");
    return panel;
}

static void add_head(const struct request *request, struct figure *figure, size_t head,
                     bool is_titled)
{
    size_t n = request->states->n_tokens;
    struct panel *panel = add_panel(request, figure);
    if (!panel)
        return;
    memcpy(panel->values, head_of(request->states, request->layer, head), n * n * sizeof(double));
    if (is_titled)
        text_set(&panel->title, "head %zu", head + 1);
}

static bool add_panels(const struct request *request, struct figure *figure)
{
    const struct plot_options *options = request->options;
    const struct states *states = request->states;
    if (options->is_rollout || options->is_head_mean) {
        struct panel *panel = add_panel(request, figure);
        if (panel && options->is_rollout)
            return roll_out(states, request->layer + 1, request->is_padding, panel->values);
        if (panel)
            add_mean(states, request->layer, panel->values);
        return true;
    }
    if (options->head) {
        add_head(request, figure, options->head - 1, false);
        return true;
    }
    for (size_t head = 0; head < states->n_heads; head++)
        add_head(request, figure, head, states->n_heads > 1);
    figure->shares_x = figure->shares_y = figure->shares_scale = states->n_heads > 1;
    return true;
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
static int check_size(const struct plot_options *options, const struct source *source,
                      const struct item *item)
{
    size_t n_layers = source->encoder.info.n_layers, n_heads = source->encoder.info.n_heads;
    size_t n = options->pad_to ? options->pad_to : item->n_tokens;
    if ((double)n_layers * (double)n_heads * (double)n * (double)n <= ATTENTION_CELLS_MOST)
        return PROGRAM_DONE;
    return program_misuse("%zu tokens have %zu x %zu x %zu x %zu attention weights (layers, heads, "
                          "queries, keys), and a picture takes at most %d: %s",
                          n, n_layers, n_heads, n, n, ATTENTION_CELLS_MOST,
                          options->pad_to > item->n_tokens ? "pad to fewer with --pad-to"
                                                           : "a shorter text is needed");
}

static int check(const struct plot_options *options, const struct source *source,
                 const struct item *item, size_t *layer)
{
    const engine_info *info = &source->encoder.info;
    if (info->n_layers == 0)
        return program_fail("%s has no layers, so there is no attention in it",
                            source->encoder.name);
    if (options->layer > info->n_layers)
        return program_misuse("--layer %zu: this model has layers 1 to %zu", options->layer,
                              info->n_layers);
    if (options->head > info->n_heads)
        return program_misuse("--head %zu: this model has heads 1 to %zu", options->head,
                              info->n_heads);
    if (item->n_tokens == 0)
        return program_fail("the text has no tokens: there is nothing to look at");
    if (options->pad_to && options->pad_to < item->n_tokens)
        return program_misuse("--pad-to %zu is less than the %zu tokens of the text",
                              options->pad_to, item->n_tokens);
    if (options->pad_to > info->max_tokens)
        return program_misuse("--pad-to %zu: this model takes at most %zu tokens", options->pad_to,
                              info->max_tokens);
    *layer = options->layer ? options->layer - 1 : options->is_rollout ? info->n_layers - 1 : 0;
    return check_size(options, source, item);
}

static int draw(struct request *request, struct figure *figure)
{
    const struct states *states = request->states;
    size_t n = states->n_tokens, n_words = request->item->n_tokens;
    request->is_padding = calloc(n + 1, 1);
    if (!request->is_padding)
        return program_fail("not enough memory");
    for (size_t t = 0; t < n; t++)
        request->is_padding[t] = request->options->pad_left ? t < n - n_words : t >= n_words;
    bool is_good = add_panels(request, figure);
    for (size_t i = 0; i < figure->n_panels; i++) { /* colours begin at 0, which padding is */
        double least;
        panel_range(&figure->panels[i], &least, &figure->panels[i].most);
        figure->panels[i].least = 0;
    }
    name_figure(request, figure);
    free(request->is_padding);
    return is_good ? PROGRAM_DONE : program_fail("not enough memory");
}

int picture_attention(const struct plot_options *options, struct figure *figure)
{
    const char *text = options->request.texts[0];
    struct source source;
    struct item item = {0};
    struct states states = {0};
    struct request request = {
        .options = options, .source = &source, .item = &item, .states = &states};
    int code;
    if (source_open(&source, options, &code)) {
        code = PROGRAM_FAILED;
        if (source_tokenize(&source, text, strlen(text), 1, &item))
            code = check(options, &source, &item, &request.layer);
        if (code == PROGRAM_DONE)
            code = source_trace(&source, WITH_POSITIONS, &item, ENGINE_TRACE_ATTENTION,
                                options->pad_to, options->pad_left, &states)
                       ? draw(&request, figure)
                       : PROGRAM_FAILED;
    }
    states_free(&states);
    item_free(&item);
    source_close(&source);
    return code;
}
