/* positions_measure.c - range, lengths, distances and equal rows of a matrix of positions.
 *
 * Lengths and distances are those of the formulas, in double, and are called constant where they
 * vary by no more than its rounding; rows are equal where they are in float32, as the model adds
 * them.
 */
#include "tools/inspect/positions.h"

#include "tools/common/alloc.h"

#include <math.h>
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

/* The next value, of a place. */
static void take(struct spread *spread, double value, size_t at)
{
    if (at == 0 || value < spread->smallest) {
        spread->smallest = value;
        spread->smallest_at = at;
    }
    if (at == 0 || value > spread->largest) {
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

double positions_norm(const struct position_matrix *matrix, size_t p)
{
    return distance(row_of(matrix, p), NULL, matrix->width);
}

double positions_distance(const struct position_matrix *matrix, const size_t pair[2])
{
    return distance(row_of(matrix, pair[0]), row_of(matrix, pair[1]), matrix->width);
}

struct spread positions_apart(const struct position_matrix *matrix, size_t k, double rounding)
{
    struct spread spread = {0};
    size_t n = matrix->n - k;
    double sum = 0;
    for (size_t p = 0; p < n; p++) {
        double value = k > 0 ? positions_distance(matrix, (const size_t[]){p, p + k})
                             : positions_norm(matrix, p);
        take(&spread, value, p);
        sum += value;
    }
    spread.mean = sum / (double)n;
    spread.is_constant = spread.largest - spread.smallest <= rounding;
    return spread;
}

/* ---- Equal rows ---- */

/* As float32, which is what models add. */
static int compare_rows(const struct position_matrix *matrix, size_t a, size_t b)
{
    for (size_t i = 0; i < matrix->width; i++) {
        float left = (float)row_of(matrix, a)[i], right = (float)row_of(matrix, b)[i];
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

/* One more group of n rows, in ascending order; of all groups those that begin first are kept. */
static void add_group(struct position_measures *measures, const size_t *rows, size_t n)
{
    struct same_rows *same = measures->same;
    size_t place = measures->n_same < GROUPS_SHOWN ? measures->n_same : GROUPS_SHOWN;
    measures->n_same++;
    for (; place > 0 && rows[0] < same[place - 1].rows[0]; place--)
        if (place < GROUPS_SHOWN)
            same[place] = same[place - 1];
    if (place == GROUPS_SHOWN)
        return;
    same[place].n = n;
    memcpy(same[place].rows, rows, (n < MATCHES_SHOWN ? n : MATCHES_SHOWN) * sizeof *rows);
}

/* Rows that are the same stand side by side once they are sorted. */
static void find_same(const struct position_matrix *matrix, struct position_measures *measures)
{
    size_t n = matrix->n, *sorted = alloc_zeros(n, sizeof *sorted);
    for (size_t p = 0; p < n; p++)
        sorted[p] = p;
    qsort_r(sorted, n, sizeof *sorted, by_row, (void *)matrix);
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && compare_rows(matrix, sorted[begin], sorted[end]) == 0)
            end++;
        measures->n_different++;
        if (end - begin > 1)
            add_group(measures, sorted + begin, end - begin);
    }
    free(sorted);
}

/* ---- All of it ---- */

void positions_measure(const struct position_matrix *matrix, struct position_measures *measures)
{
    *measures = (struct position_measures){.range = measure_range(matrix)};
    measures->rounding =
        rounding_of(matrix, fmax(fabs(measures->range.smallest), fabs(measures->range.largest)));
    find_same(matrix, measures);
}
