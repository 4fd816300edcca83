/* pictures.h - what each command of encode-plot fills a figure with. */
#ifndef TOOLS_PLOT_PICTURES_H
#define TOOLS_PLOT_PICTURES_H

#include "tools/plot/gnuplot/figure.h"
#include "tools/plot/plot_options.h"

/* What cannot be drawn is said, and ends the program. */
void picture_position(const struct plot_options *options, struct figure *figure);
void picture_attention(const struct plot_options *options, struct figure *figure);
void picture_words(const struct plot_options *options, struct figure *figure);
void picture_layers(const struct plot_options *options, struct figure *figure);
void picture_order(const struct plot_options *options, struct figure *figure);
void picture_similarity(const struct plot_options *options, struct figure *figure);

/* The palette that was asked for, or else this one. */
static inline enum palette picture_palette(const struct plot_options *options,
                                           enum palette otherwise)
{
    return options->palette == PALETTE_DEFAULT ? otherwise : options->palette;
}

#endif
