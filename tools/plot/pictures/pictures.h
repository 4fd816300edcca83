/* pictures.h - what each command of encode-plot fills a figure with. */
#ifndef TOOLS_PLOT_PICTURES_H
#define TOOLS_PLOT_PICTURES_H

#include "tools/plot/gnuplot/figure.h"
#include "tools/plot/plot_options.h"

/* Each returns PROGRAM_DONE and the figure, or an exit code after a message. */
int picture_position(const struct plot_options *options, struct figure *figure);
int picture_attention(const struct plot_options *options, struct figure *figure);
int picture_words(const struct plot_options *options, struct figure *figure);
int picture_layers(const struct plot_options *options, struct figure *figure);
int picture_order(const struct plot_options *options, struct figure *figure);
int picture_similarity(const struct plot_options *options, struct figure *figure);

/* The palette that was asked for, or else this one. */
static inline enum palette picture_palette(const struct plot_options *options,
                                           enum palette otherwise)
{
    return options->palette == PALETTE_DEFAULT ? otherwise : options->palette;
}

#endif
