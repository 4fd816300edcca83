/* text_map.c - maps and dots in characters; see figure.h. A map that is too wide or high is made
 * coarser: each character is the mean of a block of cells. */
#include "tools/plot/gnuplot/figure.h"

#include "tools/common/print/display.h"
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
    return sum / (double)n;
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

/* Of the names of an axis, up to so many columns. */
static size_t widest(const struct axis *axis, size_t columns_most)
{
    size_t most = 1;
    for (size_t i = 0; i < axis->n; i++) {
        const char *name = axis_name(axis, i);
        size_t columns = display_width(name, strlen(name), columns_most);
        most = columns > most ? columns : most;
    }
    return most;
}

static void put_name(const struct axis *axis, size_t i, size_t columns, FILE *stream)
{
    const char *name = axis_name(axis, i);
    display_text(stream, name, strlen(name), columns);
}

static void put_header(const struct map *map)
{
    const struct axis *axis = &map->panel->x;
    if (map->cell_columns < NUMBER_COLUMNS) {
        fprintf(map->stream, "%s from left to right: ", axis->title ? axis->title : "columns");
        put_name(axis, 0, NAME_COLUMNS, map->stream);
        fputs(" … ", map->stream);
        put_name(axis, axis->n - 1, NAME_COLUMNS, map->stream);
    } else {
        fprintf(map->stream, "%*s", (int)map->name_columns + 1, "");
        for (size_t i = 0; i < axis->n; i++) {
            const char *name = axis_name(axis, i);
            size_t used = display_width(name, strlen(name), map->cell_columns - 1);
            fprintf(map->stream, "%*s", (int)(map->cell_columns - used), "");
            put_name(axis, i, map->cell_columns - 1, map->stream);
        }
    }
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
    fprintf(map->stream, " %.4g  %s\n", panel->most, panel->unit);
}

/* Numbers where they fit, as wide as the names above them or as there is room. */
static size_t cell_columns(const struct panel *panel, size_t room)
{
    size_t share = room / panel->x.n;
    size_t name = widest(&panel->x, NAME_COLUMNS) + 1;
    if (share < NUMBER_COLUMNS)
        return share >= 2 ? 2 : 1;
    return name <= NUMBER_COLUMNS ? NUMBER_COLUMNS : name < share ? name : share;
}

void text_map_print(const struct panel *panel, size_t columns, bool colors, FILE *stream)
{
    struct map map = {.panel = panel, .colors = colors, .stream = stream};
    map.name_columns = widest(&panel->y, NAME_COLUMNS);
    size_t room = columns - map.name_columns - 1;
    map.cell_columns = cell_columns(panel, room);
    map.block_x = map.cell_columns > 1 ? 1 : (panel->x.n + room - 1) / room;
    map.block_y = map.cell_columns >= NUMBER_COLUMNS ? 1 : (panel->y.n + ROWS_MOST - 1) / ROWS_MOST;
    put_header(&map);
    size_t n_rows = (panel->y.n + map.block_y - 1) / map.block_y;
    for (size_t i = 0; i < n_rows; i++) {
        size_t row = (panel->y_up ? n_rows - 1 - i : i) * map.block_y;
        const char *name = axis_name(&panel->y, row);
        display_cell(stream, name, strlen(name), map.name_columns);
        putc(' ', stream);
        for (size_t column = 0; column < panel->x.n; column += map.block_x)
            put_cell(&map, mean_of(&map, row, column));
        putc('\n', stream);
    }
    put_key(&map);
}

/* ---- Dots ---- */

enum { DOT_NUMBER = 10, BAR_LEAST = 10 };

static void put_bar(double share, size_t columns, FILE *stream)
{
    size_t n = share > 0 ? (size_t)(fmin(share, 1) * (double)columns + 0.5) : 0;
    for (size_t i = 0; i < n; i++)
        fputs("█", stream);
    putc('\n', stream);
}

void text_dots_print(const struct panel *panel, size_t columns, FILE *stream)
{
    size_t numbers = panel->x.n * (DOT_NUMBER + 1) + 1;
    size_t name_columns = widest(&panel->y, SENTENCE_COLUMNS);
    bool has_own_lines = name_columns + numbers + BAR_LEAST > columns; /* names that are too long */
    size_t used = numbers + (has_own_lines ? 0 : name_columns);
    size_t bar_columns = columns - used;
    for (size_t k = 0; k < panel->x.n; k++)
        fprintf(stream, "%s %zu: %s\n", k ? "number" : "bar, number", k + 1,
                axis_name(&panel->x, k));
    for (size_t row = 0; row < panel->y.n; row++) {
        const double *values = panel->values + row * panel->x.n;
        const char *name = axis_name(&panel->y, row);
        if (has_own_lines) {
            display_text(stream, name, strlen(name), SENTENCE_COLUMNS);
            putc('\n', stream);
        } else
            display_cell(stream, name, strlen(name), name_columns);
        for (size_t k = 0; k < panel->x.n; k++)
            fprintf(stream, " %*.4g", DOT_NUMBER, values[k]);
        putc(' ', stream);
        put_bar(panel->most > 0 ? values[0] / panel->most : 0, bar_columns, stream);
    }
    fprintf(stream, "%s\n", panel->unit);
}
