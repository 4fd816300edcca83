/* picture_position.c - encode-plot position: a matrix PE [n, D] of position vectors, as
 *
 *     heatmap       PE itself, position upwards and dimension to the right
 *     waves         some of its columns over the positions
 *     correlation   PE * PE^T
 *     cosine        the same divided by the lengths of the rows
 *     distance      |PE[p] - PE[q]|
 *
 * of a scheme, or of the one in a weight file (a learned table among them), or of several side by
 * side.
 */
#include "tools/plot/pictures/pictures.h"

#include "tools/common/inputs.h"
#include "tools/common/model_file.h"
#include "tools/common/options.h"
#include "tools/plot/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WIDTH = 128, DEFAULT_POSITIONS = 100, DEFAULT_WAVES = 8 };
enum {
    POSITION_PAIRS_MOST = 4096,
    POSITION_CELLS_MOST = POSITION_PAIRS_MOST * POSITION_PAIRS_MOST
};

/* One matrix of position vectors. */
struct table {
    const char *path; /* the file it comes from; NULL: the default weights, or none */
    bool is_beside;
    engine_position position;   /* the scheme; MODEL: the file's own */
    const char *scheme;         /* its name, that of the file's own too */
    const char *name, *numbers; /* "sinusoidal", ", base 100" */
    size_t n, width;
    double *rows; /* [n, width], before they are rounded to float32 */
};

/* ---- Where it comes from ---- */

/* The table is [n, D], and a map of all pairs [n, n]: what would fill the memory, or take hours, is
 * refused before anything is computed. One position is always few enough. */
static void check_size(const struct plot_options *options, const struct table *table)
{
    enum position_kind kind = options->position_kind;
    bool has_pairs = kind != POSITION_HEATMAP && kind != POSITION_WAVES;
    size_t most = POSITION_CELLS_MOST / table->width;
    if (has_pairs && most > POSITION_PAIRS_MOST)
        most = POSITION_PAIRS_MOST;
    size_t columns = has_pairs && table->n > table->width ? table->n : table->width;
    if (table->n > most && table->n > 1)
        program_die_misused("%zu positions make a table of %zu x %zu numbers, and a picture takes "
                            "at most %d: with -n %zu it can be drawn",
                            table->n, table->n, columns, POSITION_CELLS_MOST, most ? most : 1);
}

static void fill_table(const struct plot_options *options, struct table *table,
                       const engine_model *model)
{
    struct position_options positions = options->request.positions;
    engine_session_options session = ENGINE_SESSION_OPTIONS();
    engine_error error = {0};
    check_size(options, table);
    if (table->is_beside) /* the numbers of the command line are those of the first */
        positions = (struct position_options){0};
    table->numbers = position_words(model, &positions, table->scheme, 0);
    position_options_apply(&positions, table->width, &session);
    session.position = table->position;
    table->rows = alloc_zeros(table->n * table->width, sizeof *table->rows);
    engine_status status =
        engine_position_matrix_exact(model, &session, table->width, table->n, table->rows,
                                     table->n * table->width, NULL, &error);
    if (status != ENGINE_OK)
        program_die("%s%s", error.message, position_next_step(session.position, status));
}

/* What width the table has, how many rows there can be, and how it is called. */
static void describe_file(const struct plot_options *options, struct table *table,
                          const engine_model *model)
{
    engine_info info = ENGINE_INFO();
    engine_session_options session = ENGINE_SESSION_OPTIONS();
    engine_model_info(model, &info, NULL);
    input_remember(info.path);
    if (!info.has_model)
        program_die("'%s' holds a tokenizer alone: it has no positions", info.path);
    session.position = ENGINE_POSITION_NONE; /* its width is that of the embedding tables */
    engine_position_matrix_exact(model, &session, 0, 1, NULL, 0, &table->width, NULL);
    if (!table->is_beside && options->width && options->width != table->width)
        program_die_misused("--width %zu: positions of '%s' have %zu numbers", options->width,
                            info.path, table->width);
    const char *scheme = table->position ? engine_position_name(table->position) : info.position;
    bool is_learned = strcmp(scheme, "learned") == 0;
    if (!table->position && strcmp(scheme, "none") == 0)
        program_note("this model adds no positions to its tokens: all rows are zeros; --position "
                     "shows what others add");
    if (table->n == 0)
        table->n =
            info.max_tokens < DEFAULT_POSITIONS || is_learned ? info.max_tokens : DEFAULT_POSITIONS;
    table->scheme = text_new("%s", scheme);
    table->name = text_new("%s, %.60s", scheme, info.name[0] ? info.name : path_name(info.path));
}

