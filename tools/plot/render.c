/* render.c - see render.h. Pictures and characters are complete before their output is opened.
 *
 * A picture is drawn by a script of gnuplot: maps.gp, waves.gp, order.gp, words.gp, or the user's
 * (--script). It reads the table of numbers and the variables that common.gp describes. Texts reach
 * gnuplot as strings alone: those of gnuplot_string, or of the table.
 */
#include "tools/plot/render.h"

#include "tools/common/inputs.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"
#include "tools/plot/gnuplot.h"
#include "tools/plot/text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT_COLUMNS = 80, TEXT_COLUMNS_MOST = 400, TEXT_ROWS = 24, PIXELS_MOST = 16000 };
enum { TITLE_COLUMNS = 400, TITLE_BYTES = 2000 };

static int write_output(const char *bytes, size_t len, const char *path)
{
    struct output output;
    output_open(&output, path, OUTPUT_STREAM);
    errno = 0;
    fwrite(bytes, 1, len, output.stream);
    return output_end(&output, PROGRAM_DONE);
}

static int write_table(const struct figure *figure, const char *path)
{
    char *table;
    size_t len;
    FILE *stream = alloc_open(&table, &len);
    figure_write_table(figure, 0, stream);
    text_close(stream, &table);
    return write_output(table, len, path);
}

/* ---- Commands for gnuplot ---- */

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
    static const char *const palettes[] = {"", "RdBu", "viridis", "Blues"};
    fprintf(out,
            "i = %zu\ntable[i] = %zu\npage[i] = %zu\nrows[i] = %zu\ncolumns[i] = %zu\n"
            "y_names[i] = %zu\nx_names[i] = %zu\ncolors[i] = \"%s\"\nleast[i] = %.9g\n"
            "most[i] = %.9g\npanel_title[i] = %s\nx_title[i] = %s\ny_title[i] = %s\n"
            "unit[i] = %s\nlinks[i] = \"",
            i, index, panel->page, panel->y.n, panel->x.n, axis_widest(&panel->y, name_most),
            axis_widest(&panel->x, name_most), palettes[panel->palette], panel->least, panel->most,
            title_string(panel->title), title_string(panel->x.title), title_string(panel->y.title),
            title_string(panel->unit));
    for (size_t k = 0; k < panel->n_links; k++)
        fprintf(out, "%zu %zu ", panel->links[k][0] + 1, panel->links[k][1] + 1);
    fputs("\"\n", out);
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
    fprintf(out, "format = \"%s\"\nwidth = %.9g\nheight = %.9g\ndpi = %zu\n",
            formats[options->format], width, height, options->dpi);
    size_t title_len = strnlen(figure->title, TITLE_BYTES);
    fprintf(out, "title = %s\nnotes = \"\"\n",
            options->title ? gnuplot_string(text_of_bytes(figure->title, title_len))
                           : title_string(figure->title));
    for (size_t k = 0; k < figure->n_notes; k++)
        fprintf(out, "notes = notes.%s.\"\\n\"\n", title_string(figure->notes[k]));
    fprintf(out,
            "n_notes = %zu\nn = %zu\nn_beside = %zu\nsquare = %d\ny_up = %d\nshows_values = %d\n"
            "shares_scale = %d\nshares_names = %d\noverlaid = %d\n",
            figure->n_notes, n, figure->columns, figure->is_square, figure->y_up,
            figure->shows_values, figure->shares_scale, figure->shares_names, figure->is_overlaid);
    fputs("array table[n]\narray page[n]\narray rows[n]\narray columns[n]\narray y_names[n]\n"
          "array x_names[n]\narray colors[n]\narray least[n]\narray most[n]\narray links[n]\n"
          "array panel_title[n]\narray x_title[n]\narray y_title[n]\narray unit[n]\n",
          out);
    for (size_t k = 0; k < figure->n_panels; k++)
        if (figure->panels[k].kind != PANEL_DATA)
            write_panel_variables(&figure->panels[k], ++i, k, name_columns(figure), out);
}

