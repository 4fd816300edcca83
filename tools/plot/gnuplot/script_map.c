/* script_map.c - a map: cells in colours, with numbers in them where they fit; see writer.h. */
#include "tools/plot/writer.h"

#include "tools/plot/gnuplot/palette.h"

#include <math.h>
#include <string.h>

static const double UNDER_POINTS = 0.75; /* a pixel of a screen */

enum {
    BOXED_CELLS =
        2500,        /* maps up to so many cells are drawn cell by cell, larger ones as an image */
    SVG_PIXELS = 600 /* an image in SVG has at least so many pixels: viewers blur fewer */
};

static double share_of(const struct panel *panel, double value)
{
    return (value - panel->least) / (panel->most - panel->least);
}

static void put_color_scale(struct writer *writer, const struct frame *frame)
{
    const struct box *box = &frame->scale;
    const struct panel *panel = frame->panel;
    double width = writer->layout->width, height = writer->layout->height;
    fprintf(writer->out, "set cbrange [%.17g:%.17g]\n", panel->least, panel->most);
    if (box->right <= box->left)
        return;
    fprintf(writer->out,
            "set colorbox vertical user origin screen %.6f, screen %.6f size screen %.6f, screen "
            "%.6f noborder\n",
            box->left / width, box->bottom / height, (box->right - box->left) / width,
            (box->top - box->bottom) / height);
    put_frame(writer, box);
    struct scale scale = {panel->least, panel->most, box->bottom, box->top, 0};
    put_ticks_y(writer, &scale, box->right, true, true);
    double beside = TICK_LENGTH + 5 + widest_tick(panel->least, panel->most) + 0.6 * AXIS_FONT;
    put_text(writer, panel->unit, (size_t)((box->top - box->bottom + 40) / (AXIS_FONT * 0.55)),
             box->right + beside, (box->bottom + box->top) / 2, CENTER, AXIS_FONT, 90, "");
}

static void put_cell_values(struct writer *writer, const struct frame *frame, const struct scale *x,
                            const struct scale *y)
{
    const struct panel *panel = frame->panel;
    double cell = (frame->plot.right - frame->plot.left) / (double)panel->x.n;
    double high = (frame->plot.top - frame->plot.bottom) / (double)panel->y.n;
    size_t columns = 4;
    char text[32];
    for (size_t i = 0; i < panel->x.n * panel->y.n; i++)
        if ((size_t)snprintf(text, sizeof text, "%.2f", panel->values[i]) > columns)
            columns = strlen(text);
    double font = fmin(TICK_FONT, fmin(0.92 * cell / ((double)columns * COLUMN_EM), 0.7 * high));
    if (!panel->shows_values || font < 4.8)
        return;
    for (size_t row = 0; row < panel->y.n; row++)
        for (size_t column = 0; column < panel->x.n; column++) {
            double value = panel->values[row * panel->x.n + column];
            bool is_light = color_is_light(palette_color(panel->palette, share_of(panel, value)));
            snprintf(text, sizeof text, value == 0 ? "0" : "%.2f", value); /* 0.00: nearly */
            if (strcmp(text, "-0.00") == 0)
                strcpy(text, "0.00");
            put_text(writer, text, sizeof text, on_page(x, (double)column), on_page(y, (double)row),
                     CENTER, font, 0,
                     is_light ? "front tc rgb '#202020'" : "front tc rgb '#FFFFFF'");
        }
}

/* So many elements beyond element i. */
static double edge(const struct axis *axis, size_t i, double beyond)
{
    return axis_element(axis, i) + beyond * (axis->labels ? 1 : axis->step);
}

/* The edges of each cell, in the order in which gnuplot draws them. The far ones reach under the
 * next cells, of which a viewer that smooths edges would else show the paper between. */
static void put_boxes(struct writer *writer, const struct frame *frame, size_t index,
                      bool has_borders)
{
    const struct panel *panel = frame->panel;
    const struct box *box = &frame->plot;
    double wide = (box->right - box->left) / (double)panel->x.n,
           high = (box->top - box->bottom) / (double)panel->y.n;
    double under_x = has_borders ? 0 : fmin(0.5, UNDER_POINTS / wide),
           under_y = has_borders ? 0 : fmin(0.5, UNDER_POINTS / high);
    fprintf(writer->out, "$panel%zu << END_OF_PANEL\n", index);
    for (size_t row = 0; row < panel->y.n; row++)
        for (size_t column = 0; column < panel->x.n; column++) {
            double value = panel->values[row * panel->x.n + column];
            if (isfinite(value))
                fprintf(writer->out, "%.10g %.10g %.10g %.10g %.8g\n",
                        edge(&panel->x, column, -0.5), edge(&panel->x, column, 0.5 + under_x),
                        edge(&panel->y, row, -0.5), edge(&panel->y, row, 0.5 + under_y), value);
        }
    fputs("END_OF_PANEL\n", writer->out);
}

