/* picture_steps.c - encode-plot steps: the numbers inside the layers, in the order in which they
 * are computed, of every text: a table for each step, a row for each token; and at the end the
 * vectors of the texts. */
#include "tools/study/plot/pictures/pictures.h"

#include "tools/common/options.h"

#include <string.h>

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
    panel->palette = steps->source->options->palette;
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
    figure->shows_values = true;
    figure->title = text_new("Step by step: %s, %s", source->encoder.name,
                             source_positions(source, WITH_POSITIONS));
}
