/* pictures.c - the maps of what a model computes: encode-plot attention, layers, similarity and
 * steps. */
#include "tools/study/plot/pictures/pictures.h"

#include "tools/common/options.h"

#include <math.h>
#include <string.h>

/* ---- Attention: the weights a softmax(q·k / sqrt(K)) of one head, of the mean of a layer's heads,
 * or of all heads of a layer; or the rollout over layers (Abnar, Zuidema: Quantifying Attention
 * Flow in Transformers, 2020):
 *
 *     R = A_L * … * A_1   with A_l = 0.5 * mean over heads of a_l + 0.5 * I
 * ---- */

enum { ATTENTION_CELLS_MOST = 1 << 28 }; /* [L, H, T, T] of double: 2 GiB */

/* Returns the mean of the heads [H, n_cells] of a layer. */
static double *mean_of_heads(const double *heads, size_t n_heads, size_t n_cells)
{
    double *mean = alloc_zeros(n_cells, sizeof *mean);
    for (size_t h = 0; h < n_heads; h++)
        for (size_t i = 0; i < n_cells; i++)
            mean[i] += heads[h * n_cells + i] / (double)n_heads;
    return mean;
}

/* Returns A_L * … * A_1 of the weights [L, H, n, n]. */
static const double *roll_out(const double *weights, size_t n_layers, size_t n_heads, size_t n)
{
    double *rolled = alloc_zeros(n * n, sizeof *rolled);
    for (size_t i = 0; i < n; i++)
        rolled[i * n + i] = 1;
    for (size_t layer = 0; layer < n_layers; layer++) {
        const double *mean = mean_of_heads(weights + layer * n_heads * n * n, n_heads, n * n);
        double *product = alloc_zeros(n * n, sizeof *product);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double sum = 0.5 * rolled[i * n + j];
                for (size_t k = 0; k < n; k++)
                    sum += 0.5 * mean[i * n + k] * rolled[k * n + j];
                product[i * n + j] = sum;
            }
        rolled = product;
    }
    return rolled;
}

/* Adds a map [n, n]. Colours begin at 0. */
static void add_attention_map(const struct plot_source *source, struct figure *figure,
                              const double *map, const char *title)
{
    const struct item *item = &source->items[0];
    size_t n = item->n_tokens;
    bool is_small = title && source->encoder.info.n_heads > 2;
    struct panel *panel = figure_add(figure, PANEL_MAP, n, n);
    memcpy(panel->values, map, n * n * sizeof *map);
    panel->most = panel_range(panel).most;
    panel->title = title;
    panel->x.labels = panel->y.labels = source_labels(source, item);
    panel->x.title = is_small ? "key" : "key: what is looked at";
    panel->y.title = is_small ? "query" : "query: what looks";
    panel->unit = source->options->is_rollout ? "rollout" : "attention weight";
}

/* The weights of all heads are held in memory, and grow with the square of the text. */
static void check_attention_options(const struct plot_options *options, const engine_info *info,
                                    size_t n)
{
    double n_cells = (double)info->n_layers * (double)info->n_heads * (double)n * (double)n;
    if (options->layer > info->n_layers)
        program_die_misused("--layer %zu: this model has layers 1 to %zu", options->layer,
                            info->n_layers);
    if (options->head > info->n_heads)
        program_die_misused("--head %zu: this model has heads 1 to %zu", options->head,
                            info->n_heads);
    if (n_cells > ATTENTION_CELLS_MOST)
        program_die_misused(
            "%zu tokens have %zu x %zu x %zu x %zu attention weights (layers, heads, queries, "
            "keys), and a picture takes at most %d: a shorter text is needed",
            n, info->n_layers, info->n_heads, n, n, ATTENTION_CELLS_MOST);
}

