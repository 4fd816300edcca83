/* series.c - repeats, and quantiles of their times: between two samples their weighted mean (type 7
 * of Hyndman and Fan 1996). */
#include "tools/bench/series.h"

#include "tools/common/alloc.h"

#include <stdlib.h>

enum { RUNS_LEAST = 3, RUNS_MOST = 100000 };

static const double LONG_RUN = 3; /* seconds */

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double share)
{
    double rank = share * (double)(n - 1);
    size_t below = (size_t)rank, above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (rank - (double)below) * (sorted[above] - sorted[below]);
}

struct timing timing_of(double *samples, size_t n)
{
    qsort(samples, n, sizeof *samples, compare_times);
    double median = quantile(samples, n, 0.5);
    return (struct timing){
        .n_runs = n,
        .median = median,
        .min = samples[0],
        .spread = (quantile(samples, n, 0.75) - quantile(samples, n, 0.25)) / median,
    };
}

bool series(struct series_length length, bool (*once)(void *user), void *user,
            struct timing *timing)
{
    double *samples = alloc_zeros(RUNS_MOST, sizeof *samples), start = program_seconds();
    size_t n = 0;
    bool done = once(user);
    double first = program_seconds() - start, begin = program_seconds();
    size_t least = length.n_runs > 0 ? length.n_runs : first > LONG_RUN ? 1 : RUNS_LEAST;
    while (done && n < RUNS_MOST &&
           (n < least || (length.n_runs == 0 && program_seconds() - begin < length.seconds))) {
        start = program_seconds();
        done = once(user);
        samples[n++] = program_seconds() - start;
    }
    if (done)
        *timing = timing_of(samples, n);
    free(samples);
    return done;
}
