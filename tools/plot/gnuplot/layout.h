/* layout.h - where everything of a figure goes on its page, in points (1/72 inch), y upwards. */
#ifndef TOOLS_PLOT_LAYOUT_H
#define TOOLS_PLOT_LAYOUT_H

#include "tools/plot/gnuplot/figure.h"

/* Sizes of letters, and of a column of a terminal as part of that: a little more than sans-serif
 * letters take on the average. */
#define TITLE_FONT 10.5
#define AXIS_FONT  9.0
#define TICK_FONT  8.0
#define NOTE_FONT  7.5
#define LEAST_FONT 5.5
#define COLUMN_EM  0.62

/* How the names along an axis are written: one of every `step`, up to `columns` columns long. */
struct label_style {
    double font;
    size_t step, columns;
    double degrees; /* 0, 45, 90 */
    double extent;  /* points across the axis */
};

struct box {
    double left, bottom, right, top;
};

struct frame {
    const struct panel *panel;
    struct box plot;  /* the area of the values */
    struct box scale; /* the colour scale; empty: none */
    bool has_x_names, has_y_names;
};

struct layout {
    double width, height;
    struct frame *frames; /* [n_frames], of the panels that are drawn */
    size_t n_frames;
    struct label_style x, y;
    size_t title_columns, n_title_lines;
    double notes_height; /* above the lower edge */
};

/* width, height 0: chosen so that it looks well and fits a page of A4. False: no memory. */
bool layout_make(struct layout *layout, const struct figure *figure, double width, double height);
void layout_free(struct layout *layout);

/* The points that a text takes, at most so many columns of it. */
double text_points(const char *text, double font, size_t columns);

/* Where a title breaks at a blank, so that each of its two lines has at most so many columns and
 * both are about as long; 0: it fits on one line, or has no such blank. */
size_t title_break(const char *title, size_t columns);

/* Columns that a title above, below or beside so many points of a panel may have. */
size_t columns_of_title(double points);
size_t columns_above(double panel_width);

/* Of the kinds of dots above a panel of dots, a line for each. */
double legend_height(const struct panel *panel);

/* Round numbers from least to most, about `wanted` of them: first, step and how many. */
struct ticks {
    double first, step;
    size_t n;
};
struct ticks ticks_make(double least, double most, size_t wanted);

/* The same with steps of at least so much: elements have no halves. */
struct ticks ticks_whole(double least, double most, size_t wanted, double least_step);

/* A tick's number as it is written. */
enum { TICK_BYTES = 32 };
const char *tick_text(const struct ticks *ticks, size_t i, char out[TICK_BYTES]);

/* How wide the numbers of such an axis are, in points. */
double widest_tick(double least, double most);

/* The colours' range, or that of the axis of values, after figure_settle has been called. */
void figure_settle(struct figure *figure);

/* The ends of the axis of an axis of numbers: half a cell beyond the first and last of a map. */
void axis_ends(const struct panel *panel, const struct axis *axis, double *begin, double *end);

#endif
