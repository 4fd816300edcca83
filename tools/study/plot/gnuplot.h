/* gnuplot.h - gnuplot as a child process, which draws figures. */
#ifndef TOOLS_PLOT_GNUPLOT_H
#define TOOLS_PLOT_GNUPLOT_H

#include "tools/study/plot/plot_options.h"

/* Draws the figure in the format of the options; in characters at most `columns` wide (0: another
 * format). Ends the program if gnuplot is absent, fails, or draws nothing. */
struct written gnuplot_draw(const struct figure *figure, const struct plot_options *options,
                            size_t columns);

/* Returns a text as a double-quoted string of gnuplot. */
const char *gnuplot_string(const char *text);

#endif
