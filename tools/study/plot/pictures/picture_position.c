/* picture_position.c - encode-plot position: a matrix PE [n, D] of position vectors, as
 *
 *     heatmap       PE itself, position upwards and dimension to the right
 *     waves         some of its columns over the positions
 *     correlation   PE * PE^T
 *     cosine        the same divided by the lengths of the rows
 *     distance      |PE[p] - PE[q]|
 *
 * of a scheme, or of the one in a weight file (a learned table among them), or of several side by
 * side. */
#include "tools/study/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/common/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WIDTH = 128, DEFAULT_POSITIONS = 100 };
enum {
    POSITION_PAIRS_MOST = 4096,
    POSITION_CELLS_MOST = POSITION_PAIRS_MOST * POSITION_PAIRS_MOST
};

/* One matrix of position vectors. */
struct position_matrix {
    const char *path; /* of its weight file; NULL: the default weights, or none */
    bool is_beside;
    engine_position position; /* the scheme; MODEL: the file's own */
    engine_position scheme;   /* the same, or the file's own */
    const char *name, *words; /* "sinusoidal", ", base 100" */
    size_t n, width;
    double *rows; /* [n, width], before they are rounded to float32 */
};

/* ---- Matrices ---- */

/* Finds the width of a file's position vectors, their number if it is not given, and their name. */
static void describe_file(const struct plot_options *options, struct position_matrix *matrix,
                          const engine_model *model)
{
    engine_info info = ENGINE_INFO();
    engine_session_options session = ENGINE_SESSION_OPTIONS();
    engine_model_info(model, &info, NULL);
    input_remember(info.path);
    if (!info.has_model)
        program_die("'%s' holds a tokenizer alone: it has no positions", info.path);
    session.position = ENGINE_POSITION_NONE; /* its width is that of the embedding tables */
    engine_position_matrix_exact(model, &session, 0, 1, NULL, 0, &matrix->width, NULL);
    if (!matrix->is_beside && options->width && options->width != matrix->width)
        program_die_misused("--width %zu: positions of '%s' have %zu numbers", options->width,
                            info.path, matrix->width);
    const engine_position position = matrix->position ? matrix->position : info.position;
    if (!matrix->position && position == ENGINE_POSITION_NONE)
        program_note("this model adds no positions to its tokens: all rows are zeros; --position "
                     "shows what others add");
    if (matrix->n == 0)
        matrix->n = info.max_tokens < DEFAULT_POSITIONS || position == ENGINE_POSITION_LEARNED
                        ? info.max_tokens
                        : DEFAULT_POSITIONS;
    matrix->scheme = position;
    matrix->name = text_new("%s, %.60s", engine_position_name(position),
                            info.name[0] ? info.name : path_name(info.path));
}

/* The table is [n, D], and a map of all pairs [n, n]. One that would fill the memory, or take
 * hours, is refused before anything is computed; one position never is. */
static void check_size(const struct plot_options *options, const struct position_matrix *matrix)
{
    enum position_kind kind = options->position_kind;
    bool has_pairs = kind != POSITION_HEATMAP && kind != POSITION_WAVES;
    size_t most = POSITION_CELLS_MOST / matrix->width;
    if (has_pairs && most > POSITION_PAIRS_MOST)
        most = POSITION_PAIRS_MOST;
    size_t columns = has_pairs && matrix->n > matrix->width ? matrix->n : matrix->width;
    if (matrix->n > most && matrix->n > 1)
        program_die_misused("%zu positions make a table of %zu x %zu numbers, and a picture takes "
                            "at most %d: with -n %zu it can be drawn",
                            matrix->n, matrix->n, columns, POSITION_CELLS_MOST, most ? most : 1);
}

/* Computes the rows of a scheme alone, or of a file, with the scheme if one is named. The numbers
 * of the command line are for the first matrix. */
