/* render.c - draws a figure, or writes its numbers. Pictures and characters are complete
 * before their output is opened. Maps and dots in characters are printed here, all else is drawn by
 * gnuplot.
 */
#include "tools/study/plot/render.h"

#include "tools/common/child.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_COLUMNS = 80, TEXT_COLUMNS_MOST = 400 };

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

/* ---- gnuplot. A script draws the picture: maps.gp, waves.gp, order.gp, words.gp, or
 * the user's (--script). It reads the table of numbers and the variables that common.gp describes.
 * Texts reach gnuplot as strings alone: those of gnuplot_string, or of the table.
 *
 * Strings: gnuplot runs commands between backquotes and expands @macros anywhere in a line, also in
 * strings, before it reads escapes. So every ASCII character but letters, digits, blanks and a few
 * marks is written as an octal escape.
 *
 * Characters: gnuplot's cairo terminals draw a character without a font as a box as large as the
 * page (seen with gnuplot 5.4.4, pango 1.50), so such characters must not reach them. fontconfig's
 * fc-list, which libpango needs, prints the characters of each font as ranges of hexadecimal
 * numbers. If it is absent, every character is passed on. ---- */

const char *gnuplot_string(const char *text)
{
    bool after_escape = false; /* octal digits after an escape would extend it */
    struct written made;
    FILE *stream = alloc_open(&made);
    putc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (*c >= '0' && *c <= '9' && !after_escape) || *c >= 0x80 ||
                        strchr(" .,:-", *c);
        after_escape = !is_plain;
        if (is_plain)
            putc(*c, stream);
        else
            fprintf(stream, "\\%03o", *c);
    }
    putc('"', stream);
    return alloc_close(stream, &made);
}

/* ---- Fonts ---- */

enum { LAST_COMMON = 0x17F, N_CHARACTERS = 0x110000 }; /* Latin is in every font */

static const char BOX[] = "\xE2\x96\xA1";

/* Returns a bit for each character that a font has; NULL if fc-list is absent. It prints ranges,
 * "20-7e a0-17f 18f" and so on, with line ends between fonts. */
static const unsigned char *read_fonts(void)
{
    static const char blanks[] = " \n";
    char name[] = "fc-list", format[] = "--format=%{charset}\\n";
    char *const arguments[] = {name, format, NULL};
    struct child_result result;
    unsigned char *has = NULL;
    int reason = run_child(arguments, "", 0, &result);
    if (reason != 0 && reason != ENOENT)
        program_die("cannot run fc-list: %s", strerror(reason));
    const char *at = result.status == 0 && result.len > 0 ? result.bytes : "";
    if (*at)
        has = alloc_zeros(N_CHARACTERS / 8, 1);
    for (; *at; at += strcspn(at, blanks), at += strspn(at, blanks)) {
        char *end;
        unsigned long first = strtoul(at, &end, 16);
        unsigned long last = *end == '-' ? strtoul(end + 1, NULL, 16) : first;
        for (unsigned long c = first; c <= last && c < N_CHARACTERS; c++)
            has[c / 8] |= (unsigned char)(1u << c % 8);
    }
    free(result.bytes);
    return has;
}

/* Replaces each character of a text that no font of this machine has by U+25A1 (a box; by ? if the
 * character takes fewer bytes), and prints a note once. */
static void replace_missing(struct written *written)
{
    static const unsigned char *has;
    static bool is_read, is_noted;
    char *text = written->bytes;
    uint32_t character;
    size_t out = 0;
    for (size_t at = 0, n; at < written->len; at += n) {
        n = utf8_next(text + at, written->len - at, &character);
        if (character > LAST_COMMON && !is_read) {
            has = read_fonts();
            is_read = true;
        }
        if (character <= LAST_COMMON || !has || has[character / 8] >> character % 8 & 1) {
            memmove(text + out, text + at, n);
            out += n;
            continue;
        }
        bool has_box = has[0x25A1 / 8] >> 0x25A1 % 8 & 1 && n >= sizeof BOX - 1;
        memcpy(text + out, has_box ? BOX : "?", has_box ? sizeof BOX - 1 : 1);
        out += has_box ? sizeof BOX - 1 : 1;
        if (!is_noted)
            program_note("no font here has U+%04X, and perhaps others: a box is drawn instead; "
                         "packages such as fonts-noto-core and fonts-noto-cjk have more",
                         (unsigned)character);
        is_noted = true;
    }
    written->len = out;
}

