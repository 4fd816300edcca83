/* plot_values.h - the values of encode-plot's options. Each prints its own message and returns
 * false. */
#ifndef TOOLS_PLOT_PLOT_VALUES_H
#define TOOLS_PLOT_PLOT_VALUES_H

#include "tools/plot/plot_options.h"

/* "640x400" in pixels, "160x100mm", "6.3x4in". Pixels become inches by settle_size, when --dpi is
 * known. */
bool plot_read_size(struct plot_options *options, const char *text, bool *is_pixels);
bool plot_settle_size(struct plot_options *options, bool is_pixels);

bool plot_read_kind(struct plot_options *options, const char *text);
bool plot_read_format(struct plot_options *options, const char *text);
bool plot_read_mask(struct plot_options *options, const char *text);
bool plot_read_pooling(struct plot_options *options, const char *text);
bool plot_read_colors(struct plot_options *options, const char *text);
bool plot_read_head(struct plot_options *options, const char *text);
bool plot_add_beside(struct plot_options *options, const char *text);
bool plot_add_link(struct plot_options *options, const char *text);

/* One of two names. */
bool plot_read_two(const char *option, const char *text, const char *no, const char *yes,
                   bool *value);

#endif
