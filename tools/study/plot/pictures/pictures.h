/* pictures.h - a function for each command of encode-plot, which fills a figure. Errors end the
 * program. */
#ifndef TOOLS_PLOT_PICTURES_H
#define TOOLS_PLOT_PICTURES_H

#include "tools/study/plot/figure.h"
#include "tools/study/plot/plot_source.h"

void picture_position(struct plot_source *source, struct figure *figure);
void picture_attention(struct plot_source *source, struct figure *figure);
void picture_words(struct plot_source *source, struct figure *figure);
void picture_layers(struct plot_source *source, struct figure *figure);
void picture_order(struct plot_source *source, struct figure *figure);
void picture_similarity(struct plot_source *source, struct figure *figure);
void picture_steps(struct plot_source *source, struct figure *figure);

#endif
