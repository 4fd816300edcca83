/* palette.h - colour maps that people who see red and green alike can read, and colours for lines.
 */
#ifndef TOOLS_PLOT_PALETTE_H
#define TOOLS_PLOT_PALETTE_H

#include "tools/plot/gnuplot/figure.h"

#include <stdint.h>
#include <stdio.h>

/* The colour, 0xRRGGBB, at 0 <= at <= 1 (others become the ends). */
uint32_t palette_color(enum palette palette, double at);

/* Whether black letters read better on it than white ones. */
bool color_is_light(uint32_t color);

/* The commands that make it gnuplot's palette. */
void palette_put(enum palette palette, FILE *script);

/* The i-th colour for lines and dots; after N_LINE_COLORS they come again. */
enum { N_LINE_COLORS = 8 };
uint32_t line_color(size_t i);

#endif
