/* text_map.c - see text_map.h. A map that is too wide or high is made coarser: each character is
 * the mean of a block of cells. */
#include "tools/plot/text_map.h"

#include "tools/common/display.h"
#include "tools/plot/gnuplot/palette.h"

#include <math.h>
#include <string.h>

enum { NUMBER_COLUMNS = 6, NAME_COLUMNS = 20, SENTENCE_COLUMNS = 400, ROWS_MOST = 48 };

struct map {
    const struct panel *panel;
    size_t name_columns, block_x, block_y;
    size_t cell_columns; /* NUMBER_COLUMNS or more: numbers */
    bool colors;
    FILE *stream;
};

static const char *const SHADES[] = {" ", "░", "▒", "▓", "█"};
enum { N_SHADES = 5 };

static double mean_of(const struct map *map, size_t row, size_t column)
{
    const struct panel *panel = map->panel;
    double sum = 0;
    size_t n = 0;
    for (size_t y = row; y < row + map->block_y && y < panel->y.n; y++)
        for (size_t x = column; x < column + map->block_x && x < panel->x.n; x++, n++)
            sum += panel->values[y * panel->x.n + x];
    return n ? sum / (double)n : 0;
}

static void put_cell(const struct map *map, double value)
{
    const struct panel *panel = map->panel;
    double share = (value - panel->least) / (panel->most - panel->least);
    uint32_t color = palette_color(panel->palette, share);
    if (map->colors)
        fprintf(map->stream, "\x1b[48;2;%u;%u;%um\x1b[38;2;%sm", (unsigned)(color >> 16),
                (unsigned)(color >> 8 & 0xFF), (unsigned)(color & 0xFF),
                color_is_light(color) ? "0;0;0" : "255;255;255");
    if (map->cell_columns >= NUMBER_COLUMNS)
        fprintf(map->stream, fabs(value) < 100 ? "%*.2f" : "%*.0f", (int)map->cell_columns, value);
    else
        for (size_t i = 0; i < map->cell_columns; i++) {
            size_t shade = !(share > 0) ? 0
                           : share >= 1 ? N_SHADES - 1
                                        : (size_t)(share * N_SHADES);
            fputs(map->colors ? " " : SHADES[shade], map->stream);
        }
    if (map->colors)
        fputs("\x1b[0m", map->stream);
}

static void put_name(const struct map *map, const struct axis *axis, size_t i)
{
    char scratch[AXIS_NAME_BYTES];
    const char *name = axis_name(axis, i, scratch);
    display_cell(map->stream, name, strlen(name), map->name_columns);
    putc(' ', map->stream);
}

static size_t widest(const struct axis *axis)
{
    char scratch[AXIS_NAME_BYTES];
    size_t most = 1;
    for (size_t i = 0; i < axis->n; i++) {
        const char *name = axis_name(axis, i, scratch);
        size_t columns = display_width(name, strlen(name), NAME_COLUMNS);
        most = columns > most ? columns : most;
    }
    return most;
}

static void put_header(const struct map *map)
{
    const struct axis *axis = &map->panel->x;
    char scratch[AXIS_NAME_BYTES];
    if (map->cell_columns >= NUMBER_COLUMNS) {
        fprintf(map->stream, "%*s", (int)map->name_columns + 1, "");
        for (size_t i = 0; i < axis->n; i++) {
            const char *name = axis_name(axis, i, scratch);
            size_t used = display_width(name, strlen(name), map->cell_columns - 1);
            fprintf(map->stream, "%*s", (int)(map->cell_columns - used), "");
            display_text(map->stream, name, strlen(name), map->cell_columns - 1);
        }
        putc('\n', map->stream);
        return;
    }
    const char *title = axis->title ? axis->title : "columns";
    fprintf(map->stream, "%s from left to right: ", title);
    const char *name = axis_name(axis, 0, scratch);
    display_text(map->stream, name, strlen(name), NAME_COLUMNS);
    fputs(" … ", map->stream);
    name = axis_name(axis, axis->n - 1, scratch);
    display_text(map->stream, name, strlen(name), NAME_COLUMNS);
    putc('\n', map->stream);
}

static void put_key(const struct map *map)
{
    const struct panel *panel = map->panel;
    struct map key = *map;
    key.cell_columns = 1;
    fprintf(map->stream, "%.4g ", panel->least);
    for (int i = 0; i < 20; i++)
        put_cell(&key, panel->least + (panel->most - panel->least) * (i + 0.5) / 20);
    fprintf(map->stream, " %.4g", panel->most);
    if (panel->unit)
        fprintf(map->stream, "  %s", panel->unit);
    putc('\n', map->stream);
}

