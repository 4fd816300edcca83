/* writer.c - see writer.h. */
#include "tools/plot/writer.h"

#include "tools/common/display.h"
#include "tools/plot/gnuplot/gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts ---- */

/* A text cut to so many columns, controls escaped; to be freed. */
static char *shown(const char *text, size_t columns)
{
    char *out = NULL;
    size_t len;
    FILE *stream = open_memstream(&out, &len);
    if (!stream)
        return NULL;
    display_text(stream, text, strlen(text), columns);
    return fclose(stream) == 0 ? out : NULL;
}

/* degrees: turned to the left by. */
void put_text(struct writer *writer, const char *text, size_t columns, double x, double y,
              enum align align, double font, double degrees, const char *more)
{
    static const char *const aligns[] = {"left", "center", "right"};
    char *cut = text ? shown(text, columns) : NULL;
    if (cut && cut[0]) {
        fprintf(writer->out, "set label %zu ", ++writer->n_labels);
        gnuplot_put_string(writer->out, cut);
        fprintf(writer->out, " at screen %.5f, screen %.5f %s noenhanced font ',%.1f'",
                x / writer->layout->width, y / writer->layout->height, aligns[align], font);
        fprintf(writer->out, " rotate by %.0f %s\n", degrees, more);
    }
    free(cut);
}

void put_line(struct writer *writer, double x0, double y0, double x1, double y1, const char *style)
{
    double width = writer->layout->width, height = writer->layout->height;
    fprintf(writer->out,
            "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead %s\n",
            x0 / width, y0 / height, x1 / width, y1 / height, style);
}

void put_frame(struct writer *writer, const struct box *box)
{
    static const char *const style = "lc rgb '#404040' lw 0.8 front";
    put_line(writer, box->left, box->bottom, box->right, box->bottom, style);
    put_line(writer, box->left, box->top, box->right, box->top, style);
    put_line(writer, box->left, box->bottom, box->left, box->top, style);
    put_line(writer, box->right, box->bottom, box->right, box->top, style);
}

/* ---- Axes ---- */

double on_page(const struct scale *scale, double value)
{
    return scale->from +
           (value - scale->begin) / (scale->end - scale->begin) * (scale->to - scale->from);
}

static const char *const TICK_STYLE = "lc rgb '#404040' lw 0.8";

void put_ticks_x(struct writer *writer, const struct scale *scale, double y, bool has_names)
{
    struct ticks ticks =
        ticks_whole(fmin(scale->begin, scale->end), fmax(scale->begin, scale->end),
                    (size_t)fmax(2, (scale->to - scale->from) / 36), scale->least_step);
    char text[TICK_BYTES];
    for (size_t i = 0; i < ticks.n; i++) {
        double x = on_page(scale, ticks.first + (double)i * ticks.step);
        put_line(writer, x, y, x, y - TICK_LENGTH, TICK_STYLE);
        if (has_names)
            put_text(writer, tick_text(&ticks, i, text), TICK_BYTES, x,
                     y - TICK_LENGTH - 0.65 * TICK_FONT, CENTER, TICK_FONT, 0, "");
    }
}

void put_ticks_y(struct writer *writer, const struct scale *scale, double x, bool is_right,
                 bool has_names)
{
    struct ticks ticks = ticks_whole(
        fmin(scale->begin, scale->end), fmax(scale->begin, scale->end),
        is_right ? 5 : (size_t)fmax(2, fabs(scale->to - scale->from) / 32), scale->least_step);
    double side = is_right ? 1 : -1;
    char text[TICK_BYTES];
    for (size_t i = 0; i < ticks.n; i++) {
        double y = on_page(scale, ticks.first + (double)i * ticks.step);
        put_line(writer, x, y, x + side * TICK_LENGTH, y, TICK_STYLE);
        if (has_names)
            put_text(writer, tick_text(&ticks, i, text), TICK_BYTES, x + side * (TICK_LENGTH + 2),
                     y, is_right ? LEFT : RIGHT, TICK_FONT, 0, "");
    }
}

void put_names_x(struct writer *writer, const struct axis *axis, const struct scale *scale,
                 double y)
{
    const struct label_style *style = &writer->layout->x;
    for (size_t i = 0; i < axis->n; i += style->step)
        if (style->degrees > 0)
            put_text(writer, axis->labels[i], style->columns,
                     on_page(scale, (double)i) + (style->degrees < 90 ? 0.25 * style->font : 0),
                     y - 3.5 - (style->degrees < 90 ? 0.25 * style->font : 0), RIGHT, style->font,
                     style->degrees, "");
        else
            put_text(writer, axis->labels[i], style->columns, on_page(scale, (double)i),
                     y - 2 - 0.65 * style->font, CENTER, style->font, 0, "");
}

