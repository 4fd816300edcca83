/* script_text.c - lines and points as characters; see script.h. gnuplot's terminal "dumb" has
 * its own letters for lines, so here gnuplot makes legend and axes. */
#include "tools/plot/gnuplot/script.h"

#include "tools/plot/gnuplot/gnuplot.h"

static void put_rows_of_columns(const struct panel *panel, FILE *script)
{
    for (size_t column = 0; column < panel->x.n; column++) {
        fprintf(script, "%.10g", panel->x.first + (double)column * panel->x.step);
        for (size_t row = 0; row < panel->y.n; row++)
            fprintf(script, " %.8g", panel->values[row * panel->x.n + column]);
        putc('\n', script);
    }
}

static void put_rows(const struct panel *panel, FILE *script)
{
    for (size_t row = 0; row < panel->y.n; row++) {
        fprintf(script, "%zu", row + 1);
        for (size_t column = 0; column < panel->x.n; column++)
            fprintf(script, " %.8g", panel->values[row * panel->x.n + column]);
        putc('\n', script);
    }
}

static void plot_lines(const struct axis *names, FILE *script)
{
    char scratch[AXIS_NAME_BYTES];
    for (size_t i = 0; i < names->n; i++) {
        fprintf(script, "%s$panel using 1:%zu with lines title ", i ? ", " : "plot ", i + 2);
        gnuplot_put_string(script, axis_name(names, i, scratch));
        fputs(" noenhanced", script);
    }
    putc('\n', script);
}

static void plot_points(const struct panel *panel, FILE *script)
{
    for (size_t i = 0; i < panel->y.n; i++) {
        char scratch[AXIS_NAME_BYTES];
        fprintf(script, "set label %zu ", i + 1);
        gnuplot_put_string(script, axis_name(&panel->y, i, scratch));
        fprintf(script, " at first %.10g, first %.10g left noenhanced offset 1,0\n",
                panel->values[2 * i], panel->values[2 * i + 1]);
    }
    double margin = 0.3 * (panel->x_range[1] - panel->x_range[0]);
    fprintf(script,
            "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\nplot $panel using 2:3 with points "
            "pt '+' notitle\n",
            panel->x_range[0], panel->x_range[1] + margin, panel->y_range[0], panel->y_range[1]);
}

void script_write_text(const struct panel *panel, size_t columns, size_t rows, FILE *script)
{
    fprintf(script, "set encoding utf8\nset terminal dumb noenhanced nofeed size %zu,%zu\n",
            columns, rows);
    fputs("set key noenhanced outside right\n$panel << END_OF_PANEL\n", script);
    if (panel->kind == PANEL_LINES)
        put_rows_of_columns(panel, script);
    else
        put_rows(panel, script);
    fputs("END_OF_PANEL\n", script);
    const char *y_title = panel->kind == PANEL_POINTS ? NULL : panel->unit; /* said below */
    fputs("set xlabel ", script);
    gnuplot_put_string(script, panel->x.title ? panel->x.title : "");
    fputs(" noenhanced\nset ylabel ", script);
    gnuplot_put_string(script, y_title ? y_title : "");
    fputs(" noenhanced\n", script);
    if (panel->kind == PANEL_POINTS)
        plot_points(panel, script);
    else
        plot_lines(&panel->y, script);
}
