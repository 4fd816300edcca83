/* picture_words.c - encode-plot words: the words of one or two texts in the plane of their two
 * principal components, without and with positions. What is shown is the state after the embedding
 * step, W1 * word + W2 * PE, or after a layer.
 *
 * Panels of one kind have the same axes. They are those of all words of both texts together, so
 * that a place means the same in both; with --fit each, each text has axes of its own (as where PCA
 * is fitted text by text). The table holds the distances too, in the plane's whole space.
 */
#include "tools/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/plot/memory.h"
#include "tools/plot/pictures/pca.h"
#include "tools/plot/plot_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 2, CROWD = 25 /* more words need a panel as wide as the page */ };

struct words {
    const struct plot_options *options;
    struct source source;
    struct item items[TEXTS];
    size_t n_texts;
    size_t *tokens[TEXTS]; /* [n[t]]: those that are words, not special tokens */
    size_t n[TEXTS];
};

/* ---- Texts ---- */

static void choose_words(struct words *words, size_t t)
{
    const struct item *item = &words->items[t];
    words->tokens[t] = memory_zeros(item->n_tokens, sizeof **words->tokens);
    for (size_t i = 0; i < item->n_tokens; i++)
        if (!item->tokens[i].special)
            words->tokens[t][words->n[t]++] = i;
    if (words->n[t] == 0)
        exit(program_fail("text %zu has no words to show", t + 1));
}

static void read_texts(struct words *words)
{
    const struct plot_options *options = words->options;
    size_t n_layers = words->source.encoder.info.n_layers;
    if (options->layer > n_layers)
        exit(program_misuse("--layer %zu: this model has %zu layer%s (0: the embedding step)",
                            options->layer, n_layers, plural(n_layers)));
    words->n_texts = options->request.n_texts;
    for (size_t t = 0; t < words->n_texts; t++) {
        const char *text = options->request.texts[t];
        source_tokenize(&words->source, text, strlen(text), t + 1, &words->items[t]);
        choose_words(words, t);
    }
}

/* ---- Their vectors ---- */

/* The words' states, [n, D], to be freed. */
static double *read_vectors(struct words *words, enum with_positions with, size_t t)
{
    struct states states;
    source_trace(&words->source, with, &words->items[t], ENGINE_TRACE_HIDDEN, 0, false, &states);
    size_t width = states.width;
    const double *layer = states.hidden + words->options->layer * states.n_tokens * width;
    double *rows = memory_zeros(words->n[t] * width, sizeof *rows);
    for (size_t i = 0; i < words->n[t]; i++)
        memcpy(rows + i * width, layer + words->tokens[t][i] * width, width * sizeof *rows);
    states_free(&states);
    return rows;
}

/* ---- Panels ---- */

static void name_words(const struct words *words, size_t t, struct axis *axis)
{
    axis_name_all(axis);
    for (size_t i = 0; i < axis->n; i++)
        source_label(&words->source, &words->items[t], words->tokens[t][i], &axis->labels[i]);
}

static void name_panel(const struct words *words, enum with_positions with, size_t t,
                       struct panel *panel)
{
    char positions[POSITIONS_BYTES];
    source_positions(&words->source, with, positions);
    if (words->n_texts > 1)
        text_set(&panel->title, "%c, %s", (int)('A' + t), positions);
    else
        text_set(&panel->title, "%s", positions);
}

static bool is_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

/* The row of a word by its name, or as the text has it; n: none. */
static size_t find_word(const struct words *words, size_t t, const struct panel *panel,
                        const char *word, size_t len)
{
    for (size_t i = 0; i < panel->y.n; i++) {
        size_t span_len;
        const char *span = item_span_text(&words->items[t], words->tokens[t][i], &span_len);
        const char *name = panel->y.labels[i] ? panel->y.labels[i] : "";
        if (is_same(name, strlen(name), word, len) || is_same(span, span_len, word, len))
            return i;
    }
    return panel->y.n;
}

/* Of "red:wolf", the row of each. */
static void read_link(const struct words *words, size_t t, const struct panel *panel,
                      const char *link, size_t rows[2])
{
    const char *colon = strchr(link, ':'), *names[2] = {link, colon + 1};
    const size_t lens[2] = {(size_t)(colon - link), strlen(colon + 1)};
    for (size_t i = 0; i < 2; i++) {
        rows[i] = find_word(words, t, panel, names[i], lens[i]);
        if (rows[i] == panel->y.n)
            exit(program_misuse("--link %s: '%.*s' is not a word of text %c", link, (int)lens[i],
                                names[i], (int)('A' + t)));
    }
}

static void add_plane(struct words *words, enum with_positions with, size_t t,
                      const struct pca *pca, const double *rows, struct figure *figure)
{
    const struct plot_options *options = words->options;
    struct panel *panel = figure_add(figure, PANEL_POINTS, words->n[t], PCA_COMPONENTS);
    pca_project(pca, rows, words->n[t], panel->values);
    axis_name_all(&panel->x);
    text_set(&panel->x.labels[0], "x");
    text_set(&panel->x.labels[1], "y");
    name_words(words, t, &panel->y);
    name_panel(words, with, t, panel);
    text_set(&panel->x.title, "component 1: %.1f %% of variance", 100 * pca->share[0]);
    text_set(&panel->y.title, "component 2: %.1f %%", 100 * pca->share[1]);
    panel->n_links = options->n_links;
    panel->links = memory_zeros(options->n_links, sizeof *panel->links);
    for (size_t i = 0; i < options->n_links; i++)
        read_link(words, t, panel, options->links[i], panel->links[i]);
}

