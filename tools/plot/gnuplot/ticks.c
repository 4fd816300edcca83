/* ticks.c - round numbers for axes: steps of 1, 2 or 5 times a power of ten; see layout.h. */
#include "tools/plot/gnuplot/layout.h"

#include <math.h>
#include <stdio.h>

static double round_step(double span, size_t wanted)
{
    double rough = span / (double)(wanted ? wanted : 1);
    double power = pow(10, floor(log10(rough)));
    double factor = rough / power;
    return power * (factor <= 1.5 ? 1 : factor <= 3.5 ? 2 : factor <= 7.5 ? 5 : 10);
}

struct ticks ticks_make(double least, double most, size_t wanted)
{
    return ticks_whole(least, most, wanted, 0);
}

struct ticks ticks_whole(double least, double most, size_t wanted, double least_step)
{
    if (!(most > least) || !isfinite(most - least))
        return (struct ticks){.first = least, .step = 1, .n = isfinite(least) ? 1 : 0};
    double step = fmax(round_step(most - least, wanted), least_step), slack = step * 1e-9;
    struct ticks ticks = {.first = ceil((least - slack) / step) * step, .step = step};
    if (ticks.first <= most + slack)
        ticks.n = (size_t)floor((most - ticks.first + slack) / step) + 1;
    return ticks;
}

const char *tick_text(const struct ticks *ticks, size_t i, char out[TICK_BYTES])
{
    double value = ticks->first + (double)i * ticks->step;
    if (fabs(value) < ticks->step * 1e-9)
        value = 0;
    /* As many decimals as the step has, so that all of a scale have the same. */
    int decimals = ticks->step < 1 ? (int)ceil(-log10(ticks->step) - 1e-9) : 0;
    double largest = fmax(fabs(ticks->first), fabs(ticks->first + (double)ticks->n * ticks->step));
    if (largest >= 1e6 || decimals > 5)
        snprintf(out, TICK_BYTES, "%.3g", value);
    else
        snprintf(out, TICK_BYTES, "%.*f", decimals, value);
    return out;
}

void axis_ends(const struct panel *panel, const struct axis *axis, double *begin, double *end)
{
    double half = panel->kind == PANEL_MAP || axis->n == 1 ? 0.5 * axis->step : 0;
    *begin = axis->first - half;
    *end = axis->first + ((double)axis->n - 1) * axis->step + half;
    if (panel->kind == PANEL_MAP && axis->labels) {
        *begin = -0.5;
        *end = (double)axis->n - 0.5;
    }
}

/* ---- Ranges ---- */

static void settle_map(struct panel *panel)
{
    double least, most;
    panel_range(panel, &least, &most);
    if (panel->least == panel->most) {
        panel->least = least;
        panel->most = most;
        if (panel->palette == PALETTE_RDBU && least < 0) { /* white is zero */
            panel->most = fmax(fabs(least), fabs(most));
            panel->least = -panel->most;
        }
    }
    if (!(panel->most > panel->least))
        panel->most = panel->least + (panel->least != 0 ? fabs(panel->least) : 1);
}

static void settle_values(struct panel *panel)
{
    double least, most;
    if (panel->least < panel->most)
        return;
    panel_range(panel, &least, &most);
    double margin = most > least ? 0.04 * (most - least) : most != 0 ? 0.5 * fabs(most) : 1;
    panel->most = most + margin;
    panel->least = panel->kind == PANEL_DOTS && least >= 0 ? 0 : least - margin;
    if (panel->kind == PANEL_DOTS) /* room for a dot at 0 */
        panel->least -= 0.02 * (panel->most - panel->least);
}

static void settle_scale(struct figure *figure)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < figure->n_panels; i++)
        if (figure->panels[i].kind != PANEL_DATA) {
            least = fmin(least, figure->panels[i].least);
            most = fmax(most, figure->panels[i].most);
        }
    for (size_t i = 0; i < figure->n_panels; i++) {
        figure->panels[i].least = least;
        figure->panels[i].most = most;
    }
}

void figure_settle(struct figure *figure)
{
    for (size_t i = 0; i < figure->n_panels; i++) {
        struct panel *panel = &figure->panels[i];
        if (panel->kind == PANEL_MAP)
            settle_map(panel);
        else if (panel->kind == PANEL_LINES || panel->kind == PANEL_DOTS)
            settle_values(panel);
    }
    if (figure->shares_scale)
        settle_scale(figure);
}
