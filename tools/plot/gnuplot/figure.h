/* figure.h - a picture before it is drawn: panels, each a table of numbers with names for its rows
 * and columns. What draws it and what writes its numbers read the same tables.
 *
 *     PANEL_MAP     values are colours; rows lie below one another (above, with y_up)
 *     PANEL_LINES   each row is a line over the columns
 *     PANEL_DOTS    each row is a line of the page, each column a kind of dot on it
 *     PANEL_POINTS  two columns: each row is a point in the plane, with its name
 *     PANEL_DATA    not drawn: for the table alone
 */
#ifndef TOOLS_PLOT_FIGURE_H
#define TOOLS_PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum panel_kind { PANEL_MAP, PANEL_LINES, PANEL_DOTS, PANEL_POINTS, PANEL_DATA };

enum palette { PALETTE_DEFAULT, PALETTE_RDBU, PALETTE_VIRIDIS, PALETTE_BLUES };
enum { N_PALETTES = 4 };

struct axis {
    const char *title;
    const char **labels; /* [n] names, or NULL: the elements are the numbers from 0 */
    size_t n;
};

struct panel {
    enum panel_kind kind;
    const char *title;
    struct axis x, y;   /* columns, rows */
    double *values;     /* [y.n, x.n] */
    const char *unit;   /* what the values are, on their axis or colour scale */
    double least, most; /* of the colours, or of the axis of values; equal: those of the values */
    enum palette palette;
    bool is_square;     /* PANEL_MAP: cells are squares */
    bool y_up;          /* PANEL_MAP: row 0 is at the bottom */
    bool shows_values;  /* PANEL_MAP: numbers in the cells, where they fit */
    size_t (*links)[2]; /* PANEL_POINTS: [n_links] pairs of rows joined by a line */
    size_t n_links;
    double x_range[2], y_range[2]; /* PANEL_POINTS: the same for panels that are compared */
};

enum { NOTES_MOST = 2 };

struct figure {
    const char *command; /* "attention" */
    const char *title;
    const char *notes[NOTES_MOST]; /* [n_notes] lines below the panels */
    size_t n_notes;
    struct panel *panels; /* [n_panels] */
    size_t n_panels;
    size_t columns;          /* panels beside each other; 0: as many as look well */
    bool shares_x, shares_y; /* names along an edge of the page only */
    bool shares_scale;       /* one colour scale for all panels */
};

/* A new panel, valid until the next one; its values are 0. */
struct panel *figure_add(struct figure *figure, enum panel_kind kind, size_t n_rows,
                         size_t n_columns);

/* Room for names, which all elements are to get. */
void axis_name_all(struct axis *axis);

/* The name of an element of an axis: its label, or its number. */
const char *axis_name(const struct axis *axis, size_t i);

/* The length of the i-th link in the plane. */
double panel_link_length(const struct panel *panel, size_t i);

/* The least and the largest finite value (0, 0 without). */
struct range {
    double least, most;
};
struct range panel_range(const struct panel *panel);

/* Gives every panel the range of its colours, or of its axis of values. */
void figure_set_ranges(struct figure *figure);

/* The numbers as a table of tabs and lines (figure_table.c). For each panel: lines that begin with
 * "# " and say what its rows, columns and values are, a line with the columns' names, a line for
 * each row that begins with its name, and an empty line. Numbers read back exactly. In names \t,
 * \n and \\ stand for tab, line end and backslash. */
void figure_write_table(const struct figure *figure, FILE *stream);

/* ---- For the terminal (text_map.c) ---- */

/* Prints a map, at most `columns` wide: numbers where they fit, else shades. `colors`: the terminal
 * knows the escapes for 24-bit colours. */
void text_map_print(const struct panel *panel, size_t columns, bool colors, FILE *stream);

/* Prints dots as rows of numbers, with a bar for those of the first kind. */
void text_dots_print(const struct panel *panel, size_t columns, FILE *stream);

#endif