/* ---- Running ---- */

/* Makes a message one line for the terminal: line ends and controls become blanks. */
static const char *one_line(char *message)
{
    char *out = message;
    for (const char *c = message; *c; c++) {
        char shown = (unsigned char)*c < 0x20 || *c == 0x7F ? ' ' : *c;
        if (shown != ' ' || (out > message && out[-1] != ' '))
            *out++ = shown;
    }
    while (out > message && out[-1] == ' ')
        out--;
    *out = '\0';
    return message[0] ? message : "it gave no reason";
}

/* Runs gnuplot on the commands, without its start files, and returns what it writes to stdout. Ends
 * the program if gnuplot is absent, fails, or draws nothing. */
static struct written run_gnuplot(const struct written *commands)
{
    /* By its name stdin is read as a file is, not byte by byte as from a terminal. */
    char name[] = "gnuplot", defaults[] = "-d", from_stdin[] = "/dev/stdin";
    char *const arguments[] = {name, defaults, from_stdin, NULL};
    struct child_result result;
    int reason = run_child(arguments, commands->bytes, commands->len, &result);
    if (reason == ENOENT)
        program_die("gnuplot is not installed: sudo apt-get install gnuplot-nox (sh "
                    "tools/setup.sh installs it too); -f data needs none");
    if (reason)
        program_die("cannot run gnuplot: %s", strerror(reason));
    struct written picture = {alloc_own(result.bytes), result.len};
    const char *message = one_line(result.message);
    if (WIFSIGNALED(result.status))
        program_die("gnuplot was ended by signal %d: %s", WTERMSIG(result.status), message);
    if (WEXITSTATUS(result.status) != 0)
        program_die("gnuplot failed: %s", message);
    if (result.len == 0)
        program_die("gnuplot drew nothing: %s", message);
    return picture;
}

/* ---- Commands ---- */

enum { TEXT_ROWS = 24, TITLE_COLUMNS = 400 };

/* Returns the folder of the scripts: beside the program, where make links that of its tree, or
 * PREFIX/share/encode/plot for PREFIX/bin/encode-plot. */
static const char *find_scripts(void)
{
    static const char *const folders[] = {"plot", "../share/encode/plot"};
    char program[PATH_MAX] = "";
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = len > 0 ? strrchr(program, '/') : NULL;
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < 2; i++) {
        char *folder = alloc_own(alloc_text("%s/%s", program, folders[i]));
        if (access(folder, X_OK) == 0)
            return folder;
    }
    program_die("the scripts of gnuplot are neither in '%s/plot' nor in '%s/../share/encode/plot'",
                program, program);
}

/* Returns the columns that names are cut to, so that they leave room for the values. */
static size_t name_columns(const struct figure *figure)
{
    switch (figure->panels[0].kind) {
    case PANEL_DOTS: return 90; /* permutations differ in their last words */
    case PANEL_POINTS: return 20;
    default: return figure->n_panels > 1 ? 20 : 28;
    }
}

/* One line, cut if it is long. */
static const char *title_string(const char *title)
{
    return gnuplot_string(title ? text_cut(title, TITLE_COLUMNS) : "");
}

/* Writes the variables of panel i, whose table is the index-th. */
static void write_panel_variables(const struct panel *panel, size_t i, size_t index,
                                  size_t name_most, FILE *out)
{
    fprintf(out,
            "i = %zu\ntable[i] = %zu\npage[i] = %zu\nrows[i] = %zu\ncolumns[i] = %zu\n"
            "y_names[i] = %zu\nx_names[i] = %zu\ncolors[i] = \"%s\"\nleast[i] = %.9g\n"
            "most[i] = %.9g\npanel_title[i] = %s\nx_title[i] = %s\ny_title[i] = %s\n"
            "unit[i] = %s\n",
            i, index, panel->page, panel->y.n, panel->x.n, axis_widest(&panel->y, name_most),
            axis_widest(&panel->x, name_most), panel->least < 0 ? "RdBu" : "Blues", panel->least,
            panel->most, title_string(panel->title), title_string(panel->x.title),
            title_string(panel->y.title), title_string(panel->unit));
}