static void put_image(struct writer *writer, const struct panel *panel, size_t index)
{
    size_t repeat_x = 1, repeat_y = 1;
    if (writer->medium == MEDIUM_SVG) {
        repeat_x = (SVG_PIXELS + panel->x.n - 1) / panel->x.n;
        repeat_y = (SVG_PIXELS + panel->y.n - 1) / panel->y.n;
    }
    fprintf(writer->out, "$panel%zu << END_OF_PANEL\n", index);
    for (size_t row = 0; row < panel->y.n * repeat_y; row++) {
        const double *values = panel->values + row / repeat_y * panel->x.n;
        for (size_t column = 0; column < panel->x.n * repeat_x; column++)
            fprintf(writer->out, "%.6g ", values[column / repeat_x]);
        putc('\n', writer->out);
    }
    fputs("END_OF_PANEL\n", writer->out);
}

static void plot_image(struct writer *writer, const struct panel *panel, size_t index)
{
    size_t repeat_x = writer->medium == MEDIUM_SVG ? (SVG_PIXELS + panel->x.n - 1) / panel->x.n : 1;
    size_t repeat_y = writer->medium == MEDIUM_SVG ? (SVG_PIXELS + panel->y.n - 1) / panel->y.n : 1;
    double x0, x1, y0, y1;
    axis_ends(panel, &panel->x, &x0, &x1);
    axis_ends(panel, &panel->y, &y0, &y1);
    double dx = (x1 - x0) / (double)(panel->x.n * repeat_x),
           dy = (y1 - y0) / (double)(panel->y.n * repeat_y);
    fprintf(writer->out,
            "plot $panel%zu matrix using (%.17g+%.17g*$1):(%.17g+%.17g*$2):3 with image notitle\n",
            index, x0 + dx / 2, dx, y0 + dy / 2, dy);
}

void draw_map(struct writer *writer, const struct frame *frame, size_t index)
{
    const struct panel *panel = frame->panel;
    struct scale x = {
        .from = frame->plot.left, .to = frame->plot.right, .least_step = panel->x.step};
    struct scale y = {
        .from = frame->plot.bottom, .to = frame->plot.top, .least_step = panel->y.step};
    axis_ends(panel, &panel->x, &x.begin, &x.end);
    if (panel->y_up)
        axis_ends(panel, &panel->y, &y.begin, &y.end);
    else
        axis_ends(panel, &panel->y, &y.end, &y.begin);
    double cell = fmin((x.to - x.from) / (double)panel->x.n, (y.to - y.from) / (double)panel->y.n);
    /* White lines part tokens and texts; numbers of a table are one surface. */
    bool has_borders = cell > 3 && (panel->x.labels || panel->y.labels);
    bool is_boxed = panel->x.n * panel->y.n <= BOXED_CELLS;

    if (is_boxed)
        put_boxes(writer, frame, index, has_borders);
    else
        put_image(writer, panel, index);
    begin_panel(writer, frame, &x, &y);
    palette_put(panel->palette, writer->out);
    put_color_scale(writer, frame);
    put_frame(writer, &frame->plot);
    if (panel->x.labels && frame->has_x_names)
        put_names_x(writer, &panel->x, &x, frame->plot.bottom);
    else if (!panel->x.labels)
        put_ticks_x(writer, &x, frame->plot.bottom, frame->has_x_names);
    if (panel->y.labels && frame->has_y_names)
        put_names_y(writer, &panel->y, &y, frame->plot.left);
    else if (!panel->y.labels)
        put_ticks_y(writer, &y, frame->plot.left, false, frame->has_y_names);
    put_titles(writer, frame, panel->x.title, panel->y.title);
    put_cell_values(writer, frame, &x, &y);
    if (!is_boxed) {
        plot_image(writer, panel, index);
        return;
    }
    fprintf(writer->out, "set style fill solid %s\n",
            has_borders ? "border lc rgb '#FFFFFF'" : "noborder");
    fprintf(
        writer->out,
        "plot $panel%zu using (0):(0):1:2:3:4:5 with boxxyerror fillcolor palette lw 0.4 notitle\n",
        index);
}
