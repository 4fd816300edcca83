/* render.c - see render.h. */
#include "tools/plot/gnuplot/render.h"

#include "tools/common/display.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/plot/gnuplot/figure_table.h"
#include "tools/plot/gnuplot/fonts.h"
#include "tools/plot/gnuplot/gnuplot.h"
#include "tools/plot/gnuplot/layout.h"
#include "tools/plot/gnuplot/script.h"
#include "tools/plot/text_map.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TEXT_COLUMNS = 80, TEXT_COLUMNS_MOST = 400, TEXT_ROWS = 24, PIXELS_MOST = 16000 };

/* ---- Numbers ---- */

static int write_table(const struct figure *figure, const char *path)
{
    struct output output;
    if (!output_open(&output, path))
        return PROGRAM_FAILED;
    errno = 0;
    figure_write_table(figure, output.stream);
    return output_end(&output, PROGRAM_DONE);
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

/* What a plane of letters cannot show: the axis upwards, and how long the links are. */
static void put_plane_words(const struct panel *panel, FILE *stream)
{
    if (panel->y.title)
        fprintf(stream, "upwards: %s\n", panel->y.title);
    for (size_t i = 0; i < panel->n_links; i++) {
        char *text = panel_link_text(panel, i);
        if (text) {
            fputs(i ? ", " : "distance in the plane: ", stream);
            display_text(stream, text, strlen(text), TEXT_COLUMNS_MOST);
        }
        free(text);
    }
    fputs(panel->n_links ? "\n" : "", stream);
}

static bool draw_in_text(const struct panel *panel, size_t columns, FILE *stream)
{
    struct picture picture;
    char *script = NULL;
    size_t len;
    FILE *memory = open_memstream(&script, &len);
    if (!memory) {
        program_fail("not enough memory");
        return false;
    }
    script_write_text(panel, columns, TEXT_ROWS, memory);
    bool is_drawn = fclose(memory) == 0 && gnuplot_run(script, len, &picture);
    free(script);
    if (is_drawn) {
        size_t feed = strspn(picture.bytes, "\f"); /* which even "nofeed" begins with */
        while (picture.len > feed && strchr(" \n", picture.bytes[picture.len - 1]))
            picture.len--;
        fwrite(picture.bytes + feed, 1, picture.len - feed, stream);
        putc('\n', stream);
        free(picture.bytes);
    }
    return is_drawn;
}

/* Line by line, and nothing in them moves the cursor. */
static void put_notes(const char *notes, FILE *stream)
{
    while (*notes) {
        size_t len = strcspn(notes, "\n");
        display_text(stream, notes, len, TEXT_COLUMNS_MOST);
        putc('\n', stream);
        notes += len + (notes[len] ? 1 : 0);
    }
}

static int write_text(const struct figure *figure, const struct plot_options *options)
{
    bool is_terminal = !options->output_path && isatty(STDOUT_FILENO);
    size_t columns = terminal_columns(is_terminal);
    struct output output;
    int code = PROGRAM_DONE;
    if (!output_open(&output, options->output_path))
        return PROGRAM_FAILED;
    errno = 0;
    fprintf(output.stream, "%s\n", figure->title);
    if (figure->notes)
        put_notes(figure->notes, output.stream);
    for (size_t i = 0; i < figure->n_panels && code == PROGRAM_DONE; i++) {
        if (!output_check(&output, false))
            break;
        const struct panel *panel = &figure->panels[i];
        if (panel->kind == PANEL_DATA)
            continue;
        fprintf(output.stream, "%s%s%s", panel->title ? "\n" : "", panel->title ? panel->title : "",
                panel->title ? "\n" : "");
        if (panel->kind == PANEL_MAP)
            text_map_print(panel, columns, has_colors(is_terminal), output.stream);
        else if (panel->kind == PANEL_DOTS)
            text_dots_print(panel, columns, output.stream);
        else if (!draw_in_text(panel, columns, output.stream))
            code = PROGRAM_FAILED;
        else if (panel->kind == PANEL_POINTS)
            put_plane_words(panel, output.stream);
    }
    return output_end(&output, code);
}

/* ---- Pictures ---- */

/* What the end of each kind of file is, so that half a picture is not taken for one. */
static bool is_whole(enum plot_format format, const struct picture *picture)
{
    static const char png[] = "\x89PNG\r\n\x1a\n";
    const char *end = picture->bytes + picture->len;
    size_t n = picture->len;
    switch (format) {
    case PLOT_PNG:
        return n > 57 && memcmp(picture->bytes, png, 8) == 0 && memcmp(end - 8, "IEND", 4) == 0;
    case PLOT_SVG:
        return n > 100 && memmem(picture->bytes, n, "<svg", 4) && memmem(end - 20, 20, "</svg>", 6);
    default:
        return n > 100 && memcmp(picture->bytes, "%PDF", 4) == 0 &&
               memmem(end - 20, 20, "%%EOF", 5);
    }
}

/* Cells of an image in SVG have sharp edges, as gnuplot's other images do. */
static void write_svg(const struct picture *picture, FILE *stream)
{
    static const char mark[] = "<image ";
    const char *at = picture->bytes, *end = at + picture->len, *found;
    while ((found = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)) != NULL) {
        found += sizeof mark - 1;
        fwrite(at, 1, (size_t)(found - at), stream);
        fputs("style='image-rendering:pixelated' ", stream);
        at = found;
    }
    fwrite(at, 1, (size_t)(end - at), stream);
}

