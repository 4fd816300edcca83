/* figure_table.c - see figure.h. */
#include "tools/plot/figure.h"
#include "tools/plot/text.h"

#include <stdlib.h>
#include <string.h>

/* Writes a name with the escapes that gnuplot undoes: a quote would take in the tabs after it, and
 * a line that begins with # would be a comment. columns: see figure_write_table. */
static void put_name(FILE *stream, const char *name, size_t columns)
{
    static const char special[] = "\t\n\\\"";
    static const char *const escapes[] = {"\\t", "\\n", "\\\\", "\\042"};
    if (columns > 0)
        name = text_cut(name, columns);
    const char *first = name + strspn(name, " ");
    for (const char *c = name; *c; c++) {
        const char *found = strchr(special, *c);
        if (found)
            fputs(escapes[found - special], stream);
        else if (*c == '#' && c == first)
            fputs("\\043", stream);
        else
            putc(*c, stream);
    }
}

static void put_line(FILE *stream, const char *what, const char *text)
{
    if (!text || !text[0])
        return;
    fprintf(stream, "# %s", what);
    put_name(stream, text, 0);
    putc('\n', stream);
}

/* The shortest of 15 to 17 digits that reads back as this double; for a picture 8 are enough. */
static void put_number(FILE *stream, double value, bool is_exact)
{
    char text[40];
    for (int digits = is_exact ? 15 : 8; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (!is_exact || strtod(text, NULL) == value)
            break;
    }
    fputs(text, stream);
}

/* "# link: red – wolf<tab>2.03125", its length in the plane. */
static void put_link(const struct panel *panel, size_t i, FILE *stream)
{
    fputs("# link: ", stream);
    put_name(stream, axis_name(&panel->y, panel->links[i][0]), 0);
    fputs(" – ", stream);
    put_name(stream, axis_name(&panel->y, panel->links[i][1]), 0);
    putc('\t', stream);
    put_number(stream, panel_link_length(panel, i), true);
    putc('\n', stream);
}

static void put_panel(const struct panel *panel, size_t name_columns, FILE *stream)
{
    bool is_plane = panel->kind == PANEL_POINTS;
    put_line(stream, is_plane ? "y: " : "rows: ", panel->y.title);
    put_line(stream, is_plane ? "x: " : "columns: ", panel->x.title);
    put_line(stream, "values: ", panel->unit);
    for (size_t i = 0; i < panel->n_links; i++)
        put_link(panel, i, stream);
    fputs("name", stream);
    for (size_t i = 0; i < panel->x.n; i++) {
        putc('\t', stream);
        put_name(stream, axis_name(&panel->x, i), name_columns);
    }
    putc('\n', stream);
    for (size_t row = 0; row < panel->y.n && !ferror(stream); row++) {
        put_name(stream, axis_name(&panel->y, row), name_columns);
        for (size_t i = 0; i < panel->x.n; i++) {
            putc('\t', stream);
            put_number(stream, panel->values[row * panel->x.n + i], name_columns == 0);
        }
        putc('\n', stream);
    }
}

void figure_write_table(const struct figure *figure, size_t name_columns, FILE *stream)
{
    fprintf(stream, "# encode-plot %s\n", figure->command);
    put_line(stream, "", figure->title);
    for (size_t i = 0; i < figure->n_notes; i++)
        fprintf(stream, "# %s\n", figure->notes[i]);
    for (size_t i = 0; i < figure->n_panels; i++) {
        fprintf(stream, "%s# table %zu of %zu", i ? "\n\n" : "", i + 1, figure->n_panels);
        if (figure->panels[i].title) {
            fputs(": ", stream);
            put_name(stream, figure->panels[i].title, 0);
        }
        putc('\n', stream);
        put_panel(&figure->panels[i], name_columns, stream);
    }
}
