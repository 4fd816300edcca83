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
    size_t n_texts, layer;
    size_t *tokens[TEXTS]; /* [n[t]]: those that are words, not special tokens */
    size_t n[TEXTS];
    int failure; /* the exit code where a picture could not be made */
};

/* ---- Texts ---- */

static bool choose_words(struct words *words, size_t t)
{
    const struct item *item = &words->items[t];
    words->tokens[t] = calloc(item->n_tokens + 1, sizeof **words->tokens);
    if (!words->tokens[t]) {
        program_fail("not enough memory");
        return false;
    }
    for (size_t i = 0; i < item->n_tokens; i++)
        if (!item->tokens[i].special)
            words->tokens[t][words->n[t]++] = i;
    if (words->n[t] > 0)
        return true;
    program_fail("text %zu has no words to show", t + 1);
    return false;
}

static int read_texts(struct words *words)
{
    const struct plot_options *options = words->options;
    const engine_info *info = &words->source.encoder.info;
    if (options->layer > info->n_layers)
        return program_misuse("--layer %zu: this model has %zu layer%s (0: the embedding step)",
                              options->layer, info->n_layers, plural(info->n_layers));
    words->layer = options->layer;
    for (size_t t = 0; t < options->request.n_texts; t++, words->n_texts++) {
        const char *text = options->request.texts[t];
        if (!source_tokenize(&words->source, text, strlen(text), t + 1, &words->items[t]) ||
            !choose_words(words, t))
            return PROGRAM_FAILED;
    }
    return PROGRAM_DONE;
}

/* ---- Their vectors ---- */

/* The words' states, [n, D], to be freed. */
static double *read_vectors(struct words *words, enum with_positions with, size_t t)
{
    struct states states;
    if (!source_trace(&words->source, with, &words->items[t], ENGINE_TRACE_HIDDEN, 0, false,
                      &states))
        return NULL;
    size_t width = states.width;
    double *rows = malloc((words->n[t] * width + 1) * sizeof *rows);
    if (!rows)
        program_fail("not enough memory");
    for (size_t i = 0; rows && i < words->n[t]; i++)
        memcpy(rows + i * width,
               states.hidden + (words->layer * states.n_tokens + words->tokens[t][i]) * width,
               width * sizeof *rows);
    states_free(&states);
    return rows;
}

/* ---- Panels ---- */

static void name_words(const struct words *words, size_t t, struct axis *axis)
{
    axis_name_all(axis);
    for (size_t i = 0; i < axis->n && axis->labels; i++)
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
    for (size_t i = 0; i < panel->y.n && panel->y.labels; i++) {
        size_t span_len;
        const char *span = item_span_text(&words->items[t], words->tokens[t][i], &span_len);
        const char *name = panel->y.labels[i] ? panel->y.labels[i] : "";
        if (is_same(name, strlen(name), word, len) || is_same(span, span_len, word, len))
            return i;
    }
    return panel->y.n;
}

static bool add_links(struct words *words, size_t t, struct panel *panel)
{
    const struct plot_options *options = words->options;
    if (!options->n_links)
        return true;
    panel->links = memory_zeros(options->n_links, sizeof *panel->links);
    for (size_t i = 0; i < options->n_links; i++) {
        const char *link = options->links[i], *colon = strchr(link, ':');
        size_t a = find_word(words, t, panel, link, (size_t)(colon - link));
        size_t b = find_word(words, t, panel, colon + 1, strlen(colon + 1));
        if (a == panel->y.n || b == panel->y.n) {
            words->failure =
                program_misuse("--link %s: '%.*s' is not a word of text %c", link,
                               (int)(a == panel->y.n ? colon - link : (ptrdiff_t)strlen(colon + 1)),
                               a == panel->y.n ? link : colon + 1, (int)('A' + t));
            return false;
        }
        panel->links[i][0] = a;
        panel->links[i][1] = b;
    }
    panel->n_links = options->n_links;
    return true;
}

static bool add_plane(struct words *words, enum with_positions with, size_t t,
                      const struct pca *pca, const double *rows, struct figure *figure)
{
    struct panel *panel = figure_add(figure, PANEL_POINTS, words->n[t], PCA_COMPONENTS);
    if (!panel)
        return true;
    pca_project(pca, rows, words->n[t], panel->values);
    panel->is_square = true;
    axis_name_all(&panel->x);
    if (panel->x.labels) {
        text_set(&panel->x.labels[0], "x");
        text_set(&panel->x.labels[1], "y");
    }
    name_words(words, t, &panel->y);
    name_panel(words, with, t, panel);
    text_set(&panel->x.title, "component 1: %.1f %% of variance", 100 * pca->share[0]);
    text_set(&panel->y.title, "component 2: %.1f %%", 100 * pca->share[1]);
    return add_links(words, t, panel);
}

