/* text_rows.c - the end of a line in a table for reading: numbers, or labels; see printer.h. */
#include "tools/common/options.h"
#include "tools/common/print/display.h"
#include "tools/encode/print/printer.h"

#include <math.h>
#include <string.h>

enum { FIRST_VALUES = 4 }; /* shown of a vector, unless all are asked for */

/* ---- Vectors: first values and norm ---- */

static size_t n_shown(const struct printer *printer)
{
    size_t width = printer->encoder->width;
    return printer->all_values || width < FIRST_VALUES ? width : FIRST_VALUES;
}

static double norm(const float *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values[i] * (double)values[i];
    return sqrt(sum);
}

static void print_values(FILE *stream, const struct printer *printer, const float *values)
{
    size_t n = n_shown(printer), width = printer->encoder->width;
    for (size_t i = 0; i < n; i++) {
        putc(' ', stream);
        display_number(stream, (double)values[i]);
    }
    fputs(n < width ? " … " : "   ", stream);
    display_number(stream, norm(values, width));
}

static void print_values_title(FILE *stream, const struct printer *printer)
{
    char title[64];
    size_t n = n_shown(printer), width = printer->encoder->width;
    size_t columns = n * (1 + DISPLAY_NUMBER) + 3;
    if (n == width)
        snprintf(title, sizeof title, "value%s", plural(n));
    else
        snprintf(title, sizeof title, "first %zu of %zu values", n, width);
    fprintf(stream, "  %-*s%*s", (int)columns - 2, title, DISPLAY_NUMBER, "norm");
}

/* ---- Labels: the best, or all of them, best first ---- */

size_t widest_label(const struct encoder *encoder)
{
    size_t columns = strlen("label");
    for (size_t i = 0; i < encoder->info.n_labels; i++) {
        const char *name = encoder_label(encoder, i);
        size_t width = display_width(name, strlen(name), LABEL_COLUMNS);
        columns = width > columns ? width : columns;
    }
    return columns;
}

/* Of a text without tokens, which has no label. */
static void print_no_label(FILE *stream, const struct printer *printer)
{
    fprintf(stream, "  %-*s %*s", (int)printer->label_columns, "-", DISPLAY_NUMBER, "-");
}

static void print_labels(FILE *stream, const struct printer *printer, const float *scores)
{
    const struct encoder *encoder = printer->encoder;
    size_t n = printer->all_values ? encoder->width : 1;

    rank_scores(scores, encoder->width, printer->ranked);
    for (size_t i = 0; i < n; i++) {
        const char *name = encoder_label(encoder, printer->ranked[i].index);
        fputs("  ", stream);
        display_cell(stream, name, strlen(name), printer->label_columns);
        putc(' ', stream);
        display_number(stream, (double)printer->ranked[i].score);
    }
}

void print_row_title(FILE *stream, const struct printer *printer)
{
    if (printer->encoder->request.task == TASK_LABELS)
        fprintf(stream, "  %-*s %*s", (int)printer->label_columns, "label", DISPLAY_NUMBER,
                "score");
    else
        print_values_title(stream, printer);
}

void print_row(FILE *stream, const struct printer *printer, const float *row)
{
    if (row == NULL)
        print_no_label(stream, printer);
    else if (printer->encoder->request.task == TASK_LABELS)
        print_labels(stream, printer, row);
    else
        print_values(stream, printer, row);
}