void put_names_y(struct writer *writer, const struct axis *axis, const struct scale *scale,
                 double x)
{
    const struct label_style *style = &writer->layout->y;
    for (size_t i = 0; i < axis->n; i += style->step)
        put_text(writer, axis->labels[i], style->columns, x - 3.5, on_page(scale, (double)i), RIGHT,
                 style->font, 0, "");
}

/* How far a title of the y axis stands off, for what is between. */
static double beside_y_names(const struct writer *writer, const struct panel *panel)
{
    double begin, end;
    if (panel->y.labels && (panel->kind == PANEL_MAP || panel->kind == PANEL_DOTS))
        return writer->layout->y.extent + 8;
    axis_ends(panel, &panel->y, &begin, &end);
    if (panel->kind == PANEL_LINES) {
        begin = panel->least;
        end = panel->most;
    } else if (panel->kind == PANEL_POINTS) {
        begin = panel->y_range[0];
        end = panel->y_range[1];
    }
    return widest_tick(begin, end) + TICK_LENGTH + 5;
}

/* In one line, or in two that break at a blank; y is that of the last one. */
void put_broken(struct writer *writer, const char *title, size_t columns, double x, double y,
                double font)
{
    size_t at = title ? title_break(title, columns) : 0;
    char *first = at ? strndup(title, at) : NULL;
    put_text(writer, first, columns, x, y + 1.3 * font, CENTER, font, 0, "");
    put_text(writer, first ? title + at + 1 : title, columns, x, y, CENTER, font, 0, "");
    free(first);
}

/* The middle of a text that is to be at x, moved where the page ends. */
static double within_page(const struct writer *writer, const char *text, double x)
{
    double half = 0.5 * text_points(text, AXIS_FONT * 0.92, 10000) + 4;
    return fmax(half, fmin(x, writer->layout->width - half));
}

void put_titles(struct writer *writer, const struct frame *frame, const char *x_title,
                const char *y_title)
{
    const struct box *plot = &frame->plot;
    const struct panel *panel = frame->panel;
    double width = plot->right - plot->left, height = plot->top - plot->bottom;
    double middle_x = plot->left + width / 2, middle_y = plot->bottom + height / 2;
    bool has_names = panel->kind == PANEL_MAP && panel->x.labels;
    double below = (has_names ? writer->layout->x.extent : TICK_FONT * 1.3) + 5;
    double room = writer->layout->n_frames == 1 ? writer->layout->width : width;
    double above = panel->kind == PANEL_DOTS ? legend_height(panel) + 2 : 0; /* between */

    if (frame->has_x_names)
        put_text(writer, x_title, columns_of_title(room), within_page(writer, x_title, middle_x),
                 plot->bottom - below - 0.7 * AXIS_FONT, CENTER, AXIS_FONT, 0, "");
    if (frame->has_y_names)
        put_text(writer, y_title, columns_of_title(1.3 * height),
                 plot->left - beside_y_names(writer, panel) - 0.6 * AXIS_FONT, middle_y, CENTER,
                 AXIS_FONT, 90, "");
    put_broken(writer, panel->title, columns_above(width), middle_x,
               plot->top + 0.75 * AXIS_FONT + 2 + above, AXIS_FONT);
}

double axis_element(const struct axis *axis, size_t i)
{
    return axis->labels ? (double)i : axis->first + (double)i * axis->step;
}

/* ---- The plot's own coordinates ---- */

void begin_panel(struct writer *writer, const struct frame *frame, const struct scale *x,
                 const struct scale *y)
{
    double width = writer->layout->width, height = writer->layout->height;
    const struct box *plot = &frame->plot;
    fprintf(writer->out, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n",
            plot->left / width, plot->right / width);
    fprintf(writer->out, "set bmargin at screen %.6f\nset tmargin at screen %.6f\n",
            plot->bottom / height, plot->top / height);
    fprintf(writer->out, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", x->begin, x->end,
            y->begin, y->end);
}

void end_panel(struct writer *writer)
{
    fputs("unset label\nunset arrow\nunset object\nunset colorbox\n", writer->out);
    writer->n_labels = 0;
}