/* Numbers where they fit, as wide as the names above them or as there is room. */
static size_t cell_columns(const struct panel *panel, size_t room)
{
    size_t share = room / (panel->x.n ? panel->x.n : 1), name = widest(&panel->x) + 1;
    if (share < NUMBER_COLUMNS)
        return share >= 2 ? 2 : 1;
    return name <= NUMBER_COLUMNS ? NUMBER_COLUMNS : name < share ? name : share;
}

void text_map_print(const struct panel *panel, size_t columns, bool colors, FILE *stream)
{
    struct map map = {.panel = panel, .colors = colors, .stream = stream};
    map.name_columns = widest(&panel->y);
    size_t room = columns > map.name_columns + 12 ? columns - map.name_columns - 1 : 11;
    map.cell_columns = cell_columns(panel, room);
    map.block_x = map.cell_columns > 1 ? 1 : (panel->x.n + room - 1) / room;
    map.block_y = map.cell_columns >= NUMBER_COLUMNS ? 1 : (panel->y.n + ROWS_MOST - 1) / ROWS_MOST;
    put_header(&map);
    size_t n_rows = (panel->y.n + map.block_y - 1) / map.block_y;
    for (size_t i = 0; i < n_rows; i++) {
        size_t row = (panel->y_up ? n_rows - 1 - i : i) * map.block_y;
        put_name(&map, &panel->y, row);
        for (size_t column = 0; column < panel->x.n; column += map.block_x)
            put_cell(&map, mean_of(&map, row, column));
        putc('\n', stream);
    }
    put_key(&map);
}

/* ---- Dots ---- */

struct dots {
    const struct panel *panel;
    size_t name_columns, bar_columns;
    bool has_own_lines; /* names that are too long for a line with numbers */
    FILE *stream;
};

enum { DOT_NUMBER = 10, BAR_LEAST = 10 };

static void put_dots_row(const struct dots *dots, size_t row)
{
    const struct panel *panel = dots->panel;
    const double *values = panel->values + row * panel->x.n;
    char scratch[AXIS_NAME_BYTES];
    const char *name = axis_name(&panel->y, row, scratch);
    double share = panel->most > 0 ? values[0] / panel->most : 0;
    size_t n = share > 0 ? (size_t)(fmin(share, 1) * (double)dots->bar_columns + 0.5) : 0;
    if (dots->has_own_lines) {
        display_text(dots->stream, name, strlen(name), SENTENCE_COLUMNS);
        putc('\n', dots->stream);
    } else
        display_cell(dots->stream, name, strlen(name), dots->name_columns);
    for (size_t k = 0; k < panel->x.n; k++)
        fprintf(dots->stream, " %*.4g", DOT_NUMBER, values[k]);
    putc(' ', dots->stream);
    for (size_t i = 0; i < n; i++)
        fputs("█", dots->stream);
    putc('\n', dots->stream);
}

void text_dots_print(const struct panel *panel, size_t columns, FILE *stream)
{
    struct dots dots = {.panel = panel, .name_columns = 1, .stream = stream};
    char scratch[AXIS_NAME_BYTES];
    size_t numbers = panel->x.n * (DOT_NUMBER + 1) + 1;
    for (size_t i = 0; i < panel->y.n; i++) {
        const char *name = axis_name(&panel->y, i, scratch);
        size_t width = display_width(name, strlen(name), SENTENCE_COLUMNS);
        dots.name_columns = width > dots.name_columns ? width : dots.name_columns;
    }
    dots.has_own_lines = dots.name_columns + numbers + BAR_LEAST > columns;
    size_t used = numbers + (dots.has_own_lines ? 0 : dots.name_columns);
    dots.bar_columns = columns > used + BAR_LEAST ? columns - used : BAR_LEAST;
    for (size_t k = 0; k < panel->x.n; k++)
        fprintf(stream, "%s %zu: %s\n", k ? "number" : "bar, number", k + 1,
                axis_name(&panel->x, k, scratch));
    for (size_t row = 0; row < panel->y.n; row++)
        put_dots_row(&dots, row);
    fprintf(stream, "%s\n", panel->unit ? panel->unit : "");
}
