/* script.h - a figure as a gnuplot script. */
#ifndef TOOLS_PLOT_SCRIPT_H
#define TOOLS_PLOT_SCRIPT_H

#include "tools/plot/gnuplot/layout.h"

#include <stdio.h>

enum medium { MEDIUM_PNG, MEDIUM_SVG, MEDIUM_PDF };

/* The script that draws it to gnuplot's stdout. dpi: pixels per inch of a PNG; page: its size in
 * pixels, for PNG. */
struct page {
    enum medium medium;
    double dpi;
    size_t pixels[2]; /* of a PNG */
};
void script_write(const struct figure *figure, const struct layout *layout, const struct page *page,
                  FILE *script);

/* Lines or points in characters, columns × rows of them. The others are text_map's. */
void script_write_text(const struct panel *panel, size_t columns, size_t rows, FILE *script);

#endif
