/* picture_similarity.c - encode-plot similarity: the cosine of the pooled vectors of every two
 * texts. */
#include "tools/study/plot/pictures/pictures.h"

#include "tools/common/options.h"

#include <math.h>

/* With cosines below zero the colours are white in the middle; else they begin near the least. */
void picture_similarity(struct plot_source *source, struct figure *figure)
{
    enum palette palette = source->options->palette;
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
    panel->palette = palette;
    panel->most = 1;
    panel->least = palette == PALETTE_RDBU || least < 0 ? -1 : floor(least * 10) / 10;
    if (panel->least >= 1)
        panel->least = 0;
    axis_name_all(&panel->x);
    for (size_t i = 0; i < n; i++) {
        const engine_input *input = &source->items[i].record.input;
        panel->x.labels[i] = text_of_bytes(input->text, input->text_len);
    }
    panel->y.labels = panel->x.labels;
    panel->unit = "cosine of the texts' vectors";
    figure->is_square = figure->shows_values = true;
    figure->title = text_new("Similarity of texts: %s, %s pooling, %s", source->encoder.name,
                             source_pooling(source), source_positions(source, WITH_POSITIONS));
}
