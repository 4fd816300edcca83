/* script_lines.c - lines with their legend, and dots on lines of names; see writer.h. */
#include "tools/plot/writer.h"

#include "tools/plot/gnuplot/palette.h"

#include <math.h>

/* ---- Lines ---- */

enum { STYLE_BYTES = 64 };

static const char *line_style(size_t i, char out[STYLE_BYTES])
{
    static const char *const dashes[] = {"solid", "'--'", "'. '", "'-.'"};
    snprintf(out, STYLE_BYTES, "lc rgb '#%06X' dt %s lw 1.4", (unsigned)line_color(i),
             dashes[i / N_LINE_COLORS % 4]);
    return out;
}

static void put_legend(struct writer *writer, const struct frame *frame)
{
    const struct panel *panel = frame->panel;
    double x = frame->plot.right + 10, height = frame->plot.top - frame->plot.bottom;
    double spacing = fmin(TICK_FONT * 1.5, height / (double)panel->y.n);
    char scratch[AXIS_NAME_BYTES], style[STYLE_BYTES];
    for (size_t i = 0; i < panel->y.n; i++) {
        double y = frame->plot.top - ((double)i + 0.5) * spacing;
        put_line(writer, x, y, x + 18, y, line_style(i, style));
        put_text(writer, axis_name(&panel->y, i, scratch), 24, x + 22, y, LEFT,
                 fmin(TICK_FONT, spacing / 1.1), 0, "");
    }
}

void draw_lines(struct writer *writer, const struct frame *frame, size_t index)
{
    const struct panel *panel = frame->panel;
    struct scale x = {
        .from = frame->plot.left, .to = frame->plot.right, .least_step = panel->x.step};
    struct scale y = {panel->least, panel->most, frame->plot.bottom, frame->plot.top, 0};
    axis_ends(panel, &panel->x, &x.begin, &x.end);
    fprintf(writer->out, "$panel%zu << END_OF_PANEL\n", index);
    for (size_t column = 0; column < panel->x.n; column++) {
        fprintf(writer->out, "%.10g", axis_element(&panel->x, column));
        for (size_t row = 0; row < panel->y.n; row++)
            fprintf(writer->out, " %.8g", panel->values[row * panel->x.n + column]);
        putc('\n', writer->out);
    }
    fputs("END_OF_PANEL\n", writer->out);
    begin_panel(writer, frame, &x, &y);
    put_frame(writer, &frame->plot);
    put_ticks_x(writer, &x, frame->plot.bottom, frame->has_x_names);
    put_ticks_y(writer, &y, frame->plot.left, false, frame->has_y_names);
    put_titles(writer, frame, panel->x.title, panel->unit);
    put_legend(writer, frame);
    for (size_t row = 0; row < panel->y.n; row++) {
        char style[STYLE_BYTES];
        fprintf(writer->out, "%s$panel%zu using 1:%zu with %s notitle %s", row ? ", " : "plot ",
                index, row + 2, panel->x.n > 1 ? "lines" : "points pt 7 ps 0.5",
                line_style(row, style));
    }
    putc('\n', writer->out);
}

/* ---- Dots ---- */

enum { LEGEND_COLUMNS = 88 };

static void put_dot_legend(struct writer *writer, const struct frame *frame, const struct scale *x)
{
    const struct panel *panel = frame->panel;
    double widest = 0, unit = (x->end - x->begin) / (x->to - x->from);
    char scratch[AXIS_NAME_BYTES];
    for (size_t i = 0; i < panel->x.n; i++)
        widest =
            fmax(widest, text_points(axis_name(&panel->x, i, scratch), TICK_FONT, LEGEND_COLUMNS));
    double at = fmax(8, fmin(frame->plot.left, writer->layout->width - 18 - widest));
    for (size_t i = 0; i < panel->x.n; i++) {
        double y = frame->plot.top + (0.6 + 1.3 * (double)(panel->x.n - 1 - i)) * AXIS_FONT;
        fprintf(writer->out,
                "set object circle at screen %.5f, screen %.5f size first %.8g fillcolor rgb "
                "'#%06X' fillstyle %s border lc rgb '#%06X' lw 1 front\n",
                (at + 4) / writer->layout->width, y / writer->layout->height, DOT_RADIUS * unit,
                i ? 0xFFFFFFu : (unsigned)line_color(i), "solid", (unsigned)line_color(i));
        put_text(writer, axis_name(&panel->x, i, scratch), LEGEND_COLUMNS, at + 10, y, LEFT,
                 TICK_FONT, 0, "");
    }
}

void draw_dots(struct writer *writer, const struct frame *frame, size_t index)
{
    const struct panel *panel = frame->panel;
    struct scale x = {panel->least, panel->most, frame->plot.left, frame->plot.right, 0};
    struct scale y = {(double)panel->y.n - 0.5, -0.5, frame->plot.bottom, frame->plot.top, 0};
    double spacing = (y.to - y.from) / (double)panel->y.n;
    double radius =
        fmax(0.8, fmin(DOT_RADIUS, 0.4 * spacing)) * (x.end - x.begin) / (x.to - x.from);
    fprintf(writer->out, "$panel%zu << END_OF_PANEL\n", index);
    for (size_t row = 0; row < panel->y.n; row++) {
        fprintf(writer->out, "%zu", row);
        for (size_t column = 0; column < panel->x.n; column++)
            fprintf(writer->out, " %.8g", panel->values[row * panel->x.n + column]);
        putc('\n', writer->out);
    }
    fputs("END_OF_PANEL\n", writer->out);
    begin_panel(writer, frame, &x, &y);
    put_frame(writer, &frame->plot);
    put_ticks_x(writer, &x, frame->plot.bottom, true);
    put_titles(writer, frame, panel->unit, panel->y.title);
    put_dot_legend(writer, frame, &x);
    if (panel->y.labels)
        put_names_y(writer, &panel->y, &y, frame->plot.left);
    fprintf(writer->out,
            "set arrow from 0, graph 0 to 0, graph 1 nohead lc rgb '#B0B0B0' lw 0.6 back\n");
    fputs("plot ", writer->out);
    if (spacing > 4) /* a stem leads the eye from the name to the dot */
        fprintf(writer->out,
                "$panel%zu using (0):1:2:(0) with vectors nohead lc rgb '#D0D0D0' lw 0.6 notitle, ",
                index);
    for (size_t column = panel->x.n; column-- > 0;)
        fprintf(writer->out,
                "$panel%zu using %zu:1:(%.8g) with circles fillcolor rgb '#%06X' fillstyle solid "
                "border lc rgb '#%06X' lw 1 notitle%s",
                index, column + 2, radius, column ? 0xFFFFFFu : (unsigned)line_color(column),
                (unsigned)line_color(column), column ? ", " : "\n");
}
