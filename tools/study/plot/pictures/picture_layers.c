/* picture_layers.c - encode-plot layers: how far each layer moves each token, |h_l - h_(l-1)| or
 * 1 - cos(h_l, h_(l-1)), h_0 being the state after the embedding step. */
#include "tools/study/plot/pictures/pictures.h"

void picture_layers(struct plot_source *source, struct figure *figure)
{
    const struct plot_options *options = source->options;
    const struct item *item = source_only_text(source, "nothing moves its tokens");
    const double *states = source_trace(source, WITH_POSITIONS, item, ENGINE_TRACE_HIDDEN);
    size_t n = item->n_tokens, width = source->encoder.info.width;
    struct panel *panel = figure_add(figure, PANEL_MAP, source->encoder.info.n_layers, n);
    for (size_t i = 0; i < panel->y.n * n; i++) /* the next layer's state is n rows on */
        panel->values[i] = vector_distance(states + i * width, states + (i + n) * width, width,
                                           options->by_cosine);
    figure->y_up = figure->shows_values = true;
    panel->palette = options->palette ? options->palette : PALETTE_VIRIDIS;
    panel->x.labels = source_labels(source, item);
    axis_name_all(&panel->y);
    for (size_t l = 0; l < panel->y.n; l++)
        panel->y.labels[l] = text_new("layer %zu", l + 1);
    panel->x.title = "token";
    panel->y.title = "layer";
    panel->unit = options->by_cosine ? "1 − cosine" : "Euclidean distance";
    figure->title = text_new("How far each layer moves each token: %s, %s", source->encoder.name,
                             source_positions(source, WITH_POSITIONS));
}
