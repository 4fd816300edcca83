/* script.h - a figure as a gnuplot script. */
#ifndef TOOLS_PLOT_SCRIPT_H
#define TOOLS_PLOT_SCRIPT_H

#include "tools/plot/gnuplot/page.h"
#include "tools/plot/plot_options.h"

#include <stdio.h>

/* What it is drawn on. */
struct terminal {
    enum plot_format format; /* PNG, SVG or PDF */
    double dpi;              /* pixels per inch, of PNG */
    size_t pixels[2];        /* of PNG and SVG */
};

/* The script that draws the figure to gnuplot's stdout. */
void script_write(const struct figure *figure, const struct page *page,
                  const struct terminal *terminal, FILE *script);

/* Lines or points in characters, columns × rows of them. The others are text_map's. */
void script_write_text(const struct panel *panel, size_t columns, size_t rows, FILE *script);

/* The values as the data block $panel, a line for each row. */
void script_put_values(const struct panel *panel, FILE *script);

/* Points as a plot with names beside them (script_points.c). */
void script_put_points(const struct panel *panel, const struct page *page, FILE *script);

/* Names beside points so that they cover neither one another nor points (label_places.c). */
struct box {
    double left, bottom, right, top;
};

struct named_point {
    double x, y;          /* where it is */
    double width, height; /* of its name */
    struct box name;      /* answer: where that goes */
};

/* Chooses the names' places inside `frame` as far as there is room. `radius`: of the points' dots.
 */
void place_labels(struct named_point *points, size_t n, const struct box *frame, double radius);

#endif