/* Draws the figure. The table is a file in memory, which gnuplot can open several times. */
static struct picture run_script(const struct figure *figure, const struct plot_options *options,
                                 size_t columns)
{
    static const char *const scripts[] = {[PANEL_MAP] = "maps.gp",
                                          [PANEL_LINES] = "waves.gp",
                                          [PANEL_DOTS] = "order.gp",
                                          [PANEL_POINTS] = "words.gp"};
    const char *folder = find_scripts(), *script = options->script;
    char *commands, *table;
    size_t len, table_len;
    int file = memfd_create("table", 0);
    FILE *stream = alloc_open(&table, &table_len), *data = file < 0 ? NULL : fdopen(file, "w");
    figure_write_table(figure, name_columns(figure), stream);
    text_close(stream, &table);
    stream = alloc_open(&commands, &len);
    fprintf(stream, "set encoding utf8\ndata = \"/dev/fd/%d\"\nfolder = %s\n", file,
            gnuplot_string(folder));
    write_variables(figure, options, columns, stream);
    if (!script)
        script = alloc_own(alloc_text("%s/%s", folder, scripts[figure->panels[0].kind]));
    fprintf(stream, "load %s\n", gnuplot_string(script));
    text_close(stream, &commands);
    if (options->format == PLOT_PNG || options->format == PLOT_PDF) {
        table_len = gnuplot_replace_missing(table, table_len);
        len = gnuplot_replace_missing(commands, len);
    }
    if (!data || fwrite(table, 1, table_len, data) < table_len || fflush(data) != 0)
        program_die("no memory for the numbers that gnuplot draws: %s", strerror(errno));
    struct picture picture = gnuplot_run(commands, len);
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

/* Writes the lines and points that gnuplot draws, without the form feed and the blanks around them;
 * then the lengths of links, which characters cannot show. */
static void write_drawing(const struct figure *figure, const struct plot_options *options,
                          size_t columns, FILE *stream)
{
    struct picture picture = run_script(figure, options, columns);
    size_t feed = strspn(picture.bytes, "\f\n");
    while (picture.len > feed && strchr(" \n", picture.bytes[picture.len - 1]))
        picture.len--;
    fwrite(picture.bytes + feed, 1, picture.len - feed, stream);
    putc('\n', stream);
    for (size_t k = 0; k < figure->n_panels; k++) {
        const struct panel *panel = &figure->panels[k];
        for (size_t i = 0; i < panel->n_links; i++)
            write_text_line(text_new("%s: distance in the plane: %s – %s: %.3g", panel->title,
                                     axis_name(&panel->y, panel->links[i][0]),
                                     axis_name(&panel->y, panel->links[i][1]),
                                     panel_link_length(panel, i)),
                            stream);
    }
}

static int write_text(const struct figure *figure, const struct plot_options *options)
{
    const char *terminal = getenv("TERM"), *refused = getenv("NO_COLOR");
    bool is_terminal = !options->output_path && isatty(STDOUT_FILENO);
    bool colors =
        is_terminal && terminal && strcmp(terminal, "dumb") != 0 && !(refused && refused[0]);
    bool is_drawn = figure->panels[0].kind == PANEL_LINES || figure->panels[0].kind == PANEL_POINTS;
    struct winsize size = {0};
    size_t columns = TEXT_COLUMNS, len;
    if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        columns = size.ws_col < TEXT_COLUMNS_MOST ? size.ws_col : TEXT_COLUMNS_MOST;
    char *text;
    FILE *stream = alloc_open(&text, &len);
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
        panel_print(&figure->panels[i], figure->y_up, columns, colors, stream);
    }
    text_close(stream, &text);
    return write_output(text, len, options->output_path);
}

/* ---- Pictures ---- */

static void replace_all(struct picture *picture, const char *from, const char *to)
{
    const char *at = picture->bytes, *end = at + picture->len, *found;
    FILE *stream = alloc_open(&picture->bytes, &picture->len);
    while ((found = memmem(at, (size_t)(end - at), from, strlen(from))) != NULL) {
        fwrite(at, 1, (size_t)(found - at), stream);
        fputs(to, stream);
        at = found + strlen(from);
    }
    fwrite(at, 1, (size_t)(end - at), stream);
    text_close(stream, &picture->bytes);
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
    struct picture picture = run_script(figure, options, 0);
    const char *begin = marks[options->format].begin, *end = marks[options->format].end;
    if (picture.len <= BEGIN || !memmem(picture.bytes, BEGIN, begin, strlen(begin)) ||
        !memmem(picture.bytes + picture.len - END, END, end, strlen(end)))
        program_die("gnuplot drew only a part of the picture");
    if (options->format == PLOT_SVG) {
        replace_all(&picture, "<image ", "<image style='image-rendering:pixelated' ");
        if (!strstr(picture.bytes, "<![CDATA[")) /* which a user's script may need */
            replace_all(&picture, "]]>", "]]&gt;");
    }
    return write_output(picture.bytes, picture.len, options->output_path);
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
    if (options->output_path) /* before the numbers are written */
        input_refuse_output(options->output_path);
    if (options->title)
        figure->title = text_new("%s", options->title);
    figure_set_colors(figure);
    int code = options->writes_data ? write_table(figure, options->data_path) : PROGRAM_DONE;
    if (code != PROGRAM_DONE || options->format == PLOT_NOTHING)
        return code;
    if (options->format == PLOT_DATA)
        return write_table(figure, options->output_path);
    choose_page(figure, options);
    return options->format == PLOT_TEXT ? write_text(figure, options)
                                        : write_picture(figure, options);
}
