/* writer.h - the parts of a gnuplot script that panels of every kind are made of: texts and lines
 * at places of the page, axes, and a panel's own coordinates. */
#ifndef TOOLS_PLOT_WRITER_H
#define TOOLS_PLOT_WRITER_H

#include "tools/plot/gnuplot/script.h"

#define TICK_LENGTH 3.0
#define DOT_RADIUS  2.4

struct writer {
    FILE *out;
    const struct layout *layout;
    enum medium medium;
    size_t n_labels;
};

enum align { LEFT, CENTER, RIGHT };

/* A text, cut to so many columns and turned to the left by degrees. `more`: gnuplot's options. */
void put_text(struct writer *writer, const char *text, size_t columns, double x, double y,
              enum align align, double font, double degrees, const char *more);
void put_broken(struct writer *writer, const char *title, size_t columns, double x, double y,
                double font);
void put_line(struct writer *writer, double x0, double y0, double x1, double y1, const char *style);
void put_frame(struct writer *writer, const struct box *box);

/* Numbers of an axis and where they are on the page. */
struct scale {
    double begin, end; /* values */
    double from, to;   /* points */
    double least_step; /* between two of its ticks */
};
double on_page(const struct scale *scale, double value);

void put_ticks_x(struct writer *writer, const struct scale *scale, double y, bool has_names);
void put_ticks_y(struct writer *writer, const struct scale *scale, double x, bool is_right,
                 bool has_names);
void put_names_x(struct writer *writer, const struct axis *axis, const struct scale *scale,
                 double y);
void put_names_y(struct writer *writer, const struct axis *axis, const struct scale *scale,
                 double x);

/* Of the axes, and the panel's own above it. */
void put_titles(struct writer *writer, const struct frame *frame, const char *x_title,
                const char *y_title);

/* Position of element i on its axis. */
double axis_element(const struct axis *axis, size_t i);

/* The panel's margins and ranges; after it, what was put for it is forgotten. */
void begin_panel(struct writer *writer, const struct frame *frame, const struct scale *x,
                 const struct scale *y);
void end_panel(struct writer *writer);

/* Each draws one panel; its data block is $panelINDEX. */
void draw_map(struct writer *writer, const struct frame *frame, size_t index);
void draw_lines(struct writer *writer, const struct frame *frame, size_t index);
void draw_dots(struct writer *writer, const struct frame *frame, size_t index);
void draw_points(struct writer *writer, const struct frame *frame, size_t index);

#endif