void picture_attention(struct plot_source *source, struct figure *figure)
{
    const struct plot_options *options = source->options;
    const engine_info *info = &source->encoder.info;
    const struct item *item = source_only_text(source, "there is no attention in it");
    size_t n_heads = info->n_heads, n_cells = item->n_tokens * item->n_tokens;
    size_t layer = options->layer ? options->layer : options->is_rollout ? info->n_layers : 1;
    check_attention_options(options, info, item->n_tokens);
    const double *weights = source_trace(source, WITH_POSITIONS, item, ENGINE_TRACE_ATTENTION);
    const double *heads = weights + (layer - 1) * n_heads * n_cells;
    const char *what = text_new("Attention, layer %zu of %zu", layer, info->n_layers);
    if (options->is_rollout) {
        what = text_new("Attention rollout over layers 1 to %zu", layer);
        add_attention_map(source, figure, roll_out(weights, layer, n_heads, item->n_tokens), NULL);
    } else if (options->is_head_mean) {
        what = text_new("%s, mean of %zu heads", what, n_heads);
        add_attention_map(source, figure, mean_of_heads(heads, n_heads, n_cells), NULL);
    } else if (options->head) {
        what = text_new("%s, head %zu of %zu", what, options->head, n_heads);
        add_attention_map(source, figure, heads + (options->head - 1) * n_cells, NULL);
    } else {
        for (size_t head = 0; head < n_heads; head++)
            add_attention_map(source, figure, heads + head * n_cells,
                              n_heads > 1 ? text_new("head %zu", head + 1) : NULL);
        figure->shares_names = figure->shares_scale = n_heads > 1;
    }
    figure->is_square = true;
    figure->title = text_new("%s: %s, %s", what, source->encoder.name,
                             source_positions(source, WITH_POSITIONS));
}

/* ---- Layers: how far each moves each token, |h_l - h_(l-1)|, h_0 being the state after the
 * embedding step ---- */

void picture_layers(struct plot_source *source, struct figure *figure)
{
    const struct item *item = source_only_text(source, "nothing moves its tokens");
    const double *states = source_trace(source, WITH_POSITIONS, item, ENGINE_TRACE_HIDDEN);
    size_t n = item->n_tokens, width = source->encoder.info.width;
    struct panel *panel = figure_add(figure, PANEL_MAP, source->encoder.info.n_layers, n);
    for (size_t i = 0; i < panel->y.n * n; i++) /* the next layer's state is n rows on */
        panel->values[i] = vector_distance(states + i * width, states + (i + n) * width, width);
    figure->y_up = true;
    panel->x.labels = source_labels(source, item);
    axis_name_all(&panel->y);
    for (size_t l = 0; l < panel->y.n; l++)
        panel->y.labels[l] = text_new("layer %zu", l + 1);
    panel->x.title = "token";
    panel->y.title = "layer";
    panel->unit = "Euclidean distance";
    figure->title = text_new("How far each layer moves each token: %s, %s", source->encoder.name,
                             source_positions(source, WITH_POSITIONS));
}

/* ---- Similarity: the cosine of the pooled vectors of every two texts ---- */

/* With cosines below zero the colours are white in the middle; else they begin near the least. */
void picture_similarity(struct plot_source *source, struct figure *figure)
{
    size_t width;
    const size_t n = source->n_items;
    for (size_t i = 0; i < n; i++)
        if (source->items[i].n_tokens == 0)
            program_note("text %zu has no tokens: its cosines are 0", i + 1);
    const float *vectors = source_pool(source, WITH_POSITIONS, &width);
    struct panel *panel = figure_add(figure, PANEL_MAP, n, n);
    for (size_t i = 0; i < n * n; i++)
        panel->values[i] = engine_cosine(vectors + i / n * width, vectors + i % n * width, width);
    double least = panel_range(panel).least;
    panel->most = 1;
    panel->least = least < 0 ? -1 : floor(least * 10) / 10;
    if (panel->least >= 1)
        panel->least = 0;
    axis_name_all(&panel->x);
    for (size_t i = 0; i < n; i++) {
        const engine_input *input = &source->items[i].record.input;
        panel->x.labels[i] = text_of_bytes(input->text, input->text_len);
    }
    panel->y.labels = panel->x.labels;
    panel->unit = "cosine of the texts' vectors";
    figure->is_square = true;
    figure->title = text_new("Similarity of texts: %s, %s pooling, %s", source->encoder.name,
                             source_pooling(source), source_positions(source, WITH_POSITIONS));
}

