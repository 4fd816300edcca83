/* figure.c - making and freeing tables; see figure.h. A lack of memory is remembered and told once,
 * by figure_is_whole. */
#include "tools/plot/gnuplot/figure.h"

#include "tools/common/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void figure_init(struct figure *figure, const char *command)
{
    *figure = (struct figure){0};
    figure_set(figure, &figure->command, "%s", command);
}

static void free_axis(struct axis *axis)
{
    for (size_t i = 0; axis->labels && i < axis->n; i++)
        free(axis->labels[i]);
    free(axis->labels);
    free(axis->title);
}

void figure_free(struct figure *figure)
{
    for (size_t i = 0; i < figure->n_panels; i++) {
        struct panel *panel = &figure->panels[i];
        free_axis(&panel->x);
        free_axis(&panel->y);
        free(panel->title);
        free(panel->unit);
        free(panel->values);
        free(panel->links);
    }
    free(figure->panels);
    free(figure->title);
    free(figure->notes);
    free(figure->command);
    *figure = (struct figure){0};
}

bool figure_is_whole(const struct figure *figure)
{
    return !figure->no_memory;
}

static bool grow(struct figure *figure)
{
    if (figure->n_panels < figure->cap)
        return true;
    size_t cap = 2 * figure->cap + 4;
    struct panel *panels = realloc(figure->panels, cap * sizeof *panels);
    if (!panels)
        return false;
    figure->panels = panels;
    figure->cap = cap;
    return true;
}

struct panel *figure_add(struct figure *figure, enum panel_kind kind, size_t n_rows,
                         size_t n_columns)
{
    double *values = NULL;
    if (n_columns == 0 || n_rows <= SIZE_MAX / sizeof *values / n_columns)
        values = calloc(n_rows * n_columns + 1, sizeof *values);
    if (!values || !grow(figure)) {
        free(values);
        figure->no_memory = true;
        return NULL;
    }
    struct panel *panel = &figure->panels[figure->n_panels++];
    *panel = (struct panel){.kind = kind, .values = values};
    panel->x = (struct axis){.n = n_columns, .step = 1};
    panel->y = (struct axis){.n = n_rows, .step = 1};
    return panel;
}

void figure_set(struct figure *figure, char **text, const char *format, ...)
{
    va_list arguments;
    char *made = NULL;
    va_start(arguments, format);
    int len = vasprintf(&made, format, arguments);
    va_end(arguments);
    if (len < 0) {
        figure->no_memory = true;
        return;
    }
    free(*text);
    *text = made;
}

void figure_name_axis(struct figure *figure, struct axis *axis)
{
    axis->labels = calloc(axis->n + 1, sizeof *axis->labels);
    if (!axis->labels)
        figure->no_memory = true;
}

void figure_label(struct figure *figure, char **label, const char *text, size_t len)
{
    bool invalid;
    size_t repaired = utf8_repaired_len(text, len, &invalid), n_nul = 0;
    for (size_t i = 0; i < len; i++)
        n_nul += text[i] == '\0';
    char *made = malloc(repaired + 2 * n_nul + 1);
    if (!made) {
        figure->no_memory = true;
        return;
    }
    char *out = made;
    uint32_t character;
    for (size_t at = 0; at < len;) {
        at += utf8_next(text + at, len - at, &character);
        out += utf8_put(character ? character : UTF8_REPLACEMENT, out);
    }
    *out = '\0';
    free(*label);
    *label = made;
}

const char *axis_name(const struct axis *axis, size_t i, char scratch[AXIS_NAME_BYTES])
{
    if (axis->labels)
        return axis->labels[i] ? axis->labels[i] : "";
    snprintf(scratch, AXIS_NAME_BYTES, "%.10g", axis->first + (double)i * axis->step);
    return scratch;
}

double panel_link_length(const struct panel *panel, size_t i)
{
    const double *a = panel->values + 2 * panel->links[i][0],
                 *b = panel->values + 2 * panel->links[i][1];
    return hypot(a[0] - b[0], a[1] - b[1]);
}

char *panel_link_text(const struct panel *panel, size_t i)
{
    char a[AXIS_NAME_BYTES], b[AXIS_NAME_BYTES], *text = NULL;
    int len = asprintf(&text, "%s – %s: %.3g", axis_name(&panel->y, panel->links[i][0], a),
                       axis_name(&panel->y, panel->links[i][1], b), panel_link_length(panel, i));
    return len < 0 ? NULL : text;
}

size_t figure_n_drawn(const struct figure *figure)
{
    size_t n = 0;
    for (size_t i = 0; i < figure->n_panels; i++)
        n += figure->panels[i].kind != PANEL_DATA;
    return n;
}

void panel_range(const struct panel *panel, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < panel->x.n * panel->y.n; i++) {
        double value = panel->values[i];
        if (isfinite(value)) {
            *least = fmin(*least, value);
            *most = fmax(*most, value);
        }
    }
    if (!(*least <= *most))
        *least = *most = 0;
}