static void read_matrix(const struct plot_options *options, struct position_matrix *matrix)
{
    struct position_options positions = options->request.positions;
    engine_session_options session = ENGINE_SESSION_OPTIONS();
    engine_model *model = NULL;
    engine_error error = {0};
    if (matrix->path || matrix->position == ENGINE_POSITION_MODEL) {
        if (engine_model_open(matrix->path, NULL, &model, &error) != ENGINE_OK)
            model_open_die(matrix->path, &error);
        describe_file(options, matrix, model);
    } else {
        if (matrix->position == ENGINE_POSITION_LEARNED)
            program_die_misused(
                "learned positions are in a weight file: name one with -m or --beside");
        matrix->scheme = matrix->position;
        matrix->name = engine_position_name(matrix->position);
        matrix->width = matrix->width ? matrix->width : DEFAULT_WIDTH;
        matrix->n = matrix->n ? matrix->n : DEFAULT_POSITIONS;
    }
    check_size(options, matrix);
    if (matrix->is_beside)
        positions = (struct position_options){0};
    matrix->words = position_words(model, &positions, matrix->scheme, 0);
    position_options_apply(&positions, matrix->width, &session);
    session.position = matrix->position;
    matrix->rows = alloc_zeros(matrix->n * matrix->width, sizeof *matrix->rows);
    engine_status status =
        engine_position_matrix_exact(model, &session, matrix->width, matrix->n, matrix->rows,
                                     matrix->n * matrix->width, NULL, &error);
    if (status != ENGINE_OK)
        program_die("%s%s", error.message, position_next_step(session.position, status));
    engine_model_close(model);
}

static struct position_matrix read_first(const struct plot_options *options, size_t n)
{
    struct position_matrix first = {.path = options->request.model_path,
                                    .position = options->request.positions.position,
                                    .n = n,
                                    .width = options->width};
    const char *default_path = getenv("ENCODE_MODEL");
    bool has_text = options->request.n_texts > 0;
    bool has_model = first.path || (default_path && default_path[0]) || has_text;
    bool has_numbers = !has_text && (options->width || options->request.positions.base != 0);
    if (first.position == ENGINE_POSITION_MODEL && (!has_model || (!first.path && has_numbers)))
        first.position = ENGINE_POSITION_SINUSOIDAL;
    read_matrix(options, &first);
    return first;
}

/* Reads the matrix of --beside; a scheme gets the size of the first. */
static struct position_matrix read_beside(const struct plot_options *options, const char *name,
                                          size_t n, const struct position_matrix *first)
{
    int position = engine_position_named(name);
    struct position_matrix beside = {.is_beside = true, .path = name, .n = n};
    if (position > ENGINE_POSITION_MODEL)
        beside = (struct position_matrix){.is_beside = true,
                                          .position = (engine_position)position,
                                          .n = first->n,
                                          .width = first->width};
    read_matrix(options, &beside);
    return beside;
}

/* ---- Panels ---- */

/* The title of a picture of each kind, and the unit of its numbers. */
static const struct {
    const char *title, *unit;
} KINDS[] = {
    [POSITION_HEATMAP] = {"Position vectors", "value"},
    [POSITION_WAVES] = {"Dimensions of the position vectors", "value"},
    [POSITION_CORRELATION] = {"Products of position vectors", "PE·PEᵀ"},
    [POSITION_COSINE] = {"Cosines of position vectors", "cosine"},
    [POSITION_DISTANCE] = {"Distances of position vectors", "Euclidean distance"},
};

static double compare_rows(const struct position_matrix *matrix, enum position_kind kind, size_t a,
                           size_t b)
{
    size_t width = matrix->width;
    const double *x = matrix->rows + a * width, *y = matrix->rows + b * width;
    double xy = 0, xx = 0, yy = 0;
    if (kind == POSITION_DISTANCE)
        return vector_distance(x, y, width);
    for (size_t i = 0; i < width; i++) {
        xy += x[i] * y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
    }
    return kind == POSITION_CORRELATION ? xy : xx == 0 || yy == 0 ? 0 : xy / (sqrt(xx) * sqrt(yy));
}

