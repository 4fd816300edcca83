/* page.h - the size of a picture, what its panels leave free around them, and how names are
 * written; in points (1/72 inch). gnuplot places everything else. */
#ifndef TOOLS_PLOT_PAGE_H
#define TOOLS_PLOT_PAGE_H

#include "tools/plot/gnuplot/figure.h"

/* Sizes of letters, and the height of a line as part of that. */
#define TITLE_FONT  10.5
#define AXIS_FONT   9.0
#define TICK_FONT   8.0
#define NOTE_FONT   7.5
#define LINE_HEIGHT 1.3

/* How the names along an axis are written: one of every `step`, up to `columns` columns long. */
struct name_style {
    double font;
    size_t step, columns;
    double degrees; /* 0, 45, 90 */
    double extent;  /* points across the axis; of numbers too */
};

struct page {
    double width, height;
    const struct panel **panels; /* [n]: those that are drawn, all of one kind */
    enum panel_kind kind;
    size_t n, columns, rows; /* panels, in so many columns and rows */
    double panel_width, panel_height, gap_x, gap_y;
    double left, right, bottom, top; /* around all panels */
    struct name_style x, y;
    char *title; /* in lines */
};

/* width, height 0: chosen so that it looks well and fits an A4 page. False: titles and names leave
 * no room for the values on a page of that size. */
bool page_make(struct page *page, const struct figure *figure, double width, double height);

/* How far from the axis its title is, in lines as it is written; the last of them stands there. */
double page_title_distance(const struct name_style *style, const char *lines);

/* The points that a text takes, at most so many columns of it. */
double text_points(const char *text, double font, size_t columns);

/* The text for the screen (see tools/common/print/display.h), cut to so many columns. */
char *text_cut(const char *text, size_t len, size_t columns);

/* The title of a panel or an axis that is so many points wide, in lines. */
char *title_lines(const char *title, double points);

#endif
