/* script_text.c - lines and points as characters; see script.h. gnuplot's terminal "dumb" has
 * its own letters for lines, so legend and axes are gnuplot's own here. */
#include "tools/plot/gnuplot/script.h"

#include "tools/plot/gnuplot/gnuplot.h"

static void plot_lines(const struct panel *panel, FILE *script)
{
    for (size_t i = 0; i < panel->y.n; i++)
        fprintf(script, "%s$panel matrix every 1:1:0:%zu:%zu:%zu using 1:3 with lines title %s",
                i ? ", " : "plot ", i, panel->x.n - 1, i, gnuplot_string(panel->y.labels[i]));
    putc('\n', script);
}

static void plot_points(const struct panel *panel, FILE *script)
{
    double margin = 0.3 * (panel->x_range[1] - panel->x_range[0]);
    for (size_t i = 0; i < panel->y.n; i++)
        fprintf(script, "set label %zu %s at first %.10g, first %.10g left offset 1,0\n", i + 1,
                gnuplot_string(axis_name(&panel->y, i)), panel->values[2 * i],
                panel->values[2 * i + 1]);
    fprintf(script,
            "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\n"
            "plot $panel using 1:2 with points pt '+' notitle\n",
            panel->x_range[0], panel->x_range[1] + margin, panel->y_range[0], panel->y_range[1]);
}

void script_write_text(const struct panel *panel, size_t columns, size_t rows, FILE *script)
{
    const char *y_title = panel->kind == PANEL_POINTS ? "" : panel->unit; /* said below */
    fprintf(script,
            "set encoding utf8\nset terminal dumb noenhanced nofeed size %zu,%zu\n"
            "set key outside right\nset xlabel %s\nset ylabel %s\n",
            columns, rows, gnuplot_string(panel->x.title), gnuplot_string(y_title));
    script_put_values(panel, script);
    if (panel->kind == PANEL_POINTS)
        plot_points(panel, script);
    else
        plot_lines(panel, script);
}
