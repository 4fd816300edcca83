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

enum panel_kind { PANEL_MAP, PANEL_LINES, PANEL_DOTS, PANEL_POINTS, PANEL_DATA };

enum palette { PALETTE_DEFAULT, PALETTE_RDBU, PALETTE_VIRIDIS, PALETTE_BLUES };
enum { N_PALETTES = 4 };

struct axis {
    char *title;
    char **labels; /* [n] names, or NULL: element i is the number first + i * step */
    size_t n;
    double first, step;
};

struct panel {
    enum panel_kind kind;
    char *title;
    struct axis x, y;   /* columns, rows */
    double *values;     /* [y.n, x.n] */
    char *unit;         /* what the values are, on their axis or colour scale */
    double least, most; /* of the colours, or of the axis of values; equal: of all panels */
    enum palette palette;
    bool is_square;     /* cells, or the two axes of a plane, have one scale */
    bool y_up;          /* PANEL_MAP: row 0 is at the bottom */
    bool shows_values;  /* PANEL_MAP: numbers in the cells, where they fit */
    size_t (*links)[2]; /* PANEL_POINTS: [n_links] pairs of rows joined by a line */
    size_t n_links;
    double x_range[2], y_range[2]; /* PANEL_POINTS: the same for panels that are compared */
};

struct figure {
    char *command; /* "attention" */
    char *title;
    char *notes;          /* lines below the panels, or NULL */
    struct panel *panels; /* [n_panels] */
    size_t n_panels, cap;
    size_t columns;          /* panels beside each other; 0: as many as look well */
    bool shares_x, shares_y; /* names along an edge of the page only */
    bool shares_scale;       /* one colour scale for all panels, those of the first */
    bool no_memory;          /* an allocation failed: figure_is_whole */
};

void figure_init(struct figure *figure, const char *command);
void figure_free(struct figure *figure);

/* False: there was not enough memory for all of it. */
bool figure_is_whole(const struct figure *figure);

/* A new panel with room for its values, all 0; NULL: no memory. Valid until the next one. */
struct panel *figure_add(struct figure *figure, enum panel_kind kind, size_t n_rows,
                         size_t n_columns);

/* The text as formatted, in a copy of the figure's; what stood there is freed. */
void figure_set(struct figure *figure, char **text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Room for names: all NULL, which reads as "". */
void figure_name_axis(struct figure *figure, struct axis *axis);

/* Copies a text of the user's: invalid parts as U+FFFD, and so NUL. */
void figure_label(struct figure *figure, char **label, const char *text, size_t len);

/* The name of an element of an axis: its label, or its number, in scratch. */
enum { AXIS_NAME_BYTES = 40 };
const char *axis_name(const struct axis *axis, size_t i, char scratch[AXIS_NAME_BYTES]);

/* Of the i-th link: its length in the plane, and "red – wolf: 2.03", or NULL without memory; to be
 * freed. */
double panel_link_length(const struct panel *panel, size_t i);
char *panel_link_text(const struct panel *panel, size_t i);

/* The number of drawn panels, and the least and the largest finite value of one (0, 0 without). */
size_t figure_n_drawn(const struct figure *figure);
void panel_range(const struct panel *panel, double *least, double *most);

#endif
