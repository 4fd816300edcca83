/* picture_similarity.c - encode-plot similarity: the cosine of the pooled vectors of every two
 * texts. */
#include "tools/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/common/texts/reader.h"
#include "tools/plot/memory.h"
#include "tools/plot/plot_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MOST = 2000 };

struct texts {
    struct item items[TEXTS_MOST];
    size_t n;
};

static void read_texts(struct source *source, struct reader *reader, struct texts *texts)
{
    struct record record;
    enum reader_state state;
    while ((state = reader_next(reader, true, &record)) == READER_RECORD) {
        struct item *item = &texts->items[texts->n];
        if (texts->n == TEXTS_MOST)
            exit(program_fail("there are more than %d texts, the most that a picture can show",
                              TEXTS_MOST));
        texts->n++;
        source_tokenize(source, record.input.text, record.input.text_len, texts->n, item);
        item->record.storage = record.storage;
        if (item->n_tokens == 0)
            program_note("text %zu has no tokens: its cosines are 0", texts->n);
    }
    if (state == READER_FAILED)
        exit(program_fail("%s", reader->message));
    if (texts->n < 2)
        exit(program_misuse("similarity takes at least two texts; there %s",
                            texts->n ? "is one" : "are none"));
}

static void name_texts(const struct texts *texts, struct axis *axis)
{
    axis_name_all(axis);
    for (size_t i = 0; i < texts->n; i++) {
        const engine_input *input = &texts->items[i].record.input;
        text_set_bytes(&axis->labels[i], input->text, input->text_len);
    }
}

/* Cosines below zero need white in the middle; without, colours are worth more above the least. */
static void choose_colors(const struct plot_options *options, struct panel *panel)
{
    double least, most;
    panel_range(panel, &least, &most);
    panel->palette = picture_palette(options, least < 0 ? PALETTE_RDBU : PALETTE_BLUES);
    panel->most = 1;
    panel->least = panel->palette == PALETTE_RDBU ? -1 : least < 0 ? -1 : floor(least * 10) / 10;
    if (panel->least >= 1)
        panel->least = 0;
}

static void name_figure(const struct source *source, struct figure *figure)
{
    char positions[POSITIONS_BYTES];
    text_set(&figure->title, "Similarity of texts: %s, %s pooling, %s", source->encoder.name,
             source_pooling(source), source_positions(source, WITH_POSITIONS, positions));
}

static void draw(const struct plot_options *options, struct source *source,
                 const struct texts *texts, struct figure *figure)
{
    size_t width, n = texts->n;
    float *vectors = source_pool(source, WITH_POSITIONS, texts->items, n, &width);
    struct panel *panel = figure_add(figure, PANEL_MAP, n, n);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            panel->values[a * n + b] =
                engine_cosine(vectors + a * width, vectors + b * width, width);
    panel->is_square = panel->shows_values = true;
    choose_colors(options, panel);
    name_texts(texts, &panel->x);
    name_texts(texts, &panel->y);
    text_set(&panel->unit, "cosine of the texts' vectors");
    name_figure(source, figure);
    free(vectors);
}

void picture_similarity(const struct plot_options *options, struct figure *figure)
{
    struct source source;
    struct reader reader;
    struct texts *texts = memory_zeros(1, sizeof *texts);
    if (options->request.n_texts)
        reader_from_arguments(&reader, options->request.texts, options->request.n_texts, NULL);
    else
        reader_from_stdin(&reader, false);
    source_open(&source, options);
    read_texts(&source, &reader, texts);
    draw(options, &source, texts, figure);
    for (size_t i = 0; i < texts->n; i++)
        item_free(&texts->items[i]);
    free(texts);
    reader_free(&reader);
    source_close(&source);
}
