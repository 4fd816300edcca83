/* figure.c - panels, their names and their ranges; see figure.h. */
#include "tools/plot/gnuplot/figure.h"

#include "tools/plot/memory.h"

#include <math.h>
#include <string.h>

struct panel *figure_add(struct figure *figure, enum panel_kind kind, size_t n_rows,
                         size_t n_columns)
{
    struct panel *panels = memory_zeros(figure->n_panels + 1, sizeof *panels);
    if (figure->n_panels)
        memcpy(panels, figure->panels, figure->n_panels * sizeof *panels);
    figure->panels = panels;
    struct panel *panel = &figure->panels[figure->n_panels++];
    *panel = (struct panel){.kind = kind, .x.n = n_columns, .y.n = n_rows};
    panel->values = memory_zeros(n_rows, n_columns * sizeof *panel->values);
    return panel;
}

void axis_name_all(struct axis *axis)
{
    axis->labels = memory_zeros(axis->n, sizeof *axis->labels);
}

const char *axis_name(const struct axis *axis, size_t i)
{
    return axis->labels ? axis->labels[i] : text_new("%zu", i);
}

double panel_link_length(const struct panel *panel, size_t i)
{
    const double *a = panel->values + 2 * panel->links[i][0],
                 *b = panel->values + 2 * panel->links[i][1];
    return hypot(a[0] - b[0], a[1] - b[1]);
}

/* ---- Ranges ---- */

struct range panel_range(const struct panel *panel)
{
    struct range range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < panel->x.n * panel->y.n; i++)
        if (isfinite(panel->values[i])) {
            range.least = fmin(range.least, panel->values[i]);
            range.most = fmax(range.most, panel->values[i]);
        }
    return range.least <= range.most ? range : (struct range){0, 0};
}

static void set_map_range(struct panel *panel)
{
    struct range range = {panel->least, panel->most};
    if (range.least == range.most) {
        range = panel_range(panel);
        if (panel->palette == PALETTE_RDBU && range.least < 0) { /* white is zero */
            range.most = fmax(-range.least, fabs(range.most));
            range.least = -range.most;
        }
    }
    if (!(range.most > range.least))
        range.most = range.least + (range.least != 0 ? fabs(range.least) : 1);
    panel->least = range.least;
    panel->most = range.most;
}

static void set_value_range(struct panel *panel)
{
    struct range range = panel_range(panel);
    double span = range.most - range.least;
    double margin = span > 0 ? 0.04 * span : range.most != 0 ? 0.5 * fabs(range.most) : 1;
    panel->most = range.most + margin;
    panel->least = panel->kind == PANEL_DOTS && range.least >= 0 ? 0 : range.least - margin;
    if (panel->kind == PANEL_DOTS) /* room for a dot at 0 */
        panel->least -= 0.02 * (panel->most - panel->least);
}

static void share_range(struct figure *figure)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < figure->n_panels; i++) {
        least = fmin(least, figure->panels[i].least);
        most = fmax(most, figure->panels[i].most);
    }
    for (size_t i = 0; i < figure->n_panels; i++) {
        figure->panels[i].least = least;
        figure->panels[i].most = most;
    }
}

void figure_set_ranges(struct figure *figure)
{
    for (size_t i = 0; i < figure->n_panels; i++) {
        struct panel *panel = &figure->panels[i];
        if (panel->kind == PANEL_MAP)
            set_map_range(panel);
        else if (panel->kind == PANEL_LINES || panel->kind == PANEL_DOTS)
            set_value_range(panel);
    }
    if (figure->shares_scale)
        share_range(figure);
}
