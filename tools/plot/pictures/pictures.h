/* pictures.h - a function for each command of encode-plot, which fills a figure. */
#ifndef TOOLS_PLOT_PICTURES_H
#define TOOLS_PLOT_PICTURES_H

#include "tools/plot/figure.h"
#include "tools/plot/plot_source.h"

/* Errors end the program. */
void picture_position(struct source *source, struct figure *figure);
void picture_attention(struct source *source, struct figure *figure);
void picture_words(struct source *source, struct figure *figure);
void picture_layers(struct source *source, struct figure *figure);
void picture_order(struct source *source, struct figure *figure);
void picture_similarity(struct source *source, struct figure *figure);
void picture_steps(struct source *source, struct figure *figure);

#endif
