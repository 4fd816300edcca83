/* render.h - a figure into what was asked for: a picture, its numbers, both. */
#ifndef TOOLS_PLOT_RENDER_H
#define TOOLS_PLOT_RENDER_H

#include "tools/plot/figure.h"
#include "tools/plot/plot_options.h"

/* Returns the exit code; what failed has been said. */
int render(struct figure *figure, const struct plot_options *options);

#endif
