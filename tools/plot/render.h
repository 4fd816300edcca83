/* render.h - draws a figure, or writes its numbers, or both. */
#ifndef TOOLS_PLOT_RENDER_H
#define TOOLS_PLOT_RENDER_H

#include "tools/plot/figure.h"
#include "tools/plot/plot_options.h"

/* Writes what the options ask for; returns the exit code, after a message on failure. */
int render(struct figure *figure, const struct plot_options *options);

#endif