/* Writes the variables that common.gp describes. columns: of characters, 0 for a picture. */
static void write_variables(const struct figure *figure, const struct plot_options *options,
                            size_t columns, FILE *out)
{
    static const char *const formats[] = {"", "text", "", "png", "svg", "pdf"};
    const bool is_text = columns > 0;
    double width = is_text ? (double)columns : options->width_inches;
    double height = is_text ? TEXT_ROWS : options->height_inches;
    size_t n = 0, i = 0;
    for (size_t k = 0; k < figure->n_panels; k++)
        n += figure->panels[k].kind != PANEL_DATA;
    fprintf(out, "format = \"%s\"\nwidth = %.9g\nheight = %.9g\ndpi = %d\n",
            formats[options->format], width, height, width > 0 ? PLOT_DPI : 200);
    fprintf(out, "title = %s\nnotes = \"\"\n", title_string(figure->title));
    for (size_t k = 0; k < figure->n_notes; k++)
        fprintf(out, "notes = notes.%s.\"\\n\"\n", title_string(figure->notes[k]));
    fprintf(out,
            "n_notes = %zu\nn = %zu\nn_beside = %zu\nsquare = %d\ny_up = %d\n"
            "shares_scale = %d\nshares_names = %d\noverlaid = %d\n",
            figure->n_notes, n, figure->columns, figure->is_square, figure->y_up,
            figure->shares_scale, figure->shares_names, figure->is_overlaid);
    fputs("array table[n]\narray page[n]\narray rows[n]\narray columns[n]\narray y_names[n]\n"
          "array x_names[n]\narray colors[n]\narray least[n]\narray most[n]\n"
          "array panel_title[n]\narray x_title[n]\narray y_title[n]\narray unit[n]\n",
          out);
    for (size_t k = 0; k < figure->n_panels; k++)
        if (figure->panels[k].kind != PANEL_DATA)
            write_panel_variables(&figure->panels[k], ++i, k, name_columns(figure), out);
}

/* The table is a file in memory, which gnuplot can open several times. */
static struct written draw(const struct figure *figure, const struct plot_options *options,
                           size_t columns)
{
    static const char *const scripts[] = {[PANEL_MAP] = "maps.gp",
                                          [PANEL_LINES] = "waves.gp",
                                          [PANEL_DOTS] = "order.gp",
                                          [PANEL_POINTS] = "words.gp"};
    const char *folder = find_scripts(), *script = options->script;
    struct written commands, table;
    int file = memfd_create("table", 0);
    FILE *stream = alloc_open(&table), *data = file < 0 ? NULL : fdopen(file, "w");
    figure_write_table(figure, name_columns(figure), stream);
    alloc_close(stream, &table);
    stream = alloc_open(&commands);
    fprintf(stream, "set encoding utf8\ndata = \"/dev/fd/%d\"\nfolder = %s\n", file,
            gnuplot_string(folder));
    write_variables(figure, options, columns, stream);
    if (!script)
        script = alloc_own(alloc_text("%s/%s", folder, scripts[figure->panels[0].kind]));
    fprintf(stream, "load %s\n", gnuplot_string(script));
    alloc_close(stream, &commands);
    if (options->format == PLOT_PNG || options->format == PLOT_PDF) {
        replace_missing(&table);
        replace_missing(&commands);
    }
    if (!data || fwrite(table.bytes, 1, table.len, data) < table.len || fflush(data) != 0)
        program_die("no memory for the numbers that gnuplot draws: %s", strerror(errno));
    struct written picture = run_gnuplot(&commands);
    fclose(data);
    return picture;
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
    struct written picture = draw(figure, options, columns);
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
    const size_t n_pages = figure->panels[figure->n_panels - 1].page;
    if (n_pages > 1 && options->format != PLOT_PDF)
        program_die_misused("this picture has %zu pages: -o FILE.pdf draws them", n_pages);
    struct written picture = draw(figure, options, 0);
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

int render(struct figure *figure, const struct plot_options *options)
{
    figure_set_colors(figure);
    if (options->format == PLOT_DATA)
        return write_table(figure, options->output_path);
    return options->format == PLOT_TEXT ? write_text(figure, options)
                                        : write_picture(figure, options);
}
