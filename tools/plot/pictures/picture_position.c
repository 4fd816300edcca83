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

#include "tools/common/options.h"
#include "tools/plot/memory.h"
#include "tools/plot/pictures/position_words.h"

#include <math.h>
#include <stdio.h>
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
    engine_position position;                     /* the scheme; MODEL: the file's own */
    char scheme[32];                              /* its name, that of the file's own too */
    char name[96], numbers[POSITION_WORDS_BYTES]; /* "sinusoidal", ", base 100" */
    size_t n, width;
    float *rows; /* [n, width] */
};

/* ---- Where it comes from ---- */

/* The table is [n, D], and a map of all pairs [n, n]: what would fill the memory, or take hours, is
 * refused before anything is computed. One position is always few enough. */
static int check_size(const struct plot_options *options, const struct table *table)
{
    enum position_kind kind = options->position_kind;
    bool has_pairs = kind != POSITION_HEATMAP && kind != POSITION_WAVES;
    size_t most = POSITION_CELLS_MOST / table->width;
    if (has_pairs && most > POSITION_PAIRS_MOST)
        most = POSITION_PAIRS_MOST;
    if (table->n <= most || table->n == 1)
        return PROGRAM_DONE;
    size_t columns = has_pairs && table->n > table->width ? table->n : table->width;
    return program_misuse("%zu positions make a table of %zu x %zu numbers, and a picture takes at "
                          "most %d: with -n %zu it can be drawn",
                          table->n, table->n, columns, POSITION_CELLS_MOST, most ? most : 1);
}

static int fill_table(const struct plot_options *options, struct table *table,
                      const engine_model *model)
{
    struct position_options positions = options->request.positions;
    engine_session_options session = {.struct_bytes = sizeof session};
    engine_error error = {ENGINE_OK, ""};
    int code = check_size(options, table);
    if (code != PROGRAM_DONE)
        return code;
    if (table->is_beside) /* the numbers of the command line are those of the first */
        positions = (struct position_options){0};
    position_words(model, &positions, table->scheme, 0, table->numbers);
    position_options_apply(&positions, table->width, &session);
    session.position = table->position;
    table->rows = calloc(table->n + 1, table->width * sizeof *table->rows);
    if (!table->rows)
        return program_fail("not enough memory for %zu positions of %zu numbers", table->n,
                            table->width);
    if (engine_position_matrix(model, &session, table->width, table->n, table->rows,
                               table->n * table->width, NULL, &error) == ENGINE_OK)
        return PROGRAM_DONE;
    return program_fail("%s", error.message);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* What width the table has, how many rows there can be, and how it is called. */
static int describe_file(const struct plot_options *options, struct table *table,
                         const engine_model *model)
{
    engine_info info = {.struct_bytes = sizeof info};
    engine_session_options session = {.struct_bytes = sizeof session};
    engine_model_info(model, &info);
    if (!info.has_model)
        return program_fail("'%s' holds a tokenizer alone: it has no positions", info.path);
    size_t width = 0;
    session.position = ENGINE_POSITION_NONE; /* its width is that of the embedding tables */
    engine_position_matrix(model, &session, 0, 1, NULL, 0, &width, NULL);
    if (options->width && options->width != width)
        return program_misuse("--width %zu: positions of '%s' have %zu numbers", options->width,
                              info.path, width);
    const char *scheme = table->position ? engine_position_name(table->position) : info.position;
    bool is_learned = strcmp(scheme, "learned") == 0;
    table->width = width;
    if (table->n == 0)
        table->n =
            info.max_tokens < DEFAULT_POSITIONS || is_learned ? info.max_tokens : DEFAULT_POSITIONS;
    snprintf(table->scheme, sizeof table->scheme, "%s", scheme);
    snprintf(table->name, sizeof table->name, "%s, %.60s", scheme,
             info.name[0] ? info.name : file_name(info.path));
    return PROGRAM_DONE;
}

static int read_file_table(const struct plot_options *options, struct table *table)
{
    engine_model *model = NULL;
    engine_error error = {ENGINE_OK, ""};
    if (engine_model_open(table->path, NULL, &model, &error) != ENGINE_OK)
        return program_fail("%s%s", error.message,
                            table->path ? "" : " (-m FILE; encode-new makes one)");
    int code = describe_file(options, table, model);
    if (code == PROGRAM_DONE)
        code = fill_table(options, table, model);
    engine_model_close(model);
    return code;
}

static int read_scheme_table(const struct plot_options *options, struct table *table)
{
    if (table->position == ENGINE_POSITION_LEARNED)
        return program_misuse(
            "learned positions are in a weight file: name one with -m or --beside");
    snprintf(table->scheme, sizeof table->scheme, "%s", engine_position_name(table->position));
    snprintf(table->name, sizeof table->name, "%s", table->scheme);
    return fill_table(options, table, NULL);
}

/* A scheme's name without -m: computed; else the file's, with the scheme if one is named. */
static int read_main(const struct plot_options *options, struct table *table)
{
    engine_position position = options->request.positions.position;
    *table = (struct table){
        .position = position, .n = options->n_positions, .path = options->request.model_path};
    bool has_numbers = options->width || options->request.positions.base != 0;
    if (!table->path && position == ENGINE_POSITION_MODEL && has_numbers)
        table->position = ENGINE_POSITION_SINUSOIDAL;
    if (table->path || table->position == ENGINE_POSITION_MODEL)
        return read_file_table(options, table);
    table->width = options->width ? options->width : DEFAULT_WIDTH;
    table->n = table->n ? table->n : DEFAULT_POSITIONS;
    return read_scheme_table(options, table);
}

/* Of the same size as the first where it is computed. */
static int read_beside(const struct plot_options *options, const char *beside,
                       const struct table *first, struct table *table)
{
    int position = engine_position_named(beside);
    *table = (struct table){.is_beside = true, .n = first->n, .width = first->width};
    if (position > ENGINE_POSITION_MODEL) {
        table->position = (engine_position)position;
        return read_scheme_table(options, table);
    }
    struct plot_options own = *options;
    own.width = 0;
    own.request.positions = (struct position_options){0};
    table->n = options->n_positions;
    table->path = beside;
    return read_file_table(&own, table);
}

/* ---- Panels ---- */

static const char *unit_of(enum position_kind kind)
{
    static const char *const units[] = {
        [POSITION_HEATMAP] = "value",
        [POSITION_WAVES] = "value",
        [POSITION_CORRELATION] = "PE·PEᵀ",
        [POSITION_COSINE] = "cosine",
        [POSITION_DISTANCE] = "Euclidean distance",
    };
    return units[kind];
}

static double product(const struct table *table, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = 0; i < table->width; i++)
        sum +=
            (double)table->rows[a * table->width + i] * (double)table->rows[b * table->width + i];
    return sum;
}

