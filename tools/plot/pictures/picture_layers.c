/* picture_layers.c - encode-plot layers: how far each layer moves each token, |h_l - h_(l-1)| or
 * 1 - cos(h_l, h_(l-1)), h_0 being the state after the embedding step. */
#include "tools/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/plot/memory.h"
#include "tools/plot/plot_source.h"

#include <stdlib.h>
#include <string.h>

static void fill(const struct plot_options *options, const struct states *states,
                 struct panel *panel)
{
    size_t n = states->n_tokens, width = states->width;
    for (size_t l = 1; l <= states->n_layers; l++)
        for (size_t t = 0; t < n; t++)
            panel->values[(l - 1) * n + t] =
                vector_distance(states->hidden + ((l - 1) * n + t) * width,
                                states->hidden + (l * n + t) * width, width, options->by_cosine);
}

static void name_all(const struct plot_options *options, const struct source *source,
                     const struct item *item, struct figure *figure, struct panel *panel)
{
    char positions[POSITIONS_BYTES];
    axis_name_all(&panel->x);
    for (size_t t = 0; t < panel->x.n; t++)
        source_label(source, item, t, &panel->x.labels[t]);
    axis_name_all(&panel->y);
    for (size_t l = 0; l < panel->y.n; l++)
        text_set(&panel->y.labels[l], "layer %zu", l + 1);
    text_set(&panel->x.title, "token");
    text_set(&panel->y.title, "layer");
    text_set(&panel->unit, options->by_cosine ? "1 − cosine" : "Euclidean distance");
    text_set(&figure->title, "How far each layer moves each token: %s, %s", source->encoder.name,
             source_positions(source, WITH_POSITIONS, positions));
}

void picture_layers(const struct plot_options *options, struct figure *figure)
{
    const char *text = options->request.texts[0];
    struct source source;
    struct item item;
    struct states states;
    source_open(&source, options);
    source_tokenize(&source, text, strlen(text), 1, &item);
    if (item.n_tokens == 0)
        exit(program_fail("the text has no tokens: there is nothing to look at"));
    if (source.encoder.info.n_layers == 0)
        exit(program_fail("%s has no layers, so nothing moves its tokens", source.encoder.name));
    source_trace(&source, WITH_POSITIONS, &item, ENGINE_TRACE_HIDDEN, 0, false, &states);
    struct panel *panel = figure_add(figure, PANEL_MAP, states.n_layers, states.n_tokens);
    panel->y_up = panel->shows_values = true;
    panel->palette = picture_palette(options, PALETTE_VIRIDIS);
    fill(options, &states, panel);
    name_all(options, &source, &item, figure, panel);
    states_free(&states);
    item_free(&item);
    source_close(&source);
}
