/* script_points.c - named points in the plane; see writer.h. */
#include "tools/plot/writer.h"

#include "tools/plot/gnuplot/label_places.h"

#include <math.h>
#include <stdlib.h>

static const double SMALL_DOT_RADIUS = 2.0;

/* One scale for both axes where that is asked for: the shorter range grows. */
static void equalize(struct scale *x, struct scale *y)
{
    double unit_x = (x->end - x->begin) / (x->to - x->from),
           unit_y = (y->end - y->begin) / (y->to - y->from);
    struct scale *shorter = unit_x < unit_y ? x : y;
    double unit = fmax(unit_x, unit_y), middle = (shorter->begin + shorter->end) / 2;
    double half = unit * (shorter->to - shorter->from) / 2;
    shorter->begin = middle - half;
    shorter->end = middle + half;
}

static void put_links(struct writer *writer, const struct panel *panel,
                      const struct named_point *points)
{
    for (size_t i = 0; i < panel->n_links; i++) {
        const struct named_point *a = &points[panel->links[i][0]], *b = &points[panel->links[i][1]];
        put_line(writer, a->x, a->y, b->x, b->y, "lc rgb '#D55E00' dt '-' lw 1 back");
    }
}

/* Its length in the plane. */
static const char *link_text(const struct panel *panel, size_t i, char out[AXIS_NAME_BYTES])
{
    snprintf(out, AXIS_NAME_BYTES, "%.3g", panel_link_length(panel, i));
    return out;
}

/* Where the number of a link belongs. */
static struct named_point middle_of_link(const struct panel *panel, size_t i,
                                         const struct named_point *points, double font)
{
    const struct named_point *a = &points[panel->links[i][0]], *b = &points[panel->links[i][1]];
    char text[AXIS_NAME_BYTES];
    return (struct named_point){.x = (a->x + b->x) / 2,
                                .y = (a->y + b->y) / 2,
                                .height = font * 1.05,
                                .width = text_points(link_text(panel, i, text), font, 20) + 1};
}

/* From a point to its name, where that had to go farther off. */
static void put_leader(struct writer *writer, const struct named_point *point)
{
    double x = fmax(point->name.left, fmin(point->x, point->name.right));
    double y = fmax(point->name.bottom, fmin(point->y, point->name.top));
    if (hypot(x - point->x, y - point->y) > SMALL_DOT_RADIUS + 3.5)
        put_line(writer, point->x, point->y, x, y, "lc rgb '#A0A0A0' lw 0.5 back");
}

static void put_point_names(struct writer *writer, const struct frame *frame, const struct scale *x,
                            const struct scale *y, double font)
{
    const struct panel *panel = frame->panel;
    size_t n = panel->y.n;
    struct named_point *points = calloc(n + panel->n_links + 1, sizeof *points);
    char scratch[AXIS_NAME_BYTES];
    if (!points)
        return;
    for (size_t i = 0; i < panel->y.n; i++) {
        points[i].x = on_page(x, panel->values[2 * i]);
        points[i].y = on_page(y, panel->values[2 * i + 1]);
        points[i].width = text_points(axis_name(&panel->y, i, scratch), font, 20) + 1;
        points[i].height = font * 1.05;
    }
    struct box inside = {frame->plot.left + 3, frame->plot.bottom + 2, frame->plot.right - 4,
                         frame->plot.top - 2};
    for (size_t i = 0; i < panel->n_links; i++)
        points[n + i] = middle_of_link(panel, i, points, font);
    place_labels(points, n + panel->n_links, &inside, SMALL_DOT_RADIUS);
    for (size_t i = 0; i < panel->y.n; i++) {
        const struct box *name = &points[i].name;
        double middle = (name->left + name->right) / 2;
        enum align align = name->left >= points[i].x    ? LEFT
                           : name->right <= points[i].x ? RIGHT
                                                        : CENTER;
        put_leader(writer, &points[i]);
        put_text(writer, axis_name(&panel->y, i, scratch), 20,
                 align == LEFT    ? name->left
                 : align == RIGHT ? name->right
                                  : middle,
                 (name->bottom + name->top) / 2, align, font, 0, "front");
    }
    put_links(writer, panel, points);
    for (size_t i = 0; i < panel->n_links; i++) {
        const struct box *name = &points[n + i].name;
        put_text(writer, link_text(panel, i, scratch), 20, (name->left + name->right) / 2,
                 (name->bottom + name->top) / 2, CENTER, font - 0.5, 0, "tc rgb '#D55E00'");
    }
    free(points);
}

void draw_points(struct writer *writer, const struct frame *frame, size_t index)
{
    const struct panel *panel = frame->panel;
    struct scale x = {panel->x_range[0], panel->x_range[1], frame->plot.left, frame->plot.right, 0};
    struct scale y = {panel->y_range[0], panel->y_range[1], frame->plot.bottom, frame->plot.top, 0};
    if (panel->is_square)
        equalize(&x, &y);
    double unit = (x.end - x.begin) / (x.to - x.from);
    fprintf(writer->out, "$panel%zu << END_OF_PANEL\n", index);
    for (size_t i = 0; i < panel->y.n; i++)
        fprintf(writer->out, "%.10g %.10g\n", panel->values[2 * i], panel->values[2 * i + 1]);
    fputs("END_OF_PANEL\n", writer->out);
    begin_panel(writer, frame, &x, &y);
    put_frame(writer, &frame->plot);
    put_ticks_x(writer, &x, frame->plot.bottom, frame->has_x_names);
    put_ticks_y(writer, &y, frame->plot.left, false, frame->has_y_names);
    put_titles(writer, frame, panel->x.title, panel->y.title);
    put_point_names(writer, frame, &x, &y, panel->y.n > 60 ? 6 : panel->y.n > 25 ? 7 : TICK_FONT);
    fprintf(writer->out,
            "plot $panel%zu using 1:2:(%.10g) with circles fillcolor rgb '#0072B2' fillstyle solid "
            "noborder notitle\n",
            index, SMALL_DOT_RADIUS * unit);
}
