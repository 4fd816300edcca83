/* script_points.c - named points in the plane, with names beside them and links between; see
 * script.h. gnuplot cannot keep names apart, so their places are chosen here. */
#include "tools/plot/gnuplot/script.h"

#include "tools/plot/gnuplot/gnuplot.h"
#include "tools/plot/memory.h"

#include <math.h>
#include <string.h>

static const double DOT_RADIUS = 2;

enum { WORD_COLUMNS = 20 };

/* A panel's numbers and its points: (0, 0) is the lower left corner of its plot. */
struct plane {
    const struct panel *panel;
    double width, height;          /* points */
    double x_range[2], y_range[2]; /* numbers */
    double font;
    struct named_point *points; /* [y.n + n_links]: words, then the middles of links */
    FILE *out;
};

/* One scale for both axes: the shorter range grows. */
static void equalize(struct plane *plane)
{
    double *x = plane->x_range, *y = plane->y_range;
    double unit = fmax((x[1] - x[0]) / plane->width, (y[1] - y[0]) / plane->height);
    double more_x = (unit * plane->width - (x[1] - x[0])) / 2;
    double more_y = (unit * plane->height - (y[1] - y[0])) / 2;
    x[0] -= more_x;
    x[1] += more_x;
    y[0] -= more_y;
    y[1] += more_y;
}

static const char *link_text(const struct panel *panel, size_t i)
{
    return text_new("%.3g", panel_link_length(panel, i));
}

static struct named_point point_at(const struct plane *plane, double x, double y, const char *name)
{
    return (struct named_point){.x = x,
                                .y = y,
                                .width = text_points(name, plane->font, WORD_COLUMNS) + 1,
                                .height = plane->font * 1.05};
}

static void find_points(struct plane *plane)
{
    const struct panel *panel = plane->panel;
    const double *x = plane->x_range, *y = plane->y_range;
    for (size_t i = 0; i < panel->y.n; i++)
        plane->points[i] =
            point_at(plane, (panel->values[2 * i] - x[0]) / (x[1] - x[0]) * plane->width,
                     (panel->values[2 * i + 1] - y[0]) / (y[1] - y[0]) * plane->height,
                     axis_name(&panel->y, i));
    for (size_t i = 0; i < panel->n_links; i++) {
        const struct named_point *a = &plane->points[panel->links[i][0]];
        const struct named_point *b = &plane->points[panel->links[i][1]];
        plane->points[panel->y.n + i] =
            point_at(plane, (a->x + b->x) / 2, (a->y + b->y) / 2, link_text(panel, i));
    }
}

static void put_line(const struct plane *plane, double x0, double y0, double x1, double y1,
                     const char *style)
{
    fprintf(plane->out,
            "set arrow from graph %.5f, graph %.5f to graph %.5f, graph %.5f nohead %s back\n",
            x0 / plane->width, y0 / plane->height, x1 / plane->width, y1 / plane->height, style);
}

/* The name at its place, and a line to it from its point where it had to go farther off. */
static void put_name(const struct plane *plane, const struct named_point *point, const char *name)
{
    const struct box *box = &point->name;
    double x = fmax(box->left, fmin(point->x, box->right));
    double y = fmax(box->bottom, fmin(point->y, box->top));
    double at = (box->left + box->right) / 2;
    const char *side = "center";
    if (box->left >= point->x) {
        at = box->left;
        side = "left";
    } else if (box->right <= point->x) {
        at = box->right;
        side = "right";
    }
    if (hypot(x - point->x, y - point->y) > DOT_RADIUS + 3.5)
        put_line(plane, point->x, point->y, x, y, "lc rgb '#A0A0A0' lw 0.5");
    fprintf(plane->out, "set label %s at graph %.5f, graph %.5f %s font ',%.1f' front\n",
            gnuplot_string(text_cut(name, strlen(name), WORD_COLUMNS)), at / plane->width,
            (box->bottom + box->top) / 2 / plane->height, side, plane->font);
}

static void put_link(const struct plane *plane, size_t i)
{
    const struct panel *panel = plane->panel;
    const struct named_point *a = &plane->points[panel->links[i][0]];
    const struct named_point *b = &plane->points[panel->links[i][1]];
    const struct box *box = &plane->points[panel->y.n + i].name;
    put_line(plane, a->x, a->y, b->x, b->y, "lc rgb '#D55E00' dt '-' lw 1");
    fprintf(plane->out,
            "set label '%s' at graph %.5f, graph %.5f center font ',%.1f' tc rgb '#D55E00'\n",
            link_text(panel, i), (box->left + box->right) / 2 / plane->width,
            (box->bottom + box->top) / 2 / plane->height, plane->font - 0.5);
}

void script_put_points(const struct panel *panel, const struct page *page, FILE *script)
{
    struct plane plane = {.panel = panel,
                          .width = page->panel_width,
                          .height = page->panel_height,
                          .x_range = {panel->x_range[0], panel->x_range[1]},
                          .y_range = {panel->y_range[0], panel->y_range[1]},
                          .font = panel->y.n > 60   ? 6
                                  : panel->y.n > 25 ? 7
                                                    : TICK_FONT,
                          .out = script};
    size_t n = panel->y.n + panel->n_links;
    const struct box inside = {3, 2, plane.width - 4, plane.height - 2};
    plane.points = memory_zeros(n, sizeof *plane.points);
    equalize(&plane);
    find_points(&plane);
    place_labels(plane.points, n, &inside, DOT_RADIUS);
    for (size_t i = 0; i < panel->y.n; i++)
        put_name(&plane, &plane.points[i], axis_name(&panel->y, i));
    for (size_t i = 0; i < panel->n_links; i++)
        put_link(&plane, i);
    fprintf(script,
            "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\n"
            "plot $panel using 1:2:(%.10g) with circles fillcolor rgb '#0072B2' fillstyle solid "
            "noborder notitle\n",
            plane.x_range[0], plane.x_range[1], plane.y_range[0], plane.y_range[1],
            DOT_RADIUS * (plane.x_range[1] - plane.x_range[0]) / plane.width);
}