/* Of a scheme that is named alone, computed, or of a file, with the scheme if one is named. */
static void read_table(const struct plot_options *options, struct table *table)
{
    engine_model *model = NULL;
    engine_error error = {0};
    if (table->path || table->position == ENGINE_POSITION_MODEL) {
        if (engine_model_open(table->path, NULL, &model, &error) != ENGINE_OK)
            model_open_die(table->path, &error);
        describe_file(options, table, model);
    } else {
        if (table->position == ENGINE_POSITION_LEARNED)
            program_die_misused(
                "learned positions are in a weight file: name one with -m or --beside");
        table->scheme = table->name = engine_position_name(table->position);
        table->width = table->width ? table->width : DEFAULT_WIDTH;
        table->n = table->n ? table->n : DEFAULT_POSITIONS;
    }
    fill_table(options, table, model);
    engine_model_close(model);
}

static struct table read_main(const struct plot_options *options)
{
    struct table table = {.path = options->request.model_path,
                          .position = options->request.positions.position,
                          .n = options->n_positions,
                          .width = options->width};
    const char *default_path = getenv("ENCODE_MODEL");
    bool has_model = table.path || (default_path && default_path[0]);
    bool has_numbers = options->width || options->request.positions.base != 0;
    if (table.position == ENGINE_POSITION_MODEL && (!has_model || (!table.path && has_numbers)))
        table.position = ENGINE_POSITION_SINUSOIDAL;
    read_table(options, &table);
    return table;
}

/* Of the same size as the first where it is computed. */
static struct table read_beside(const struct plot_options *options, const char *beside,
                                const struct table *first)
{
    int position = engine_position_named(beside);
    struct table table = {.is_beside = true, .path = beside, .n = options->n_positions};
    if (position > ENGINE_POSITION_MODEL)
        table = (struct table){.is_beside = true,
                               .position = (engine_position)position,
                               .n = first->n,
                               .width = first->width};
    read_table(options, &table);
    return table;
}

/* ---- Panels ---- */

/* How a picture of each kind is called, and what its numbers are. */
static const struct {
    const char *title, *unit;
} KINDS[] = {
    [POSITION_HEATMAP] = {"Position vectors", "value"},
    [POSITION_WAVES] = {"Dimensions of the position vectors", "value"},
    [POSITION_CORRELATION] = {"Products of position vectors", "PE·PEᵀ"},
    [POSITION_COSINE] = {"Cosines of position vectors", "cosine"},
    [POSITION_DISTANCE] = {"Distances of position vectors", "Euclidean distance"},
};

/* Below zero there are two colours, with white between. */
static enum palette choose_palette(const struct plot_options *options, double least)
{
    return options->palette ? options->palette : least < 0 ? PALETTE_RDBU : PALETTE_VIRIDIS;
}

static double compare_rows(const struct table *table, enum position_kind kind, size_t a, size_t b)
{
    const double *x = table->rows + a * table->width, *y = table->rows + b * table->width;
    double xy = 0, xx = 0, yy = 0;
    if (kind == POSITION_DISTANCE)
        return vector_distance(x, y, table->width, false);
    for (size_t i = 0; i < table->width; i++) {
        xy += x[i] * y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
    }
    return kind == POSITION_CORRELATION ? xy : xx == 0 || yy == 0 ? 0 : xy / (sqrt(xx) * sqrt(yy));
}