static struct panel *add_waves(const struct plot_options *options, struct figure *figure,
                               const struct position_matrix *matrix)
{
    size_t n = matrix->n, width = matrix->width, n_dims;
    const size_t *dims = dims_read(options->dims, width, &n_dims);
    struct panel *panel = figure_add(figure, PANEL_LINES, n_dims, n);
    axis_name_all(&panel->y);
    for (size_t row = 0; row < n_dims; row++) {
        panel->y.labels[row] = text_new("dim %zu", dims[row]);
        for (size_t p = 0; p < n; p++)
            panel->values[row * n + p] = matrix->rows[p * width + dims[row]];
    }
    return panel;
}

/* labels: of the positions, or NULL. */
static void add_position_panel(const struct plot_options *options, struct figure *figure,
                               const struct position_matrix *matrix, const char **labels)
{
    enum position_kind kind = options->position_kind;
    bool are_waves = kind == POSITION_WAVES;
    size_t n = matrix->n, width = matrix->width;
    const char *x_title = are_waves ? "position" : "dimension";
    const char *y_title = are_waves ? "dimension" : "position";
    struct panel *panel;
    if (are_waves)
        panel = add_waves(options, figure, matrix);
    else if (kind == POSITION_HEATMAP) {
        panel = figure_add(figure, PANEL_MAP, n, width);
        memcpy(panel->values, matrix->rows, n * width * sizeof *matrix->rows);
        panel_limit_colors(panel);
    } else {
        panel = figure_add(figure, PANEL_MAP, n, n);
        for (size_t a = 0; a < n; a++)
            for (size_t b = a; b < n; b++)
                panel->values[a * n + b] = panel->values[b * n + a] =
                    compare_rows(matrix, kind, a, b);
        figure->is_square = true;
        x_title = y_title = "position";
    }
    if (x_title == y_title || are_waves)
        panel->x.labels = labels;
    if (!are_waves)
        panel->y.labels = labels;
    panel->x.title = x_title;
    panel->y.title = y_title;
    if (!panel->unit)
        panel->unit = KINDS[kind].unit;
    if (options->n_beside)
        panel->title = text_new("%s%s", matrix->name, matrix->words);
}

/* Returns names of the positions, the tokens of the text, and their number; NULL without a text. */
static const char **name_positions(struct plot_source *source, size_t *n)
{
    const struct plot_options *options = source->options;
    *n = options->n_positions;
    if (options->request.n_texts == 0)
        return NULL;
    const struct item *item = &source->items[0];
    const char **names = alloc_zeros(*n = item->n_tokens, sizeof *names);
    if (*n == 0)
        program_die("the text has no tokens: there is nothing to look at");
    for (size_t i = 0; i < *n; i++)
        names[i] = text_new("%zu %s", i, source_label(source, item, i));
    return names;
}

void picture_position(struct plot_source *source, struct figure *figure)
{
    const struct plot_options *options = source->options;
    enum position_kind kind = options->position_kind;
    size_t n;
    const char **labels = name_positions(source, &n);
    const struct position_matrix first = read_first(options, n);
    figure->title = KINDS[kind].title;
    if (!options->n_beside)
        figure->title = text_new("%s: %s%s, %zu position%s, d = %zu", figure->title, first.name,
                                 first.words, first.n, plural(first.n), first.width);
    add_position_panel(options, figure, &first, labels);
    for (size_t i = 0; i < options->n_beside; i++) {
        const struct position_matrix beside = read_beside(options, options->beside[i], n, &first);
        add_position_panel(options, figure, &beside, labels);
    }
    figure->shares_scale = options->n_beside && kind == POSITION_COSINE; /* as colours compare */
    figure->y_up = !labels; /* tokens are read downwards */
    bool is_wide = kind == POSITION_WAVES || kind == POSITION_HEATMAP;
    figure->columns = is_wide && options->n_beside < 3 ? 1 : 0;
}
