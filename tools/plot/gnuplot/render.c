/* render.c - see render.h. Pictures and characters are made whole before their output is opened. */
#include "tools/plot/gnuplot/render.h"

#include "tools/common/inputs.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"
#include "tools/plot/gnuplot/gnuplot.h"
#include "tools/plot/gnuplot/script.h"
#include "tools/plot/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TEXT_COLUMNS = 80, TEXT_COLUMNS_MOST = 400, TEXT_ROWS = 24, PIXELS_MOST = 16000 };

static int write_bytes(const char *bytes, size_t len, const char *path)
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
    figure_write_table(figure, stream);
    memory_close(stream, &table);
    return write_bytes(table, len, path);
}

/* ---- Characters ---- */

static size_t terminal_columns(bool is_terminal)
{
    struct winsize size = {0};
    if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col < TEXT_COLUMNS_MOST ? size.ws_col : TEXT_COLUMNS_MOST;
    return TEXT_COLUMNS;
}

static bool has_colors(bool is_terminal)
{
    const char *kind = getenv("TERM"), *refused = getenv("NO_COLOR");
    return is_terminal && kind && strcmp(kind, "dumb") != 0 && !(refused && refused[0]);
}

/* A line in which nothing moves the cursor. */
static void put_line(const char *line, FILE *stream)
{
    display_text(stream, line, strlen(line), TEXT_COLUMNS_MOST);
    putc('\n', stream);
}

/* What a plane of letters cannot show: the axis upwards, and how long the links are. */
static void put_plane_words(const struct panel *panel, FILE *stream)
{
    fputs("upwards: ", stream);
    put_line(panel->y.title, stream);
    for (size_t i = 0; i < panel->n_links; i++) {
        const char *text =
            text_new("%s – %s: %.3g", axis_name(&panel->y, panel->links[i][0]),
                     axis_name(&panel->y, panel->links[i][1]), panel_link_length(panel, i));
        fputs(i ? ", " : "distance in the plane: ", stream);
        display_text(stream, text, strlen(text), TEXT_COLUMNS_MOST);
    }
    fputs(panel->n_links ? "\n" : "", stream);
}

static void draw_in_text(const struct panel *panel, size_t columns, FILE *stream)
{
    char *script;
    size_t len;
    FILE *memory = alloc_open(&script, &len);
    script_write_text(panel, columns, TEXT_ROWS, memory);
    memory_close(memory, &script);
    struct picture picture = gnuplot_run(script, len);
    size_t feed = strspn(picture.bytes, "\f"); /* which even "nofeed" begins with */
    while (picture.len > feed && strchr(" \n", picture.bytes[picture.len - 1]))
        picture.len--;
    fwrite(picture.bytes + feed, 1, picture.len - feed, stream);
    putc('\n', stream);
}

static void put_panel(const struct panel *panel, bool is_terminal, FILE *stream)
{
    size_t columns = terminal_columns(is_terminal);
    if (panel->title) {
        putc('\n', stream);
        put_line(panel->title, stream);
    }
    if (panel->kind == PANEL_MAP)
        text_map_print(panel, columns, has_colors(is_terminal), stream);
    else if (panel->kind == PANEL_DOTS)
        text_dots_print(panel, columns, stream);
    else
        draw_in_text(panel, columns, stream);
    if (panel->kind == PANEL_POINTS)
        put_plane_words(panel, stream);
}

static int write_text(const struct figure *figure, const struct plot_options *options)
{
    bool is_terminal = !options->output_path && isatty(STDOUT_FILENO);
    char *text;
    size_t len;
    FILE *stream = alloc_open(&text, &len);
    if (options->title) /* the user's own line ends */
        fprintf(stream, "%s\n", figure->title);
    else
        put_line(figure->title, stream);
    for (size_t i = 0; i < figure->n_notes; i++)
        put_line(figure->notes[i], stream);
    for (size_t i = 0; i < figure->n_panels; i++)
        if (figure->panels[i].kind != PANEL_DATA)
            put_panel(&figure->panels[i], is_terminal, stream);
    memory_close(stream, &text);
    return write_bytes(text, len, options->output_path);
}

