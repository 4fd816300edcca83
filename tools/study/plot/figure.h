/* figure.h - a picture before it is drawn: panels, each a table of numbers with names for its rows
 * and columns. The gnuplot scripts of this folder draw the tables that figure_write_table writes.
 *
 *     PANEL_MAP     values are colours; rows are below one another (above, with y_up)   maps.gp
 *     PANEL_LINES   each row is a line over the columns                                 waves.gp
 *     PANEL_DOTS    each row is a line of the page, each column a kind of dot on it     order.gp
 *     PANEL_POINTS  two columns: each row is a point in the plane, with its name        words.gp
 *     PANEL_DATA    not drawn: for the table alone
 */
#ifndef TOOLS_PLOT_FIGURE_H
#define TOOLS_PLOT_FIGURE_H

#include "tools/common/alloc.h"

#include <stdbool.h>

/* ---- Texts. encode-plot draws one picture and ends: nothing that it allocates is freed before
 * ---- (alloc.h). ---- */

/* Returns a text, as formatted or of bytes, NUL among them. Parts that are not UTF-8, and
 * characters that a terminal would obey, become U+FFFD. */
char *text_new(const char *format, ...) PROGRAM_PRINTF(1, 2);
char *text_of_bytes(const char *bytes, size_t len);

/* Returns the text as a terminal would show it, cut to so many columns. */
char *text_cut(const char *text, size_t columns);

/* ---- Panels ---- */

enum panel_kind { PANEL_MAP, PANEL_LINES, PANEL_DOTS, PANEL_POINTS, PANEL_DATA };

struct axis {
    const char *title;
    const char **labels; /* [n] names; if NULL, the elements are the numbers from 0 */
    size_t n;
};

struct panel {
    enum panel_kind kind;
    size_t page; /* from 1 */
    const char *title;
    struct axis x, y;   /* columns, rows */
    double *values;     /* [y.n, x.n] */
    const char *unit;   /* of the values, on their axis or colour scale */
    double least, most; /* PANEL_MAP: of the colours; if equal, those of the values */
};

enum { NOTES_MOST = 2 };

struct figure {
    const char *command; /* "attention" */
    const char *title;
    const char *notes[NOTES_MOST]; /* [n_notes] lines below the panels */
    size_t n_notes;
    struct panel *panels; /* [n_panels] */
    size_t n_panels;
    size_t columns;    /* panels beside each other; 0: as many as look well */
    bool is_square;    /* maps: cells are squares */
    bool y_up;         /* maps: row 0 is at the bottom */
    bool shares_scale; /* maps: one colour scale for all */
    bool shares_names; /* maps: names along the edges of the page only */
    bool is_overlaid;  /* points: pairs of tables, which one panel shows with arrows between */
};

/* Adds a panel whose values are 0, on the page of the one before it; valid until the next call. */
struct panel *figure_add(struct figure *figure, enum panel_kind kind, size_t n_rows,
                         size_t n_columns);

/* Makes room for the names of all elements. */
void axis_name_all(struct axis *axis);

/* The name of an element of an axis: its label, or its number. */
const char *axis_name(const struct axis *axis, size_t i);

/* The columns that the longest name takes on a screen, at most `most`; 0 if there are no names. */
size_t axis_widest(const struct axis *axis, size_t most);

/* The least and the largest finite value; 0 and 0 if no value is finite. */
struct range {
    double least, most;
};
struct range panel_range(const struct panel *panel);

/* Ends the colours of a map at three times the root mean square of its values if that is less than
 * half of the largest, which its unit then names: a few large numbers would leave all others one
 * colour. */
void panel_limit_colors(struct panel *panel);

/* Gives every map the range of its colours: around 0 if there are numbers below. */
void figure_set_colors(struct figure *figure);

/* Writes the numbers as a table of tabs and lines. For each panel: lines that begin with "# " and
 * describe its rows, columns and values, a line with the columns' names, and a line for each row
 * that begins with its name; two empty lines between panels. Numbers read back exactly. In names
 * \t, \n and \\ are a tab, a line end and a backslash, \042 a double quote, and \043 a # at the
 * start of a row, as gnuplot reads them. With name_columns > 0, for a picture, names are cut to so
 * many columns of a screen, controls in them are escaped, and numbers have 8 digits. */
void figure_write_table(const struct figure *figure, size_t name_columns, FILE *stream);

#endif
