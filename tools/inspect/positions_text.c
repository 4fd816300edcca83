/* positions_text.c - what is measured of positions, for reading. Single values have the seven
 * digits that float32 holds; lengths and distances have eight. */
#include "tools/inspect/positions.h"

#include "tools/common/display.h"
#include "tools/common/options.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_COLUMNS = 60, SENTENCE_COLUMNS = 80 };

static void print_heading(const struct position_matrix *matrix, FILE *stream)
{
    bool is_index = strcmp(matrix->scheme, "index") == 0;
    fprintf(stream, "%s positions", strcmp(matrix->scheme, "none") == 0 ? "no" : matrix->scheme);
    if (matrix->name != NULL) {
        fputs(" of ", stream);
        display_text(stream, matrix->name, strlen(matrix->name), NAME_COLUMNS);
    }
    fprintf(stream, ": width %zu, positions 0 to %zu%s", matrix->width, matrix->n - 1,
            is_index ? " of a text of " : "");
    if (is_index)
        fprintf(stream, "%zu token%s", matrix->n, plural(matrix->n));
    if (matrix->base != 0)
        fprintf(stream, ", base %g", matrix->base);
    if (matrix->n_frequencies > 0)
        fprintf(stream, ", %zu frequenc%s", matrix->n_frequencies,
                matrix->n_frequencies == 1 ? "y" : "ies");
    else if (matrix->period > 0)
        fprintf(stream, ", harmonics of %zu token%s", matrix->period, plural(matrix->period));
    if (matrix->scale != 1)
        fprintf(stream, ", times %g", matrix->scale);
    fputs("\n\n", stream);
}

/* every: "row", "p" */
static void print_spread(const struct spread *spread, const char *every, FILE *stream)
{
    if (spread->is_constant)
        fprintf(stream, "%.8g for every %s\n", spread->mean, every);
    else
        fprintf(stream, "%.8g (p = %zu) to %.8g (p = %zu), mean %.8g\n", spread->smallest,
                spread->smallest_at, spread->largest, spread->largest_at, spread->mean);
}

static void print_group(const struct same_rows *group, FILE *stream)
{
    for (size_t i = 0; i < group->n && i < MATCHES_SHOWN; i++)
        fprintf(stream, "%s%zu", i == 0 ? "           " : " = ", group->rows[i]);
    if (group->n > MATCHES_SHOWN)
        fprintf(stream, " = … (%zu rows)", group->n);
    putc('\n', stream);
}

static void print_rows(const struct position_matrix *matrix,
                       const struct position_measures *measures, FILE *stream)
{
    fputs("rows       ", stream);
    if (measures->n_same == 0) {
        bool is_index = strcmp(matrix->scheme, "index") == 0;
        if (matrix->n == 1)
            fputs("one\n", stream);
        else if (is_index)
            fprintf(
                stream,
                "all %zu differ: among texts of %zu tokens every position is known by its row\n",
                matrix->n, matrix->n);
        else
            fprintf(stream, "all %zu differ: every position is known by its row\n", matrix->n);
        return;
    }
    fprintf(stream, "%zu different one%s of %zu; positions with the same row:\n",
            measures->n_different, plural(measures->n_different), matrix->n);
    for (size_t i = 0; i < measures->n_same && i < GROUPS_SHOWN; i++)
        print_group(&measures->same[i], stream);
    if (measures->n_same > GROUPS_SHOWN)
        fprintf(stream, "           … and %zu more groups\n", measures->n_same - GROUPS_SHOWN);
}

/* What follows from the scheme. */
static void print_meaning(const struct position_matrix *matrix, const struct index_example *example,
                          FILE *stream)
{
    char text[400] = "";
    if (example != NULL)
        snprintf(text, sizeof text,
                 "The value is p / T%s, so the same value means different places in texts of "
                 "different lengths: %.7g is place %zu of a text of %zu tokens, and place %zu of "
                 "one of %zu (places count from 0).",
                 matrix->scale != 1 ? " times W2" : "", example->value, example->short_place,
                 example->short_n, example->long_place, example->long_n);
    else if (strcmp(matrix->scheme, "binary") == 0 && matrix->width < 64 &&
             (float)matrix->scale != 0)
        snprintf(text, sizeof text,
                 "%zu bit%s: rows are unique for positions 0 to %" PRIu64
                 " (2^%zu of them), then they begin again.",
                 matrix->width, plural(matrix->width), ((uint64_t)1 << matrix->width) - 1,
                 matrix->width);
    if (text[0] == '\0')
        return;
    putc('\n', stream);
    display_sentence(stream, text, strlen(text), SENTENCE_COLUMNS);
}

void positions_print_text(const struct position_matrix *matrix,
                          const struct position_measures *measures,
                          const struct index_example *example, FILE *stream)
{
    print_heading(matrix, stream);
    fprintf(stream, "range      %.7g (p = %zu, column %zu) to %.7g (p = %zu, column %zu)\n",
            measures->smallest, measures->smallest_at[0], measures->smallest_at[1],
            measures->largest, measures->largest_at[0], measures->largest_at[1]);
    fputs("norm       ", stream);
    print_spread(&measures->norms, "row", stream);
    const struct position_picks *picks = &measures->picks;
    if (picks->has_row)
        fprintf(stream, "  p = %-4zu %.8g\n", picks->row, picks->norm);
    for (size_t k = 1; k <= measures->n_apart; k++) {
        fprintf(stream, k == 1 ? "\n|PE[p] - PE[p+k]|\n  k = %-4zu " : "  k = %-4zu ", k);
        print_spread(&measures->apart[k - 1], "p", stream);
    }
    if (picks->has_pair)
        fprintf(stream, "%s  |PE[%zu] - PE[%zu]| = %.8g\n", measures->n_apart > 0 ? "" : "\n",
                picks->pair[0], picks->pair[1], picks->distance);
    if (measures->n_apart > 0 || picks->has_pair)
        putc('\n', stream);
    print_rows(matrix, measures, stream);
    print_meaning(matrix, example, stream);
}
