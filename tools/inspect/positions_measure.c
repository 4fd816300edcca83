/* positions_measure.c - range, lengths, distances and equal rows of a matrix of positions.
 *
 * Lengths and distances are those of the formulas, in double, and are called constant where they
 * vary by no more than its rounding; rows are equal where they are in float32, as the model adds
 * them.
 */
#include "tools/inspect/positions.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of an element, besides its own size: the angle p·f of a sine is rounded, by p·2^-53. */
static double rounding_of(const struct position_matrix *matrix, double largest)
{
    return (1e-12 + (double)matrix->n * 0x1p-50) * largest * sqrt((double)matrix->width);
}

static const double *row_of(const struct position_matrix *matrix, size_t p)
{
    return matrix->rows + p * matrix->width;
}

static void measure_range(const struct position_matrix *matrix, struct position_measures *measures)
{
    measures->smallest = measures->largest = matrix->rows[0];
    for (size_t p = 0; p < matrix->n; p++)
        for (size_t i = 0; i < matrix->width; i++) {
            double value = row_of(matrix, p)[i];
            if (value < measures->smallest || isnan(value)) {
                measures->smallest = value;
                measures->smallest_at[0] = p;
                measures->smallest_at[1] = i;
            }
            if (value > measures->largest || isnan(value)) {
                measures->largest = value;
                measures->largest_at[0] = p;
                measures->largest_at[1] = i;
            }
        }
}

/* |a - b|, or |a| where b is NULL */
static double distance(const double *a, const double *b, size_t width)
{
    double square = 0;
    for (size_t i = 0; i < width; i++) {
        double difference = a[i] - (b != NULL ? b[i] : 0);
        square += difference * difference;
    }
    return sqrt(square);
}

/* Over rows 0 .. n-1: of each its length (k 0), or its distance from the row k behind. */
static struct spread measure_rows(const struct position_matrix *matrix, size_t k, size_t n,
                                  double rounding)
{
    struct spread spread = {0};
    double sum = 0;
    for (size_t p = 0; p < n; p++) {
        double value =
            distance(row_of(matrix, p), k > 0 ? row_of(matrix, p + k) : NULL, matrix->width);
        if (p == 0 || value < spread.smallest || isnan(value)) {
            spread.smallest = value;
            spread.smallest_at = p;
        }
        if (p == 0 || value > spread.largest || isnan(value)) {
            spread.largest = value;
            spread.largest_at = p;
        }
        sum += value;
    }
    spread.mean = sum / (double)n;
    spread.is_constant = spread.largest - spread.smallest <= rounding;
    return spread;
}

static void measure_picks(const struct position_matrix *matrix, struct position_picks *picks)
{
    if (picks->has_row)
        picks->norm = distance(row_of(matrix, picks->row), NULL, matrix->width);
    if (picks->has_pair)
        picks->distance =
            distance(row_of(matrix, picks->pair[0]), row_of(matrix, picks->pair[1]), matrix->width);
}

/* ---- Equal rows ---- */

struct numbered_row {
    const double *row;
    size_t width, p;
};

/* The bits of a number in float32, so that NaN has an order too; 0 and -0 are one. */
static uint32_t bits_of(double value)
{
    float rounded = (float)value + 0.0f;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

static int compare_rows(const struct numbered_row *a, const struct numbered_row *b)
{
    for (size_t i = 0; i < a->width; i++) {
        uint32_t left = bits_of(a->row[i]), right = bits_of(b->row[i]);
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

static int by_row(const void *a, const void *b)
{
    const struct numbered_row *left = a, *right = b;
    int order = compare_rows(left, right);
    return order != 0 ? order : (left->p > right->p) - (left->p < right->p);
}

/* In the order of their first rows. */
static int by_first(const void *a, const void *b)
{
    const struct same_rows *left = a, *right = b;
    return (left->rows[0] > right->rows[0]) - (left->rows[0] < right->rows[0]);
}

/* Keeps the groups that begin first. */
static void keep_group(struct position_measures *measures, const struct same_rows *group)
{
    struct same_rows *kept = measures->same;
    size_t n = measures->n_same++;
    if (n < GROUPS_SHOWN)
        kept[n++] = *group;
    else if (by_first(group, &kept[(n = GROUPS_SHOWN) - 1]) < 0)
        kept[GROUPS_SHOWN - 1] = *group;
    qsort(kept, n, sizeof *kept, by_first);
}

static bool find_same(const struct position_matrix *matrix, struct position_measures *measures)
{
    struct numbered_row *places = calloc(matrix->n, sizeof *places);
    if (places == NULL)
        return false;
    for (size_t p = 0; p < matrix->n; p++)
        places[p] = (struct numbered_row){row_of(matrix, p), matrix->width, p};
    qsort(places, matrix->n, sizeof *places, by_row);
    for (size_t i = 0, n; i < matrix->n; i += n) {
        struct same_rows group = {.rows = {places[i].p}};
        for (n = 1; i + n < matrix->n && compare_rows(&places[i], &places[i + n]) == 0; n++)
            if (n < MATCHES_SHOWN)
                group.rows[n] = places[i + n].p;
        group.n = n;
        measures->n_different++;
        if (n > 1)
            keep_group(measures, &group);
    }
    free(places);
    return true;
}

/* ---- All of it ---- */

bool positions_measure(const struct position_matrix *matrix, size_t n_apart,
                       const struct position_picks *picks, struct position_measures *measures)
{
    *measures = (struct position_measures){.picks = *picks};
    measures->n_apart = n_apart < matrix->n ? n_apart : matrix->n - 1;
    measures->apart = calloc(measures->n_apart + 1, sizeof *measures->apart);
    if (measures->apart == NULL || !find_same(matrix, measures))
        return false;
    measure_range(matrix, measures);
    measure_picks(matrix, &measures->picks);
    double rounding = rounding_of(matrix, fmax(fabs(measures->smallest), fabs(measures->largest)));
    measures->norms = measure_rows(matrix, 0, matrix->n, rounding);
    for (size_t k = 1; k <= measures->n_apart; k++)
        measures->apart[k - 1] = measure_rows(matrix, k, matrix->n - k, rounding);
    return true;
}

void positions_measures_free(struct position_measures *measures)
{
    free(measures->apart);
}
