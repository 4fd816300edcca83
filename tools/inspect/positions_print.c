/* positions_print.c - what is measured of positions, as text and as one JSON object. In text single
 * values have the seven digits that float32 holds; lengths and distances have eight. */
#include "tools/inspect/positions.h"

#include "tools/common/options.h"
#include "tools/common/print/display.h"
#include "tools/common/print/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMNS = 60, SENTENCE_COLUMNS = 80 };

static bool is_scheme(const struct position_matrix *matrix, const char *scheme)
{
    return strcmp(matrix->scheme, scheme) == 0;
}

/* All of a scheme's positions are 0 where their factor is. */
static bool is_scaled_away(const struct position_matrix *matrix)
{
    return (float)matrix->scale == 0;
}

/* Of index: places of a text of 5 tokens and of one of 20 that have the same value. */
static const size_t PLACES[] = {4, 16}, LENGTHS[] = {5, 20};

static double shared_value(const struct position_matrix *matrix)
{
    return matrix->scale * ((double)PLACES[0] / (double)LENGTHS[0]);
}

/* ---- Text ---- */

static void print_heading(const struct position_matrix *matrix)
{
    printf("%s positions", is_scheme(matrix, "none") ? "no" : matrix->scheme);
    if (matrix->name != NULL) {
        fputs(" of ", stdout);
        display_text(stdout, matrix->name, strlen(matrix->name), NAME_COLUMNS);
    }
    printf(": width %zu, positions 0 to %zu", matrix->width, matrix->n - 1);
    if (is_scheme(matrix, "index"))
        printf(" of a text of %zu token%s", matrix->n, plural(matrix->n));
    if (matrix->base != 0)
        printf(", base %g", matrix->base);
    if (matrix->n_frequencies > 0)
        printf(", %zu frequenc%s", matrix->n_frequencies, matrix->n_frequencies == 1 ? "y" : "ies");
    else if (matrix->period > 0)
        printf(", harmonics of %zu token%s", matrix->period, plural(matrix->period));
    if (matrix->scale != 1)
        printf(", times %g", matrix->scale);
    fputs("\n\n", stdout);
}

/* every: "row", "p" */
static void print_spread(struct spread spread, const char *every)
{
    if (spread.is_constant)
        printf("%.8g for every %s\n", spread.mean, every);
    else
        printf("%.8g (p = %zu) to %.8g (p = %zu), mean %.8g\n", spread.smallest, spread.smallest_at,
               spread.largest, spread.largest_at, spread.mean);
}

static void print_distances(const struct positions_request *request,
                            const struct position_matrix *matrix, double rounding)
{
    const struct position_picks *picks = &request->picks;
    bool has_distances = request->n_apart > 0;
    if (has_distances)
        printf("\n|PE[p] - PE[p+k]|\n");
    for (size_t k = 1; k <= request->n_apart; k++) {
        printf("  k = %-4zu ", k);
        print_spread(positions_apart(matrix, k, rounding), "p");
    }
    if (picks->has_pair)
        printf("%s  |PE[%zu] - PE[%zu]| = %.8g\n", has_distances ? "" : "\n", picks->pair[0],
               picks->pair[1], positions_distance(matrix, picks->pair));
    if (has_distances || picks->has_pair)
        putchar('\n');
}

static void print_group(const struct same_rows *group)
{
    for (size_t i = 0; i < group->n && i < MATCHES_SHOWN; i++)
        printf("%s%zu", i == 0 ? "           " : " = ", group->rows[i]);
    if (group->n > MATCHES_SHOWN)
        printf(" = … (%zu rows)", group->n);
    putchar('\n');
}

static void print_rows(const struct position_matrix *matrix,
                       const struct position_measures *measures)
{
    if (matrix->n == 1) {
        puts("rows       one");
    } else if (measures->n_same == 0) {
        printf("rows       all %zu differ: ", matrix->n);
        if (is_scheme(matrix, "index"))
            printf("among texts of %zu tokens ", matrix->n);
        puts("every position is known by its row");
    } else {
        printf("rows       %zu different one%s of %zu; positions with the same row:\n",
               measures->n_different, plural(measures->n_different), matrix->n);
        for (size_t i = 0; i < measures->n_same && i < GROUPS_SHOWN; i++)
            print_group(&measures->same[i]);
        if (measures->n_same > GROUPS_SHOWN)
            printf("           … and %zu more groups\n", measures->n_same - GROUPS_SHOWN);
    }
}

/* What follows from the scheme. */
static void print_meaning(const struct position_matrix *matrix)
{
    char text[400] = "";
    if (is_scheme(matrix, "index") && !is_scaled_away(matrix))
        snprintf(text, sizeof text,
                 "The value is p / T%s, so the same value means different places in texts of "
                 "different lengths: %.7g is place %zu of a text of %zu tokens, and place %zu of "
                 "one of %zu (places count from 0).",
                 matrix->scale != 1 ? " times W2" : "", shared_value(matrix), PLACES[0], LENGTHS[0],
                 PLACES[1], LENGTHS[1]);
    else if (is_scheme(matrix, "binary") && matrix->width < 64 && !is_scaled_away(matrix))
        snprintf(text, sizeof text,
                 "%zu bit%s: rows are unique for positions 0 to %" PRIu64
                 " (2^%zu of them), then they begin again.",
                 matrix->width, plural(matrix->width), ((uint64_t)1 << matrix->width) - 1,
                 matrix->width);
    if (text[0] == '\0')
        return;
    putchar('\n');
    display_sentence(stdout, text, strlen(text), SENTENCE_COLUMNS);
}