/* ---- Steps: the numbers inside the layers, in the order in which they are computed, of every
 * text: a table for each step, a row for each token; and at the end the texts' vectors ---- */

struct step_panels {
    struct plot_source *source;
    const struct item *item;
    const char **labels; /* of its tokens */
    struct figure *figure;
    size_t page; /* one for each layer of each text */
};

/* "layer 2: attention + residual" */
static const char *step_title(const engine_trace_view *view)
{
    bool by_sublayer = view->kind == ENGINE_TRACE_SUM || view->kind == ENGINE_TRACE_NORM;
    size_t layer = by_sublayer ? view->index / 2 + 1 : view->index + 1;
    const char *sublayer = view->index % 2 == 0 ? "attention" : "feed-forward";
    switch (view->kind) {
    case ENGINE_TRACE_HIDDEN:
        return view->index == 0 ? "embedding" : text_new("layer %zu: output", view->index);
    case ENGINE_TRACE_PROJECTIONS: return text_new("layer %zu: queries, keys, values", layer);
    case ENGINE_TRACE_ATTENTION: return text_new("layer %zu: attention, head ", layer);
    case ENGINE_TRACE_HEADS: return text_new("layer %zu: heads", layer);
    case ENGINE_TRACE_SUM: return text_new("layer %zu: %s + residual", layer, sublayer);
    case ENGINE_TRACE_NORM: return text_new("layer %zu: norm of %s", layer, sublayer);
    case ENGINE_TRACE_MIDDLE: return text_new("layer %zu: middle of feed-forward", layer);
    }
    return "";
}

static struct panel *add_step_panel(const struct step_panels *steps, const char *title,
                                    const float *values, size_t n_rows, size_t n_columns)
{
    struct panel *panel = figure_add(steps->figure, PANEL_MAP, n_rows, n_columns);
    for (size_t i = 0; i < n_rows * n_columns; i++)
        panel->values[i] = (double)values[i];
    panel->title = title;
    panel->page = steps->page;
    panel->unit = "value";
    panel_limit_colors(panel);
    return panel;
}

/* Adds a panel with a row for each token; for attention, one for each head. */
static void add_step(const engine_trace_view *view, void *user)
{
    struct step_panels *steps = user;
    const char *title = step_title(view);
    const bool are_heads = view->kind == ENGINE_TRACE_ATTENTION;
    const size_t n = view->n_tokens, n_panels = are_heads ? view->n_heads : 1;
    if (steps->source->n_items > 1)
        title = text_new("text %zu: %s", steps->item->number, title);
    for (size_t i = 0; i < n_panels; i++) {
        struct panel *panel =
            add_step_panel(steps, are_heads ? text_new("%s%zu", title, i + 1) : title,
                           view->values + i * n * n, n, are_heads ? n : view->width);
        panel->y.title = "token";
        panel->y.labels = steps->labels;
        if (are_heads) {
            panel->x.labels = panel->y.labels;
            panel->x.title = "key";
        }
    }
    if (view->kind == ENGINE_TRACE_HIDDEN && view->index > 0 &&
        view->index < steps->source->encoder.info.n_layers)
        steps->page++;
}

void picture_steps(struct plot_source *source, struct figure *figure)
{
    struct step_panels steps = {.source = source, .figure = figure};
    for (size_t i = 0; i < source->n_items; i++) {
        steps.item = &source->items[i];
        steps.labels = source_labels(source, steps.item);
        steps.page++;
        if (steps.item->n_tokens == 0)
            program_die("text %zu has no tokens: there is nothing to look at", i + 1);
        source_watch(source, WITH_POSITIONS, steps.item, ENGINE_TRACE_ALL, add_step, &steps);
    }
    size_t width;
    const float *vectors = source_pool(source, WITH_POSITIONS, &width);
    const char *title = text_new("vectors of the texts: %s", source_pooling(source));
    add_step_panel(&steps, title, vectors, source->n_items, width)->y.title = "text";
    figure->columns = 2; /* rows are wide */
    figure->title = text_new("Step by step: %s, %s", source->encoder.name,
                             source_positions(source, WITH_POSITIONS));
}
