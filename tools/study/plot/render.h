/* render.h - a figure as characters, a table of numbers, or a picture by gnuplot. */
#ifndef TOOLS_PLOT_RENDER_H
#define TOOLS_PLOT_RENDER_H

#include "tools/study/plot/plot_options.h"

/* Draws the figure, or writes its numbers, as the options ask. Returns the exit code, after a
 * message on failure; ends the program if gnuplot is absent, fails, or draws nothing. */
int render(struct figure *figure, const struct plot_options *options);

/* Returns a text as a double-quoted string of gnuplot. */
const char *gnuplot_string(const char *text);

#endif
