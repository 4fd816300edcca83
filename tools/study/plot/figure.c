/* figure.c - texts, panels, their names, colours and tables; see figure.h. */
#include "tools/study/plot/figure.h"

#include "tools/common/print/display.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts ---- */

char *text_of_bytes(const char *bytes, size_t len)
{
    char *made = alloc_zeros(len + 1, 3), *out = made; /* U+FFFD takes 3 */
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(bytes + at, len - at, &character);
        /* Tables and pictures write tabs and line ends their own ways. XML, which SVG is, does not
         * allow U+FFFE and U+FFFF. */
        bool is_shown = character == '\t' || character == '\n' ||
                        (!display_hides(character) && character != 0xFFFE && character != 0xFFFF);
        out += utf8_put(is_shown ? character : UTF8_REPLACEMENT, out);
    }
    return made;
}

char *text_new(const char *format, ...)
{
    va_list arguments;
    char *made = NULL;
    va_start(arguments, format);
    int len = vasprintf(&made, format, arguments);
    va_end(arguments);
    if (len < 0)
        alloc_die();
    char *text = text_of_bytes(made, (size_t)len);
    free(made);
    return text;
}

char *text_cut(const char *text, size_t columns)
{
    struct written cut;
    FILE *stream = alloc_open(&cut);
    display_text(stream, text, strlen(text), columns);
    return alloc_close(stream, &cut);
}

/* ---- Panels ---- */

struct panel *figure_add(struct figure *figure, enum panel_kind kind, size_t n_rows,
                         size_t n_columns)
{
    size_t n = figure->n_panels++;
    struct panel *panels = alloc_resize(figure->panels, n + 1, sizeof *panels);
    figure->panels = panels;
    panels[n] = (struct panel){
        .kind = kind, .x.n = n_columns, .y.n = n_rows, .page = n ? panels[n - 1].page : 1};
    panels[n].values = alloc_zeros(n_rows, n_columns * sizeof *panels->values);
    return &panels[n];
}

void axis_name_all(struct axis *axis)
{
    axis->labels = alloc_zeros(axis->n, sizeof *axis->labels);
}

const char *axis_name(const struct axis *axis, size_t i)
{
    return axis->labels ? axis->labels[i] : text_new("%zu", i);
}

size_t axis_widest(const struct axis *axis, size_t most)
{
    size_t wide = 0;
    for (size_t i = 0; axis->labels && i < axis->n; i++) {
        size_t columns = display_width(axis->labels[i], strlen(axis->labels[i]), most);
        wide = columns > wide ? columns : wide;
    }
    return wide;
}

/* ---- Colours ---- */

struct range panel_range(const struct panel *panel)
{
    struct range range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < panel->x.n * panel->y.n; i++)
        if (isfinite(panel->values[i])) {
            range.least = fmin(range.least, panel->values[i]);
            range.most = fmax(range.most, panel->values[i]);
        }
    return range.least <= range.most ? range : (struct range){0, 0};
}

void panel_limit_colors(struct panel *panel)
{
    struct range range = panel_range(panel);
    double squares = 0, largest = fmax(-range.least, range.most);
    size_t n = panel->x.n * panel->y.n;
    for (size_t i = 0; i < n; i++)
        squares += panel->values[i] * panel->values[i];
    double usual = n ? 3 * sqrt(squares / (double)n) : 0;
    if (usual > 0 && usual < 0.5 * largest) {
        panel->most = usual;
        panel->least = range.least < 0 ? -usual : 0;
        panel->unit = text_new("value (largest %.2g)", largest);
    }
}

void figure_set_colors(struct figure *figure)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < figure->n_panels; i++) {
        struct panel *panel = &figure->panels[i];
        struct range range = {panel->least, panel->most};
        if (range.least == range.most)
            range = panel_range(panel);
        if (range.least < 0) { /* white is zero */
            range.most = fmax(-range.least, fabs(range.most));
            range.least = -range.most;
        }
        if (!(range.most > range.least))
            range.most = range.least + (range.least != 0 ? fabs(range.least) : 1);
        panel->least = range.least;
        panel->most = range.most;
        least = fmin(least, range.least);
        most = fmax(most, range.most);
    }
    for (size_t i = 0; figure->shares_scale && i < figure->n_panels; i++) {
        figure->panels[i].least = least;
        figure->panels[i].most = most;
    }
}

/* ---- Tables ---- */

/* Writes `before` and a name with the escapes that gnuplot undoes: a quote would take in the tabs
 * after it, and a line that begins with # would be a comment. */
static void write_name(FILE *stream, const char *before, const char *name, size_t columns)
{
    static const char special[] = "\t\n\\\"";
    static const char *const escapes[] = {"\\t", "\\n", "\\\\", "\\042"};
    if (columns > 0)
        name = text_cut(name, columns);
    const char *first = name + strspn(name, " ");
    fputs(before, stream);
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

/* Writes a comment line unless the text is absent or empty. */
static void write_comment(FILE *stream, const char *before, const char *text)
{
    if (!text || !text[0])
        return;
    write_name(stream, before, text, 0);
    putc('\n', stream);
}

/* Writes a tab and the shortest of 15 to 17 digits that read back as this double. */
static void write_number(FILE *stream, double value, bool is_exact)
{
    char text[40];
    for (int digits = is_exact ? 15 : 8; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (!is_exact || strtod(text, NULL) == value)
            break;
    }
    fprintf(stream, "\t%s", text);
}

static void write_panel_table(const struct panel *panel, size_t name_columns, FILE *stream)
{
    bool is_plane = panel->kind == PANEL_POINTS;
    write_comment(stream, is_plane ? "# y: " : "# rows: ", panel->y.title);
    write_comment(stream, is_plane ? "# x: " : "# columns: ", panel->x.title);
    write_comment(stream, "# values: ", panel->unit);
    fputs("name", stream);
    for (size_t i = 0; i < panel->x.n; i++)
        write_name(stream, "\t", axis_name(&panel->x, i), name_columns);
    putc('\n', stream);
    for (size_t row = 0; row < panel->y.n && !ferror(stream); row++) {
        write_name(stream, "", axis_name(&panel->y, row), name_columns);
        for (size_t i = 0; i < panel->x.n; i++)
            write_number(stream, panel->values[row * panel->x.n + i], name_columns == 0);
        putc('\n', stream);
    }
}

void figure_write_table(const struct figure *figure, size_t name_columns, FILE *stream)
{
    fprintf(stream, "# encode-plot %s\n", figure->command);
    write_comment(stream, "# ", figure->title);
    for (size_t i = 0; i < figure->n_notes; i++)
        fprintf(stream, "# %s\n", figure->notes[i]);
    for (size_t i = 0; i < figure->n_panels; i++) {
        const struct panel *panel = &figure->panels[i];
        fprintf(stream, "%s# table %zu of %zu", i ? "\n\n" : "", i + 1, figure->n_panels);
        if (panel->title)
            write_name(stream, ": ", panel->title, 0);
        putc('\n', stream);
        write_panel_table(panel, name_columns, stream);
    }
}