static void add_pairs(const struct plot_options *options, struct figure *figure,
                      const struct table *table)
{
    struct panel *panel = figure_add(figure, PANEL_MAP, table->n, table->n);
    for (size_t a = 0; a < table->n; a++)
        for (size_t b = a; b < table->n; b++)
            panel->values[a * table->n + b] = panel->values[b * table->n + a] =
                compare_rows(table, options->position_kind, a, b);
    figure->is_square = true;
    panel->x.title = panel->y.title = "position";
}

static void add_heatmap(const struct plot_options *options, struct figure *figure,
                        const struct table *table)
{
    bool turned = options->is_transposed;
    size_t n_rows = turned ? table->width : table->n, n_columns = turned ? table->n : table->width;
    struct panel *panel = figure_add(figure, PANEL_MAP, n_rows, n_columns);
    for (size_t p = 0; p < table->n; p++)
        for (size_t i = 0; i < table->width; i++)
            panel->values[turned ? i * table->n + p : p * table->width + i] =
                table->rows[p * table->width + i];
    panel_limit_colors(panel);
    panel->x.title = turned ? "position" : "dimension";
    panel->y.title = turned ? "dimension" : "position";
}

/* Those that were asked for, or one of each eighth of the width. */
static void add_waves(const struct plot_options *options, struct figure *figure,
                      const struct table *table)
{
    size_t n_dims, step = table->width / DEFAULT_WAVES ? table->width / DEFAULT_WAVES : 1;
    const char *eighths = text_new("0:%zu:%zu", table->width, step);
    const size_t *dims = dims_read(options->dims ? options->dims : eighths, table->width, &n_dims);
    struct panel *panel = figure_add(figure, PANEL_LINES, n_dims, table->n);
    axis_name_all(&panel->y);
    for (size_t row = 0; row < n_dims; row++) {
        panel->y.labels[row] = text_new("dim %zu", dims[row]);
        for (size_t p = 0; p < table->n; p++)
            panel->values[row * table->n + p] = table->rows[p * table->width + dims[row]];
    }
    panel->x.title = "position";
    panel->y.title = "dimension";
}

static void add_table(const struct plot_options *options, struct figure *figure,
                      const struct table *table)
{
    if (options->position_kind == POSITION_HEATMAP)
        add_heatmap(options, figure, table);
    else if (options->position_kind == POSITION_WAVES)
        add_waves(options, figure, table);
    else
        add_pairs(options, figure, table);
    struct panel *panel = &figure->panels[figure->n_panels - 1];
    panel->palette = choose_palette(options, panel_range(panel).least);
    if (!panel->unit)
        panel->unit = KINDS[options->position_kind].unit;
    if (options->n_beside)
        panel->title = text_new("%s%s", table->name, table->numbers);
}

/* Cosines have one scale, so that colours can be compared. */
static void share_cosines(const struct plot_options *options, struct figure *figure)
{
    double least = 0;
    for (size_t i = 0; i < figure->n_panels; i++)
        least = fmin(least, panel_range(&figure->panels[i]).least);
    for (size_t i = 0; i < figure->n_panels; i++) {
        figure->panels[i].palette = choose_palette(options, least);
        figure->panels[i].least = least < 0 ? -1 : 0;
        figure->panels[i].most = 1;
    }
    figure->shares_scale = true;
}

void picture_position(struct source *source, struct figure *figure)
{
    const struct plot_options *options = source->options;
    enum position_kind kind = options->position_kind;
    const struct table first = read_main(options);
    figure->title = KINDS[kind].title;
    if (!options->n_beside)
        figure->title = text_new("%s: %s%s, %zu position%s, d = %zu", figure->title, first.name,
                                 first.numbers, first.n, plural(first.n), first.width);
    add_table(options, figure, &first);
    for (size_t i = 0; i < options->n_beside; i++) {
        const struct table beside = read_beside(options, options->beside[i], &first);
        add_table(options, figure, &beside);
    }
    if (options->n_beside && kind == POSITION_COSINE)
        share_cosines(options, figure);
    figure->y_up = true;
    bool is_wide = kind == POSITION_WAVES || kind == POSITION_HEATMAP;
    figure->columns = is_wide && options->n_beside < 3 ? 1 : 0;
}
