/* pictures.h - a function for each command of encode-plot, which fills a figure, and the one that
 * draws it. */
#ifndef TOOLS_PLOT_PICTURES_H
#define TOOLS_PLOT_PICTURES_H

#include "tools/study/plot/figure.h"
#include "tools/study/plot/plot_source.h"

/* Errors end the program. */
void picture_position(struct plot_source *source, struct figure *figure);
void picture_attention(struct plot_source *source, struct figure *figure);
void picture_words(struct plot_source *source, struct figure *figure);
void picture_layers(struct plot_source *source, struct figure *figure);
void picture_order(struct plot_source *source, struct figure *figure);
void picture_similarity(struct plot_source *source, struct figure *figure);
void picture_steps(struct plot_source *source, struct figure *figure);

/* Draws the figure, or writes its numbers, as the options ask. Returns the exit code,
 * after a message on failure. */
int render(struct figure *figure, const struct plot_options *options);

#endif
