/* figure_table.h - the numbers of a figure as a table of tabs and lines. */
#ifndef TOOLS_PLOT_FIGURE_TABLE_H
#define TOOLS_PLOT_FIGURE_TABLE_H

#include "tools/plot/gnuplot/figure.h"

#include <stdio.h>

/* For each panel: lines that begin with "# " and say what its rows, columns and values are, a line
 * with the columns' names, a line for each row that begins with its name, and an empty line.
 * Numbers read back exactly. In names \t, \n, \r and \\ stand for tab, line ends and backslash. */
void figure_write_table(const struct figure *figure, FILE *stream);

#endif