/* ---- Pictures ---- */

/* How each kind of file begins and ends, so that half a picture is not taken for one. */
static bool is_whole(enum plot_format format, const struct picture *picture)
{
    static const struct {
        const char *begin, *end;
    } marks[] = {[PLOT_PNG] = {"\x89PNG\r\n\x1a\n", "IEND"},
                 [PLOT_SVG] = {"<svg", "</svg>"},
                 [PLOT_PDF] = {"%PDF", "%%EOF"}};
    enum { BEGIN = 100, END = 20 };
    const char *begin = marks[format].begin, *end = marks[format].end;
    return picture->len > BEGIN && memmem(picture->bytes, BEGIN, begin, strlen(begin)) &&
           memmem(picture->bytes + picture->len - END, END, end, strlen(end));
}

/* Cells of an image in SVG have sharp edges, as gnuplot's other images do. */
static void sharpen_svg(struct picture *picture)
{
    static const char mark[] = "<image ";
    const char *at = picture->bytes, *end = at + picture->len, *found;
    FILE *stream = alloc_open(&picture->bytes, &picture->len);
    while ((found = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)) != NULL) {
        found += sizeof mark - 1;
        fwrite(at, 1, (size_t)(found - at), stream);
        fputs("style='image-rendering:pixelated' ", stream);
        at = found;
    }
    fwrite(at, 1, (size_t)(end - at), stream);
    memory_close(stream, &picture->bytes);
}

static struct terminal choose_terminal(const struct plot_options *options, const struct page *page)
{
    double per_inch = options->format == PLOT_PNG ? options->dpi : 96;
    struct terminal terminal = {
        .format = options->format,
        .dpi = options->dpi,
        .pixels = {(size_t)lround(page->width / 72 * per_inch),
                   (size_t)lround(page->height / 72 * per_inch)},
    };
    if (terminal.pixels[0] > PIXELS_MOST || terminal.pixels[1] > PIXELS_MOST)
        program_die("a picture of %zu x %zu pixels is too large: at most %d each way",
                    terminal.pixels[0], terminal.pixels[1], PIXELS_MOST);
    return terminal;
}

static int write_picture(const struct figure *figure, const struct plot_options *options)
{
    struct page page;
    char *script;
    size_t len;
    if (!page_make(&page, figure, options->width_inches * 72, options->height_inches * 72))
        program_die("titles and names leave no room for the values on %.3g x %.3g inches: "
                    "a larger --size shows them",
                    options->width_inches, options->height_inches);
    const struct terminal terminal = choose_terminal(options, &page);
    FILE *memory = alloc_open(&script, &len);
    script_write(figure, &page, &terminal, memory);
    memory_close(memory, &script);
    if (options->format != PLOT_SVG)
        len = gnuplot_replace_missing(script, len);
    struct picture picture = gnuplot_run(script, len);
    if (!is_whole(options->format, &picture))
        program_die("gnuplot drew only a part of the picture");
    if (options->format == PLOT_SVG)
        sharpen_svg(&picture);
    return write_bytes(picture.bytes, picture.len, options->output_path);
}

int render(struct figure *figure, const struct plot_options *options)
{
    if (options->output_path) /* before the numbers are written */
        input_spare(options->output_path);
    if (options->title)
        figure->title = text_new("%s", options->title);
    figure_set_ranges(figure);
    int code = options->writes_data ? write_table(figure, options->data_path) : PROGRAM_DONE;
    if (code != PROGRAM_DONE)
        return code;
    switch (options->format) {
    case PLOT_NOTHING: return code;
    case PLOT_DATA: return write_table(figure, options->output_path);
    case PLOT_TEXT: return write_text(figure, options);
    default: return write_picture(figure, options);
    }
}