static double distance(const struct table *table, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = 0; i < table->width; i++) {
        double difference =
            (double)table->rows[a * table->width + i] - (double)table->rows[b * table->width + i];
        sum += difference * difference;
    }
    return sqrt(sum);
}

static double compare_rows(const struct table *table, enum position_kind kind, size_t a, size_t b)
{
    switch (kind) {
    case POSITION_CORRELATION: return product(table, a, b);
    case POSITION_COSINE:
        return engine_cosine(table->rows + a * table->width, table->rows + b * table->width,
                             table->width);
    default: return distance(table, a, b);
    }
}

static void add_pairs(const struct plot_options *options, struct figure *figure,
                      const struct table *table)
{
    enum position_kind kind = options->position_kind;
    struct panel *panel = figure_add(figure, PANEL_MAP, table->n, table->n);
    if (!panel)
        return;
    for (size_t a = 0; a < table->n; a++)
        for (size_t b = a; b < table->n; b++)
            panel->values[a * table->n + b] = panel->values[b * table->n + a] =
                compare_rows(table, kind, a, b);
    panel->is_square = panel->y_up = true;
    double least, most;
    panel_range(panel, &least, &most);
    panel->palette = picture_palette(options, least < 0 ? PALETTE_RDBU : PALETTE_VIRIDIS);
    text_set(&panel->x.title, "position");
    text_set(&panel->y.title, "position");
}

/* A few large numbers would leave all others one colour: the scale ends at 99.5 % of the sizes
 * where that is less than half of the largest, and says so. */
static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void limit_colors(struct panel *panel)
{
    size_t n = panel->x.n * panel->y.n;
    double *sizes = malloc((n + 1) * sizeof *sizes);
    if (!sizes || n == 0) {
        free(sizes);
        return;
    }
    for (size_t i = 0; i < n; i++)
        sizes[i] = fabs(panel->values[i]);
    qsort(sizes, n, sizeof *sizes, by_size);
    double usual = sizes[(size_t)((double)(n - 1) * 0.995)], largest = sizes[n - 1];
    free(sizes);
    if (usual > 0 && usual < 0.5 * largest) {
        panel->most = usual;
        panel->least = panel->palette == PALETTE_RDBU ? -usual : 0;
        text_set(&panel->unit, "value (colours end at %.2g; the largest is %.2g)", usual, largest);
    }
}

static void add_heatmap(const struct plot_options *options, struct figure *figure,
                        const struct table *table)
{
    bool turned = options->is_transposed;
    size_t n_rows = turned ? table->width : table->n, n_columns = turned ? table->n : table->width;
    struct panel *panel = figure_add(figure, PANEL_MAP, n_rows, n_columns);
    if (!panel)
        return;
    for (size_t p = 0; p < table->n; p++)
        for (size_t i = 0; i < table->width; i++)
            panel->values[turned ? i * table->n + p : p * table->width + i] =
                (double)table->rows[p * table->width + i];
    panel->y_up = true;
    double least, most;
    panel_range(panel, &least, &most);
    panel->palette = picture_palette(options, least < 0 ? PALETTE_RDBU : PALETTE_VIRIDIS);
    limit_colors(panel);
    text_set(&panel->x.title, turned ? "position" : "dimension");
    text_set(&panel->y.title, turned ? "dimension" : "position");
}

