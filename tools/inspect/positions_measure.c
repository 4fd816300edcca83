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

/* The next value, of a place; a value that is not a number is the extreme of both kinds. */
static void take(struct spread *spread, double value, size_t at)
{
    if (at == 0 || value < spread->smallest || isnan(value)) {
        spread->smallest = value;
        spread->smallest_at = at;
    }
    if (at == 0 || value > spread->largest || isnan(value)) {
        spread->largest = value;
        spread->largest_at = at;
    }
}

static struct spread measure_range(const struct position_matrix *matrix)
{
    struct spread range = {0};
    for (size_t i = 0; i < matrix->n * matrix->width; i++)
        take(&range, matrix->rows[i], i);
    return range;
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
        take(&spread, value, p);
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

/* The bits of a number in float32, so that NaN has an order too; 0 and -0 are one. */
static uint32_t bits_of(double value)
{
    float rounded = (float)value + 0.0f;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

static int compare_rows(const struct position_matrix *matrix, size_t a, size_t b)
{
    for (size_t i = 0; i < matrix->width; i++) {
        uint32_t left = bits_of(row_of(matrix, a)[i]), right = bits_of(row_of(matrix, b)[i]);
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

static int by_row(const void *a, const void *b, void *matrix)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    int order = compare_rows(matrix, left, right);
    return order != 0 ? order : (left > right) - (left < right);
}

/* first[p]: the first row that is the same as row p; sorted: room for n. */
static void find_first(const struct position_matrix *matrix, size_t *sorted, size_t *first)
{
    for (size_t p = 0; p < matrix->n; p++)
        sorted[p] = p;
    qsort_r(sorted, matrix->n, sizeof *sorted, by_row, (void *)matrix);
    for (size_t i = 0; i < matrix->n; i++) {
        bool is_same = i > 0 && compare_rows(matrix, sorted[i - 1], sorted[i]) == 0;
        first[sorted[i]] = is_same ? first[sorted[i - 1]] : sorted[i];
    }
}

/* The first of the n rows that are the same as row p. */
static struct same_rows group_of(const size_t *first, size_t p, size_t n)
{
    struct same_rows group = {.n = n};
    for (size_t q = p, shown = 0; shown < n && shown < MATCHES_SHOWN; q++)
        if (first[q] == p)
            group.rows[shown++] = q;
    return group;
}

static bool find_same(const struct position_matrix *matrix, struct position_measures *measures)
{
    size_t n = matrix->n;
    size_t *sorted = calloc(3 * n, sizeof *sorted);
    if (sorted == NULL)
        return false;
    size_t *first = sorted + n, *n_same = first + n;
    find_first(matrix, sorted, first);
    for (size_t p = 0; p < n; p++)
        n_same[first[p]]++;
    for (size_t p = 0; p < n; p++) {
        measures->n_different += n_same[p] > 0;
        if (n_same[p] > 1 && measures->n_same++ < GROUPS_SHOWN)
            measures->same[measures->n_same - 1] = group_of(first, p, n_same[p]);
    }
    free(sorted);
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
    measures->range = measure_range(matrix);
    measure_picks(matrix, &measures->picks);
    double rounding =
        rounding_of(matrix, fmax(fabs(measures->range.smallest), fabs(measures->range.largest)));
    measures->norms = measure_rows(matrix, 0, matrix->n, rounding);
    for (size_t k = 1; k <= measures->n_apart; k++)
        measures->apart[k - 1] = measure_rows(matrix, k, matrix->n - k, rounding);
    return true;
}

void positions_measures_free(struct position_measures *measures)
{
    free(measures->apart);
}
