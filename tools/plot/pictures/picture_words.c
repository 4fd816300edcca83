/* picture_words.c - encode-plot words: the words of one or two texts in the plane of their two
 * principal components, without and with positions. What is shown is the state after the embedding
 * step, W1 * word + W2 * PE, or after a layer.
 *
 * The axes are those of all words of both texts together, so that a place means the same in both,
 * and one panel shows both, with arrows from each word to where the other text has it; with --fit
 * each, each text has axes and a panel of its own. The table holds the distances too, in the
 * plane's whole space.
 */
#include "tools/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/plot/pictures/pca.h"
#include "tools/plot/text.h"

#include <string.h>

enum { TEXTS = 2, CROWD = 25 /* more words need a panel as wide as the page */ };

struct words {
    struct source *source;
    const struct plot_options *options;
    size_t n_texts, width;
    size_t *tokens[TEXTS]; /* [n[t]]: those that are words, not special tokens */
    size_t n[TEXTS];
};

/* ---- Texts ---- */

static void read_text(struct words *words, size_t t)
{
    const char *text = words->options->request.texts[t];
    const struct item *item = source_tokenize(words->source, text, strlen(text), t + 1);
    words->tokens[t] = alloc_zeros(item->n_tokens, sizeof **words->tokens);
    for (size_t i = 0; i < item->n_tokens; i++)
        if (!item->tokens[i].special)
            words->tokens[t][words->n[t]++] = i;
    if (words->n[t] == 0)
        program_die("text %zu has no words to show", t + 1);
}

/* Writes the words' states, [n, D]. */
static void read_vectors(const struct words *words, enum with_positions with, size_t t, double *out)
{
    const struct item *item = &words->source->items[t];
    size_t width = words->width;
    const double *states = source_trace(words->source, with, item, ENGINE_TRACE_HIDDEN);
    const double *layer = states + words->options->layer * item->n_tokens * width;
    for (size_t i = 0; i < words->n[t]; i++)
        memcpy(out + i * width, layer + words->tokens[t][i] * width, width * sizeof *out);
}

/* ---- Panels ---- */

/* A panel with a row for each word. */
static struct panel *add_panel(const struct words *words, enum with_positions with, size_t t,
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

static bool is_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

/* The row of a word by its name, or as the text has it; n: none. */
static size_t find_word(const struct words *words, size_t t, const struct panel *panel,
                        const char *word, size_t len)
{
    size_t i = 0;
    for (; i < panel->y.n; i++) {
        size_t span_len;
        const char *span = item_span_text(&words->source->items[t], words->tokens[t][i], &span_len);
        const char *name = panel->y.labels[i];
        if (is_same(name, strlen(name), word, len) || is_same(span, span_len, word, len))
            break;
    }
    return i;
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
            program_die_misused("--link %s: '%.*s' is not a word of text %c", link, (int)lens[i],
                                names[i], (int)('A' + t));
    }
}

static void add_plane(const struct words *words, enum with_positions with, size_t t,
                      const struct pca *pca, const double *rows, struct figure *figure)
{
    const struct plot_options *options = words->options;
    struct panel *panel = add_panel(words, with, t, PANEL_POINTS, PCA_COMPONENTS, figure);
    pca_project(pca, rows, words->n[t], panel->values);
    axis_name_all(&panel->x);
    panel->x.labels[0] = "x";
    panel->x.labels[1] = "y";
    panel->x.title = text_new("component 1: %.1f %% of variance", 100 * pca->share[0]);
    panel->y.title = text_new("component 2: %.1f %%", 100 * pca->share[1]);
    panel->n_links = options->n_links;
    panel->links = alloc_zeros(options->n_links, sizeof *panel->links);
    for (size_t i = 0; i < options->n_links; i++)
        read_link(words, t, panel, options->links[i], panel->links[i]);
}

static void add_distances(const struct words *words, enum with_positions with, size_t t,
                          const double *rows, struct figure *figure)
{
    size_t n = words->n[t], width = words->width;
    struct panel *panel = add_panel(words, with, t, PANEL_DATA, n, figure);
    for (size_t i = 0; i < n * n; i++)
        panel->values[i] =
            vector_distance(rows + i / n * width, rows + i % n * width, width, false);
    panel->x.labels = panel->y.labels;
    panel->x.title = panel->y.title = "word";
    panel->unit = "Euclidean distance in all dimensions";
}

/* The texts with or without positions: planes, then tables of distances. The axes are those of
 * each text alone, or of all words together. */
static void add_row(const struct words *words, enum with_positions with, struct figure *figure)
{
    size_t width = words->width, n = words->n[0] + words->n[1];
    double *all = alloc_zeros(n * width, sizeof *all),
           *rows[TEXTS] = {all, all + words->n[0] * width};
    bool fits_each = words->options->fits_each;
    for (size_t t = 0; t < words->n_texts; t++)
        read_vectors(words, with, t, rows[t]);
    for (size_t t = 0; t < words->n_texts; t++) {
        struct pca pca;
        if (!pca_fit(&pca, fits_each ? rows[t] : all, fits_each ? words->n[t] : n, width))
            program_die("no principal components: memory is short, or the vectors are not finite");
        add_plane(words, with, t, &pca, rows[t], figure);
    }
    for (size_t t = 0; t < words->n_texts; t++)
        add_distances(words, with, t, rows[t], figure);
}

/* ---- All of it ---- */

/* "A: …" and "B: …", below the panels. A text's line ends would be those of the note. */
static void note_texts(const struct words *words, struct figure *figure)
{
    for (size_t t = 0; t < words->n_texts && words->n_texts > 1; t++) {
        char *note = text_new("%c: %s", (int)('A' + t), words->options->request.texts[t]);
        for (char *c = note; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        figure->notes[figure->n_notes++] = note;
    }
}

void picture_words(struct source *source, struct figure *figure)
{
    const struct plot_options *options = source->options;
    const engine_info *info = &source->encoder.info;
    struct words words = {.source = source,
                          .options = options,
                          .n_texts = options->request.n_texts,
                          .width = info->width};
    if (options->layer > info->n_layers)
        program_die_misused("--layer %zu: this model has %zu layer%s (0: the embedding step)",
                            options->layer, info->n_layers, plural(info->n_layers));
    for (size_t t = 0; t < words.n_texts; t++)
        read_text(&words, t);
    figure->title =
        text_new("Words in the plane of their principal components: %s", source->encoder.name);
    if (options->layer)
        figure->title = text_new("%s, after layer %zu", figure->title, options->layer);
    note_texts(&words, figure);
    if (options->request.positions.position == ENGINE_POSITION_MODEL) /* else what it says alone */
        add_row(&words, WITHOUT_POSITIONS, figure);
    add_row(&words, WITH_POSITIONS, figure);
    figure->is_overlaid = words.n_texts == 2 && !options->fits_each;
    bool is_crowded = words.n[0] > CROWD || words.n[1] > CROWD;
    figure->columns = words.n_texts == 2 && options->fits_each ? 2 : is_crowded ? 1 : 0;
}
