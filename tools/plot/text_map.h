/* text_map.h - maps and dots in characters, for the terminal. */
#ifndef TOOLS_PLOT_TEXT_MAP_H
#define TOOLS_PLOT_TEXT_MAP_H

#include "tools/plot/gnuplot/figure.h"

#include <stdio.h>

/* Prints a map, at most `columns` wide: numbers where they fit, else shades. `colors`: the terminal
 * knows the escapes for 24-bit colours. */
void text_map_print(const struct panel *panel, size_t columns, bool colors, FILE *stream);

/* Prints dots as rows of numbers, with a bar for those of the first kind. */
void text_dots_print(const struct panel *panel, size_t columns, FILE *stream);

#endif
