/* script.c - see script.h.
 *
 * We say how large the panels are and how names are written; gnuplot places panels, titles, ticks,
 * colour scales and legends. Texts pass through gnuplot_string, numbers are written by us;
 * nothing else of the user's reaches the script.
 */
#include "tools/plot/gnuplot/script.h"

#include "tools/plot/gnuplot/gnuplot.h"
#include "tools/plot/gnuplot/palette.h"
#include "tools/plot/memory.h"

#include <math.h>
#include <string.h>

/* Maps up to so many cells are drawn cell by cell, larger ones as an image. */
enum { BOXED_CELLS = 2500, LEGEND_COLUMNS = 88 };

struct writer {
    const struct figure *figure;
    const struct page *page;
    const struct terminal *terminal;
    FILE *out;
};

/* ---- The page ---- */

/* What holds for all panels. Numbers in cells are black or white, whichever reads better. */
static const char SETTINGS[] =
    "set border 15 lc rgb '#404040' lw 0.8 front\n"
    "set tics nomirror out textcolor rgb '#000000'\n"
    "set format cb '%g'\n"
    "unset key\n"
    "set title offset 0,-0.4\n"
    "number(v) = v == 0 ? '0' : abs(v) < 0.005 ? '0.00' : sprintf('%.2f', v)\n"
    "luminance(c) = 0.2126 * (c >> 16 & 255) + 0.7152 * (c >> 8 & 255) + 0.0722 * (c & 255)\n"
    "ink(c) = luminance(c) > 140 ? 0x202020 : 0xFFFFFF\n";

static void put_terminal(const struct page *page, const struct terminal *terminal, FILE *out)
{
    double scale = terminal->dpi / 96; /* letters of a PNG have their size at 96 pixels per inch */
    size_t width = terminal->pixels[0], height = terminal->pixels[1];
    fputs("set encoding utf8\nset terminal ", out);
    if (terminal->format == PLOT_PDF) /* whose letters are a third larger than they say */
        fprintf(out, "pdfcairo font 'sans,9' fontscale 0.75 linewidth 1.5 size %.6fin,%.6fin",
                page->width / 72, page->height / 72);
    else if (terminal->format == PLOT_SVG) /* letters are in pixels, 96 per inch */
        fprintf(out, "svg font 'sans-serif,9' fontscale 1.33333 linewidth 1 size %zu,%zu", width,
                height);
    else
        fprintf(out, "pngcairo font 'sans,9' fontscale %.5f linewidth %.5f size %zu,%zu", scale,
                scale, width, height);
    fputs(" noenhanced background '#FFFFFF'\n", out);
}

/* Below the panels, in lines that are cut where the page ends. */
static void put_notes(const struct writer *writer)
{
    const struct page *page = writer->page;
    const struct figure *figure = writer->figure;
    double columns = (page->width - 24) / (NOTE_FONT * 0.56);
    for (size_t i = 0; i < figure->n_notes; i++) {
        const char *note = text_cut(figure->notes[i], strlen(figure->notes[i]), (size_t)columns);
        double lines_below = (double)(figure->n_notes - 1 - i) * LINE_HEIGHT + 0.5;
        fprintf(writer->out, "set label %s at screen %.5f, screen %.5f left font ',%.1f'\n",
                gnuplot_string(note), 12 / page->width,
                (8 + lines_below * NOTE_FONT) / page->height, NOTE_FONT);
    }
}

static void put_page(const struct writer *writer)
{
    const struct page *page = writer->page;
    put_terminal(page, writer->terminal, writer->out);
    fputs(SETTINGS, writer->out);
    fprintf(writer->out,
            "set multiplot layout %zu,%zu margins screen %.5f,%.5f,%.5f,%.5f "
            "spacing screen %.5f,%.5f title %s font ',%.1f'\n",
            page->rows, page->columns, page->left / page->width, 1 - page->right / page->width,
            page->bottom / page->height, 1 - page->top / page->height, page->gap_x / page->width,
            page->gap_y / page->height, gnuplot_string(page->title), TITLE_FONT);
    put_notes(writer);
}

/* ---- Axes ---- */

/* A title of a panel or a scale, in lines as long as that. */
static void put_title(const struct writer *writer, const char *what, const char *title,
                      double points)
{
    const char *lines = title ? title_lines(title, points) : "";
    fprintf(writer->out, "set %s %s font ',%.1f'\n", what, gnuplot_string(lines), AXIS_FONT);
}

