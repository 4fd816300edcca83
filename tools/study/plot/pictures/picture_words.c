/* picture_words.c - encode-plot words: the words of one or two texts in the plane of their two
 * principal components, without and with positions. The vectors are those after the embedding step,
 * W1 * word + W2 * PE, or after a layer.
 *
 * The axes are those of all words of both texts together, so that a point means the same in both,
 * and one panel shows both, with arrows from each word to the same word of the other text; with
 * --fit each, each text has axes and a panel of its own. The table has the distances too, in all
 * dimensions. */
#include "tools/study/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/study/plot/pictures/pca.h"

#include <string.h>

enum { TEXTS = 2, CROWD = 25 /* more words need a panel as wide as the page */ };

struct words {
    struct plot_source *source;
    const struct plot_options *options;
    size_t n_texts, width;
    size_t *tokens[TEXTS]; /* [n[t]]: tokens of words, not special tokens */
    size_t n[TEXTS];
};

/* ---- Panels ---- */

/* Adds a panel with a row for each word. */
static struct panel *add_words_panel(const struct words *words, enum with_positions with, size_t t,
                                     enum panel_kind kind, size_t n_columns, struct figure *figure)
{
    struct panel *panel = figure_add(figure, kind, words->n[t], n_columns);
    axis_name_all(&panel->y);
    for (size_t i = 0; i < panel->y.n; i++)
        panel->y.labels[i] =
            source_label(words->source, &words->source->items[t], words->tokens[t][i]);
    panel->title = source_positions(words->source, with);
    if (words->n_texts > 1)
        panel->title = text_new("%c, %s", (int)('A' + t), panel->title);
    return panel;
}

static void add_plane(const struct words *words, enum with_positions with, size_t t,
                      const struct pca *pca, const double *rows, struct figure *figure)
{
    struct panel *panel = add_words_panel(words, with, t, PANEL_POINTS, PCA_COMPONENTS, figure);
    pca_project(pca, rows, words->n[t], panel->values);
    axis_name_all(&panel->x);
    panel->x.labels[0] = "x";
    panel->x.labels[1] = "y";
    panel->x.title = text_new("component 1: %.1f %% of variance", 100 * pca->share[0]);
    panel->y.title = text_new("component 2: %.1f %%", 100 * pca->share[1]);
}

static void add_distance_table(const struct words *words, enum with_positions with, size_t t,
                               const double *rows, struct figure *figure)
{
    size_t n = words->n[t], width = words->width;
    struct panel *panel = add_words_panel(words, with, t, PANEL_DATA, n, figure);
    for (size_t i = 0; i < n * n; i++)
        panel->values[i] = vector_distance(rows + i / n * width, rows + i % n * width, width);
    panel->x.labels = panel->y.labels;
    panel->x.title = panel->y.title = "word";
    panel->unit = "Euclidean distance in all dimensions";
}

/* Adds the planes of the texts with or without positions, then their tables of distances. */
static void add_texts(const struct words *words, enum with_positions with, struct figure *figure)
{
    size_t width = words->width, n = words->n[0] + words->n[1];
    double *all = alloc_zeros(n * width, sizeof *all),
           *rows[TEXTS] = {all, all + words->n[0] * width};
    bool fits_each = words->options->fits_each;
    for (size_t t = 0; t < words->n_texts; t++) {
        const struct item *item = &words->source->items[t];
        const double *states = source_trace(words->source, with, item, ENGINE_TRACE_HIDDEN);
        const double *layer = states + words->options->layer * item->n_tokens * width;
        for (size_t i = 0; i < words->n[t]; i++)
            memcpy(rows[t] + i * width, layer + words->tokens[t][i] * width, width * sizeof *all);
    }
    for (size_t t = 0; t < words->n_texts; t++) {
        struct pca pca;
        if (!pca_fit(&pca, fits_each ? rows[t] : all, fits_each ? words->n[t] : n, width))
            program_die("no principal components: memory is short, or the vectors are not finite");
        add_plane(words, with, t, &pca, rows[t], figure);
    }
    for (size_t t = 0; t < words->n_texts; t++)
        add_distance_table(words, with, t, rows[t], figure);
}

void picture_words(struct plot_source *source, struct figure *figure)
{
    const struct plot_options *options = source->options;
    const engine_info *info = &source->encoder.info;
    struct words words = {
        .source = source, .options = options, .n_texts = source->n_items, .width = info->width};
    if (options->layer > info->n_layers)
        program_die_misused("--layer %zu: this model has %zu layer%s (0: the embedding step)",
                            options->layer, info->n_layers, plural(info->n_layers));
    for (size_t t = 0; t < words.n_texts; t++) {
        const struct item *item = &source->items[t];
        words.tokens[t] = alloc_zeros(item->n_tokens, sizeof **words.tokens);
        for (size_t i = 0; i < item->n_tokens; i++)
            if (!item->tokens[i].special)
                words.tokens[t][words.n[t]++] = i;
        if (words.n[t] == 0)
            program_die("text %zu has no words to show", t + 1);
    }
    figure->title =
        text_new("Words in the plane of their principal components: %s", source->encoder.name);
    if (options->layer)
        figure->title = text_new("%s, after layer %zu", figure->title, options->layer);
    for (size_t t = 0; t < words.n_texts && words.n_texts > 1; t++) { /* notes are single lines */
        const engine_input *input = &source->items[t].record.input;
        char *note = text_new("%c: %.*s", (int)('A' + t), (int)input->text_len, input->text);
        for (char *c = note; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        figure->notes[figure->n_notes++] = note;
    }
    if (options->request.positions.position == ENGINE_POSITION_MODEL) /* --position shows only it */
        add_texts(&words, WITHOUT_POSITIONS, figure);
    add_texts(&words, WITH_POSITIONS, figure);
    figure->is_overlaid = words.n_texts == 2 && !options->fits_each;
    bool is_crowded = words.n[0] > CROWD || words.n[1] > CROWD;
    figure->columns = words.n_texts == 2 && options->fits_each ? 2 : is_crowded ? 1 : 0;
}
