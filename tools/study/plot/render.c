/* render.c - draws a figure, or writes its numbers. Pictures and characters are complete
 * before their output is opened. Maps and dots in characters are printed here, all else is drawn by
 * gnuplot.
 */
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"
#include "tools/study/plot/gnuplot.h"
#include "tools/study/plot/pictures/pictures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TEXT_COLUMNS = 80, TEXT_COLUMNS_MOST = 400, PIXELS_MOST = 16000 };

static int write_output(const struct written *result, const char *path)
{
    struct output output;
    output_open(&output, path, OUTPUT_STREAM);
    errno = 0;
    fwrite(result->bytes, 1, result->len, output.stream);
    return output_end(&output, PROGRAM_DONE);
}

static int write_table(const struct figure *figure, const char *path)
{
    struct written table;
    FILE *stream = alloc_open(&table);
    figure_write_table(figure, 0, stream);
    alloc_close(stream, &table);
    return write_output(&table, path);
}

/* ---- Maps and dots in characters. A map that is too wide or high is made coarser: each character
 * ---- is the mean of a block of cells. ---- */

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

/* ---- Characters ---- */

/* Writes a line in which nothing moves the cursor. */
static void write_text_line(const char *line, FILE *stream)
{
    display_text(stream, line, strlen(line), TEXT_COLUMNS_MOST);
    putc('\n', stream);
}

/* Writes the lines and points that gnuplot draws, without the form feed and the blanks around
 * them. */
static void write_drawing(const struct figure *figure, const struct plot_options *options,
                          size_t columns, FILE *stream)
{
    struct written picture = gnuplot_draw(figure, options, columns);
    size_t feed = strspn(picture.bytes, "\f\n");
    while (picture.len > feed && strchr(" \n", picture.bytes[picture.len - 1]))
        picture.len--;
    fwrite(picture.bytes + feed, 1, picture.len - feed, stream);
    putc('\n', stream);
}

static int write_text(const struct figure *figure, const struct plot_options *options)
{
    const char *terminal = getenv("TERM"), *refused = getenv("NO_COLOR");
    bool is_terminal = !options->output_path && isatty(STDOUT_FILENO);
    bool colors =
        is_terminal && terminal && strcmp(terminal, "dumb") != 0 && !(refused && refused[0]);
    bool is_drawn = figure->panels[0].kind == PANEL_LINES || figure->panels[0].kind == PANEL_POINTS;
    struct winsize size = {0};
    size_t columns = TEXT_COLUMNS;
    if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        columns = size.ws_col < TEXT_COLUMNS_MOST ? size.ws_col : TEXT_COLUMNS_MOST;
    struct written text;
    FILE *stream = alloc_open(&text);
    if (options->title) /* the user's own line ends */
        fprintf(stream, "%s\n", figure->title);
    else
        write_text_line(figure->title, stream);
    for (size_t i = 0; i < figure->n_notes; i++)
        write_text_line(figure->notes[i], stream);
    if (is_drawn)
        write_drawing(figure, options, columns, stream);
    for (size_t i = 0; !is_drawn && i < figure->n_panels; i++) {
        if (figure->panels[i].title) {
            putc('\n', stream);
            write_text_line(figure->panels[i].title, stream);
        }
        if (figure->panels[i].kind == PANEL_DOTS)
            print_dots(&figure->panels[i], stream);
        else
            print_map(&figure->panels[i], figure->y_up, columns, colors, stream);
    }
    alloc_close(stream, &text);
    return write_output(&text, options->output_path);
}

/* ---- Pictures ---- */

static void replace_all(struct written *picture, const char *from, const char *to)
{
    const char *at = picture->bytes, *end = at + picture->len, *found;
    FILE *stream = alloc_open(picture);
    while ((found = memmem(at, (size_t)(end - at), from, strlen(from))) != NULL) {
        fwrite(at, 1, (size_t)(found - at), stream);
        fputs(to, stream);
        at = found + strlen(from);
    }
    fwrite(at, 1, (size_t)(end - at), stream);
    alloc_close(stream, picture);
}

/* Checks that the picture begins and ends as its format does. In SVG gives images sharp cells, as
 * gnuplot's other formats do, and writes ]]> in a text as XML requires. */
static int write_picture(const struct figure *figure, const struct plot_options *options)
{
    static const struct {
        const char *begin, *end;
    } marks[] = {[PLOT_PNG] = {"\x89PNG\r\n\x1a\n", "IEND"},
                 [PLOT_SVG] = {"<svg", "</svg>"},
                 [PLOT_PDF] = {"%PDF", "%%EOF"}};
    enum { BEGIN = 100, END = 20 };
    double pixels = fmax(options->width_inches, options->height_inches) *
                    (options->format == PLOT_PNG ? (double)options->dpi : 96);
    if (pixels > PIXELS_MOST + 0.5)
        program_die("a picture with a side of %.0f pixels is too large: at most %d", pixels,
                    PIXELS_MOST);
    struct written picture = gnuplot_draw(figure, options, 0);
    const char *begin = marks[options->format].begin, *end = marks[options->format].end;
    if (picture.len <= BEGIN || !memmem(picture.bytes, BEGIN, begin, strlen(begin)) ||
        !memmem(picture.bytes + picture.len - END, END, end, strlen(end)))
        program_die("gnuplot drew only a part of the picture");
    if (options->format == PLOT_SVG) {
        replace_all(&picture, "<image ", "<image style='image-rendering:pixelated' ");
        if (!strstr(picture.bytes, "<![CDATA[")) /* which a user's script may need */
            replace_all(&picture, "]]>", "]]&gt;");
    }
    return write_output(&picture, options->output_path);
}

/* Leaves the panels of one page: that of --page, or the first if the format has no pages. */
static void choose_page(struct figure *figure, const struct plot_options *options)
{
    size_t n_pages = figure->panels[figure->n_panels - 1].page, n = 0;
    bool has_pages = options->format == PLOT_PDF || options->format == PLOT_TEXT;
    if (options->page > n_pages)
        program_die_misused("--page %zu: this picture has %zu page%s", options->page, n_pages,
                            plural(n_pages));
    if (n_pages == 1 || (has_pages && !options->page))
        return;
    if (!options->page)
        program_note("page 1 of %zu: --page N draws another, and a PDF has all", n_pages);
    for (size_t i = 0; i < figure->n_panels; i++)
        if (figure->panels[i].page == (options->page ? options->page : 1))
            figure->panels[n++] = figure->panels[i];
    figure->n_panels = n;
}

int render(struct figure *figure, const struct plot_options *options)
{
    if (options->title)
        figure->title = text_new("%s", options->title);
    figure_set_colors(figure);
    if (options->format == PLOT_DATA)
        return write_table(figure, options->output_path);
    choose_page(figure, options);
    return options->format == PLOT_TEXT ? write_text(figure, options)
                                        : write_picture(figure, options);
}
