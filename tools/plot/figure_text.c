/* figure_text.c - maps and dots in characters; see figure.h. A map that is too wide or high is made
 * coarser: each character is the mean of a block of cells. */
#include "tools/common/print/display.h"
#include "tools/plot/figure.h"

#include <math.h>
#include <string.h>

enum { NUMBER_COLUMNS = 6, NAME_COLUMNS = 20, ROWS_MOST = 48, BAR_COLUMNS = 20, KEY_CELLS = 20 };

static double block_mean(const struct panel *panel, size_t row, size_t n_rows, size_t column,
                         size_t n_columns)
{
    double sum = 0;
    size_t n = 0;
    for (size_t y = row; y < row + n_rows && y < panel->y.n; y++)
        for (size_t x = column; x < column + n_columns && x < panel->x.n; x++, n++)
            sum += panel->values[y * panel->x.n + x];
    return sum / (double)n;
}

/* Prints a number if it fits, else a shade. Colours go from white to blue, below 0 to red. */
static void print_map_cell(const struct panel *panel, double value, size_t columns, bool colors,
                           FILE *stream)
{
    static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
    bool is_signed = panel->least < 0 && panel->most > 0;
    double share = (value - panel->least) / (panel->most - panel->least);
    double depth = fmin(1, fmax(0, is_signed ? fabs(value) / panel->most : share));
    if (colors) {
        int faint = (int)lround(255 - 220 * depth), middle = (int)lround(255 - 160 * depth);
        bool is_red = is_signed && value < 0;
        fprintf(stream, "\x1b[48;2;%d;%d;%dm\x1b[38;2;%sm",
                is_red ? 255 - (255 - middle) / 2 : faint, is_red ? faint : middle,
                is_red ? faint : 255 - (255 - middle) / 2, depth > 0.6 ? "255;255;255" : "0;0;0");
    }
    if (columns >= NUMBER_COLUMNS)
        fprintf(stream, fabs(value) < 100 ? "%*.2f" : "%*.0f", (int)columns, value);
    else
        for (size_t i = 0; i < columns; i++)
            fputs(colors ? " " : shades[(size_t)fmin(4, fmax(0, 5 * share))], stream);
    if (colors)
        fputs("\x1b[0m", stream);
}

static size_t name_width(const struct axis *axis)
{
    return axis->labels ? axis_widest(axis, NAME_COLUMNS)
                        : (size_t)snprintf(NULL, 0, "%zu", axis->n - 1);
}

static size_t print_name(const struct axis *axis, size_t i, size_t columns, FILE *stream)
{
    const char *name = axis_name(axis, i);
    return display_text(stream, name, strlen(name), columns);
}

/* Prints the columns' names above their numbers, or the first and the last above shades. */
static void print_header(const struct axis *axis, size_t margin, size_t cell_columns, FILE *stream)
{
    if (cell_columns < NUMBER_COLUMNS) {
        fprintf(stream, "%s from left to right: ", axis->title ? axis->title : "columns");
        print_name(axis, 0, NAME_COLUMNS, stream);
        fputs(" … ", stream);
        print_name(axis, axis->n - 1, NAME_COLUMNS, stream);
    } else
        fprintf(stream, "%*s", (int)margin, "");
    for (size_t i = 0; cell_columns >= NUMBER_COLUMNS && i < axis->n; i++) {
        size_t used = print_name(axis, i, cell_columns - 1, NULL);
        fprintf(stream, "%*s", (int)(cell_columns - used), "");
        print_name(axis, i, cell_columns - 1, stream);
    }
    putc('\n', stream);
}

static void print_map(const struct panel *panel, bool y_up, size_t columns, bool colors,
                      FILE *stream)
{
    size_t name_columns = name_width(&panel->y), room = columns - name_columns - 1;
    size_t share = room / panel->x.n, name = name_width(&panel->x) + 1;
    size_t cell_columns = share < NUMBER_COLUMNS   ? (share >= 2 ? 2 : 1)
                          : name <= NUMBER_COLUMNS ? NUMBER_COLUMNS
                          : name < share           ? name
                                                   : share;
    bool has_numbers = cell_columns >= NUMBER_COLUMNS;
    size_t block_x = cell_columns > 1 ? 1 : (panel->x.n + room - 1) / room;
    size_t block_y = has_numbers ? 1 : (panel->y.n + ROWS_MOST - 1) / ROWS_MOST;
    size_t n_rows = (panel->y.n + block_y - 1) / block_y;
    print_header(&panel->x, name_columns + 1, cell_columns, stream);
    for (size_t i = 0; i < n_rows; i++) {
        size_t row = (y_up ? n_rows - 1 - i : i) * block_y;
        const char *label = axis_name(&panel->y, row);
        display_cell(stream, label, strlen(label), name_columns);
        putc(' ', stream);
        for (size_t column = 0; column < panel->x.n; column += block_x)
            print_map_cell(panel, block_mean(panel, row, block_y, column, block_x), cell_columns,
                           colors, stream);
        putc('\n', stream);
    }
    fprintf(stream, "%.4g ", panel->least);
    for (int i = 0; i < KEY_CELLS; i++)
        print_map_cell(panel, panel->least + (panel->most - panel->least) * (i + 0.5) / KEY_CELLS,
                       1, colors, stream);
    fprintf(stream, " %.4g  %s\n", panel->most, panel->unit);
}

/* Prints numbers, a bar of the first of them, and the name, which is not cut. */
static void print_dots(const struct panel *panel, FILE *stream)
{
    double most = panel_range(panel).most;
    for (size_t k = 0; k < panel->x.n; k++)
        fprintf(stream, "%s %zu: %s\n", k ? "number" : "bar, number", k + 1,
                axis_name(&panel->x, k));
    for (size_t row = 0; row < panel->y.n; row++) {
        const double *values = panel->values + row * panel->x.n;
        size_t bar = most > 0 ? (size_t)lround(fmax(0, values[0]) / most * BAR_COLUMNS) : 0;
        for (size_t k = 0; k < panel->x.n; k++)
            fprintf(stream, "%10.4g ", values[k]);
        for (size_t i = 0; i < BAR_COLUMNS; i++)
            fputs(i < bar ? "█" : " ", stream);
        putc(' ', stream);
        print_name(&panel->y, row, SIZE_MAX, stream);
        putc('\n', stream);
    }
    fprintf(stream, "%s\n", panel->unit);
}

void panel_print(const struct panel *panel, bool y_up, size_t columns, bool colors, FILE *stream)
{
    if (panel->kind == PANEL_DOTS)
        print_dots(panel, stream);
    else
        print_map(panel, y_up, columns, colors, stream);
}
