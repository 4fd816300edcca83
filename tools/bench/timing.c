/* timing.c - quantiles: between two samples their weighted mean (type 7 of Hyndman and Fan 1996).
 */
#include "tools/bench/timing.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double share)
{
    double place = share * (double)(n - 1);
    size_t below = (size_t)place;
    double part = place - (double)below;
    return below + 1 < n ? sorted[below] + part * (sorted[below + 1] - sorted[below])
                         : sorted[below];
}

struct timing timing_of(double *samples, size_t n)
{
    qsort(samples, n, sizeof *samples, compare);
    double median = quantile(samples, n, 0.5);
    return (struct timing){
        .n_runs = n,
        .median = median,
        .min = samples[0],
        .spread = (quantile(samples, n, 0.75) - quantile(samples, n, 0.25)) / median,
    };
}