static int write_picture(const struct plot_options *options, const struct picture *picture)
{
    struct output output;
    if (!is_whole(options->format, picture))
        return program_fail("gnuplot drew only a part of the picture");
    if (!output_open(&output, options->output_path))
        return PROGRAM_FAILED;
    errno = 0;
    if (options->format == PLOT_SVG)
        write_svg(picture, output.stream);
    else
        fwrite(picture->bytes, 1, picture->len, output.stream);
    return output_end(&output, PROGRAM_DONE);
}

static bool make_page(const struct plot_options *options, const struct layout *layout,
                      struct page *page)
{
    double per_inch = options->format == PLOT_PNG ? options->dpi : 96;
    double width = options->width_inches > 0 ? options->width_inches : layout->width / 72;
    double height = options->height_inches > 0 ? options->height_inches : layout->height / 72;
    page->medium = options->format == PLOT_PNG   ? MEDIUM_PNG
                   : options->format == PLOT_SVG ? MEDIUM_SVG
                                                 : MEDIUM_PDF;
    page->dpi = options->dpi;
    page->pixels[0] = (size_t)lround(width * per_inch);
    page->pixels[1] = (size_t)lround(height * per_inch);
    if (page->pixels[0] <= PIXELS_MOST && page->pixels[1] <= PIXELS_MOST)
        return true;
    program_fail("a picture of %zu x %zu pixels is too large: at most %d each way", page->pixels[0],
                 page->pixels[1], PIXELS_MOST);
    return false;
}

static int draw(const struct figure *figure, const struct plot_options *options)
{
    struct layout layout;
    struct page page;
    struct picture picture = {0};
    char *script = NULL;
    size_t len = 0;
    int code = PROGRAM_FAILED;
    if (!layout_make(&layout, figure, options->width_inches * 72, options->height_inches * 72))
        return program_fail("not enough memory");
    FILE *memory = make_page(options, &layout, &page) ? open_memstream(&script, &len) : NULL;
    if (memory) {
        script_write(figure, &layout, &page, memory);
        bool is_written = !ferror(memory);
        if (fclose(memory) != 0 || !is_written)
            program_fail("not enough memory");
        else if (gnuplot_run(script,
                             options->format == PLOT_SVG ? len : fonts_replace_missing(script, len),
                             &picture))
            code = write_picture(options, &picture);
    }
    free(picture.bytes);
    free(script);
    layout_free(&layout);
    return code;
}

int render(struct figure *figure, const struct plot_options *options)
{
    if (options->title)
        figure_label(figure, &figure->title, options->title, strlen(options->title));
    if (!figure_is_whole(figure))
        return program_fail("not enough memory");
    if (!figure->title)
        figure_set(figure, &figure->title, "%s", figure->command);
    figure_settle(figure);
    int code = options->writes_data ? write_table(figure, options->data_path) : PROGRAM_DONE;
    if (code != PROGRAM_DONE)
        return code;
    switch (options->format) {
    case PLOT_NOTHING: return code;
    case PLOT_DATA: return write_table(figure, options->output_path);
    case PLOT_TEXT: return write_text(figure, options);
    default: return draw(figure, options);
    }
}