/* All eight parts of the width, as "0:D:D/8". */
static size_t *choose_dims(const struct plot_options *options, size_t width, size_t *n)
{
    char text[64];
    size_t step = width / DEFAULT_WAVES ? width / DEFAULT_WAVES : 1;
    snprintf(text, sizeof text, "0:%zu:%zu", width, step);
    return dims_read(options->dims ? options->dims : text, width, n);
}

static int add_waves(const struct plot_options *options, struct figure *figure,
                     const struct table *table)
{
    size_t n_dims;
    size_t *dims = choose_dims(options, table->width, &n_dims);
    if (!dims)
        return PROGRAM_MISUSED;
    struct panel *panel = figure_add(figure, PANEL_LINES, n_dims, table->n);
    if (panel) {
        axis_name_all(&panel->y);
        for (size_t row = 0; row < n_dims; row++) {
            text_set(&panel->y.labels[row], "dim %zu", dims[row]);
            for (size_t p = 0; p < table->n; p++)
                panel->values[row * table->n + p] =
                    (double)table->rows[p * table->width + dims[row]];
        }
        text_set(&panel->x.title, "position");
        text_set(&panel->y.title, "dimension");
    }
    free(dims);
    return PROGRAM_DONE;
}

static void name_panel(struct panel *panel, const struct table *table)
{
    char title[sizeof table->name + POSITION_WORDS_BYTES];
    snprintf(title, sizeof title, "%s%s", table->name, table->numbers);
    text_set_bytes(&panel->title, title, strlen(title));
}

static int add_table(const struct plot_options *options, struct figure *figure,
                     const struct table *table)
{
    int code = PROGRAM_DONE;
    size_t before = figure->n_panels;
    if (options->position_kind == POSITION_HEATMAP)
        add_heatmap(options, figure, table);
    else if (options->position_kind == POSITION_WAVES)
        code = add_waves(options, figure, table);
    else
        add_pairs(options, figure, table);
    if (figure->n_panels > before) {
        struct panel *panel = &figure->panels[before];
        if (!panel->unit)
            text_set(&panel->unit, "%s", unit_of(options->position_kind));
        if (options->n_beside)
            name_panel(panel, table);
    }
    return code;
}

static void name_figure(const struct plot_options *options, struct figure *figure,
                        const struct table *table)
{
    static const char *const kinds[] = {
        [POSITION_HEATMAP] = "Position vectors",
        [POSITION_WAVES] = "Dimensions of the position vectors",
        [POSITION_CORRELATION] = "Products of position vectors",
        [POSITION_COSINE] = "Cosines of position vectors",
        [POSITION_DISTANCE] = "Distances of position vectors",
    };
    char title[256 + POSITION_WORDS_BYTES];
    if (options->n_beside)
        snprintf(title, sizeof title, "%s", kinds[options->position_kind]);
    else
        snprintf(title, sizeof title, "%s: %s%s, %zu positions, d = %zu",
                 kinds[options->position_kind], table->name, table->numbers, table->n,
                 table->width);
    text_set_bytes(&figure->title, title, strlen(title));
}

/* Cosines have one scale, so that colours can be compared. */
static void share_cosines(const struct plot_options *options, struct figure *figure)
{
    double least = 0;
    for (size_t i = 0; i < figure->n_panels; i++) {
        double own, most;
        panel_range(&figure->panels[i], &own, &most);
        least = fmin(least, own);
    }
    for (size_t i = 0; i < figure->n_panels; i++) {
        enum palette palette = least < 0 ? PALETTE_RDBU : PALETTE_VIRIDIS;
        figure->panels[i].palette = picture_palette(options, palette);
        figure->panels[i].least = least < 0 ? -1 : 0;
        figure->panels[i].most = 1;
    }
    figure->shares_scale = true;
}

int picture_position(const struct plot_options *options, struct figure *figure)
{
    struct table table, first = {0};
    int code = read_main(options, &first);
    if (code == PROGRAM_DONE) {
        name_figure(options, figure, &first);
        code = add_table(options, figure, &first);
    }
    for (size_t i = 0; i < options->n_beside && code == PROGRAM_DONE; i++) {
        code = read_beside(options, options->beside[i], &first, &table);
        if (code == PROGRAM_DONE)
            code = add_table(options, figure, &table);
        free(table.rows);
    }
    free(first.rows);
    if (code == PROGRAM_DONE && options->n_beside && options->position_kind == POSITION_COSINE)
        share_cosines(options, figure);
    bool is_wide =
        options->position_kind == POSITION_WAVES || options->position_kind == POSITION_HEATMAP;
    figure->columns = is_wide && options->n_beside < 3 ? 1 : 0;
    return code;
}
