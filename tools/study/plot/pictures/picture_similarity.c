/* picture_similarity.c - encode-plot similarity: the cosine of the pooled vectors of every two
 * texts. */
#include "tools/study/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/common/texts/reader.h"

#include <math.h>

enum { TEXTS_MOST = 2000 };

static void read_texts(struct plot_source *source)
{
    const struct request_options *request = &source->options->request;
    struct reader reader;
    struct record record;
    enum reader_state state;
    reader_open(&reader, request->texts, request->n_texts, false);
    while ((state = reader_next(&reader, true, &record)) == READER_RECORD) {
        size_t number = source->n_items + 1;
        if (number > TEXTS_MOST)
            program_die("there are more than %d texts, the most that a picture can show",
                        TEXTS_MOST);
        struct item *item =
            source_tokenize(source, record.input.text, record.input.text_len, number);
        item->record.storage = record.storage;
        if (item->n_tokens == 0)
            program_note("text %zu has no tokens: its cosines are 0", number);
    }
    if (state == READER_FAILED)
        program_die("%s", reader.message);
    if (source->n_items < 2)
        program_die_misused("similarity takes at least two texts; there %s",
                            source->n_items ? "is one" : "are none");
    reader_free(&reader);
}

/* With cosines below zero the colours are white in the middle; else they begin near the least. */
void picture_similarity(struct plot_source *source, struct figure *figure)
{
    enum palette palette = source->options->palette;
    size_t width;
    read_texts(source);
    const size_t n = source->n_items;
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