void positions_print_text(const struct positions_request *request,
                          const struct position_matrix *matrix,
                          const struct position_measures *measures)
{
    const struct position_picks *picks = &request->picks;
    const struct spread *range = &measures->range;
    size_t width = matrix->width;
    print_heading(matrix);
    printf("range      %.7g (p = %zu, column %zu) to %.7g (p = %zu, column %zu)\nnorm       ",
           range->smallest, range->smallest_at / width, range->smallest_at % width, range->largest,
           range->largest_at / width, range->largest_at % width);
    print_spread(positions_apart(matrix, 0, measures->rounding), "row");
    if (picks->has_row)
        printf("  p = %-4zu %.8g\n", picks->row, positions_norm(matrix, picks->row));
    print_distances(request, matrix, measures->rounding);
    print_rows(matrix, measures);
    print_meaning(matrix);
}

/* ---- JSON ---- */

/* Every digit of a double, always with a point or an exponent. */
static void write_real(struct json_writer *json, const char *key, double value)
{
    bool is_whole = value == floor(value) && fabs(value) < 1e17;
    json_write_double(json, key, is_whole ? "%.1f" : "%.17g", value);
}

static void write_counts(struct json_writer *json, const char *key, const size_t *counts, size_t n)
{
    json_begin_array(json, key);
    for (size_t i = 0; i < n; i++)
        json_write_count(json, NULL, counts[i]);
    json_end_array(json);
}

/* k: of distances of rows k apart; 0: they are lengths. */
static void write_spread(struct json_writer *json, const char *key, size_t k, struct spread spread)
{
    json_begin_object(json, key);
    if (k > 0)
        json_write_count(json, "k", k);
    json_write_truth(json, "constant", spread.is_constant);
    write_real(json, "smallest", spread.smallest);
    json_write_count(json, "smallest_at", spread.smallest_at);
    write_real(json, "largest", spread.largest);
    json_write_count(json, "largest_at", spread.largest_at);
    write_real(json, "mean", spread.mean);
    json_end_object(json);
}

static void write_range(struct json_writer *json, const struct spread *range, size_t width)
{
    json_begin_object(json, "range");
    write_real(json, "smallest", range->smallest);
    write_counts(json, "smallest_at",
                 (const size_t[]){range->smallest_at / width, range->smallest_at % width}, 2);
    write_real(json, "largest", range->largest);
    write_counts(json, "largest_at",
                 (const size_t[]){range->largest_at / width, range->largest_at % width}, 2);
    json_end_object(json);
}

/* Members that are there where they were asked for. */
static void write_picks(struct json_writer *json, const struct position_picks *picks,
                        const struct position_matrix *matrix)
{
    if (picks->has_row) {
        json_begin_object(json, "row");
        json_write_count(json, "p", picks->row);
        write_real(json, "norm", positions_norm(matrix, picks->row));
        json_end_object(json);
    }
    if (picks->has_pair) {
        json_begin_object(json, "pair");
        write_counts(json, "p", picks->pair, 2);
        write_real(json, "distance", positions_distance(matrix, picks->pair));
        json_end_object(json);
    }
}

/* Of the first groups their first rows. */
static void write_same_rows(struct json_writer *json, const struct position_measures *measures)
{
    json_write_count(json, "different_rows", measures->n_different);
    json_write_count(json, "groups_of_same_rows", measures->n_same);
    json_begin_array(json, "same_rows");
    for (size_t g = 0; g < measures->n_same && g < GROUPS_SHOWN; g++) {
        const struct same_rows *same = &measures->same[g];
        write_counts(json, NULL, same->rows, same->n < MATCHES_SHOWN ? same->n : MATCHES_SHOWN);
    }
    json_end_array(json);
}

static void write_meaning(struct json_writer *json, const struct position_matrix *matrix)
{
    static const char KEY[] = "same_value_other_place";
    if (!is_scheme(matrix, "index") || is_scaled_away(matrix)) {
        json_write_null(json, KEY);
        return;
    }
    json_begin_object(json, KEY);
    write_real(json, "value", shared_value(matrix));
    write_counts(json, "places", PLACES, 2);
    write_counts(json, "of", LENGTHS, 2);
    json_end_object(json);
}

void positions_print_json(const struct positions_request *request,
                          const struct position_matrix *matrix,
                          const struct position_measures *measures)
{
    struct json_writer json = {.stream = stdout, .indent = 2};
    double rounding = measures->rounding;
    json_begin_object(&json, NULL);
    json_write_text(&json, "scheme", matrix->scheme);
    json_write_count(&json, "width", matrix->width);
    json_write_count(&json, "positions", matrix->n);
    write_real(&json, "base", matrix->base != 0 ? matrix->base : NAN);
    write_real(&json, "scale", matrix->scale);
    write_range(&json, &measures->range, matrix->width);
    write_spread(&json, "norm", 0, positions_apart(matrix, 0, rounding));
    json_begin_array(&json, "distance");
    for (size_t k = 1; k <= request->n_apart; k++)
        write_spread(&json, NULL, k, positions_apart(matrix, k, rounding));
    json_end_array(&json);
    write_picks(&json, &request->picks, matrix);
    write_same_rows(&json, measures);
    write_meaning(&json, matrix);
    json_end_object(&json);
}