static void add_distances(struct words *words, enum with_positions with, size_t t,
                          const double *rows, struct figure *figure)
{
    size_t n = words->n[t], width = words->source.encoder.info.width;
    struct panel *panel = figure_add(figure, PANEL_DATA, n, n);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            panel->values[a * n + b] =
                vector_distance(rows + a * width, rows + b * width, width, false);
    name_words(words, t, &panel->x);
    name_words(words, t, &panel->y);
    name_panel(words, with, t, panel);
    text_set(&panel->x.title, "word");
    text_set(&panel->y.title, "word");
    text_set(&panel->unit, "Euclidean distance in all dimensions");
}

/* Panels from `first` on get the same axes, with room for names at the edges. */
static void share_ranges(struct figure *figure, size_t first)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    for (size_t i = first; i < figure->n_panels; i++)
        for (size_t v = 0; v < 2 * figure->panels[i].y.n && figure->panels[i].kind == PANEL_POINTS;
             v++) {
            least[v % 2] = fmin(least[v % 2], figure->panels[i].values[v]);
            most[v % 2] = fmax(most[v % 2], figure->panels[i].values[v]);
        }
    for (size_t i = first; i < figure->n_panels; i++) {
        struct panel *panel = &figure->panels[i];
        double span = fmax(most[0] - least[0], most[1] - least[1]);
        double margin = span > 0 ? 0.1 * span : 1;
        panel->x_range[0] = least[0] - margin;
        panel->x_range[1] = most[0] + margin;
        panel->y_range[0] = least[1] - margin;
        panel->y_range[1] = most[1] + margin;
    }
}

/* ---- PCA ---- */

static void fit_one(struct pca *pca, const double *rows, size_t n, size_t width)
{
    if (!pca_fit(pca, rows, n, width))
        exit(program_fail(
            "no principal components: memory is short, or the vectors are not finite"));
}

static void fit(const struct words *words, double *const rows[TEXTS], struct pca pca[TEXTS])
{
    size_t width = words->source.encoder.info.width, n = words->n[0] + words->n[1];
    if (words->options->fits_each || words->n_texts == 1) {
        for (size_t t = 0; t < words->n_texts; t++)
            fit_one(&pca[t], rows[t], words->n[t], width);
        return;
    }
    double *all = memory_zeros(n * width, sizeof *all);
    memcpy(all, rows[0], words->n[0] * width * sizeof *all);
    memcpy(all + words->n[0] * width, rows[1], words->n[1] * width * sizeof *all);
    for (size_t t = 0; t < TEXTS; t++)
        fit_one(&pca[t], all, n, width);
    free(all);
}

/* The texts with or without positions: a row of panels, then the tables of distances. */
static void add_row(struct words *words, enum with_positions with, struct figure *figure)
{
    double *rows[TEXTS] = {NULL, NULL};
    struct pca pca[TEXTS] = {{0}, {0}};
    size_t first = figure->n_panels;
    for (size_t t = 0; t < words->n_texts; t++)
        rows[t] = read_vectors(words, with, t);
    fit(words, rows, pca);
    for (size_t t = 0; t < words->n_texts; t++)
        add_plane(words, with, t, &pca[t], rows[t], figure);
    share_ranges(figure, first);
    for (size_t t = 0; t < words->n_texts; t++)
        add_distances(words, with, t, rows[t], figure);
    for (size_t t = 0; t < TEXTS; t++) {
        pca_free(&pca[t]);
        free(rows[t]);
    }
}

/* ---- All of it ---- */

static void name_figure(const struct words *words, struct figure *figure)
{
    text_set(&figure->title, "Words in the plane of their principal components: %s",
             words->source.encoder.name);
    if (words->options->layer)
        text_set(&figure->title, "%s, after layer %zu", figure->title, words->options->layer);
}

/* "A: …" and "B: …", below the panels. Line ends in texts would be more lines. */
static void note_texts(const struct words *words, struct figure *figure)
{
    for (size_t t = 0; t < words->n_texts && words->n_texts > 1; t++) {
        char *line = NULL;
        text_set(&line, "%c: %s", (int)('A' + t), words->options->request.texts[t]);
        for (char *c = line; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        text_set(&figure->notes, "%s%s\n", figure->notes ? figure->notes : "", line);
        free(line);
    }
}

void picture_words(const struct plot_options *options, struct figure *figure)
{
    struct words words = {.options = options};
    source_open(&words.source, options);
    read_texts(&words);
    name_figure(&words, figure);
    note_texts(&words, figure);
    if (options->request.positions.position == ENGINE_POSITION_MODEL) /* else what it says alone */
        add_row(&words, WITHOUT_POSITIONS, figure);
    add_row(&words, WITH_POSITIONS, figure);
    bool is_row = words.n_texts == 1 && words.n[0] <= CROWD;
    figure->columns = is_row ? figure_n_drawn(figure) : words.n_texts;
    for (size_t t = 0; t < words.n_texts; t++) {
        item_free(&words.items[t]);
        free(words.tokens[t]);
    }
    source_close(&words.source);
}