/* The title of an axis, beyond its names: gnuplot's own would reckon with larger letters. */
static void put_axis_title(const struct writer *writer, const char *title, bool is_x)
{
    const struct page *page = writer->page;
    const char *lines = title_lines(title, is_x ? page->panel_width : page->panel_height);
    double beyond = page_title_distance(is_x ? &page->x : &page->y, is_x ? NULL : lines);
    fprintf(writer->out, "set label %s at graph %.5f, graph %.5f %s center font ',%.1f'\n",
            gnuplot_string(lines), is_x ? 0.5 : -beyond / page->panel_width,
            is_x ? -beyond / page->panel_height : 0.5, is_x ? "" : "rotate", AXIS_FONT);
}

/* 1, 2 or 5 times a power of ten, so that at most so many are in the range. */
static double round_step(double range, double most)
{
    double power = pow(10, floor(log10(range / most)));
    double factor = range / most / power;
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

/* The numbers of elements, or of values: 0 elements. */
static void put_numbers(const struct writer *writer, bool is_x, size_t n_elements, bool is_shown)
{
    static const double NUMBER_POINTS = 28;
    double points = is_x ? writer->page->panel_width : writer->page->panel_height;
    double step = fmax(1, round_step(fmax(1, (double)n_elements), points / NUMBER_POINTS));
    char letter = is_x ? 'x' : 'y';
    fprintf(writer->out, "set %ctics %s scale 0.5 norotate font ',%.1f'\nset format %c '%s'\n",
            letter, n_elements > 0 ? text_new("%.0f", step) : "autofreq", TICK_FONT, letter,
            is_shown ? "%g" : "");
}

static void put_names(const struct writer *writer, bool is_x, const struct axis *axis)
{
    const struct name_style *style = is_x ? &writer->page->x : &writer->page->y;
    fprintf(writer->out, "set %ctics (", is_x ? 'x' : 'y');
    for (size_t i = 0; i < axis->n; i += style->step) {
        const char *name = text_cut(axis->labels[i], strlen(axis->labels[i]), style->columns);
        fprintf(writer->out, "%s%s %zu", i ? ", " : "", gnuplot_format(name), i);
    }
    fprintf(writer->out, ") scale 0 font ',%.1f' %s\n", style->font,
            style->degrees > 0 ? text_new("rotate by %.0f right", style->degrees) : "norotate");
}

/* An axis whose elements lie at whole numbers, by name or number. */
static void put_elements(const struct writer *writer, bool is_x, const struct axis *axis,
                         bool is_shown)
{
    if (!axis->labels)
        put_numbers(writer, is_x, axis->n, is_shown);
    else if (is_shown)
        put_names(writer, is_x, axis);
    else
        fprintf(writer->out, "set %ctics ('' 0) scale 0\n", is_x ? 'x' : 'y');
    if (is_shown && axis->title)
        put_axis_title(writer, axis->title, is_x);
}

/* An axis of numbers between the elements. */
static void put_values(const struct writer *writer, bool is_x, const char *title)
{
    put_numbers(writer, is_x, 0, true);
    put_axis_title(writer, title, is_x);
}

/* ---- Maps ---- */

/* Beside the panel; one for all panels is as high as all of them. */
static void put_color_scale(const struct writer *writer, const struct panel *panel, size_t index)
{
    const struct page *page = writer->page;
    bool is_shared = writer->figure->shares_scale;
    double panels = is_shared ? (double)page->rows : 1;
    double height = panels + (panels - 1) * page->gap_y / page->panel_height;
    double numbers = fmin(8, fmax(1, height * page->panel_height / 20));
    palette_put(panel->palette, writer->out);
    fprintf(writer->out, "set cbrange [%.17g:%.17g]\n", panel->least, panel->most);
    if (is_shared && index != page->columns - 1) {
        fputs("unset colorbox\n", writer->out);
        return;
    }
    fprintf(writer->out,
            "set colorbox vertical noborder user origin graph %.5f, graph %.5f size screen %.5f, "
            "graph %.5f\n"
            "set cbtics %.10g scale 0.5 offset -0.5,0 font ',%.1f'\n",
            1 + 5 / page->panel_width, 1 - height, 9 / page->width, height,
            round_step(panel->most - panel->least, numbers), TICK_FONT);
    put_title(writer, "cblabel", panel->unit, height * page->panel_height);
}

/* The size of letters with which the numbers fit into their cells; 0: they do not. */
static double value_font(const struct panel *panel, double cell_width, double cell_height)
{
    struct range range = panel_range(panel);
    int columns = snprintf(NULL, 0, "%.2f", range.least);
    int other = snprintf(NULL, 0, "%.2f", range.most);
    double font =
        fmin(TICK_FONT, fmin(1.48 * cell_width / fmax(columns, other), 0.7 * cell_height));
    return panel->shows_values && font >= 4.5 ? font : 0;
}

/* Each cell is a box. White lines part tokens and texts; numbers of a table are one surface, so
 * their boxes reach under the next ones, which are drawn later: a viewer that smooths edges would
 * else show the paper between them. */
static void plot_boxes(const struct writer *writer, const struct panel *panel)
{
    static const double UNDER_POINTS = 0.75; /* a pixel of a screen */
    double cell_width = writer->page->panel_width / (double)panel->x.n;
    double cell_height = writer->page->panel_height / (double)panel->y.n;
    bool has_borders = fmin(cell_width, cell_height) > 3 && (panel->x.labels || panel->y.labels);
    double font = value_font(panel, cell_width, cell_height);

    script_put_values(panel, writer->out);
    fprintf(writer->out, "set style fill solid %s\n",
            has_borders ? "border lc rgb '#FFFFFF'" : "noborder");
    fprintf(writer->out,
            "plot $panel matrix using 1:2:($1-0.5):($1+%.5f):($2-0.5):($2+%.5f):3 "
            "with boxxyerror fillcolor palette lw 0.4 notitle",
            0.5 + (has_borders ? 0 : fmin(0.5, UNDER_POINTS / cell_width)),
            0.5 + (has_borders ? 0 : fmin(0.5, UNDER_POINTS / cell_height)));
    if (font > 0)
        fprintf(writer->out,
                ", $panel matrix using 1:2:(number($3)):(ink(palette($3))) "
                "with labels tc rgb variable font ',%.1f' notitle",
                font);
    putc('\n', writer->out);
}

/* The middle of a pixel, of which each element has so many. */
static double pixel_middle(size_t i, size_t per_element)
{
    return ((double)i + 0.5) / (double)per_element - 0.5;
}

/* Each cell is some pixels of an image: where viewers blur pixels, as some do in SVG, cells stay
 * sharp. A first row and column say where pixels are: it takes gnuplot long to compute that. */
static void plot_image(const struct writer *writer, const struct panel *panel)
{
    enum { PIXELS = 600 };
    bool is_svg = writer->terminal->format == PLOT_SVG;
    size_t wide = is_svg ? (PIXELS + panel->x.n - 1) / panel->x.n : 1;
    size_t high = is_svg ? (PIXELS + panel->y.n - 1) / panel->y.n : 1;
    fprintf(writer->out, "$panel << END_OF_PANEL\n%zu", panel->x.n * wide);
    for (size_t i = 0; i < panel->x.n * wide; i++)
        fprintf(writer->out, " %.10g", pixel_middle(i, wide));
    for (size_t row = 0; row < panel->y.n * high; row++) {
        fprintf(writer->out, "\n%.10g", pixel_middle(row, high));
        for (size_t i = 0; i < panel->x.n * wide; i++)
            fprintf(writer->out, " %.6g", panel->values[row / high * panel->x.n + i / wide]);
    }
    fputs("\nEND_OF_PANEL\nplot $panel nonuniform matrix using 1:2:3 with image notitle\n",
          writer->out);
}

static void draw_map(const struct writer *writer, const struct panel *panel, size_t index)
{
    const struct page *page = writer->page;
    const struct figure *figure = writer->figure;
    put_color_scale(writer, panel, index);
    put_elements(writer, true, &panel->x,
                 !figure->shares_x || index + page->columns >= page->n); /* the lowest panels */
    put_elements(writer, false, &panel->y, !figure->shares_y || index % page->columns == 0);
    double last_row = (double)panel->y.n - 0.5;
    fprintf(writer->out, "set xrange [-0.5:%zu.5]\nset yrange [%g:%g]\n", panel->x.n - 1,
            panel->y_up ? -0.5 : last_row, panel->y_up ? last_row : -0.5);
    if (panel->x.n * panel->y.n <= BOXED_CELLS)
        plot_boxes(writer, panel);
    else
        plot_image(writer, panel);
}

/* ---- Lines ---- */

/* With "noenhanced" an SVG calls each line by its name, which viewers show under the pointer. */
static void draw_lines(const struct writer *writer, const struct panel *panel)
{
    static const char *const dashes[] = {"solid", "'--'", "'. '", "'-.'"};
    double key_font = fmin(TICK_FONT, writer->page->panel_height / (1.1 * (double)panel->y.n));
    size_t last = panel->x.n - 1;
    script_put_values(panel, writer->out);
    put_elements(writer, true, &panel->x, true);
    put_values(writer, false, panel->unit);
    fprintf(writer->out,
            "set xrange [%g:%g]\nset yrange [%.17g:%.17g]\n"
            "set key outside right top Left reverse samplen 2 spacing 0.9 noenhanced font "
            "',%.1f'\nplot ",
            last ? 0 : -0.5, last ? (double)last : 0.5, panel->least, panel->most, key_font);
    for (size_t row = 0; row < panel->y.n; row++)
        fprintf(writer->out,
                "%s$panel matrix every 1:1:0:%zu:%zu:%zu using 1:3 with %s lc rgb '#%06X' dt %s "
                "lw 1.4 title %s",
                row ? ", " : "", row, last, row, last ? "lines" : "points pt 7 ps 0.5",
                (unsigned)line_color(row), dashes[row / N_LINE_COLORS % 4],
                gnuplot_string(panel->y.labels[row]));
    putc('\n', writer->out);
}

/* ---- Dots ---- */

/* Dots of the first kind are filled; the others are rings, white inside, and are drawn first. */
static void draw_dots(const struct writer *writer, const struct panel *panel)
{
    const struct page *page = writer->page;
    double spacing = page->panel_height / (double)panel->y.n;
    double radius =
        fmax(0.8, fmin(2.4, 0.4 * spacing)) * (panel->most - panel->least) / page->panel_width;
    script_put_values(panel, writer->out);
    put_values(writer, true, panel->unit);
    put_elements(writer, false, &panel->y, true);
    fprintf(writer->out,
            "set xrange [%.17g:%.17g]\nset yrange [%zu.5:-0.5]\n"
            "set key at graph 0, graph 1 left bottom Left reverse vertical maxcols 1 invert "
            "samplen 0.5 noenhanced font ',%.1f'\n"
            "set arrow 1 from 0, graph 0 to 0, graph 1 nohead lc rgb '#B0B0B0' lw 0.6 back\nplot ",
            panel->least, panel->most, panel->y.n - 1, TICK_FONT);
    if (spacing > 4) /* a stem leads the eye from the name to the dot */
        fputs("$panel using (0):0:1:(0) with vectors nohead lc rgb '#D0D0D0' lw 0.6 notitle, ",
              writer->out);
    for (size_t i = panel->x.n; i-- > 0;) {
        const char *name = panel->x.labels[i];
        fprintf(writer->out,
                "$panel using %zu:0:(%.8g) with circles fillcolor rgb '#%06X' fillstyle solid "
                "border lc rgb '#%06X' lw 1 title %s%s",
                i + 1, radius, i > 0 ? 0xFFFFFFu : (unsigned)line_color(i), (unsigned)line_color(i),
                gnuplot_string(text_cut(name, strlen(name), LEGEND_COLUMNS)), i > 0 ? ", " : "\n");
    }
}

/* ---- All of it ---- */

void script_put_values(const struct panel *panel, FILE *script)
{
    fputs("$panel << END_OF_PANEL\n", script);
    for (size_t row = 0; row < panel->y.n; row++) {
        for (size_t i = 0; i < panel->x.n; i++)
            fprintf(script, "%.8g ", panel->values[row * panel->x.n + i]);
        putc('\n', script);
    }
    fputs("END_OF_PANEL\n", script);
}

static void draw_points(const struct writer *writer, const struct panel *panel)
{
    put_values(writer, true, panel->x.title);
    put_values(writer, false, panel->y.title);
    script_put_values(panel, writer->out);
    script_put_points(panel, writer->page, writer->out);
}

void script_write(const struct figure *figure, const struct page *page,
                  const struct terminal *terminal, FILE *script)
{
    const struct writer writer = {figure, page, terminal, script};
    put_page(&writer);
    for (size_t i = 0; i < page->n; i++) {
        const struct panel *panel = page->panels[i];
        put_title(&writer, "title", panel->title, page->panel_width);
        switch (panel->kind) {
        case PANEL_MAP: draw_map(&writer, panel, i); break;
        case PANEL_LINES: draw_lines(&writer, panel); break;
        case PANEL_DOTS: draw_dots(&writer, panel); break;
        default: draw_points(&writer, panel); break;
        }
        fputs("unset label\nunset arrow\n", script);
    }
    fputs("unset multiplot\n", script);
}