static void add_distances(struct words *words, enum with_positions with, size_t t,
                          const double *rows, struct figure *figure)
{
    size_t n = words->n[t], width = words->source.encoder.info.width;
    struct panel *panel = figure_add(figure, PANEL_DATA, n, n);
    if (!panel)
        return;
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

static bool fit(const struct words *words, double *const rows[TEXTS], struct pca pca[TEXTS])
{
    size_t width = words->source.encoder.info.width;
    if (words->options->fits_each || words->n_texts == 1) {
        for (size_t t = 0; t < words->n_texts; t++)
            if (!pca_fit(&pca[t], rows[t], words->n[t], width))
                return false;
        return true;
    }
    size_t n = words->n[0] + words->n[1];
    double *all = malloc((n * width + 1) * sizeof *all);
    if (!all)
        return false;
    memcpy(all, rows[0], words->n[0] * width * sizeof *all);
    memcpy(all + words->n[0] * width, rows[1], words->n[1] * width * sizeof *all);
    bool is_good = pca_fit(&pca[0], all, n, width) && pca_fit(&pca[1], all, n, width);
    free(all);
    return is_good;
}

/* The texts with or without positions: a row of panels, then the tables of distances. */
static bool add_row(struct words *words, enum with_positions with, struct figure *figure)
{
    double *rows[TEXTS] = {NULL, NULL};
    struct pca pca[TEXTS] = {{0}, {0}};
    size_t first = figure->n_panels;
    bool is_good = true;
    for (size_t t = 0; t < words->n_texts && is_good; t++)
        is_good = (rows[t] = read_vectors(words, with, t)) != NULL;
    if (is_good && !fit(words, rows, pca)) {
        program_fail("no principal components: memory is short, or the vectors are not finite");
        is_good = false;
    }
    for (size_t t = 0; t < words->n_texts && is_good; t++)
        is_good = add_plane(words, with, t, &pca[t], rows[t], figure);
    if (is_good)
        share_ranges(figure, first);
    for (size_t t = 0; t < words->n_texts && is_good; t++)
        add_distances(words, with, t, rows[t], figure);
    for (size_t t = 0; t < TEXTS; t++) {
        pca_free(&pca[t]);
        free(rows[t]);
    }
    return is_good;
}

/* ---- All of it ---- */

static void name_figure(struct words *words, struct figure *figure)
{
    if (words->layer)
        text_set(&figure->title,
                 "Words in the plane of their principal components: %s, after layer %zu",
                 words->source.encoder.name, words->layer);
    else
        text_set(&figure->title, "Words in the plane of their principal components: %s",
                 words->source.encoder.name);
}

/* "A: …" and "B: …", below the panels. Line ends in texts would be more lines. */
static void note_texts(const struct words *words, struct figure *figure)
{
    char *const *texts = words->options->request.texts, *notes = NULL;
    if (words->n_texts < 2)
        return;
    char *lines[TEXTS] = {strdup(texts[0]), strdup(texts[1])};
    for (size_t t = 0; t < TEXTS; t++)
        for (char *c = lines[t]; c && *c; c++)
            *c = *c == '\n' ? ' ' : *c;
    if (lines[0] && lines[1])
        text_set(&notes, "A: %s\nB: %s\n", lines[0], lines[1]);
    if (notes)
        text_set_bytes(&figure->notes, notes, strlen(notes));
    for (size_t t = 0; t < TEXTS; t++)
        free(lines[t]);
    free(notes);
}

/* Both kinds, or with --position the one that it says. */
static bool add_rows(struct words *words, struct figure *figure)
{
    bool is_asked = words->options->request.positions.position != ENGINE_POSITION_MODEL;
    return (is_asked || add_row(words, WITHOUT_POSITIONS, figure)) &&
           add_row(words, WITH_POSITIONS, figure);
}

int picture_words(const struct plot_options *options, struct figure *figure)
{
    struct words words = {.options = options, .failure = PROGRAM_FAILED};
    int code;
    if (source_open(&words.source, options, &code)) {
        code = read_texts(&words);
        if (code == PROGRAM_DONE) {
            figure->columns = words.n_texts;
            name_figure(&words, figure);
            note_texts(&words, figure);
            code = add_rows(&words, figure) ? PROGRAM_DONE : words.failure;
        }
        if (code == PROGRAM_DONE && words.n_texts == 1 && words.n[0] <= CROWD)
            figure->columns = figure_n_drawn(figure);
    }
    for (size_t t = 0; t < TEXTS; t++) {
        item_free(&words.items[t]);
        free(words.tokens[t]);
    }
    source_close(&words.source);
    return code;
}
